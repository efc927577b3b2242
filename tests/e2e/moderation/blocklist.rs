//! The blocklist: copies of rejected videos, and single hashes.

use super::decisions::{all_entries, queue_entry};
use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::{ContentState, paths};
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use tests::{TestContent, TestStack, e2e, moderator_request, send};

#[e2e]
async fn a_copy_of_a_rejected_video_is_rejected_without_a_person(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.finish(&[Recommendation::Review]).await?;
    let answer = content.decide(paths::MODERATION_REJECT).await?;
    ensure!(answer.json()?["state"] == "rejected", "{answer:?}");
    let entries = all_entries(&stack, paths::MODERATION_HASHES, "hashes").await?;
    let uuid = content.job.content_uuid.as_str();
    let own = entries.iter().filter(|one| one["content_uuid"] == uuid);
    ensure!(own.count() == content.frames.len(), "{entries:?}");
    // The same frames with a few other bits, as after re-encoding.
    let mut copy = TestContent::upload(&stack, |form| form).await?;
    copy.frames.clone_from(&content.frames);
    for frame in &mut copy.frames {
        let mut text = frame.hash.to_string();
        text.replace_range(50.., "00112233445566");
        frame.hash = text.parse()?;
    }
    let answer = copy.finish(&[Recommendation::Pass]).await?;
    ensure!(answer.accepted && answer.state == Some(ContentState::Rejected), "{answer:?}");
    let status = copy.job.status().await?;
    ensure!(status["error_message_code"] == "content_moderation_rejected", "{status}");
    copy.ensure_public(false).await?;
    let sql = "SELECT count(*) FROM findings WHERE content_id = ?1 AND check_name = 'blocklist' AND score > 0.7";
    ensure!(stack.count(sql, copy.job.content_id)? == 1);
    let other = TestContent::published(&stack, "another clip").await?;
    other.ensure_public(true).await
}

#[e2e]
async fn a_blocked_hash_is_added_listed_and_removed(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    let hash = content.frames[0].hash.to_string();
    let change = |method| {
        let body = json!({ "hash": hash, "reason": "by hand" });
        send(moderator_request(&stack, method, paths::MODERATION_HASHES).json(&body))
    };
    for _ in 0..2 {
        ensure!(change(Method::POST).await?.json()?["is_blocked"] == true);
    }
    let entries = all_entries(&stack, paths::MODERATION_HASHES, "hashes").await?;
    let entry = entries.iter().find(|one| one["hash"] == hash.as_str()).context("the hash is not listed")?;
    ensure!(entry["by"] == "operator" && entry["content_uuid"].is_null(), "{entry}");
    // One similar frame needs a person's decision.
    let answer = content.finish(&[Recommendation::Pass]).await?;
    ensure!(answer.state == Some(ContentState::Processing), "{answer:?}");
    let entry = queue_entry(&content).await?.context("the content is not in the queue")?;
    ensure!(entry["findings"][1]["check"] == "blocklist", "{entry}");
    for _ in 0..2 {
        ensure!(change(Method::DELETE).await?.json()?["is_blocked"] == false);
    }
    let entries = all_entries(&stack, paths::MODERATION_HASHES, "hashes").await?;
    ensure!(!entries.iter().any(|one| one["hash"] == hash.as_str()));
    let record = all_entries(&stack, paths::MODERATION_DECISIONS, "decisions").await?;
    let about = record.iter().filter(|one| one["hash"] == hash.as_str());
    let actions: Vec<_> = about.map(|one| one["action"].as_str()).collect();
    ensure!(actions == [Some("unblock_hash"), Some("block_hash")], "{actions:?}");
    Ok(())
}
