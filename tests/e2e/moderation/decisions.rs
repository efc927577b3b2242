//! Moderation by people: the queue, the decisions and their record.

use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e, ensure_refused, moderator_request, send};

async fn get(stack: &TestStack, path: &str) -> Result<Value> {
    let answer = send(moderator_request(stack, Method::GET, path)).await?;
    ensure!(answer.status == 200, "{path}: {answer:?}");
    answer.json()
}

/// Reads every entry of a list, page by page.
pub(super) async fn all_entries(stack: &TestStack, path: &str, name: &str) -> Result<Vec<Value>> {
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    loop {
        let mark = if path.contains('?') { '&' } else { '?' };
        let page = match cursor.as_str() {
            "" => get(stack, path).await?,
            cursor => get(stack, &format!("{path}{mark}cursor={cursor}")).await?,
        };
        entries.extend(page[name].as_array().context("not a list")?.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return Ok(entries),
        }
    }
}

/// Returns the entry of the content in the queue, if it is there.
pub(super) async fn queue_entry(content: &TestContent) -> Result<Option<Value>> {
    let entries = all_entries(content.stack(), paths::MODERATION_QUEUE, "contents").await?;
    let is_entry = |entry: &Value| entry["content_uuid"] == content.job.content_uuid.as_str();
    Ok(entries.into_iter().find(is_entry))
}

#[e2e]
async fn only_the_admin_token_opens_moderation(stack: Arc<TestStack>) -> Result<()> {
    let service = stack.env().get("SERVICE_TOKEN");
    for (method, path) in [
        (Method::GET, paths::MODERATION_QUEUE),
        (Method::GET, paths::MODERATION_CONTENTS),
        (Method::POST, paths::MODERATION_APPROVE),
        (Method::POST, paths::MODERATION_REJECT),
        (Method::POST, paths::MODERATION_TAKE_DOWN),
        (Method::POST, paths::MODERATION_RESTORE),
        (Method::POST, paths::MODERATION_LABEL),
        (Method::POST, paths::MODERATION_SUSPEND),
        (Method::POST, paths::MODERATION_LIFT_SUSPENSION),
        (Method::POST, paths::MODERATION_TAKE_DOWN_CHANNEL),
        (Method::POST, paths::TOKENS),
        (Method::POST, paths::ORIGIN_KEYS),
        (Method::GET, paths::TRAIL),
        (Method::GET, paths::MODERATION_DECISIONS),
        (Method::GET, paths::MODERATION_STATISTICS),
        (Method::GET, paths::MODERATION_GROUPS),
        (Method::GET, paths::MODERATION_MATCHES),
        (Method::GET, paths::MODERATION_FRAME),
        (Method::GET, paths::MODERATION_HASHES),
        (Method::POST, paths::MODERATION_HASHES),
        (Method::DELETE, paths::MODERATION_HASHES),
    ] {
        let plain = send(stack.request(method.clone(), path)).await?;
        ensure_refused(&plain, 401, "admin_token_invalid")?;
        ensure!(plain.header("www-authenticate").starts_with("Bearer realm=\"moderation\""), "{plain:?}");
        ensure!(plain.header("cross-origin-resource-policy") == "same-origin", "{plain:?}");
        let service_token = send(stack.request(method, path).bearer_auth(service)).await?;
        ensure_refused(&service_token, 401, "admin_token_invalid")?;
    }
    Ok(())
}

#[e2e]
async fn a_video_waiting_for_review_is_in_the_queue_with_its_evidence(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form.text("caption", "look at this")).await?;
    ensure!(queue_entry(&content).await?.is_none());
    content.finish(&[Recommendation::Pass, Recommendation::Review]).await?;
    let entry = queue_entry(&content).await?.context("the content is not in the queue")?;
    ensure!(entry["waits_for"] == "person" && entry["caption"] == "look at this", "{entry}");
    ensure!(entry["waits_since_unix"].as_u64() >= entry["created_at_unix"].as_u64(), "{entry}");
    let finding = &entry["findings"][1];
    ensure!(finding["check"] == "classifier" && finding["recommendation"] == "review", "{entry}");
    ensure!(finding["score"] == 0.5 && finding["until_ms"] == 1_000, "{entry}");
    // The same token opens its thumbnails. The other pictures have addresses that are credentials themselves.
    let url = entry["thumbnails"][0]["url"].as_str().context("no address")?;
    ensure_refused(&send(stack.client.get(url)).await?, 404, "not_found")?;
    let token = stack.env().get("ADMIN_TOKEN");
    ensure!(send(stack.client.get(url).bearer_auth(token)).await?.status == 200, "{url}");
    for name in ["poster_url", "storyboard_url"] {
        let url = entry[name].as_str().context("no address")?;
        ensure!(send(stack.client.get(url)).await?.status == 200, "{name}");
    }
    // A content that waits for a check is in the queue too, and distinguishable.
    let waiting = TestContent::upload(&stack, |form| form).await?;
    waiting.finish(&[Recommendation::Wait]).await?;
    let entry = queue_entry(&waiting).await?.context("the content is not in the queue")?;
    ensure!(entry["waits_for"] == "check", "{entry}");
    let path = format!("{}?waits_for=person", paths::MODERATION_QUEUE);
    let people = all_entries(&stack, &path, "contents").await?;
    ensure!(people.iter().all(|entry| entry["waits_for"] == "person"));
    Ok(())
}

#[e2e]
async fn an_approved_video_is_public_and_its_decision_is_recorded(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let early = content.decide(paths::MODERATION_APPROVE).await?;
    ensure_refused(&early, 409, "content_state_conflict")?;
    content.finish(&[Recommendation::Review]).await?;
    for _ in 0..2 {
        let answer = content.decide(paths::MODERATION_APPROVE).await?;
        ensure!(answer.status == 200 && answer.json()?["state"] == "published", "{answer:?}");
    }
    content.ensure_public(true).await?;
    ensure!(queue_entry(&content).await?.is_none());
    let late = content.decide(paths::MODERATION_REJECT).await?;
    ensure_refused(&late, 409, "content_state_conflict")?;
    ensure!(content.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    let path = format!("{}?content_uuid={}", paths::MODERATION_DECISIONS, content.job.content_uuid);
    let record = all_entries(&stack, &path, "decisions").await?;
    let actions: Vec<_> = record.iter().map(|one| one["action"].as_str()).collect();
    ensure!(actions == [Some("take_down"), Some("approve")], "{record:?}");
    ensure!(record[1]["by"] == "operator" && record[1]["reason"] == "a reason", "{record:?}");
    ensure!(record[1]["decided_at_unix"].as_u64() > Some(0), "{record:?}");
    Ok(())
}

#[e2e]
async fn an_invalid_moderation_request_is_refused(stack: Arc<TestStack>) -> Result<()> {
    let long = "x".repeat(501);
    for body in [
        json!({}),
        json!({ "content_uuid": "c" }),
        json!({ "content_uuid": "c", "reason": " " }),
        json!({ "content_uuid": "c", "reason": long }),
    ] {
        let request = moderator_request(&stack, Method::POST, paths::MODERATION_REJECT).json(&body);
        ensure_refused(&send(request).await?, 400, "request_malformed")?;
    }
    let unknown = json!({ "content_uuid": "c", "reason": "r" });
    let request = moderator_request(&stack, Method::POST, paths::MODERATION_REJECT).json(&unknown);
    ensure_refused(&send(request).await?, 404, "content_not_found")?;
    for hash in ["", "xyz", "0123456789abcdef", &"A".repeat(64)] {
        let body = json!({ "hash": hash, "reason": "r" });
        let request = moderator_request(&stack, Method::POST, paths::MODERATION_HASHES).json(&body);
        ensure_refused(&send(request).await?, 400, "request_malformed")?;
    }
    for query in ["queue?cursor=x", "queue?waits_for=godot", "hashes?cursor=x", "decisions?cursor=x"] {
        let answer = send(moderator_request(&stack, Method::GET, &format!("/internal/moderation/{query}"))).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
    }
    Ok(())
}
