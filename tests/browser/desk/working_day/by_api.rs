//! The same decisions without the desk, by the requests of `docs/moderation-queue.md`: a page of the queue, and for
//! each video its case, its storyboard and the decision.

use super::super::seeding::ApiModerator;
use super::plan::RightDecision;
use super::seed::SeededVideo;
use super::{per_decision, times};
use anyhow::{Context, Result, ensure};
use contract::paths;
use serde_json::{Value, json};
use std::time::Instant;

/// The requests about each video.
const REQUESTS: usize = 3;

/// Decides about all videos of the queue, which must be these, and prints how long that took.
pub(super) async fn decide_all(moderator: &ApiModerator<'_>, videos: &[SeededVideo]) -> Result<()> {
    let queue = moderator.get(&format!("{}?waits_for=person", paths::MODERATION_QUEUE)).await?;
    let entries = queue["contents"].as_array().context("no list")?;
    ensure!(entries.len() == videos.len(), "{} videos wait instead of {}", entries.len(), videos.len());
    let mut seconds = Vec::new();
    for entry in entries {
        let opened = Instant::now();
        decide(moderator, entry).await?;
        seconds.push(opened.elapsed().as_secs_f64());
    }
    let requests = 1 + REQUESTS * entries.len();
    println!(
        "the same by the API: {} decisions; {} from the case to the decision; {requests} requests, {}",
        entries.len(),
        times(&mut seconds),
        per_decision(requests, entries.len())
    );
    Ok(())
}

/// Makes the decision that the caption of a queued video asks for.
async fn decide(moderator: &ApiModerator<'_>, entry: &Value) -> Result<()> {
    let uuid = entry["content_uuid"].as_str().context("no id")?;
    let case = moderator.get(&format!("{}?content_uuid={uuid}", paths::MODERATION_CASE)).await?;
    let storyboard = moderator.file(case["storyboard_url"].as_str().context("no storyboard")?).await?;
    ensure!(storyboard.starts_with(b"\xFF\xD8"), "the storyboard is not a JPEG");
    let caption = case["content"]["caption"].as_str().context("no caption")?;
    let decision = RightDecision::of_caption(caption).with_context(|| format!("nothing to decide: {caption}"))?;
    let mut body = json!({ "content_uuid": uuid, "reason": "a test" });
    if let Some((code, _)) = decision.policy {
        body["policy_code"] = json!(code);
    }
    moderator.post(decision.path, &body).await
}
