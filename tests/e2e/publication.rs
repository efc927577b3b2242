//! When a content is published, by its owner's wish and by the clock.

use crate::harness::{Harness, Suite, ensure_refused, send};
use crate::origin::now_unix;
use crate::shown::Shown;
use anyhow::{Result, ensure};
use contract::moderation::Verdict;
use contract::paths;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::Arc;

pub fn register(suite: &mut Suite) {
    suite.add("publication::a_schedule_is_kept_by_the_clock", kept);
    suite.add("publication::what_is_scheduled_can_be_published_now", now);
    suite.add("publication::a_wish_must_fit_state_time_and_owner", misfits);
    suite.add("publication::deleting_twice_is_deleting", deleting);
    suite.add(
        "publication::a_content_can_be_deleted_while_it_is_worked_on",
        working,
    );
}

async fn scheduled(harness: &Arc<Harness>, at_unix: u64) -> Result<Shown> {
    let at = at_unix.to_string();
    let shown = Shown::upload(harness, |form| form.text("scheduled_publish_at_unix", &at)).await?;
    shown.finish(&[Verdict::Pass]).await?;
    ensure!(shown.state().await? == "scheduled");
    Ok(shown)
}

async fn sweep(harness: &Harness) -> Result<Value> {
    let swept = send(harness.service(Method::POST, paths::SWEEP)).await?;
    ensure!(swept.status == 200, "{swept:?}");
    swept.json()
}

async fn kept(harness: Arc<Harness>) -> Result<()> {
    let shown = scheduled(&harness, now_unix() + 400).await?;
    sweep(&harness).await?;
    shown.ensure_public(false).await?;
    // The only thing that is moved is the time: nobody waits five minutes here.
    let (soon, content_uuid) = (now_unix() + 2, &shown.job.content_uuid);
    let moved = format!(
        "UPDATE contents SET scheduled_publish_at_unix = {soon} WHERE uuid = '{content_uuid}'"
    );
    harness.change(moved).await?;
    let due = shown.job.row()?["scheduled_publish_at_unix"].as_u64();
    loop {
        let before = now_unix();
        sweep(&harness).await?;
        let is_public = harness.get(&shown.page()).await?.status == 200;
        ensure!(
            !is_public || Some(now_unix()) >= due,
            "published before its time"
        );
        ensure!(is_public || Some(before) < due, "not published at its time");
        if is_public {
            break;
        }
    }
    shown.ensure_public(true).await?;
    let status = shown.job.status().await?;
    ensure!(status["published_at_unix"].as_u64() >= due, "{status}");
    Ok(())
}

async fn now(harness: Arc<Harness>) -> Result<()> {
    let shown = scheduled(&harness, now_unix() + 1_000).await?;
    let later = now_unix() + 2_000;
    let moved = shown
        .wish(
            paths::RESCHEDULE_CONTENT,
            json!({ "scheduled_publish_at_unix": later }),
        )
        .await?;
    let told = moved.json()?;
    ensure!(
        told["state"] == "scheduled" && told["scheduled_publish_at_unix"] == later,
        "{told}"
    );
    ensure!(
        moved.header("ratelimit-policy").contains("daily"),
        "{moved:?}"
    );
    for _ in 0..2 {
        let told = shown
            .wish(
                paths::RESCHEDULE_CONTENT,
                json!({ "scheduled_publish_at_unix": null }),
            )
            .await?;
        ensure!(
            told.status == 200 && told.json()?["state"] == "published",
            "{told:?}"
        );
    }
    shown.ensure_public(true).await?;
    let too_late = shown
        .wish(
            paths::RESCHEDULE_CONTENT,
            json!({ "scheduled_publish_at_unix": later }),
        )
        .await?;
    ensure_refused(&too_late, 409, "content_state_conflict")?;
    // One that is being processed is published with its approval.
    let at = (now_unix() + 1_000).to_string();
    let shown = Shown::upload(&harness, |form| form.text("scheduled_publish_at_unix", &at)).await?;
    let told = shown
        .wish(
            paths::RESCHEDULE_CONTENT,
            json!({ "scheduled_publish_at_unix": null }),
        )
        .await?;
    ensure!(told.json()?["state"] == "processing", "{told:?}");
    shown.finish(&[Verdict::Pass]).await?;
    shown.ensure_public(true).await
}

async fn misfits(harness: Arc<Harness>) -> Result<()> {
    let shown = scheduled(&harness, now_unix() + 1_000).await?;
    for at in [0, now_unix(), now_unix() + 200, now_unix() + 181 * 86_400] {
        let told = shown
            .wish(
                paths::RESCHEDULE_CONTENT,
                json!({ "scheduled_publish_at_unix": at }),
            )
            .await?;
        ensure_refused(&told, 422, "content_schedule_invalid")?;
    }
    for body in [
        json!({}),
        json!({ "scheduled_publish_at_unix": "soon" }),
        json!({ "scheduled_publish_at_unix": -1 }),
    ] {
        let told = shown.wish(paths::RESCHEDULE_CONTENT, body).await?;
        ensure_refused(&told, 400, "request_malformed")?;
    }
    let other = Shown::upload(&harness, |form| form).await?;
    let body = json!({ "content_uuid": shown.job.content_uuid, "scheduled_publish_at_unix": null });
    for path in [paths::RESCHEDULE_CONTENT, paths::DELETE_CONTENT] {
        let request = harness.request(Method::POST, path).json(&body);
        ensure_refused(&send(request).await?, 401, "api_key_invalid")?;
        let request = harness.request(Method::POST, path).json(&body);
        let foreign = send(request.bearer_auth(&other.job.channel.key)).await?;
        ensure_refused(&foreign, 404, "content_not_found")?;
    }
    ensure!(shown.state().await? == "scheduled");
    Ok(())
}

async fn deleting(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::published(&harness, "private words").await?;
    for _ in 0..2 {
        let told = shown.wish(paths::DELETE_CONTENT, json!({})).await?;
        ensure!(
            told.status == 200 && told.json()?["state"] == "deleted",
            "{told:?}"
        );
    }
    ensure!(shown.job.row()?["caption"].is_null());
    let late = shown
        .wish(
            paths::RESCHEDULE_CONTENT,
            json!({ "scheduled_publish_at_unix": null }),
        )
        .await?;
    ensure_refused(&late, 409, "content_state_conflict")
}

async fn working(harness: Arc<Harness>) -> Result<()> {
    let shown = Shown::upload(&harness, |form| form).await?;
    shown.job.take().await?;
    ensure!(shown.wish(paths::DELETE_CONTENT, json!({})).await?.status == 200);
    ensure!(!shown.job.progress(contract::Stage::Transcode, 10).await?);
    shown.store().await?;
    let told = shown.job.report(shown.outcome(&[Verdict::Pass])).await?;
    ensure!(!told.accepted, "{told:?}");
    shown.ensure_public(false).await
}
