//! Tests of the event log, read with an API key at each step of a video's life.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{Channel, TestContent, TestStack, e2e, ensure_refused, send};

async fn events(stack: &TestStack, key: &str, query: &str) -> Result<Value> {
    let answer = stack.get_with_key(&format!("{}?{query}", paths::EVENTS), key).await?;
    ensure!(answer.status == 200 && !answer.header("ratelimit").is_empty(), "{answer:?}");
    answer.json()
}

fn types(page: &Value) -> Vec<&str> {
    let events = page["events"].as_array().map(Vec::as_slice).unwrap_or_default();
    events.iter().filter_map(|event| event["type"].as_str()).collect()
}

#[e2e]
async fn the_log_tells_the_life_of_a_video_in_order(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form.text("external_id", "order 7")).await?;
    let (channel, uuid) = (&content.job.channel, &content.job.content_uuid);
    ensure!(types(&events(&stack, &channel.key, "").await?).is_empty());
    content.finish(&[Recommendation::Review]).await?;
    for path in [paths::MODERATION_APPROVE, paths::MODERATION_TAKE_DOWN] {
        let request = stack.request(Method::POST, path).bearer_auth(stack.env().get("ADMIN_TOKEN"));
        let body = json!({ "content_uuid": uuid, "reason": "r" });
        let answer = send(request.json(&body)).await?;
        ensure!(answer.status == 200, "{answer:?}");
    }
    let delete = stack.request(Method::POST, paths::DELETE_CONTENT).bearer_auth(&channel.key);
    send(delete.json(&json!({ "content_uuid": uuid }))).await?;
    let log = events(&stack, &channel.key, &format!("content_uuid={uuid}")).await?;
    let expected = ["content.waiting", "content.published", "content.taken_down", "content.deleted"];
    ensure!(types(&log) == expected, "{log}");
    for (index, event) in log["events"].as_array().context("no events")?.iter().enumerate() {
        ensure!(event["sequence"] == index + 1 && event["content_sequence"] == index + 1, "{event}");
        ensure!(event["data"]["content_uuid"] == json!(uuid) && event["data"]["external_id"] == "order 7", "{event}");
    }
    let rest = events(&stack, &channel.key, "after=2&limit=1").await?;
    ensure!(types(&rest) == ["content.taken_down"] && rest["has_more"] == true && rest["next_after"] == 3, "{rest}");
    Ok(())
}

#[e2e]
async fn a_reached_limit_and_a_rotated_key_are_logged_without_secrets(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let result = channel.upload_accepted(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    ensure!(result["is_limit_activated"] == true, "{result:?}");
    let rotated = channel.account.post(paths::ROTATE_API_KEY).await?.json()?;
    let key = rotated["api_key"].as_str().context("no key")?;
    let log = events(&stack, key, "").await?;
    ensure!(types(&log) == ["limit.reached", "key.rotated"], "{log}");
    ensure!(log["events"][0]["data"]["limit_reset_time_unix"] == result["limit_reset_time_unix"], "{log}");
    ensure!(log["events"][1]["data"]["key_hint"] == rotated["key"]["key_hint"], "{log}");
    ensure!(!log.to_string().contains(key) && !log.to_string().contains(&channel.key), "{log}");
    Ok(())
}

#[e2e]
async fn a_channel_reads_its_own_log_only_and_an_invalid_request_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "a video").await?;
    let stranger = Channel::new(&stack).await?;
    for query in [String::new(), format!("content_uuid={}", content.job.content_uuid)] {
        ensure!(types(&events(&stack, &stranger.key, &query).await?).is_empty(), "{query}");
    }
    for (field, value) in [("after", "-1"), ("after", "9007199254740992"), ("limit", "0"), ("content_uuid", "x")] {
        let path = format!("{}?{field}={value}", paths::EVENTS);
        let answer = stack.get_with_key(&path, &stranger.key).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"] == field, "{answer:?}");
        ensure_refused(&stack.get(&path).await?, 401, "api_key_invalid")?;
    }
    Ok(())
}
