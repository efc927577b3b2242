//! Names that the API does not define are refused with the nearest name, or ignored and listed for clients that ask for
//! it.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, ChannelRows, HttpAnswer, TestContent, TestStack, e2e, ensure_refused, send};

/// Fails unless the answer refuses the name and suggests another one.
fn ensure_suggests(answer: &HttpAnswer, status: u16, code: &str, name: &str, meant: &str) -> Result<()> {
    ensure_refused(answer, status, code)?;
    let body = answer.json()?;
    let detail = body["detail"].as_str().context("no detail")?;
    let is_suggested = detail.contains(&format!("Did you mean `{meant}`?"));
    ensure!(body["field"] == name && is_suggested, "{body}");
    Ok(())
}

#[e2e]
async fn an_unknown_field_is_refused_with_the_nearest_name_and_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    // A response to a large body may be lost to a client that sends everything before it reads.
    let (small, video) = (stack.small_video(), fixtures::mp4(5_000, 6_000_000, 31));
    let before = |name: &str| Form::new().text(name, "private").file("file", "a.mp4", &small);
    let after = |name: &str| Form::new().file("file", "a.mp4", &video).text(name, "private");
    for form in [before("captoin"), after("captoin")] {
        ensure_suggests(&channel.upload(form).await?, 422, "field_unknown", "captoin", "caption")?;
    }
    for form in [before("audience"), after("audience")] {
        ensure_refused(&channel.upload(form).await?, 422, "field_unknown")?;
    }
    for name in ["File", "video"] {
        let answer = channel.upload(Form::new().file(name, "a.mp4", &small)).await?;
        ensure_refused(&answer, 400, "file_not_found")?;
        ensure!(answer.json()?["detail"].as_str().is_some_and(|detail| detail.contains("`file`")), "{answer:?}");
    }
    for stored in [&small, &video] {
        ensure!(stack.objects_of_size(stored.len())?.is_empty());
    }
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_client_that_prefers_it_has_unknown_fields_ignored_and_listed(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let form = Form::new()
        .text("labels", "a,b")
        .text("labels", "an unknown field may be sent twice")
        .file("attachment 1", "notes.bin", &[0; 1_000])
        .file("file", "a.mp4", &stack.small_video());
    let request = channel.upload_request().header("Prefer", "respond-async, handling=lenient");
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure!(answer.status == 200 && answer.header("preference-applied") == "handling=lenient", "{answer:?}");
    ensure!(answer.header("ignored-fields") == "labels, labels, attachment%201", "{answer:?}");
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn an_unknown_parameter_is_refused_with_the_nearest_name_or_ignored(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for (path, name, meant) in [
        ("/api/php/developer/uploads?status=published", "status", "state"),
        ("/api/php/developer/upload_status?content_id=5", "content_id", "content_uuid"),
        ("/api/php/developer/events?limits=5", "limits", "limit"),
    ] {
        let answer = stack.get_with_key(path, &channel.key).await?;
        ensure_suggests(&answer, 400, "request_malformed", name, meant)?;
        ensure!(!answer.header("ratelimit").is_empty(), "{answer:?}");
    }
    for path in [paths::UPLOAD_LIMITS, paths::CATEGORIES, paths::WEBHOOKS] {
        let answer = stack.get_with_key(&format!("{path}?page=2"), &channel.key).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
    }
    let in_the_query = stack.request(Method::POST, &format!("{}?audience=friends", paths::UPLOAD_VIDEO));
    let form = Form::new().file("file", "a.mp4", &stack.small_video());
    let in_the_query = in_the_query.bearer_auth(&channel.key).header("Content-Type", Form::content_type());
    ensure_refused(&send(in_the_query.body(form.body())).await?, 400, "request_malformed")?;
    channel.ensure_rows(&ChannelRows::default())?;
    let lenient = stack.request(Method::GET, &format!("{}?status=published", paths::UPLOADS)).bearer_auth(&channel.key);
    let answer = send(lenient.header("Prefer", "handling=lenient")).await?;
    ensure!(answer.status == 200 && answer.header("ignored-fields") == "status", "{answer:?}");
    let uninvited = stack.get_with_key("/api/php/developer/uploads?status=published", "no-key").await?;
    ensure_refused(&uninvited, 401, "api_key_invalid")
}

#[e2e]
async fn an_unknown_member_is_refused_with_the_nearest_name_or_ignored(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let change = json!({ "content_uuid": content.job.content_uuid, "captoin": "new" });
    let request = || {
        let request = stack.request(Method::POST, paths::UPDATE_CONTENT).bearer_auth(&content.job.channel.key);
        request.json(&change)
    };
    ensure_suggests(&send(request()).await?, 422, "field_unknown", "captoin", "caption")?;
    let answer = send(request().header("Prefer", "handling=lenient")).await?;
    ensure!(answer.status == 200 && answer.header("ignored-fields") == "captoin", "{answer:?}");
    let form = Form::new().text("content_uuid", &content.job.content_uuid).text("picture", "x");
    let request = stack.request(Method::POST, paths::UPDATE_THUMBNAIL).bearer_auth(&content.job.channel.key);
    let answer = send(request.header("Content-Type", Form::content_type()).body(form.body())).await?;
    ensure_refused(&answer, 422, "field_unknown")
}
