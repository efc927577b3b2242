//! Staff have named tokens with roles and an expiry, and a trail of their actions.

use super::decisions::all_entries;
use anyhow::{Context, Result, ensure};
use contract::api::TokenRole;
use contract::moderation::Recommendation;
use contract::paths;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{HttpAnswer, StackLimits, TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

const HOUR: u64 = 3_600;
const ADDRESS_RATE: u32 = StackLimits::FEW_PER_ADDRESS.address_rate;
/// The addresses of attackers who try tokens and sessions.
const ATTACKERS: [&str; 2] = ["203.0.113.8", "203.0.113.9"];

/// A token as the operator got it.
pub(super) struct Token {
    pub(super) id: u64,
    pub(super) text: String,
}

impl Token {
    pub(super) async fn new(stack: &TestStack, name: &str, roles: &[TokenRole]) -> Result<Self> {
        let body = json!({ "name": name, "roles": roles, "ttl_seconds": HOUR });
        let answer = send(moderator_request(stack, Method::POST, paths::TOKENS).json(&body)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        let answer = answer.json()?;
        let text = answer["token"].as_str().context("no token")?.to_owned();
        stack.remember_secret(&text);
        Ok(Self { id: answer["token_id"].as_u64().context("no id")?, text })
    }

    pub(super) fn request(&self, stack: &TestStack, method: Method, path: &str) -> RequestBuilder {
        stack.request(method, path).bearer_auth(&self.text)
    }

    pub(super) async fn end(&self, stack: &TestStack) -> Result<HttpAnswer> {
        let body = json!({ "token_id": self.id });
        send(moderator_request(stack, Method::DELETE, paths::TOKENS).json(&body)).await
    }
}

/// Returns what the trail says about a subject, the newest first.
async fn trail_about(stack: &TestStack, subject: &str) -> Result<Vec<(String, String)>> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let entries = all_entries(stack, paths::TRAIL, "entries").await?;
    let about = entries.iter().filter(|entry| entry["subject"] == subject);
    Ok(about.map(|entry| (text(&entry["actor"]), text(&entry["action"]))).collect())
}

fn done(actor: &str, action: &str) -> (String, String) {
    (actor.to_owned(), action.to_owned())
}

#[e2e]
async fn a_decision_carries_the_name_of_the_token_and_not_what_the_request_says(stack: Arc<TestStack>) -> Result<()> {
    let token = Token::new(&stack, "Ada", &[TokenRole::Look, TokenRole::Decide]).await?;
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    let uuid = content.job.content_uuid.as_str();
    let approve = || token.request(&stack, Method::POST, paths::MODERATION_APPROVE);
    let forged = json!({ "content_uuid": uuid, "reason": "fine", "by": "somebody else" });
    ensure_refused(&send(approve().json(&forged)).await?, 422, "field_unknown")?;
    let answer = send(approve().header("Prefer", "handling=lenient").json(&forged)).await?;
    ensure!(answer.status == 200, "{answer:?}");
    let path = format!("{}?content_uuid={uuid}", paths::MODERATION_DECISIONS);
    let decisions = send(token.request(&stack, Method::GET, &path)).await?.json()?;
    ensure!(decisions["decisions"][0]["by"] == "Ada", "{decisions}");
    ensure!(trail_about(&stack, &format!("content:{uuid}")).await? == [done("Ada", "approve")]);
    content.decide(paths::MODERATION_TAKE_DOWN).await?;
    let trail = trail_about(&stack, &format!("content:{uuid}")).await?;
    ensure!(trail == [done("operator", "take_down"), done("Ada", "approve")], "{trail:?}");
    Ok(())
}

#[e2e]
async fn a_token_does_only_what_its_roles_allow(stack: Arc<TestStack>) -> Result<()> {
    let hash = json!({ "hash": "0f".repeat(32), "reason": "r" });
    let content = json!({ "content_uuid": "c", "reason": "r" });
    let channel = json!({ "channel_id": 999_999_999, "reason": "r" });
    let token = json!({ "name": "x", "roles": [], "ttl_seconds": 1 });
    let requests = [
        (Method::GET, paths::MODERATION_QUEUE, None, TokenRole::Look),
        (Method::GET, paths::TRAIL, None, TokenRole::Look),
        (Method::POST, paths::MODERATION_APPROVE, Some(&content), TokenRole::Decide),
        (Method::POST, paths::MODERATION_SUSPEND, Some(&channel), TokenRole::Decide),
        (Method::DELETE, paths::MODERATION_HASHES, Some(&hash), TokenRole::Blocklist),
        (Method::POST, paths::TOKENS, Some(&token), TokenRole::Operate),
        (Method::GET, paths::TOKENS, None, TokenRole::Operate),
        (Method::GET, paths::ORIGIN_KEYS, None, TokenRole::Operate),
        (Method::GET, paths::METRICS, None, TokenRole::Watch),
        (Method::GET, paths::SERVICE_HEALTH, None, TokenRole::Watch),
    ];
    for role in TokenRole::ALL.into_iter().filter(|role| *role != TokenRole::Service) {
        let token = Token::new(&stack, "Ada", &[role]).await?;
        for (method, path, body, needed) in &requests {
            let request = token.request(&stack, method.clone(), path);
            let answer = send(body.iter().fold(request, RequestBuilder::json)).await?;
            let is_refused = answer.status == 403 && answer.json()?["error_message_code"] == "token_role_missing";
            ensure!(is_refused != (*needed == role), "{role:?} {method} {path}: {answer:?}");
        }
        let sessions = token.request(&stack, Method::POST, paths::SESSIONS).json(&json!({ "account_id": 1 }));
        ensure_refused(&send(sessions).await?, 401, "service_token_invalid")?;
    }
    Ok(())
}

#[e2e]
async fn two_service_tokens_overlap_and_one_that_was_ended_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let old = Token::new(&stack, "site", &[TokenRole::Service]).await?;
    let new = Token::new(&stack, "site", &[TokenRole::Service]).await?;
    let end = async |token: &Token| {
        let cookie = format!("__Host-session={}", "0".repeat(43));
        let request = token.request(&stack, Method::DELETE, paths::SESSIONS);
        send(request.json(&json!({ "session_cookie": cookie }))).await
    };
    ensure!(end(&old).await?.status == 200 && end(&new).await?.status == 200);
    println!("rotation: the site has a second service token; both work");
    let queue = send(new.request(&stack, Method::GET, paths::MODERATION_QUEUE)).await?;
    ensure_refused(&queue, 401, "admin_token_invalid")?;
    ensure!(old.end(&stack).await?.status == 200);
    ensure_refused(&end(&old).await?, 401, "service_token_invalid")?;
    ensure!(end(&new).await?.status == 200);
    println!("rotation: the old service token is ended and refused; the new one works");
    let trail = trail_about(&stack, &format!("token:{}", old.id)).await?;
    ensure!(trail == [done("operator", "token_ended"), done("operator", "token_created")], "{trail:?}");
    let listed = all_entries(&stack, paths::TOKENS, "tokens").await?;
    let mut ends = listed.iter().filter(|one| one["token_id"] == old.id).map(|one| one["ends_at_unix"].as_u64());
    ensure!(ends.next().flatten().is_some_and(|end| end <= tests::now_unix()), "{listed:?}");
    let unknown = json!({ "token_id": 999_999_999 });
    let answer = send(moderator_request(&stack, Method::DELETE, paths::TOKENS).json(&unknown)).await?;
    ensure_refused(&answer, 404, "token_not_found")
}

#[e2e]
async fn a_token_needs_a_name_roles_and_an_end(stack: Arc<TestStack>) -> Result<()> {
    let roles = json!(["look"]);
    for (name, roles, ttl_seconds, field) in [
        (" ", &roles, HOUR, "name"),
        ("operator", &roles, HOUR, "name"),
        ("account:7", &roles, HOUR, "name"),
        ("A\u{202e}da", &roles, HOUR, "name"),
        ("Ada", &json!([]), HOUR, "roles"),
        ("Ada", &json!(["look", "look"]), HOUR, "roles"),
        ("Ada", &json!(["look", "service"]), HOUR, "roles"),
        ("Ada", &roles, HOUR - 1, "ttl_seconds"),
        ("Ada", &roles, 401 * 86_400, "ttl_seconds"),
    ] {
        let body = json!({ "name": name, "roles": roles, "ttl_seconds": ttl_seconds });
        let answer = send(moderator_request(&stack, Method::POST, paths::TOKENS).json(&body)).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
        ensure!(answer.json()?["field"] == field, "{answer:?}");
    }
    Ok(())
}

/// Returns the entries of an export.
async fn export(stack: &TestStack, after: u64) -> Result<Vec<Value>> {
    let path = format!("{}?after={after}", paths::TRAIL_EXPORT);
    let answer = send(moderator_request(stack, Method::GET, &path)).await?;
    ensure!(answer.status == 200 && answer.header("content-type") == "application/x-ndjson", "{answer:?}");
    let text = str::from_utf8(&answer.bytes)?;
    text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
}

#[e2e]
async fn the_trail_shows_from_where_keys_were_changed_and_by_whom(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    for (path, address) in [
        (paths::CREATE_API_KEY, "203.0.113.77"),
        (paths::ROTATE_API_KEY, "2001:db8:7:1::1"),
        (paths::DELETE_API_KEY, "203.0.113.78"),
    ] {
        let request = stack.request(Method::POST, path).header("Cookie", &account.cookie).json(&json!({}));
        let answer = send(request.header("CF-Connecting-IP", address)).await?;
        ensure!(answer.status == 200, "{answer:?}");
        if let Some(key) = answer.json()?["api_key"].as_str() {
            stack.remember_secret(key);
        }
    }
    let entries = export(&stack, 0).await?;
    let subject = format!("channel:{}", account.channel_id);
    let about: Vec<_> = entries.iter().filter(|entry| entry["subject"] == subject.as_str()).collect();
    let seen: Vec<_> = about.iter().map(|entry| [&entry["action"], &entry["network"], &entry["route"]]).collect();
    let expected = [
        ["key_created", "203.0.113.0/24", &format!("POST {}", paths::CREATE_API_KEY)],
        ["key_rotated", "2001:db8:7::/48", &format!("POST {}", paths::ROTATE_API_KEY)],
        ["key_deleted", "203.0.113.0/24", &format!("POST {}", paths::DELETE_API_KEY)],
    ];
    ensure!(seen == expected, "{about:#?}");
    ensure!(about.iter().all(|entry| entry["actor"] == format!("account:{}", account.id)), "{about:#?}");
    Ok(())
}

#[e2e]
async fn every_change_of_a_moderator_has_its_place_in_the_trail(stack: Arc<TestStack>) -> Result<()> {
    let before = export(&stack, 0).await?.last().and_then(|entry| entry["number"].as_u64()).unwrap_or_default();
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    let uuid = content.job.content_uuid.as_str();
    let channel = content.job.channel.account.channel_id;
    let hash = format!("{:064x}", stack.unique() + 0x77_0000);
    let token = Token::new(&stack, "Placed", &[TokenRole::Look]).await?;
    for (method, path, body) in [
        (Method::POST, paths::MODERATION_APPROVE, json!({ "content_uuid": uuid, "reason": "r" })),
        (Method::POST, paths::MODERATION_TAKE_DOWN, json!({ "content_uuid": uuid, "reason": "r" })),
        (Method::POST, paths::MODERATION_RESTORE, json!({ "content_uuid": uuid, "reason": "r" })),
        (Method::POST, paths::MODERATION_SUSPEND, json!({ "channel_id": channel, "reason": "r" })),
        (Method::POST, paths::MODERATION_LIFT_SUSPENSION, json!({ "channel_id": channel, "reason": "r" })),
        (Method::POST, paths::MODERATION_HASHES, json!({ "hash": hash, "reason": "r" })),
        (Method::DELETE, paths::MODERATION_HASHES, json!({ "hash": hash, "reason": "r" })),
        (Method::DELETE, paths::TOKENS, json!({ "token_id": token.id })),
    ] {
        let request = moderator_request(&stack, method.clone(), path).header("CF-Connecting-IP", "198.51.100.9");
        let answer = send(request.json(&body)).await?;
        ensure!(answer.status == 200, "{path}: {answer:?}");
        let entries = export(&stack, before).await?;
        let route = format!("{method} {path}");
        let is_placed = |entry: &Value| entry["route"] == route.as_str() && entry["network"] == "198.51.100.0/24";
        ensure!(entries.iter().any(is_placed), "{route} is not in the trail: {entries:#?}");
    }
    Ok(())
}

#[e2e]
async fn an_export_has_every_entry_once_and_continues_where_it_ended(stack: Arc<TestStack>) -> Result<()> {
    // More than the Worker reads at once.
    stack
        .change_rows(
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 600)
             INSERT INTO trail (actor, action, subject) SELECT 'Ada', 'test', 'line:' || n FROM numbers"
                .to_owned(),
        )
        .await?;
    let numbers = |entries: &[Value]| entries.iter().filter_map(|entry| entry["number"].as_u64()).collect::<Vec<_>>();
    let all = numbers(&export(&stack, 0).await?);
    ensure!(all.len() >= 600 && all.is_sorted_by(|one, next| one < next), "{} entries", all.len());
    ensure!(numbers(&export(&stack, all[500]).await?).starts_with(&all[501..]));
    let answer = send(stack.request(Method::GET, paths::TRAIL_EXPORT)).await?;
    ensure_refused(&answer, 401, "admin_token_invalid")
}

#[e2e(Limited(StackLimits::FEW_PER_ADDRESS))]
async fn an_address_that_tries_tokens_is_slowed_down_and_nobody_else(stack: Arc<TestStack>) -> Result<()> {
    let token = Token::new(&stack, "Ada", &[TokenRole::Look]).await?;
    let use_token = async |text: &str, address: &str| {
        let request = stack.request(Method::GET, paths::MODERATION_QUEUE).bearer_auth(text);
        send(request.header("CF-Connecting-IP", address)).await
    };
    ensure!(use_token(&token.text, "203.0.113.10").await?.status == 200);
    let unseen = Token::new(&stack, "Grace", &[TokenRole::Look]).await?;
    let mut refused = None;
    for number in 0..ADDRESS_RATE * 4 {
        let answer = use_token(&format!("cgt_{number:059}"), ATTACKERS[0]).await?;
        if answer.status == 429 {
            refused = Some(answer);
            break;
        }
        ensure_refused(&answer, 401, "admin_token_invalid")?;
        ensure!(stack.logged(answer.header("x-request-id")).await?["d1_batches"] == 0);
    }
    let refused = refused.context("the address was never slowed down")?;
    ensure_refused(&refused, 429, "rate_limited")?;
    ensure!(stack.logged(refused.header("x-request-id")).await?["d1_batches"] == 0);
    // A valid token works from there too, even if it was never used before, and so do the operator's secrets.
    for text in [&token.text, &unseen.text, stack.env().get("ADMIN_TOKEN")] {
        ensure!(use_token(text, ATTACKERS[0]).await?.status == 200);
    }
    Ok(())
}

#[e2e(Limited(StackLimits::FEW_PER_ADDRESS))]
async fn an_address_that_tries_sessions_is_slowed_down(stack: Arc<TestStack>) -> Result<()> {
    let account = stack.account().await?;
    let get_key = async |cookie: &str| {
        let request = stack.request(Method::GET, paths::GET_API_KEY).header("Cookie", cookie);
        send(request.header("CF-Connecting-IP", ATTACKERS[1])).await
    };
    let mut is_slowed_down = false;
    for number in 0..ADDRESS_RATE * 4 {
        let answer = get_key(&format!("__Host-session={number:043}")).await?;
        is_slowed_down |= answer.status == 429;
        ensure!(answer.status == if is_slowed_down { 429 } else { 401 }, "{number}: {answer:?}");
        if is_slowed_down {
            break;
        }
    }
    ensure!(is_slowed_down, "the address was never slowed down");
    ensure!(get_key(&account.cookie).await?.status == 200);
    Ok(())
}
