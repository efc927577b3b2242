//! Requests that are refused, each with its documented code, and without harm to the upload.

use super::{BYTES, Upload, creation, video};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use std::sync::Arc;
use tests::{Channel, ChannelRows, HttpAnswer, TestStack, e2e, ensure_refused, send};

/// Fails unless the answer is this refusal, also for a client that reads headers only.
fn ensure_tus_refused(answer: &HttpAnswer, status: u16, code: &str) -> Result<()> {
    ensure_refused(answer, status, code)?;
    ensure!(answer.header("clipgate-error-code") == code && answer.header("tus-resumable") == "1.0.0", "{answer:?}");
    Ok(())
}

#[e2e]
async fn a_creation_that_cannot_succeed_is_refused_before_any_byte(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let plain = || stack.request(Method::POST, paths::RESUMABLE_UPLOADS).bearer_auth(&channel.key);
    let tus = || plain().header("Tus-Resumable", "1.0.0");
    let metadata = |text: &str| tus().header("Upload-Length", "100").header("Upload-Metadata", text.to_owned());
    let long = "x".repeat(60_000);
    let cases = [
        (plain().header("Upload-Length", "100"), 412, "tus_version_unsupported"),
        (plain().header("Tus-Resumable", "0.2.0").header("Upload-Length", "100"), 412, "tus_version_unsupported"),
        (tus(), 400, "request_malformed"),
        (tus().header("Upload-Length", "0"), 400, "request_malformed"),
        (tus().header("Upload-Length", "-5"), 400, "request_malformed"),
        (tus().header("Upload-Defer-Length", "1"), 400, "request_malformed"),
        (tus().header("Upload-Length", "2000000001"), 413, "content_file_too_large"),
        (metadata("caption %%%"), 400, "upload_metadata_invalid"),
        (metadata("caption YQ==,caption YQ=="), 400, "upload_metadata_invalid"),
        (metadata(&long), 400, "upload_metadata_invalid"),
        (metadata("captoin YQ=="), 422, "field_unknown"),
        (metadata("super_category_id OTk5OTk5"), 422, "content_category_invalid"),
        (tus().header("Upload-Length", "100").header("Content-Encoding", "gzip"), 415, "content_encoding_unsupported"),
        (stack.request(Method::POST, paths::RESUMABLE_UPLOADS).header("Upload-Length", "100"), 401, "api_key_invalid"),
    ];
    for (request, status, code) in cases {
        ensure_tus_refused(&send(request).await?, status, code)?;
    }
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_request_that_does_not_fit_is_refused_and_the_upload_goes_on(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, 50_000);
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    upload.append(0, &file[..100]).await?;
    let patch = || upload.request(Method::PATCH).body(file[100..].to_vec());
    let longer = [&file[100..], b"x"].concat();
    let cases = [
        (upload.appending(0, &file), 409, "upload_offset_mismatch"),
        (upload.appending(200, &file[200..]), 409, "upload_offset_mismatch"),
        (upload.appending(100, &longer), 400, "request_malformed"),
        (patch().header("Content-Type", BYTES), 400, "request_malformed"),
        (patch().header("Upload-Offset", "100"), 400, "request_malformed"),
        (patch().header("Upload-Offset", "1e2").header("Content-Type", BYTES), 400, "request_malformed"),
        (
            stack.request(Method::PATCH, &upload.path).header("Upload-Offset", "100").header("Content-Type", BYTES),
            412,
            "tus_version_unsupported",
        ),
    ];
    for (request, status, code) in cases {
        ensure_tus_refused(&send(request).await?, status, code)?;
        ensure!(upload.offset().await? == 100);
    }
    ensure!(upload.append(100, &file[100..]).await?.status == 204);
    upload.ensure_stored(&file).await
}

#[e2e]
async fn a_location_that_is_wrong_unknown_or_of_an_ended_upload_is_not_found(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let ended = Upload::begin(&channel, 1_000, &[]).await?;
    ended.end().await?;
    let unknown = format!("{}/{}", paths::RESUMABLE_UPLOADS, "a".repeat(40));
    for path in [ended.path.clone(), unknown, format!("{}/1", paths::RESUMABLE_UPLOADS)] {
        let upload = Upload { channel: channel.clone(), path };
        for request in [upload.request(Method::GET), upload.appending(0, b"x"), upload.request(Method::DELETE)] {
            ensure_tus_refused(&send(request).await?, 404, "upload_not_found")?;
        }
        let head = upload.head().await?;
        ensure!(head.status == 404 && head.header("clipgate-error-code") == "upload_not_found", "{head:?}");
    }
    Ok(())
}

#[e2e]
async fn a_wrong_file_is_refused_for_good_and_takes_no_slot(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let upload = Upload::begin(&channel, 20_000_000, &[]).await?;
    let mut request = upload.connect(0, 9_000_000).await?;
    request.send(&[b'-'; 5_000]).await?;
    // The refusal arrives while the client has not sent the rest.
    let refused = request.answer_by_length().await?;
    ensure!(refused.starts_with("HTTP/1.1 415") && refused.contains("content_file_invalid_format"), "{refused}");
    ensure_tus_refused(&upload.append(0, b"-").await?, 415, "content_file_invalid_format")?;
    let head = upload.head().await?;
    ensure!(head.status == 415 && head.header("clipgate-error-code") == "content_file_invalid_format", "{head:?}");
    let described = send(upload.request(Method::GET)).await?.json()?;
    ensure!(described["state"] == "refused", "{described}");
    ensure!(described["error_message_code"] == "content_file_invalid_format" && described["detail"].is_string());
    channel.ensure_rows(&ChannelRows::default())?;
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn a_file_with_another_hash_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = stack.small_video();
    let upload = Upload::begin(&channel, file.len(), &[("sha256", &"0".repeat(64))]).await?;
    ensure_tus_refused(&upload.append(0, &file).await?, 422, "upload_sha256_mismatch")?;
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn an_upload_ends_with_its_key(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, 6_000_000);
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    upload.append(0, &file[..5_500_000]).await?;
    channel.account.post(paths::DELETE_API_KEY).await?;
    ensure_tus_refused(&upload.append(5_500_000, &file[5_500_000..]).await?, 404, "upload_not_found")?;
    channel.ensure_rows(&ChannelRows::default())?;
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn a_channel_has_only_so_many_unfinished_uploads(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let first = Upload::begin(&channel, 2_000_000_000, &[]).await?;
    let second = Upload::begin(&channel, 2_000_000_000, &[]).await?;
    let refused = send(creation(&channel, 2_000_000_000, &[])).await?;
    ensure_tus_refused(&refused, 429, "too_many_uploads")?;
    for upload in [first, second] {
        upload.end().await?;
    }
    channel.ensure_rows(&ChannelRows::default())
}
