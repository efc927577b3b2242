//! A Worker that is killed between a change and the request to the webhook.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{StackLimits, TestCache, TestStack, WebhookReceiver, WebhookReply, e2e, send};

/// A change, as a request's transaction would make it. Nothing is sent for it, as when the Worker dies right after.
const CHANGE: [&str; 3] = [
    "INSERT INTO events (channel_id, sequence, type, data)
     SELECT channel_id, 1, 'key.rotated', '{\"key_hint\":\"cgk_…\"}' FROM webhooks",
    "INSERT INTO webhook_deliveries (webhook_id, event_id, due_at_unix)
     SELECT webhooks.id, events.id, 0 FROM webhooks JOIN events ON events.channel_id = webhooks.channel_id",
    "UPDATE channels SET events_count = 1 WHERE id = (SELECT channel_id FROM webhooks)",
];

#[e2e]
async fn an_event_survives_the_death_of_the_worker_that_committed_it(_shared: Arc<TestStack>) -> Result<()> {
    let receiver = WebhookReceiver::start(|_| WebhookReply::Status(204)).await?;
    let stack = TestStack::boot("killed-before-webhook", StackLimits::NONE, TestCache::None).await?;
    let create = stack.request(Method::POST, paths::CREATE_WEBHOOK).json(&json!({ "url": receiver.url }));
    let created = send(create.header("Cookie", stack.env().get("SESSION_COOKIE"))).await?;
    ensure!(created.status == 200, "{}", created.status);
    for statement in CHANGE {
        stack.change_rows(statement.to_owned()).await?;
    }
    ensure!(receiver.received().is_empty(), "it was sent before the Worker died");
    let stack = stack.restart().await?;
    stack.sweep().await?;
    let requests = receiver.until_received(1).await?;
    let event = requests.first().context("nothing")?;
    ensure!(event.kind()? == "key.rotated" && event.event["sequence"] == 1, "{event:?}");
    Ok(())
}
