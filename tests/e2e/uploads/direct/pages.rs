//! Requests of pages: only the origin that the owner allows may use the token and read the responses.

use super::{APP, Direct, clip, form};
use crate::uploads::resumable::Upload;
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestStack, e2e, ensure_refused, send};

/// Fails unless pages of the app, and no others, can read the answer, without credentials.
fn ensure_readable(answer: &HttpAnswer) -> Result<()> {
    let is_allowed = answer.header("access-control-allow-origin") == APP && answer.header("vary").contains("Origin");
    ensure!(is_allowed && !answer.headers.contains_key("access-control-allow-credentials"), "{answer:?}");
    ensure!(answer.header("access-control-expose-headers").contains("Upload-Offset"), "{answer:?}");
    Ok(())
}

async fn create(stack: &Arc<TestStack>) -> Result<Direct> {
    let channel = Channel::new(stack).await?;
    Direct::create(&channel, json!({ "user_may_set": ["caption"], "allowed_origin": APP })).await
}

#[e2e]
async fn a_preflight_is_answered_for_any_page(stack: Arc<TestStack>) -> Result<()> {
    let location = format!("{}/{}", paths::RESUMABLE_UPLOADS, "a".repeat(40));
    for path in [paths::DIRECT_UPLOAD, paths::RESUMABLE_DIRECT_UPLOAD, &location] {
        let request = stack.request(Method::OPTIONS, path).header("Origin", "https://any.example");
        let answer = send(request.header("Access-Control-Request-Method", "PATCH")).await?;
        ensure!(answer.status == 204, "{answer:?}");
        ensure!(answer.header("access-control-allow-origin") == "https://any.example", "{answer:?}");
        ensure!(answer.header("access-control-allow-methods").contains("PATCH"), "{answer:?}");
        ensure!(answer.header("access-control-allow-headers").contains("Upload-Offset"), "{answer:?}");
    }
    let with_key = stack.request(Method::OPTIONS, paths::RESUMABLE_UPLOADS).header("Origin", "https://any.example");
    ensure!(!send(with_key).await?.headers.contains_key("access-control-allow-origin"));
    Ok(())
}

#[e2e]
async fn a_page_of_the_allowed_origin_reads_successes_and_refusals(stack: Arc<TestStack>) -> Result<()> {
    let direct = create(&stack).await?;
    let channel = &direct.channel;
    let refused = send(direct.form(form(channel).text("external_id", "x")).header("Origin", APP)).await?;
    ensure_refused(&refused, 422, "direct_upload_field_forbidden")?;
    ensure_readable(&refused)?;
    let file = clip(channel);
    let begun = send(direct.creation(file.len(), "").header("Origin", APP)).await?;
    ensure!(begun.status == 201, "{begun:?}");
    ensure_readable(&begun)?;
    let upload = Upload::at(channel, &begun)?;
    let wrong_offset = send(upload.appending(5, &file[5..]).header("Origin", APP)).await?;
    ensure_refused(&wrong_offset, 409, "upload_offset_mismatch")?;
    ensure_readable(&wrong_offset)?;
    let head = send(upload.request(Method::HEAD).header("Origin", APP)).await?;
    ensure!(head.status == 200, "{head:?}");
    ensure_readable(&head)?;
    let last = send(upload.appending(0, &file).header("Origin", APP)).await?;
    ensure!(last.status == 204, "{last:?}");
    ensure_readable(&last)?;
    let status = send(direct.request(Method::GET, paths::DIRECT_UPLOAD).header("Origin", APP)).await?;
    ensure!(status.json()?["state"] == "used", "{status:?}");
    ensure_readable(&status)?;
    let used = send(direct.form(form(channel)).header("Origin", APP)).await?;
    ensure_refused(&used, 409, "direct_upload_used")?;
    ensure_readable(&used)
}

#[e2e]
async fn a_page_of_another_origin_can_do_nothing_with_the_token_or_the_location(stack: Arc<TestStack>) -> Result<()> {
    let direct = create(&stack).await?;
    let location = Upload::at(&direct.channel, &send(direct.creation(9_000, "")).await?)?;
    for origin in ["https://evil.example", "null", "http://app.example"] {
        for request in [
            direct.form(form(&direct.channel)),
            direct.creation(9_000, ""),
            direct.request(Method::GET, paths::DIRECT_UPLOAD),
            location.request(Method::GET),
            location.appending(0, b"x"),
            location.request(Method::DELETE),
        ] {
            let answer = send(request.header("Origin", origin)).await?;
            ensure_refused(&answer, 403, "direct_upload_origin_forbidden")?;
            ensure!(answer.header("access-control-allow-origin") != origin, "{answer:?}");
        }
    }
    ensure!(location.offset().await? == 0 && direct.read().await?["state"] == "open");
    Ok(())
}

#[e2e]
async fn a_token_without_an_origin_is_not_for_pages(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, json!({ "user_may_set": ["caption"] })).await?;
    let answer = send(direct.form(form(&channel)).header("Origin", APP)).await?;
    ensure_refused(&answer, 403, "direct_upload_origin_forbidden")?;
    ensure!(!answer.headers.contains_key("access-control-allow-origin"), "{answer:?}");
    ensure!(direct.upload(form(&channel)).await?.status == 200);
    Ok(())
}
