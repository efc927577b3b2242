//! Anyone who finds a key in public can revoke it.

use anyhow::{Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, HttpAnswer, TestStack, e2e, ensure_refused, send};

async fn report(stack: &TestStack, key: &str) -> Result<HttpAnswer> {
    send(stack.request(Method::POST, paths::REPORT_LEAKED_KEY).json(&json!({ "api_key": key }))).await
}

#[e2e]
async fn a_leaked_key_is_ended_by_whoever_reports_it(stack: Arc<TestStack>) -> Result<()> {
    let (channel, other) = (Channel::new(&stack).await?, Channel::new(&stack).await?);
    let first = report(&stack, &channel.key).await?;
    ensure!(first.status == 200, "{first:?}");
    ensure_refused(&stack.get_with_key(paths::UPLOAD_LIMITS, &channel.key).await?, 401, "api_key_invalid")?;
    ensure!(stack.get_with_key(paths::UPLOAD_LIMITS, &other.key).await?.status == 200);
    // The response does not reveal whether the key was valid.
    let second = report(&stack, &channel.key).await?;
    ensure!(second.fingerprint() == first.fingerprint(), "{second:?} differs from {first:?}");
    ensure_refused(&report(&stack, "cgk_half").await?, 400, "request_malformed")?;
    let id = channel.account.channel_id;
    let trail = "SELECT count(*) FROM trail WHERE subject = 'channel:' || ?1 AND action = 'key_reported_leaked'";
    ensure!(stack.count(trail, id)? == 1);
    let events = "SELECT count(*) FROM events WHERE channel_id = ?1 AND type = 'key.deleted'";
    ensure!(stack.count(events, id)? == 1);
    // The owner makes a new key.
    channel.account.create_key().await.map(drop)
}
