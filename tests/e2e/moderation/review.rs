//! Moderators see a video with its sound and texts before its publication, and removed videos that owners deleted.

use super::decisions::{all_entries, queue_entry};
use anyhow::{Context, Result, ensure};
use contract::moderation::Recommendation;
use contract::{MediaFile, paths};
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::{HttpAnswer, TestContent, TestStack, bytes_of, e2e, ensure_refused, moderator_request, now_unix, send};

/// Uploads a video with texts that waits for a person.
async fn waiting(stack: &Arc<TestStack>) -> Result<TestContent> {
    let add = |form: fixtures::Form| form.text("caption", "A fall").text("ai_summary_of_content", "Somebody falls.");
    let content = TestContent::upload(stack, add).await?;
    content.finish(&[Recommendation::Review]).await?;
    content.store().await?;
    Ok(content)
}

/// Returns the path and query of the address at which a moderator sees the video.
fn video_path(entry: &Value) -> Result<String> {
    let url = entry["video_url"].as_str().context("no video_url")?;
    let start = url.find("/internal").context("not an internal address")?;
    Ok(url[start..].to_owned())
}

async fn get(stack: &TestStack, path: &str) -> Result<HttpAnswer> {
    send(stack.request(Method::GET, path)).await
}

#[e2e]
async fn a_moderator_sees_the_video_and_its_texts_before_anybody_else(stack: Arc<TestStack>) -> Result<()> {
    let content = waiting(&stack).await?;
    let entry = queue_entry(&content).await?.context("the content is not in the queue")?;
    ensure!(entry["caption"] == "A fall" && entry["summary"] == "Somebody falls.", "{entry}");
    let path = video_path(&entry)?;
    let video = get(&stack, &path).await?;
    ensure!(video.status == 200 && video.bytes == bytes_of(MediaFile::Video), "{}", video.status);
    ensure!(video.header("cache-control") == "private, no-store", "{video:?}");
    let part = send(stack.request(Method::GET, &path).header("Range", "bytes=1-2")).await?;
    ensure!(part.status == 206 && part.bytes == bytes_of(MediaFile::Video)[1..=2], "{part:?}");
    // The public does not see it.
    content.ensure_public(false).await
}

#[e2e]
async fn an_address_of_a_video_cannot_be_guessed_changed_or_kept(stack: Arc<TestStack>) -> Result<()> {
    let (content, other) = (waiting(&stack).await?, waiting(&stack).await?);
    let path = video_path(&queue_entry(&content).await?.context("not in the queue")?)?;
    let until: u64 = path.split("until=").nth(1).and_then(|rest| rest.split('&').next()).context("no end")?.parse()?;
    ensure!((1..=15 * 60).contains(&until.saturating_sub(now_unix())), "it ends at {until}");
    for forged in [
        path.replace(&content.job.content_uuid, &other.job.content_uuid),
        path.replace(&until.to_string(), &(until + 1).to_string()),
        path.replace(&until.to_string(), &(now_unix() - 1).to_string()),
        format!("{}0", &path[..path.len() - 1]),
        path.replace("signature=", "signature=0"),
    ] {
        let answer = get(&stack, &forged).await?;
        if forged != path {
            ensure_refused(&answer, 404, "not_found").context(forged)?;
        }
    }
    let unsigned = path.split("&signature").next().context("no signature")?;
    ensure_refused(&get(&stack, unsigned).await?, 400, "request_malformed")
}

#[e2e]
async fn what_an_owner_deletes_after_it_was_rejected_stays_visible_to_moderators(stack: Arc<TestStack>) -> Result<()> {
    let content = waiting(&stack).await?;
    ensure!(content.decide(paths::MODERATION_REJECT).await?.status == 200);
    let deleted = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
    ensure!(deleted.status == 200, "{deleted:?}");
    content.ensure_public(false).await?;
    let kept = all_entries(&stack, paths::MODERATION_EVIDENCE, "contents").await?;
    let uuid = content.job.content_uuid.as_str();
    let entry = kept.iter().find(|entry| entry["content_uuid"] == uuid).context("no evidence")?;
    ensure!(entry["caption"] == "A fall" && entry["state"] == "rejected", "{entry}");
    let seconds = entry["kept_until_unix"].as_u64().zip(entry["deleted_at_unix"].as_u64());
    ensure!(seconds.is_some_and(|(until, deleted)| until - deleted == 90 * 86_400), "{entry}");
    let video = get(&stack, &video_path(entry)?).await?;
    ensure!(video.status == 200 && video.bytes == bytes_of(MediaFile::Video), "{}", video.status);
    let status = content
        .job
        .channel
        .stack
        .get_with_key(&format!("{}?content_uuid={uuid}", paths::UPLOAD_STATUS), &content.job.channel.key)
        .await?;
    ensure!(!String::from_utf8_lossy(&status.bytes).contains("A fall"), "{status:?}");
    // The retention ends.
    let id = content.job.content_id;
    stack.change_rows(format!("UPDATE evidence SET kept_until_unix = 1 WHERE content_id = {id}")).await?;
    stack.sweep().await?;
    let kept = all_entries(&stack, paths::MODERATION_EVIDENCE, "contents").await?;
    ensure!(kept.iter().all(|entry| entry["content_uuid"] != uuid), "{kept:?}");
    let anonymous = send(stack.request(Method::GET, paths::MODERATION_EVIDENCE)).await?;
    ensure_refused(&anonymous, 401, "admin_token_invalid")?;
    ensure!(send(moderator_request(&stack, Method::GET, paths::MODERATION_EVIDENCE)).await?.status == 200);
    Ok(())
}
