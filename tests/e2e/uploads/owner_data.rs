//! Tests of the data that an owner attaches to a video and changes later, and of the list's filters.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestContent, TestStack, e2e, ensure_refused, send};

async fn update(channel: &Channel, request: &Value) -> Result<HttpAnswer> {
    let stack = &channel.stack;
    send(stack.request(Method::POST, paths::UPDATE_CONTENT).bearer_auth(&channel.key).json(request)).await
}

async fn status(channel: &Channel, content_uuid: &str) -> Result<Value> {
    let path = format!("{}?content_uuid={content_uuid}", paths::UPLOAD_STATUS);
    channel.stack.get_with_key(&path, &channel.key).await?.json()
}

async fn listed(channel: &Channel, query: &str) -> Result<Vec<String>> {
    let answer = channel.stack.get_with_key(&format!("{}?{query}", paths::UPLOADS), &channel.key).await?;
    let list = answer.json()?;
    let uploads = list["uploads"].as_array().with_context(|| format!("no list: {list}"))?;
    Ok(uploads.iter().filter_map(|upload| upload["external_id"].as_str()).map(str::to_owned).collect())
}

#[e2e]
async fn the_clients_own_data_comes_with_the_upload_and_is_returned(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let (token, video) = (stack.token(), stack.small_video());
    let form = |metadata: &str| {
        let form = Form::new().text("upload_token", &token).text("external_id", "order 7");
        form.text("metadata", metadata).file("file", "a.mp4", &video)
    };
    let result = channel.upload_accepted(form(r#"{"campaign": "spring", "by": "Zoë"}"#)).await?;
    let uuid = result["content_uuid"].as_str().context("no UUID")?;
    let status = status(&channel, uuid).await?;
    ensure!(status["external_id"] == "order 7", "{status}");
    ensure!(status["metadata"] == json!({ "campaign": "spring", "by": "Zoë" }), "{status}");
    ensure!(listed(&channel, "external_id=order%207").await? == ["order 7"]);
    // The order of the members makes no difference, but their values do.
    let again = channel.upload(form(r#"{"by":"Zoë","campaign":"spring"}"#)).await?;
    ensure!(again.status == 200 && again.header("idempotency-replayed") == "true", "{again:?}");
    ensure_refused(&channel.upload(form(r#"{"by":"Zoë"}"#)).await?, 422, "upload_token_mismatch")
}

#[e2e]
async fn invalid_client_data_is_refused_with_its_field(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (field, value, code) in [
        ("external_id", "a\tb".to_owned(), "content_external_id_invalid"),
        ("external_id", "x".repeat(129), "content_external_id_invalid"),
        ("metadata", "spring".to_owned(), "content_metadata_invalid"),
        ("metadata", r#"{"a":1}"#.to_owned(), "content_metadata_invalid"),
        ("metadata", format!(r#"{{"a":"{}"}}"#, "x".repeat(4_100)), "content_metadata_invalid"),
    ] {
        let answer =
            channel.upload(Form::new().text(field, &value).file("file", "a.mp4", &stack.small_video())).await?;
        ensure_refused(&answer, 422, code)?;
        ensure!(answer.json()?["field"] == field, "{answer:?}");
    }
    Ok(())
}

#[e2e]
async fn an_update_is_in_its_answer_and_in_the_status(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form.text("caption", "Old").text("external_id", "7")).await?;
    let (channel, uuid) = (&content.job.channel, &content.job.content_uuid);
    let request = json!({
        "content_uuid": uuid, "caption": "New", "external_id": null, "metadata": { "a": "1" },
        "ai_summary_of_content": "A dog.",
    });
    let answers = [update(channel, &request).await?, update(channel, &request).await?];
    for answer in &answers {
        ensure!(answer.status == 200 && !answer.header("ratelimit").is_empty(), "{answer:?}");
        let mut expected = status(channel, uuid).await?;
        let mut body = answer.json()?;
        for status in [&mut expected, &mut body] {
            // They change with time, and with the videos of others.
            status["check_after_seconds"].take();
            status["eta_seconds"].take();
        }
        ensure!(body == expected, "{body} {expected}");
        ensure!(body["caption"] == "New" && body["external_id"].is_null() && body["metadata"]["a"] == "1", "{body}");
    }
    let stranger = Channel::new(&stack).await?;
    ensure_refused(&update(&stranger, &request).await?, 404, "content_not_found")?;
    let keyless = send(stack.request(Method::POST, paths::UPDATE_CONTENT).json(&request)).await?;
    ensure_refused(&keyless, 401, "api_key_invalid")
}

#[e2e]
async fn an_update_that_is_not_possible_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "Old").await?;
    let (channel, uuid) = (&content.job.channel, &content.job.content_uuid);
    for (name, value, status, code) in [
        ("super_category_id", json!(8_999_999), 422, "content_category_invalid"),
        ("caption", json!("x".repeat(2_201)), 422, "content_caption_invalid"),
        ("scheduled_publish_at_unix", json!(4_000_000_000_u64), 409, "content_state_conflict"),
        ("metadata", json!({ "a": 1 }), 400, "request_malformed"),
        ("thumbnail_time", json!("00:00:06"), 422, "content_thumbnail_time_invalid"),
        ("thumbnail_file", json!("a picture"), 422, "field_unknown"),
    ] {
        let request = json!({ "content_uuid": uuid, "external_id": "8", name: value });
        ensure_refused(&update(channel, &request).await?, status, code)?;
    }
    let status = status(channel, uuid).await?;
    ensure!(status["caption"] == "Old" && status["external_id"].is_null(), "{status}");
    Ok(())
}

#[e2e(Cached)]
async fn a_new_caption_is_on_the_cached_page_at_once(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "The old caption").await?;
    let page = async || -> Result<String> {
        let answer = send(stack.request(Method::GET, &content.page())).await?;
        Ok(String::from_utf8_lossy(&answer.bytes).into_owned())
    };
    ensure!(page().await?.contains("The old caption") && page().await?.contains("The old caption"));
    let request = json!({ "content_uuid": content.job.content_uuid, "caption": "The new caption" });
    let answer = update(&content.job.channel, &request).await?;
    ensure!(answer.status == 200, "{answer:?}");
    ensure!(page().await?.contains("The new caption"), "the cache has the old page");
    Ok(())
}

#[e2e]
async fn the_list_is_filtered_by_state_time_and_external_id(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let mut uuids = Vec::new();
    for id in ["1", "2", "3"] {
        let form = Form::new().text("external_id", id).file("file", "a.mp4", &stack.small_video());
        let result = channel.upload_accepted(form).await?;
        uuids.push(result["content_uuid"].as_str().context("no UUID")?.to_owned());
    }
    let times = "UPDATE contents SET created_at_unix = created_at_unix + 100 * external_id WHERE channel_id = ";
    stack.change_rows(format!("{times}{}", channel.account.channel_id)).await?;
    let created = status(&channel, &uuids[1]).await?["created_at_unix"].as_u64().context("no time")?;
    let fail = format!("UPDATE contents SET state = 'failed' WHERE uuid = '{}'", uuids[0]);
    stack.change_rows(fail).await?;
    let later = created + 1;
    for (query, expected) in [
        (String::new(), &["3", "2", "1"][..]),
        ("state=processing".to_owned(), &["3", "2"]),
        ("state=failed".to_owned(), &["1"]),
        ("state=deleted".to_owned(), &[]),
        (format!("created_from_unix={created}"), &["3", "2"]),
        (format!("created_until_unix={created}"), &["1"]),
        (format!("created_from_unix={created}&created_until_unix={later}"), &["2"]),
        (format!("created_from_unix={created}&state=failed"), &[]),
        ("external_id=3".to_owned(), &["3"]),
        ("external_id=3&state=failed".to_owned(), &[]),
    ] {
        let found = listed(&channel, &query).await?;
        ensure!(found == expected, "{query}: {found:?}");
    }
    for (field, value) in [("state", "gone"), ("created_from_unix", "-1"), ("created_until_unix", "9007199254740992")] {
        let path = format!("{}?{field}={value}", paths::UPLOADS);
        let answer = stack.get_with_key(&path, &channel.key).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"] == field, "{answer:?}");
    }
    Ok(())
}
