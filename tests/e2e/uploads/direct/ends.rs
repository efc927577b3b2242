//! Everything that ends a token.

use super::{Direct, by_owner, clip, form, with_caption};
use crate::uploads::resumable::Upload;
use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, ChannelRows, TestStack, e2e, ensure_refused, send};

/// Fails unless the token cannot be used for anything.
async fn ensure_dead(direct: &Direct, status: u16, code: &str) -> Result<()> {
    ensure_refused(&direct.upload(form(&direct.channel)).await?, status, code)?;
    ensure_refused(&send(direct.creation(100, "")).await?, status, code)
}

#[e2e]
async fn a_token_works_once(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, with_caption()).await?;
    ensure!(direct.upload(form(&channel)).await?.status == 200);
    ensure_dead(&direct, 409, "direct_upload_used").await?;
    ensure_refused(&stack.get(paths::DIRECT_UPLOAD).await?, 401, "direct_upload_token_invalid")?;
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn of_many_uploads_at_once_with_one_token_exactly_one_makes_a_video(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Arc::new(Direct::create(&channel, with_caption()).await?);
    let uploads = (0..8).map(|_| {
        let direct = Arc::clone(&direct);
        tokio::spawn(async move { direct.upload(form(&direct.channel)).await })
    });
    let mut accepted = 0;
    for upload in uploads.collect::<Vec<_>>() {
        let answer = upload.await??;
        let code = answer.code()?;
        let ended = ["direct_upload_used", "direct_upload_token_invalid", "upload_superseded", "upload_too_slow"];
        ensure!(answer.status == 200 || ended.contains(&code.as_str()), "{answer:?}");
        accepted += u32::from(answer.status == 200);
    }
    ensure!(accepted <= 1, "{accepted} videos");
    if accepted == 0 {
        ensure!(direct.upload(form(&channel)).await?.status == 200);
    }
    channel.ensure_rows(&ChannelRows::after(1))
}

#[e2e]
async fn a_revoked_token_ends_with_its_upload(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, with_caption()).await?;
    let upload = Upload::at(&channel, &send(direct.creation(9_000, "")).await?)?;
    upload.append(0, &clip(&channel)[..4_000]).await?;
    for _ in 0..2 {
        let revoked = direct.revoke().await?;
        let expected = json!({ "success": true, "direct_upload_id": direct.id, "state": "revoked" });
        ensure!(revoked.status == 200 && revoked.json()? == expected, "{revoked:?}");
    }
    ensure_dead(&direct, 401, "direct_upload_token_invalid").await?;
    ensure!(upload.head().await?.status == 404);
    channel.ensure_rows(&ChannelRows::default())
}

#[e2e]
async fn a_token_ends_with_the_key_that_made_it(stack: Arc<TestStack>) -> Result<()> {
    for path in [paths::ROTATE_API_KEY, paths::DELETE_API_KEY] {
        let channel = Channel::new(&stack).await?;
        let direct = Direct::create(&channel, with_caption()).await?;
        let changed = channel.account.post(path).await?;
        ensure!(changed.status == 200, "{changed:?}");
        ensure_dead(&direct, 401, "direct_upload_token_invalid").await?;
    }
    Ok(())
}

#[e2e]
async fn an_expired_token_is_told_to_its_owner_once(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let direct = Direct::create(&channel, json!({ "external_id": "order-9" })).await?;
    let expire =
        format!("UPDATE direct_uploads SET expires_at_unix = 1 WHERE channel_id = {}", channel.account.channel_id);
    stack.change_rows_and_sweep(expire).await?;
    stack.sweep().await?;
    ensure_dead(&direct, 401, "direct_upload_token_invalid").await?;
    ensure!(direct.read().await?["state"] == "expired");
    let log = by_owner(&channel, Method::GET, paths::EVENTS, None).await?.json()?;
    let events = log["events"].as_array().map_or(0, Vec::len);
    let data = json!({ "direct_upload_id": direct.id, "external_id": "order-9" });
    ensure!(events == 1 && log["events"][0]["type"] == "direct_upload.expired", "{log}");
    ensure!(log["events"][0]["data"] == data, "{log}");
    Ok(())
}
