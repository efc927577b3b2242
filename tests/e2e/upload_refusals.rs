//! Each refusal has its status, its code and its field, and leaves R2 and D1 as they were.

use crate::channel::{Channel, Rows};
use crate::harness::{Harness, Suite, ensure_refused};
use anyhow::{Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn register(suite: &mut Suite) {
    suite.add(
        "upload_refusals::every_field_is_refused_with_its_code_and_leaves_nothing",
        fields,
    );
    suite.add(
        "upload_refusals::what_is_no_form_is_told_so_before_its_body",
        no_form,
    );
    suite.add(
        "upload_refusals::an_over_long_video_is_told_its_length",
        over_long,
    );
    suite.add(
        "upload_refusals::a_refusal_tells_the_rate_limit",
        rate_limit,
    );
    suite.add(
        "upload_refusals::a_key_that_is_not_alive_uploads_nothing",
        dead_key,
    );
}

fn in_seconds(ahead: i64) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    now.saturating_add_signed(ahead).to_string()
}

/// Form, status, code, field.
#[expect(clippy::too_many_lines, reason = "a table, a case after the other")]
fn cases(video: &[u8]) -> Vec<(Form, u16, &'static str, Option<&'static str>)> {
    let form = || Form::new().file("file", "clip.mp4", video);
    let text = |name: &str, value: &str| form().text(name, value);
    let before = |name: &str, value: &str| {
        Form::new()
            .text(name, value)
            .file("file", "clip.mp4", video)
    };
    let picture = b"\x89PNG\r\n\x1a\n and the rest of it";
    vec![
        (
            Form::new().text("caption", "alone"),
            400,
            "file_not_found",
            Some("file"),
        ),
        (
            Form::new().file("video", "clip.mp4", video),
            400,
            "file_not_found",
            Some("file"),
        ),
        (
            form().file("file", "b.mp4", video),
            400,
            "request_malformed",
            Some("file"),
        ),
        (
            text("caption", "a").text("caption", "b"),
            400,
            "request_malformed",
            Some("caption"),
        ),
        (
            Form::new().file("file", "clip.mp4", b""),
            415,
            "content_file_invalid_format",
            Some("file"),
        ),
        (
            Form::new().file("file", "a.mp4", &video[..1_500]),
            415,
            "content_file_invalid_format",
            Some("file"),
        ),
        (
            text("caption", &"x".repeat(2_201)),
            422,
            "content_caption_invalid",
            Some("caption"),
        ),
        (
            text("ai_summary_of_content", &"x".repeat(5_001)),
            422,
            "content_ai_summary_invalid",
            Some("ai_summary_of_content"),
        ),
        (
            text("super_category_id", "99"),
            422,
            "content_category_invalid",
            Some("super_category_id"),
        ),
        (
            before("super_category_id", "music"),
            422,
            "content_category_invalid",
            Some("super_category_id"),
        ),
        (
            text("thumbnail_time", "0:00:01"),
            422,
            "content_thumbnail_time_invalid",
            Some("thumbnail_time"),
        ),
        (
            text("thumbnail_time", "00:00:06"),
            422,
            "content_thumbnail_time_invalid",
            Some("thumbnail_time"),
        ),
        (
            form().file("thumbnail_file", "a.png", b"GIF89a"),
            422,
            "content_thumbnail_invalid",
            Some("thumbnail_file"),
        ),
        (
            form().file("thumbnail_file", "a.png", &vec![0x89; 2_000_001]),
            422,
            "content_thumbnail_invalid",
            Some("thumbnail_file"),
        ),
        (
            text("thumbnail_time", "00:00:01").file("thumbnail_file", "a.png", picture),
            422,
            "content_thumbnail_conflict",
            Some("thumbnail_time"),
        ),
        (
            text("scheduled_publish_at_unix", &in_seconds(200)),
            422,
            "content_schedule_invalid",
            Some("scheduled_publish_at_unix"),
        ),
        (
            text("scheduled_publish_at_unix", &in_seconds(181 * 86_400)),
            422,
            "content_schedule_invalid",
            Some("scheduled_publish_at_unix"),
        ),
        (
            text("scheduled_publish_at_unix", "tomorrow"),
            422,
            "content_schedule_invalid",
            Some("scheduled_publish_at_unix"),
        ),
        (
            text("upload_token", "not-a-uuid"),
            422,
            "upload_token_invalid",
            Some("upload_token"),
        ),
        (
            text("unknown", &"x".repeat(70_000)),
            400,
            "request_malformed",
            None,
        ),
    ]
}

async fn fields(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let video = harness.small_video();
    for (form, status, code, field) in cases(&video) {
        let answer = channel.upload(form).await?;
        ensure_refused(&answer, status, code)?;
        ensure!(answer.json()?["field"].as_str() == field, "{answer:?}");
        ensure!(answer.json()?["detail"].is_string(), "{answer:?}");
        channel.ensure_rows(&Rows::default())?;
    }
    ensure!(harness.objects_of_size(video.len())?.is_empty());
    // None of it used up the day: the channel uploads as if nothing had been.
    channel
        .publish(Form::new().file("file", "clip.mp4", &video))
        .await?;
    channel.ensure_rows(&Rows::after(1))
}

async fn no_form(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let types = [
        "application/json",
        "video/mp4",
        "multipart/mixed; boundary=x",
        "multipart/form-data",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=a; boundary=b",
    ];
    for content_type in types {
        let answer = channel.upload_body(content_type, "{}").await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(
            answer.header("ratelimit").starts_with("\"daily\";r=50"),
            "{answer:?}"
        );
    }
    let garbled = channel
        .upload_body(&Form::content_type(), "this is no multipart body")
        .await?;
    ensure_refused(&garbled, 400, "request_malformed")?;
    channel.ensure_rows(&Rows::default())
}

async fn over_long(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    let film = fixtures::mp4(121_500, 3_000_000, 1);
    let answer = channel
        .upload(Form::new().file("file", "film.mp4", &film))
        .await?;
    ensure_refused(&answer, 422, "content_video_duration_invalid")?;
    let detail = answer.json()?["detail"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    ensure!(
        detail.contains("121.500 seconds") && detail.contains("2 to 120"),
        "{detail}"
    );
    channel.ensure_rows(&Rows::default())
}

async fn rate_limit(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::with_limit(&harness, Some(7)).await?;
    let answer = channel.upload(Form::new().text("caption", "alone")).await?;
    ensure!(
        answer.header("ratelimit-policy") == "\"daily\";q=7;w=86400",
        "{answer:?}"
    );
    ensure!(
        answer.header("ratelimit").starts_with("\"daily\";r=7;t="),
        "{answer:?}"
    );
    Ok(())
}

async fn dead_key(harness: Arc<Harness>) -> Result<()> {
    let channel = Channel::new(&harness).await?;
    channel.account.post(paths::DELETE_API_KEY).await?;
    let answer = channel
        .upload(Form::new().file("file", "a.mp4", &harness.small_video()))
        .await?;
    ensure_refused(&answer, 401, "api_key_invalid")?;
    // Not even the wrong form is told to who has no key.
    ensure_refused(
        &channel.upload_body("text/plain", "x").await?,
        401,
        "api_key_invalid",
    )?;
    let none = crate::harness::send(harness.request(Method::POST, paths::UPLOAD_VIDEO)).await?;
    ensure_refused(&none, 401, "api_key_invalid")?;
    ensure!(
        none.json()?
            .get("limit_amount")
            .unwrap_or(&Value::Null)
            .is_null()
    );
    channel.ensure_rows(&Rows::default())
}
