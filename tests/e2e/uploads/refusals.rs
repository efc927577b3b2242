//! Each refusal has its own status, code and field, and leaves R2 and D1 as they were.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestStack, e2e, ensure_refused, now_unix, send};

fn unix_time_in(seconds: i64) -> String {
    now_unix().saturating_add_signed(seconds).to_string()
}

/// Returns each form with the expected status, code and field.
fn cases(video: &[u8]) -> Vec<(Form, u16, &'static str, Option<&'static str>)> {
    let form = || Form::new().file("file", "clip.mp4", video);
    let text = |name: &str, value: &str| form().text(name, value);
    let text_first = |name: &str, value: &str| Form::new().text(name, value).file("file", "clip.mp4", video);
    let srt = b"1\n00:00:01,000 --> 00:00:02,000\nHello\n";
    let captions = |language: &str, bytes: &[u8]| form().file(&format!("captions_file_{language}"), "a.srt", bytes);
    let languages = ["de", "en", "es", "fr", "it", "nl", "pl", "pt-BR", "zh-Hant"];
    let nine_languages = languages
        .iter()
        .fold(Form::new(), |form, language| form.file(&format!("captions_file_{language}"), "a.srt", srt));
    let picture = b"\x89PNG\r\n\x1a\n and the rest of it";
    vec![
        (Form::new().text("caption", "alone"), 400, "file_not_found", Some("file")),
        (Form::new().file("video", "clip.mp4", video), 400, "file_not_found", Some("video")),
        (Form::new().file("video", "clip.mp4", &vec![0; 200_000]), 400, "file_not_found", Some("video")),
        (form().file("file", "b.mp4", video), 400, "request_malformed", Some("file")),
        (text("caption", "a").text("caption", "b"), 400, "request_malformed", Some("caption")),
        (Form::new().file("file", "clip.mp4", b""), 415, "content_file_invalid_format", Some("file")),
        (Form::new().file("file", "a.mp4", &video[..1_500]), 415, "content_file_invalid_format", Some("file")),
        (text("caption", &"x".repeat(2_201)), 422, "content_caption_invalid", Some("caption")),
        (
            text("ai_summary_of_content", &"x".repeat(5_001)),
            422,
            "content_ai_summary_invalid",
            Some("ai_summary_of_content"),
        ),
        (text("super_category_id", "99"), 422, "content_category_invalid", Some("super_category_id")),
        (text_first("super_category_id", "music"), 422, "content_category_invalid", Some("super_category_id")),
        (text("thumbnail_time", "0:00:01"), 422, "content_thumbnail_time_invalid", Some("thumbnail_time")),
        (text("thumbnail_time", "00:00:06"), 422, "content_thumbnail_time_invalid", Some("thumbnail_time")),
        (form().file("thumbnail_file", "a.png", b"GIF89a"), 422, "content_thumbnail_invalid", Some("thumbnail_file")),
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
        (captions("en", b"no captions"), 422, "content_captions_invalid", Some("captions_file_en")),
        (captions("en", &vec![b'a'; 600_000]), 422, "content_captions_invalid", Some("captions_file_en")),
        (captions("english", srt), 422, "content_captions_language_invalid", Some("captions_file_english")),
        (captions("en", srt).file("captions_file_EN", "b", srt), 400, "request_malformed", Some("captions_file_EN")),
        (nine_languages, 422, "content_captions_too_many", Some("captions_file_zh-Hant")),
        (
            captions("en", srt).text("thumbnail_time", "00:00:06"),
            422,
            "content_thumbnail_time_invalid",
            Some("thumbnail_time"),
        ),
        (form().file("captions_file", "a", srt), 422, "content_captions_language_invalid", Some("captions_file")),
        (
            text("scheduled_publish_at_unix", &unix_time_in(200)),
            422,
            "content_schedule_invalid",
            Some("scheduled_publish_at_unix"),
        ),
        (
            text("scheduled_publish_at_unix", &unix_time_in(181 * 86_400)),
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
        (text("upload_token", "not-a-uuid"), 422, "upload_token_invalid", Some("upload_token")),
        (text("captoin", "x"), 422, "field_unknown", Some("captoin")),
        (
            Form::new().text("audience", "friends").file("file", "clip.mp4", video),
            422,
            "field_unknown",
            Some("audience"),
        ),
        (text("unknown", &"x".repeat(70_000)), 422, "field_unknown", Some("unknown")),
    ]
}

#[e2e]
async fn every_invalid_field_is_refused_with_its_code_and_leaves_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let video = stack.small_video();
    for (form, status, code, field) in cases(&video) {
        let answer = channel.upload(form).await?;
        ensure_refused(&answer, status, code)?;
        ensure!(answer.json()?["field"].as_str() == field, "{answer:?}");
        ensure!(answer.json()?["detail"].is_string(), "{answer:?}");
        channel.ensure_rows(&ChannelRows::default())?;
    }
    ensure!(stack.objects_of_size(video.len())?.is_empty());
    // None of the refusals used up a slot.
    channel.upload_accepted(Form::new().file("file", "clip.mp4", &video)).await?;
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_request_that_is_not_a_form_is_refused_before_its_body(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
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
        ensure!(answer.header("ratelimit").starts_with("\"daily\";r=50"), "{answer:?}");
    }
    let garbled = channel.upload_body(&Form::content_type(), "this is not a multipart body").await?;
    ensure_refused(&garbled, 400, "request_malformed")?;
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_compressed_body_is_refused_by_the_name_of_its_encoding(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let request = || stack.request(Method::POST, paths::UPLOAD_VIDEO).header("content-type", Form::content_type());
    let encoded = request().header("content-encoding", "gzip").body(vec![0x1f; 1_000_000]);
    ensure_refused(&send(encoded.try_clone().context("a body in memory")?).await?, 401, "api_key_invalid")?;
    let answer = send(encoded.bearer_auth(&channel.key)).await?;
    ensure_refused(&answer, 415, "content_encoding_unsupported")?;
    ensure!(answer.json()?["detail"].as_str().is_some_and(|detail| detail.contains("gzip")), "{answer:?}");
    let form = Form::new().file("file", "a.mp4", &stack.small_video()).body();
    let plain = request().header("content-encoding", "identity").bearer_auth(&channel.key).body(form);
    ensure!(send(plain).await?.status == 200);
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn the_detail_explains_the_error_of_a_field(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let form = || Form::new().file("file", "clip.mp4", &stack.small_video());
    let cases = [
        (form().text("thumbnail_time", "00:00:06"), "422", "5.000 seconds long"),
        (form().raw_text("caption", b"caf\xe9"), "422", "is not UTF-8"),
        (Form::new().file("video", "clip.mp4", &stack.small_video()), "400", "a form field named `file`"),
    ];
    for (form, status, part) in cases {
        let answer = channel.upload(form).await?;
        ensure!(answer.status.as_str() == status, "{answer:?}");
        ensure!(answer.json()?["detail"].as_str().is_some_and(|detail| detail.contains(part)), "{answer:?}");
    }
    let optional = ["caption", "super_category_id", "thumbnail_time", "upload_token", "scheduled_publish_at_unix"];
    let empty = optional.into_iter().fold(form(), |form, name| form.text(name, ""));
    channel.upload_accepted(empty.file("thumbnail_file", "", b"")).await?;
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_video_that_is_too_long_is_refused_with_its_duration(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let film = fixtures::mp4(121_500, 3_000_000, 1);
    let answer = channel.upload(Form::new().file("file", "film.mp4", &film)).await?;
    ensure_refused(&answer, 422, "content_video_duration_invalid")?;
    let detail = answer.json()?["detail"].as_str().unwrap_or_default().to_owned();
    ensure!(detail.contains("121.500 seconds") && detail.contains("2 to 120"), "{detail}");
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_refusal_carries_the_rate_limit_headers(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(7)).await?;
    let answer = channel.upload(Form::new().text("caption", "alone")).await?;
    ensure!(answer.header("ratelimit-policy") == "\"daily\";q=7;w=86400, \"burst\";q=100;w=10", "{answer:?}");
    ensure!(answer.header("ratelimit").starts_with("\"daily\";r=7;t="), "{answer:?}");
    Ok(())
}

#[e2e]
async fn an_invalid_key_uploads_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    channel.account.post(paths::DELETE_API_KEY).await?;
    let answer = channel.upload(Form::new().file("file", "a.mp4", &stack.small_video())).await?;
    ensure_refused(&answer, 401, "api_key_invalid")?;
    // An invalid key is reported before a wrong content type.
    ensure_refused(&channel.upload_body("text/plain", "x").await?, 401, "api_key_invalid")?;
    let keyless = send(stack.request(Method::POST, paths::UPLOAD_VIDEO)).await?;
    ensure_refused(&keyless, 401, "api_key_invalid")?;
    ensure!(keyless.json()?.get("limit_amount").unwrap_or(&Value::Null).is_null());
    channel.ensure_rows(&ChannelRows::default())
}
