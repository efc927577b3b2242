//! Moderation by people: the queue, the decisions and their record, the blocklist.

use crate::harness::{Harness, Suite, ensure_refused, send};
use crate::shown::{Shown, moderator};
use anyhow::{Context, Result, ensure};
use contract::moderation::Verdict;
use contract::{ContentState, paths};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("moderation::only_the_admin_token_opens_it", admin_token);
    suite.add(
        "moderation::who_waits_is_in_the_queue_with_the_evidence",
        queue,
    );
    suite.add(
        "moderation::an_approved_content_is_shown_and_it_is_on_record_who_did_it",
        approve,
    );
    suite.add(
        "moderation::the_next_copy_of_a_rejected_content_is_refused_without_a_person",
        copies,
    );
    suite.add("moderation::a_hash_is_added_listed_and_removed", hashes);
    suite.add("moderation::what_does_not_fit_is_refused", misfits);
}

async fn get(harness: &Harness, path: &str) -> Result<Value> {
    let answer = send(moderator(harness, Method::GET, path)).await?;
    ensure!(answer.status == 200, "{path}: {answer:?}");
    answer.json()
}

/// Every entry of a list, read page by page.
async fn all(harness: &Harness, path: &str, name: &str) -> Result<Vec<Value>> {
    let (mut entries, mut cursor) = (Vec::new(), String::new());
    loop {
        let mark = if path.contains('?') { '&' } else { '?' };
        let page = match cursor.as_str() {
            "" => get(harness, path).await?,
            cursor => get(harness, &format!("{path}{mark}cursor={cursor}")).await?,
        };
        entries.extend(page[name].as_array().context("no list")?.iter().cloned());
        match page["next_cursor"].as_str() {
            Some(next) => next.clone_into(&mut cursor),
            None => return Ok(entries),
        }
    }
}

async fn queued(shown: &Shown) -> Result<Option<Value>> {
    let entries = all(shown.harness(), paths::MODERATION_QUEUE, "contents").await?;
    let is_it = |entry: &Value| entry["content_uuid"] == shown.job.content_uuid.as_str();
    Ok(entries.into_iter().find(is_it))
}

async fn admin_token(harness: Arc<Harness>) -> Result<()> {
    let service = harness.env().get("SERVICE_TOKEN");
    for (method, path) in [
        (Method::GET, paths::MODERATION_QUEUE),
        (Method::POST, paths::MODERATION_APPROVE),
        (Method::POST, paths::MODERATION_REJECT),
        (Method::POST, paths::MODERATION_TAKE_DOWN),
        (Method::GET, paths::MODERATION_DECISIONS),
        (Method::GET, paths::MODERATION_HASHES),
        (Method::POST, paths::MODERATION_HASHES),
        (Method::DELETE, paths::MODERATION_HASHES),
    ] {
        let plain = send(harness.request(method.clone(), path)).await?;
        ensure_refused(&plain, 401, "admin_token_invalid")?;
        let other = send(harness.request(method, path).bearer_auth(service)).await?;
        ensure_refused(&other, 401, "admin_token_invalid")?;
    }
    Ok(())
}

async fn queue(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::upload(&harness, |form| form.text("caption", "look at this")).await?;
    ensure!(queued(&shown).await?.is_none());
    shown.finish(&[Verdict::Pass, Verdict::Review]).await?;
    let entry = queued(&shown).await?.context("it is not in the queue")?;
    ensure!(
        entry["waits_for"] == "person" && entry["caption"] == "look at this",
        "{entry}"
    );
    ensure!(
        entry["waits_since_unix"].as_u64() >= entry["created_at_unix"].as_u64(),
        "{entry}"
    );
    let finding = &entry["findings"][1];
    ensure!(
        finding["check"] == "classifier" && finding["verdict"] == "review",
        "{entry}"
    );
    ensure!(
        finding["score"] == 0.5 && finding["until_ms"] == 1_000,
        "{entry}"
    );
    // Its pictures open with the same token.
    for url in [&entry["thumbnails"][0]["url"], &entry["storyboard_url"]] {
        let url = url.as_str().context("no address")?;
        let plain = send(harness.client.get(url)).await?;
        ensure_refused(&plain, 404, "not_found")?;
        let token = harness.env().get("ADMIN_TOKEN");
        ensure!(
            send(harness.client.get(url).bearer_auth(token))
                .await?
                .status
                == 200,
            "{url}"
        );
    }
    // What waits for a check is there too, and can be told apart.
    let waiting = Shown::upload(&harness, |form| form).await?;
    waiting.finish(&[Verdict::Wait]).await?;
    let entry = queued(&waiting).await?.context("it is not in the queue")?;
    ensure!(entry["waits_for"] == "check", "{entry}");
    let path = format!("{}?waits_for=person", paths::MODERATION_QUEUE);
    let people = all(&harness, &path, "contents").await?;
    ensure!(people.iter().all(|entry| entry["waits_for"] == "person"));
    Ok(())
}

async fn approve(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::upload(&harness, |form| form).await?;
    let early = shown.decide(paths::MODERATION_APPROVE).await?;
    ensure_refused(&early, 409, "content_state_conflict")?;
    shown.finish(&[Verdict::Review]).await?;
    for _ in 0..2 {
        let told = shown.decide(paths::MODERATION_APPROVE).await?;
        ensure!(
            told.status == 200 && told.json()?["state"] == "published",
            "{told:?}"
        );
    }
    shown.ensure_public(true).await?;
    ensure!(queued(&shown).await?.is_none());
    let late = shown.decide(paths::MODERATION_REJECT).await?;
    ensure_refused(&late, 409, "content_state_conflict")?;
    ensure!(shown.decide(paths::MODERATION_TAKE_DOWN).await?.status == 200);
    let path = format!(
        "{}?content_uuid={}",
        paths::MODERATION_DECISIONS,
        shown.job.content_uuid
    );
    let record = all(&harness, &path, "decisions").await?;
    let actions: Vec<_> = record.iter().map(|one| one["action"].as_str()).collect();
    ensure!(
        actions == [Some("take_down"), Some("approve")],
        "{record:?}"
    );
    ensure!(
        record[1]["by"] == "mara" && record[1]["reason"] == "a reason",
        "{record:?}"
    );
    ensure!(
        record[1]["decided_at_unix"].as_u64() > Some(0),
        "{record:?}"
    );
    Ok(())
}

async fn copies(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::upload(&harness, |form| form).await?;
    shown.finish(&[Verdict::Review]).await?;
    let told = shown.decide(paths::MODERATION_REJECT).await?;
    ensure!(told.json()?["state"] == "rejected", "{told:?}");
    let listed = all(&harness, paths::MODERATION_HASHES, "hashes").await?;
    let uuid = shown.job.content_uuid.as_str();
    let own = listed.iter().filter(|one| one["content_uuid"] == uuid);
    ensure!(own.count() == shown.frames.len(), "{listed:?}");
    // The same frames, a few bits apart, as re-encoding leaves them.
    let mut copy = Shown::upload(&harness, |form| form).await?;
    copy.frames.clone_from(&shown.frames);
    for frame in &mut copy.frames {
        let mut text = frame.hash.to_string();
        text.replace_range(50.., "00112233445566");
        frame.hash = text.parse()?;
    }
    let told = copy.finish(&[Verdict::Pass]).await?;
    ensure!(
        told.accepted && told.state == Some(ContentState::Rejected),
        "{told:?}"
    );
    let status = copy.job.status().await?;
    ensure!(
        status["error_message_code"] == "content_moderation_rejected",
        "{status}"
    );
    copy.ensure_public(false).await?;
    let sql = "SELECT count(*) FROM findings WHERE content_id = ?1 AND check_name = 'blocklist' AND score > 0.7";
    ensure!(harness.count(sql, copy.job.content_id)? == 1);
    let other = Shown::published(&harness, "another clip").await?;
    other.ensure_public(true).await
}

async fn hashes(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::upload(&harness, |form| form).await?;
    let hash = shown.frames[0].hash.to_string();
    let change = |method| {
        let body = json!({ "hash": hash, "reason": "by hand", "by": "mara" });
        send(moderator(&harness, method, paths::MODERATION_HASHES).json(&body))
    };
    for _ in 0..2 {
        ensure!(change(Method::POST).await?.json()?["is_blocked"] == true);
    }
    let listed = all(&harness, paths::MODERATION_HASHES, "hashes").await?;
    let entry = listed
        .iter()
        .find(|one| one["hash"] == hash.as_str())
        .context("not listed")?;
    ensure!(
        entry["by"] == "mara" && entry["content_uuid"].is_null(),
        "{entry}"
    );
    // One frame alike is for a person.
    let told = shown.finish(&[Verdict::Pass]).await?;
    ensure!(told.state == Some(ContentState::Processing), "{told:?}");
    let entry = queued(&shown).await?.context("it is not in the queue")?;
    ensure!(entry["findings"][1]["check"] == "blocklist", "{entry}");
    for _ in 0..2 {
        ensure!(change(Method::DELETE).await?.json()?["is_blocked"] == false);
    }
    let listed = all(&harness, paths::MODERATION_HASHES, "hashes").await?;
    ensure!(!listed.iter().any(|one| one["hash"] == hash.as_str()));
    let record = all(&harness, paths::MODERATION_DECISIONS, "decisions").await?;
    let about = record.iter().filter(|one| one["hash"] == hash.as_str());
    let actions: Vec<_> = about.map(|one| one["action"].as_str()).collect();
    ensure!(
        actions == [Some("unblock_hash"), Some("block_hash")],
        "{actions:?}"
    );
    Ok(())
}

async fn misfits(harness: Arc<Harness>) -> Result<()> {
    let long = "x".repeat(501);
    for body in [
        json!({}),
        json!({ "content_uuid": "c", "reason": "", "by": "m" }),
        json!({ "content_uuid": "c", "reason": long, "by": "m" }),
        json!({ "content_uuid": "c", "reason": "r", "by": " " }),
    ] {
        let request = moderator(&harness, Method::POST, paths::MODERATION_REJECT).json(&body);
        ensure_refused(&send(request).await?, 400, "request_malformed")?;
    }
    let unknown = json!({ "content_uuid": "c", "reason": "r", "by": "m" });
    let request = moderator(&harness, Method::POST, paths::MODERATION_REJECT).json(&unknown);
    ensure_refused(&send(request).await?, 404, "content_not_found")?;
    for hash in ["", "xyz", "0123456789abcdef", &"A".repeat(64)] {
        let body = json!({ "hash": hash, "reason": "r", "by": "m" });
        let request = moderator(&harness, Method::POST, paths::MODERATION_HASHES).json(&body);
        ensure_refused(&send(request).await?, 400, "request_malformed")?;
    }
    for query in [
        "queue?cursor=x",
        "queue?waits_for=godot",
        "hashes?cursor=x",
        "decisions?cursor=x",
    ] {
        let answer = send(moderator(
            &harness,
            Method::GET,
            &format!("/internal/moderation/{query}"),
        ))
        .await?;
        ensure_refused(&answer, 400, "request_malformed")?;
    }
    Ok(())
}
