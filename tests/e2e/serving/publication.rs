//! Tests of the publication of contents: by schedule, after a release, or when the owner asks for it.

use anyhow::{Result, ensure};
use contract::moderation::Recommendation;
use contract::paths;
use dev::Schedule;
use reqwest::Method;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tests::{TestContent, TestStack, e2e, ensure_refused, now_unix, send, until};

async fn scheduled(stack: &Arc<TestStack>, at_unix: u64) -> Result<TestContent> {
    let at = at_unix.to_string();
    let content = TestContent::upload(stack, |form| form.text("scheduled_publish_at_unix", &at)).await?;
    content.finish(&[Recommendation::Pass]).await?;
    ensure!(content.state().await? == "scheduled");
    Ok(content)
}

#[e2e]
async fn a_scheduled_video_is_published_at_its_time(stack: Arc<TestStack>) -> Result<()> {
    let content = scheduled(&stack, now_unix() + 400).await?;
    stack.sweep().await?;
    content.ensure_public(false).await?;
    // A schedule is at least five minutes ahead. The test moves the time instead of waiting.
    let (soon, content_uuid) = (now_unix() + 2, &content.job.content_uuid);
    let moved = format!("UPDATE contents SET scheduled_publish_at_unix = {soon} WHERE uuid = '{content_uuid}'");
    stack.change_rows(moved).await?;
    let due = content.job.row()?["scheduled_publish_at_unix"].as_u64();
    loop {
        let before = now_unix();
        stack.sweep().await?;
        let is_public = stack.get(&content.page()).await?.status == 200;
        ensure!(!is_public || Some(now_unix()) >= due, "published before its time");
        ensure!(is_public || Some(before) < due, "not published at its time");
        if is_public {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    content.ensure_public(true).await?;
    let status = content.job.status().await?;
    ensure!(status["published_at_unix"].as_u64() >= due, "{status}");
    Ok(())
}

/// Wrangler never fires the cron trigger by itself.
#[e2e(Own)]
async fn the_local_system_publishes_by_itself(stack: Arc<TestStack>) -> Result<()> {
    let _schedule = Schedule::start(stack.env().get("BASE_URL"), Duration::from_millis(500));
    for _ in 0..2 {
        let content = scheduled(&stack, now_unix() + 400).await?;
        let content_uuid = &content.job.content_uuid;
        let due = format!("UPDATE contents SET scheduled_publish_at_unix = 1 WHERE uuid = '{content_uuid}'");
        stack.change_rows(due).await?;
        let is_published = async || Ok((content.state().await? == "published").then_some(()));
        until(Duration::from_mins(1), is_published, || "the video is still scheduled".to_owned()).await?;
    }
    Ok(())
}

#[e2e]
async fn a_scheduled_video_can_be_published_now(stack: Arc<TestStack>) -> Result<()> {
    let content = scheduled(&stack, now_unix() + 1_000).await?;
    let later = now_unix() + 2_000;
    let moved = content.owner_request(paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": later })).await?;
    let answer = moved.json()?;
    ensure!(answer["state"] == "scheduled" && answer["scheduled_publish_at_unix"] == later, "{answer}");
    ensure!(moved.header("ratelimit-policy").contains("daily"), "{moved:?}");
    for _ in 0..2 {
        let answer =
            content.owner_request(paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": null })).await?;
        ensure!(answer.status == 200 && answer.json()?["state"] == "published", "{answer:?}");
    }
    content.ensure_public(true).await?;
    let too_late =
        content.owner_request(paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": later })).await?;
    ensure_refused(&too_late, 409, "content_state_conflict")?;
    // A video that is still being processed is then published as soon as it is approved.
    let at = (now_unix() + 1_000).to_string();
    let content = TestContent::upload(&stack, |form| form.text("scheduled_publish_at_unix", &at)).await?;
    let answer = content.owner_request(paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": null })).await?;
    ensure!(answer.json()?["state"] == "processing", "{answer:?}");
    content.finish(&[Recommendation::Pass]).await?;
    content.ensure_public(true).await
}

#[e2e]
async fn a_video_that_needs_a_release_is_published_only_after_it(stack: Arc<TestStack>) -> Result<()> {
    for at in ["NULL", "1"] {
        let content = TestContent::upload(&stack, |form| form).await?;
        let content_uuid = &content.job.content_uuid;
        let values = format!("needs_release = 1, scheduled_publish_at_unix = {at}");
        stack.change_rows(format!("UPDATE contents SET {values} WHERE uuid = '{content_uuid}'")).await?;
        ensure!(content.job.status().await?["needs_release"] == true);
        content.finish(&[Recommendation::Pass]).await?;
        stack.sweep().await?;
        let status = content.job.status().await?;
        ensure!(status["state"] == "scheduled" && status["check_after_seconds"].is_null(), "{status}");
        content.ensure_public(false).await?;
        for _ in 0..2 {
            let released = content.owner_request(paths::RELEASE_CONTENT, json!({})).await?;
            ensure!(released.status == 200 && released.json()?["state"] == "published", "{released:?}");
        }
        content.ensure_public(true).await?;
        ensure!(content.job.status().await?["needs_release"] == false);
        content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
        let late = content.owner_request(paths::RELEASE_CONTENT, json!({})).await?;
        ensure_refused(&late, 409, "content_state_conflict")?;
    }
    Ok(())
}

#[e2e]
async fn a_schedule_change_needs_a_valid_state_time_and_owner(stack: Arc<TestStack>) -> Result<()> {
    let content = scheduled(&stack, now_unix() + 1_000).await?;
    for at in [0, now_unix(), now_unix() + 200, now_unix() + 181 * 86_400] {
        let answer =
            content.owner_request(paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": at })).await?;
        ensure_refused(&answer, 422, "content_schedule_invalid")?;
    }
    for body in [json!({}), json!({ "scheduled_publish_at_unix": "soon" }), json!({ "scheduled_publish_at_unix": -1 })]
    {
        let answer = content.owner_request(paths::RESCHEDULE_CONTENT, body).await?;
        ensure_refused(&answer, 400, "request_malformed")?;
    }
    let other = TestContent::upload(&stack, |form| form).await?;
    let uuid = &content.job.content_uuid;
    for (path, body) in [
        (paths::RESCHEDULE_CONTENT, json!({ "content_uuid": uuid, "scheduled_publish_at_unix": null })),
        (paths::RELEASE_CONTENT, json!({ "content_uuid": uuid })),
        (paths::DELETE_CONTENT, json!({ "content_uuid": uuid })),
    ] {
        let request = stack.request(Method::POST, path).json(&body);
        ensure_refused(&send(request).await?, 401, "api_key_invalid")?;
        let request = stack.request(Method::POST, path).json(&body);
        let foreign = send(request.bearer_auth(&other.job.channel.key)).await?;
        ensure_refused(&foreign, 404, "content_not_found")?;
    }
    ensure!(content.state().await? == "scheduled");
    Ok(())
}

#[e2e]
async fn deleting_a_video_twice_succeeds(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::published(&stack, "private words").await?;
    for _ in 0..2 {
        let answer = content.owner_request(paths::DELETE_CONTENT, json!({})).await?;
        ensure!(answer.status == 200 && answer.json()?["state"] == "deleted", "{answer:?}");
    }
    ensure!(content.job.row()?["caption"].is_null());
    let late = content.owner_request(paths::RESCHEDULE_CONTENT, json!({ "scheduled_publish_at_unix": null })).await?;
    ensure_refused(&late, 409, "content_state_conflict")
}

#[e2e]
async fn a_video_can_be_deleted_while_it_is_processed(stack: Arc<TestStack>) -> Result<()> {
    let content = TestContent::upload(&stack, |form| form).await?;
    content.job.claim_granted().await?;
    ensure!(content.owner_request(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    ensure!(!content.job.progress(contract::Stage::Transcode, 10).await?);
    content.store().await?;
    let answer = content.job.report_only(content.outcome(&[Recommendation::Pass])).await?;
    ensure!(!answer.accepted, "{answer:?}");
    content.ensure_public(false).await
}
