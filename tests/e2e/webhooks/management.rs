//! Webhooks are managed by the signed-in owner on pages of the site, and only public addresses are accepted.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{Channel, TestStack, e2e, ensure_refused, send};

const URL: &str = "https://hooks.shop.com/secret-path?key=1";

#[e2e]
async fn an_owner_creates_lists_changes_and_deletes_webhooks(stack: Arc<TestStack>) -> Result<()> {
    let Channel { account, key, .. } = Channel::new(&stack).await?;
    let created = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": URL })).await?.json()?;
    let uuid = created["webhook"]["webhook_uuid"].clone();
    ensure!(created["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")), "no secret");
    ensure!(created["webhook"]["state"] == "active" && created["webhook"]["event_types"].is_null());
    let changes = json!({ "webhook_uuid": uuid, "event_types": ["content.published"], "is_active": false });
    let updated = account.post_json(paths::UPDATE_WEBHOOK, &changes).await?.json()?;
    ensure!(updated["webhook"]["state"] == "disabled" && updated.get("secret").is_none(), "{updated}");
    let list = account.get(paths::LIST_WEBHOOKS).await?.json()?;
    ensure!(list["webhooks"] == json!([updated["webhook"]]) && list["webhooks"][0]["url"] == URL, "{list}");
    // The rest of the address may be a secret, which a key need not know.
    let by_key = stack.get_with_key(paths::WEBHOOKS, &key).await?;
    ensure!(by_key.json()?["webhooks"][0]["url"] == "https://hooks.shop.com", "{by_key:?}");
    let rotated = account.post_json(paths::ROTATE_WEBHOOK_SECRET, &json!({ "webhook_uuid": uuid })).await?.json()?;
    ensure!(rotated["secret"].is_string() && rotated["secret"] != created["secret"]);
    ensure!(rotated["webhook"]["previous_secret_ends_at_unix"].is_u64());
    let stored = stack.row("SELECT * FROM webhooks WHERE channel_id = ?1", account.channel_id)?;
    for answer in [&created, &rotated] {
        let secret = answer["secret"].as_str().context("no secret")?;
        ensure!(!format!("{stored:?}").contains(secret.trim_start_matches("whsec_")), "the database has a secret");
    }
    let delete = json!({ "webhook_uuid": uuid });
    ensure!(account.post_json(paths::DELETE_WEBHOOK, &delete).await?.status == 200);
    ensure_refused(&account.post_json(paths::DELETE_WEBHOOK, &delete).await?, 404, "webhook_not_found")?;
    ensure!(account.get(paths::LIST_WEBHOOKS).await?.json()?["webhooks"] == json!([]));
    Ok(())
}

#[e2e]
async fn a_channel_cannot_have_more_webhooks_than_five(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    for _ in 0..5 {
        ensure!(account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": URL })).await?.status == 200);
    }
    let sixth = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": URL })).await?;
    ensure_refused(&sixth, 409, "webhook_limit_reached")
}

#[e2e]
async fn an_address_that_may_be_private_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let own = stack.url(paths::SWEEP);
    for url in ["http://hooks.shop.com/", "https://10.0.0.1/", "https://[::1]/", "https://localhost/", &own] {
        let answer = account.post_json(paths::CREATE_WEBHOOK, &json!({ "url": url })).await?;
        ensure_refused(&answer, 422, "webhook_url_invalid")?;
        ensure!(answer.json()?["field"] == "url", "{answer:?}");
    }
    for body in [json!({ "url": URL, "event_types": [] }), json!({ "url": URL, "event_types": ["nothing"] }), json!({})]
    {
        let answer = account.post_json(paths::CREATE_WEBHOOK, &body).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
    }
    Ok(())
}

#[e2e]
async fn only_the_owner_on_a_page_of_the_site_manages_webhooks(stack: Arc<TestStack>) -> Result<()> {
    let (owner, stranger) = (stack.account().await?, stack.account().await?);
    let created = owner.post_json(paths::CREATE_WEBHOOK, &json!({ "url": URL })).await?.json()?;
    let named = json!({ "webhook_uuid": created["webhook"]["webhook_uuid"] });
    let changes = [paths::UPDATE_WEBHOOK, paths::DELETE_WEBHOOK, paths::ROTATE_WEBHOOK_SECRET, paths::TEST_WEBHOOK];
    for path in changes {
        let request = || stack.request(Method::POST, path).json(&named);
        ensure_refused(&send(request()).await?, 401, "session_required")?;
        let foreign = request().header("Cookie", &owner.cookie).header("Origin", "https://evil.example");
        ensure_refused(&send(foreign).await?, 403, "csrf_rejected")?;
        ensure_refused(&stranger.post_json(path, &named).await?, 404, "webhook_not_found")?;
    }
    let since = json!({ "webhook_uuid": named["webhook_uuid"], "since_unix": 0 });
    ensure_refused(&stranger.post_json(paths::SEND_EVENTS_AGAIN, &since).await?, 404, "webhook_not_found")?;
    let uuid = named["webhook_uuid"].as_str().context("no uuid")?;
    let deliveries = format!("{}?webhook_uuid={uuid}", paths::WEBHOOK_DELIVERIES);
    ensure_refused(&stranger.get(&deliveries).await?, 404, "webhook_not_found")?;
    ensure!(owner.get(&deliveries).await?.json()?["deliveries"] == json!([]));
    Ok(())
}
