//! Tests of a picture that its owner sends as the thumbnail of an earlier video.

use anyhow::{Context, Result, ensure};
use contract::job::{JobOutcome, JobWork, StoredPictures};
use contract::moderation::Recommendation;
use contract::{ErrorCode, MediaFile, paths};
use fixtures::Form;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestContent, TestStack, e2e, ensure_refused, send};

fn form(content_uuid: &str, picture: &[u8]) -> Form {
    Form::new().text("content_uuid", content_uuid).file("thumbnail_file", "a.png", picture)
}

/// Returns a picture of the largest size.
fn picture(filler: u8) -> Vec<u8> {
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    png.resize(2_000_000, filler);
    png
}

async fn change(channel: &Channel, form: Form) -> Result<HttpAnswer> {
    let request = channel.stack.request(Method::POST, paths::UPDATE_THUMBNAIL).bearer_auth(&channel.key);
    send(request.header("Content-Type", Form::content_type()).body(form.body())).await
}

async fn changed(content: &TestContent, picture: &[u8]) -> Result<Value> {
    let answer = change(&content.job.channel, form(&content.job.content_uuid, picture)).await?;
    ensure!(answer.status == 200 && !answer.header("ratelimit").is_empty(), "{answer:?}");
    answer.json()
}

/// Returns the outcome of a job that made the pictures.
fn made(content: &TestContent) -> Result<JobOutcome> {
    let JobOutcome::Processed { media, findings, frames, .. } = content.outcome(&[Recommendation::Pass]) else {
        anyhow::bail!("another outcome");
    };
    let mut files = media.files;
    files.retain(|file| MediaFile::THUMBNAILS.iter().any(|picture| picture.to_string() == file.name));
    Ok(JobOutcome::Thumbnail { pictures: StoredPictures { thumbhash: "bmV3".to_owned(), files }, findings, frames })
}

fn is_stored(stack: &TestStack, key: &str) -> Result<bool> {
    Ok(stack.objects()?.iter().any(|object| object.key == key))
}

#[e2e]
async fn a_sent_picture_is_stored_until_its_thumbnails_are_made(stack: Arc<TestStack>) -> Result<()> {
    let mut content = TestContent::published(&stack, "A picture").await?;
    let (first, second) = (picture(1), picture(2));
    changed(&content, &first).await?;
    content.job.generation = 2;
    let replaced = content.job.claim_granted().await?.thumbnail_key.context("no picture")?;
    for _ in 0..2 {
        let status = changed(&content, &second).await?;
        ensure!(status["thumbnail_change"] == "pending" && status["check_after_seconds"] == 5, "{status}");
    }
    content.job.generation = 3;
    let details = content.job.claim_granted().await?;
    ensure!(details.work == JobWork::Thumbnail && details.thumbnail_time_seconds.is_none(), "{details:?}");
    let key = details.thumbnail_key.context("no picture")?;
    ensure!(stack.object_bytes(&key).await? == second, "the picture differs");
    stack.sweep().await?;
    ensure!(!is_stored(&stack, &replaced)? && is_stored(&stack, &key)?, "the sweep has deleted the wrong one");
    ensure!(content.job.report(made(&content)?).await?.accepted);
    let status = content.job.status().await?;
    ensure!(status["thumbnail_change"].is_null() && status["thumbhash"] == "bmV3", "{status}");
    stack.sweep().await?;
    ensure!(!is_stored(&stack, &key)?, "the picture is left");
    // The same picture again changes nothing.
    ensure!(changed(&content, &second).await?["thumbnail_change"].is_null());
    ensure!(content.job.row()?["generation"] == 3);
    Ok(())
}

#[e2e]
async fn a_picture_that_no_origin_can_decode_is_reported_with_its_code(stack: Arc<TestStack>) -> Result<()> {
    let mut content = TestContent::published(&stack, "No picture").await?;
    changed(&content, &picture(1)).await?;
    content.job.generation = 2;
    let key = content.job.claim_granted().await?.thumbnail_key.context("no picture")?;
    let refused = JobOutcome::Refused { code: ErrorCode::ContentThumbnailInvalid, detail: "no picture".to_owned() };
    ensure!(content.job.report(refused).await?.accepted);
    let status = content.job.status().await?;
    ensure!(status["state"] == "published" && status["thumbnail_change"] == "failed", "{status}");
    ensure!(status["thumbnail_error_message_code"] == "content_thumbnail_invalid", "{status}");
    stack.sweep().await?;
    ensure!(!is_stored(&stack, &key)?, "the picture is left");
    Ok(())
}

#[e2e]
async fn a_picture_that_cannot_be_taken_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "Unchanged").await?;
    let (channel, uuid) = (&content.job.channel, &content.job.content_uuid);
    let png = picture(1);
    for (form, status, code) in [
        (form(uuid, b"GIF89a"), 422, "content_thumbnail_invalid"),
        (form(uuid, &[&png[..], b"x"].concat()), 422, "content_thumbnail_invalid"),
        (Form::new().text("content_uuid", uuid), 422, "content_thumbnail_invalid"),
        (form(uuid, &png).text("thumbnail_time", "00:00:01"), 422, "field_unknown"),
        (Form::new().file("thumbnail_file", "a", &png), 400, "request_malformed"),
        (form("0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60", &png), 404, "content_not_found"),
    ] {
        let answer = change(channel, form).await?;
        ensure_refused(&answer, status, code)?;
        ensure!(!answer.header("ratelimit").is_empty(), "{answer:?}");
    }
    let request = || stack.request(Method::POST, paths::UPDATE_THUMBNAIL);
    let body = form(uuid, &png).body();
    let of_form = |request: reqwest::RequestBuilder| request.header("Content-Type", Form::content_type());
    let json = request().bearer_auth(&channel.key).json(&serde_json::json!({ "content_uuid": uuid }));
    ensure_refused(&send(json).await?, 400, "request_malformed")?;
    let packed = of_form(request()).bearer_auth(&channel.key).header("Content-Encoding", "gzip").body(body.clone());
    ensure_refused(&send(packed).await?, 415, "content_encoding_unsupported")?;
    ensure_refused(&send(of_form(request()).body(body.clone())).await?, 401, "api_key_invalid")?;
    let stranger = Channel::new(&stack).await?;
    ensure_refused(&change(&stranger, form(uuid, &png)).await?, 404, "content_not_found")?;
    let (row, id) = (content.job.row()?, content.job.content_id);
    let changes = stack.count("SELECT count(*) FROM jobs WHERE kind = 'thumbnail' AND content_id = ?1", id)?;
    ensure!(changes == 0 && row["generation"] == 1, "{row:?}");
    content.owner_request(paths::DELETE_CONTENT, serde_json::json!({})).await?;
    ensure_refused(&change(channel, form(uuid, &png)).await?, 409, "content_state_conflict")
}
