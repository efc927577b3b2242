//! Webhooks are managed with the API key, or by the signed-in owner on pages of the site. Only public addresses are
//! accepted.

use anyhow::{Context, Result, ensure};
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
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
    let list = account.get(paths::WEBHOOKS).await?.json()?;
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
    ensure!(account.get(paths::WEBHOOKS).await?.json()?["webhooks"] == json!([]));
    Ok(())
}

#[e2e]
async fn a_program_manages_webhooks_with_its_key_and_the_trail_says_so(stack: Arc<TestStack>) -> Result<()> {
    let Channel { account, key, .. } = Channel::new(&stack).await?;
    let post = async |path: &str, body: Value| {
        send(stack.request(Method::POST, path).bearer_auth(&key).json(&body)).await.and_then(|sent| sent.json())
    };
    let created = post(paths::CREATE_WEBHOOK, json!({ "url": URL })).await?;
    ensure!(created["secret"].is_string() && created["webhook"]["url"] == "https://hooks.shop.com", "{created}");
    let uuid = created["webhook"]["webhook_uuid"].as_str().context("no uuid")?;
    let named = json!({ "webhook_uuid": uuid });
    let changed = post(paths::UPDATE_WEBHOOK, json!({ "webhook_uuid": uuid, "is_active": false })).await?;
    ensure!(changed["webhook"]["state"] == "disabled" && changed["webhook"]["url"] == "https://hooks.shop.com");
    ensure!(post(paths::ROTATE_WEBHOOK_SECRET, named.clone()).await?["secret"].is_string());
    let deliveries = stack.get_with_key(&format!("{}?webhook_uuid={uuid}", paths::WEBHOOK_DELIVERIES), &key).await?;
    ensure!(deliveries.json()?["deliveries"] == json!([]), "{deliveries:?}");
    let mistaken = post(paths::DELETE_WEBHOOK, json!({ "uuid": uuid })).await?;
    ensure!(mistaken["error_message_code"] == "field_unknown", "{mistaken}");
    ensure!(post(paths::DELETE_WEBHOOK, named).await?["success"] == true);
    let metadata = account.get(paths::GET_API_KEY).await?.json()?;
    ensure!(metadata["key"]["uses_count"] == 6, "{metadata}");
    let trail = "SELECT json_group_array(json_array(action, actor, detail, route)) AS lines
         FROM (SELECT * FROM trail JOIN trail_places ON trail_id = trail.id
             WHERE subject = 'channel:' || ?1 AND action LIKE 'webhook%' ORDER BY trail.id)";
    let lines = stack.row(trail, account.channel_id)?;
    let lines: Value = serde_json::from_str(lines["lines"].as_str().context("no trail")?)?;
    let actor = format!("key:{}", metadata["key"]["key_hint"].as_str().context("no hint")?);
    let line = |action, detail: &str, path| json!([action, actor, detail, format!("POST {path}")]);
    let expected = json!([
        line("webhook_created", &format!("{uuid} https://hooks.shop.com"), paths::CREATE_WEBHOOK),
        line("webhook_changed", &format!("{uuid} disabled"), paths::UPDATE_WEBHOOK),
        line("webhook_secret_rotated", uuid, paths::ROTATE_WEBHOOK_SECRET),
        line("webhook_deleted", uuid, paths::DELETE_WEBHOOK),
    ]);
    ensure!(lines == expected, "{lines:#}");
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
async fn only_the_owner_manages_webhooks(stack: Arc<TestStack>) -> Result<()> {
    let (owner, stranger) = (stack.account().await?, stack.account().await?);
    let created = owner.post_json(paths::CREATE_WEBHOOK, &json!({ "url": URL })).await?.json()?;
    let named = json!({ "webhook_uuid": created["webhook"]["webhook_uuid"] });
    let changes = [paths::UPDATE_WEBHOOK, paths::DELETE_WEBHOOK, paths::ROTATE_WEBHOOK_SECRET, paths::TEST_WEBHOOK];
    for path in changes {
        let request = || stack.request(Method::POST, path).json(&named);
        ensure_refused(&send(request()).await?, 401, "api_key_invalid")?;
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
