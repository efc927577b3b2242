//! The protocol, as its clients rely on it.

use super::{BYTES, Upload, creation, video};
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::Value;
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestStack, e2e, send};

/// More than one part, and not a multiple of one.
const LARGE: usize = 12_000_000;

#[e2e]
async fn an_upload_in_pieces_of_any_size_is_accepted(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, LARGE);
    let upload = Upload::begin(&channel, file.len(), &[("caption", "In pieces"), ("filename", "a.mp4")]).await?;
    let mut offset = 0;
    for bytes in [1, 1_000_000, 5_242_880, 0, 3_000_000] {
        let answer = upload.append(offset, &file[offset..offset + bytes]).await?;
        offset += bytes;
        ensure!(answer.status == 204 && answer.header("upload-offset") == offset.to_string(), "{answer:?}");
        ensure!(answer.header("tus-resumable") == "1.0.0" && answer.header("upload-expires").ends_with(" GMT"));
        ensure!(upload.offset().await? == offset);
    }
    let described = send(upload.request(Method::GET)).await?.json()?;
    ensure!(described["state"] == "receiving" && described["offset"] == offset && described["result"] == Value::Null);
    let answer = send(upload.appending(offset, &file[offset..]).header("Accept", "application/json")).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let result = answer.json()?;
    ensure!(result["success"] == true && result["message_code"] == "content_upload_success", "{result}");
    ensure!(answer.header("clipgate-content-uuid") == result["content_uuid"].as_str().unwrap_or_default());
    upload.ensure_stored(&file).await?;
    channel.ensure_rows(&ChannelRows::after(1))?;
    // Whoever lost the answer gets it again, without a byte.
    let head = upload.head().await?;
    ensure!(
        head.header("upload-offset") == file.len().to_string() && head.header("cache-control").contains("no-store")
    );
    ensure!(head.header("clipgate-content-uuid") == answer.header("clipgate-content-uuid"));
    let described = send(upload.request(Method::GET)).await?.json()?;
    ensure!(described["state"] == "accepted" && described["result"]["slug_url"] == result["slug_url"], "{described}");
    let again = upload.append(offset, &file[offset..]).await?;
    ensure!(again.status == 204 && again.header("upload-offset") == file.len().to_string(), "{again:?}");
    stack.logged(again.header("x-request-id")).await?;
    upload.ensure_not_logged()
}

#[e2e]
async fn a_creation_can_bring_the_whole_file(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = stack.small_video();
    let request = creation(&channel, file.len(), &[]).header("Content-Type", BYTES).body(file.clone());
    let answer = send(request).await?;
    ensure!(answer.status == 201 && answer.header("upload-offset") == file.len().to_string(), "{answer:?}");
    ensure!(!answer.header("clipgate-content-uuid").is_empty() && answer.header("ratelimit").contains("daily"));
    Upload::at(&channel, &answer)?.ensure_stored(&file).await
}

#[e2e]
async fn the_service_tells_what_it_supports(stack: Arc<TestStack>) -> Result<()> {
    let answer = send(stack.request(Method::OPTIONS, paths::RESUMABLE_UPLOADS)).await?;
    ensure!(answer.status == 204 && answer.header("tus-version") == "1.0.0", "{answer:?}");
    ensure!(answer.header("tus-extension") == "creation,creation-with-upload,expiration,termination");
    ensure!(answer.header("tus-max-size") == "2000000000", "{answer:?}");
    Ok(())
}

#[e2e]
async fn an_upload_can_be_ended(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let file = video(&channel, LARGE);
    let upload = Upload::begin(&channel, file.len(), &[]).await?;
    upload.append(0, &file[..6_000_000]).await?;
    ensure!(channel.rows()?.reserved == 1);
    let ended = upload.end().await?;
    ensure!(ended.status == 204 && upload.head().await?.status == 404, "{ended:?}");
    channel.ensure_rows(&ChannelRows::default())?;
    stack.ensure_nothing_leaked().await
}

#[e2e]
async fn a_repeated_token_gets_the_video_without_a_byte(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::with_limit(&stack, Some(1)).await?;
    let file = stack.small_video();
    let (token, hash) = ("0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60", tests::sha256(&file));
    let fields = [("upload_token", token), ("sha256", &hash)];
    let first = Upload::begin(&channel, file.len(), &fields).await?;
    let accepted = first.append(0, &file).await?;
    let again = send(creation(&channel, file.len(), &fields)).await?;
    ensure!(again.status == 201 && again.header("upload-offset") == file.len().to_string(), "{again:?}");
    ensure!(again.header("clipgate-content-uuid") == accepted.header("clipgate-content-uuid"), "{again:?}");
    ensure!(!accepted.header("clipgate-content-uuid").is_empty());
    channel.ensure_rows(&ChannelRows::after(1))
}
