//! A rotated key stays valid for as long as its owner asked, so that programs can change keys without an outage.

use anyhow::{Context, Result, ensure};
use contract::paths;
use fixtures::Form;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::{Channel, ChannelRows, RawUpload, TestStack, e2e, ensure_refused, now_unix, send, until};

const AN_HOUR: u64 = 3_600;

/// Rotates the key of a channel, and returns the response.
async fn rotate(channel: &Channel, valid_seconds: u64) -> Result<Value> {
    let body = json!({ "previous_key_valid_seconds": valid_seconds });
    let rotated = channel.account.post_json(paths::ROTATE_API_KEY, &body).await?;
    ensure!(rotated.status == 200, "{rotated:?}");
    rotated.json()
}

/// Rotates the key of a channel, and returns the new key.
async fn new_key(channel: &Channel, valid_seconds: u64) -> Result<String> {
    let rotated = rotate(channel, valid_seconds).await?;
    Ok(rotated["api_key"].as_str().context("no key")?.to_owned())
}

async fn is_valid(stack: &TestStack, key: &str) -> Result<bool> {
    let answer = stack.get_with_key(paths::UPLOAD_LIMITS, key).await?;
    if answer.status == 200 {
        return Ok(true);
    }
    ensure_refused(&answer, 401, "api_key_invalid").map(|()| false)
}

#[e2e]
async fn an_upload_with_the_old_key_succeeds_after_a_rotation_with_an_overlap(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let body = Form::new().text("caption", "under way").file("file", "a.mp4", &stack.small_video()).body();
    let (first, rest) = body.split_at(body.len() / 2);
    let mut upload = RawUpload::start(&channel, Some(body.len())).await?;
    upload.send(first).await?;
    let under_way = ChannelRows { used: 1, reserved: 1, ..ChannelRows::default() };
    channel.until_rows(&under_way, Duration::from_secs(30)).await?;
    let (before, rotated) = (now_unix(), rotate(&channel, AN_HOUR).await?);
    let ends_at = rotated["key"]["previous_key_ends_at_unix"].as_u64().context("no end")?;
    ensure!((before + AN_HOUR..=now_unix() + AN_HOUR).contains(&ends_at), "{ends_at}");
    let answer = upload.finish(rest).await?;
    ensure!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    channel.upload_accepted(Form::new().file("file", "b.mp4", &stack.small_video())).await?;
    channel.ensure_rows(&ChannelRows::after(2))?;
    // Both are one key: its uses are counted together, and its owner ends both at once.
    let new = rotated["api_key"].as_str().context("no key")?;
    ensure!(is_valid(&stack, new).await?);
    let metadata = channel.account.get(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"]["uses_count"] == 3, "{metadata}");
    ensure!(metadata["key"]["previous_key_ends_at_unix"] == ends_at, "{metadata}");
    ensure!(channel.account.post(paths::DELETE_API_KEY).await?.status == 200);
    ensure!(!is_valid(&stack, new).await? && !is_valid(&stack, &channel.key).await?);
    Ok(())
}

#[e2e]
async fn the_old_key_ends_with_its_time_and_with_the_next_rotation(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let second = new_key(&channel, 2).await?;
    let ended = async || Ok((!is_valid(&stack, &channel.key).await?).then_some(()));
    until(Duration::from_secs(20), ended, || "the old key is still valid".to_owned()).await?;
    ensure!(is_valid(&stack, &second).await?);
    let metadata = channel.account.get(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"].get("previous_key_ends_at_unix").is_none(), "{metadata}");
    // Only one previous key is ever valid.
    let third = new_key(&channel, AN_HOUR).await?;
    let fourth = new_key(&channel, AN_HOUR).await?;
    ensure!(!is_valid(&stack, &second).await? && is_valid(&stack, &third).await? && is_valid(&stack, &fourth).await?);
    let fifth = new_key(&channel, 0).await?;
    ensure!(!is_valid(&stack, &third).await? && !is_valid(&stack, &fourth).await? && is_valid(&stack, &fifth).await?);
    Ok(())
}

#[e2e]
async fn an_old_key_that_was_found_in_public_ends_alone(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    let new = new_key(&channel, AN_HOUR).await?;
    let report = async |key: &str| {
        send(stack.request(Method::POST, paths::REPORT_LEAKED_KEY).json(&json!({ "api_key": key }))).await
    };
    ensure!(report(&channel.key).await?.status == 200);
    ensure!(!is_valid(&stack, &channel.key).await? && is_valid(&stack, &new).await?);
    let newest = new_key(&channel, AN_HOUR).await?;
    ensure!(report(&newest).await?.status == 200);
    ensure!(!is_valid(&stack, &newest).await? && !is_valid(&stack, &new).await?);
    let trail = "SELECT count(*) FROM trail WHERE subject = 'channel:' || ?1 AND action = 'key_reported_leaked'";
    ensure!(stack.count(trail, channel.account.channel_id)? == 2);
    Ok(())
}

#[e2e]
async fn a_rotation_with_a_wrong_time_changes_nothing(stack: Arc<TestStack>) -> Result<()> {
    let channel = Channel::new(&stack).await?;
    for seconds in [json!(86_401), json!(-1), json!("3600"), json!(1.5), json!(true)] {
        let body = json!({ "previous_key_valid_seconds": seconds });
        let refused = channel.account.post_json(paths::ROTATE_API_KEY, &body).await?;
        ensure_refused(&refused, 400, "request_malformed")?;
    }
    let mistyped = channel.account.post_json(paths::ROTATE_API_KEY, &json!({ "previous_key_valid": 60 })).await?;
    ensure!(mistyped.status != 200, "{mistyped:?}");
    ensure!(is_valid(&stack, &channel.key).await?);
    Ok(())
}
