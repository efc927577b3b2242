//! Uploads the planned videos, and puts each into its state at the beginning of the day.

use super::super::seeding::{
    ApiModerator, UploadedVideo, ViewerReport, appeal, make_clip, report, until_examined, upload,
};
use super::plan::{Kind, PlannedVideo};
use anyhow::{Context, Result, ensure};
use futures_util::future::try_join_all;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tests::browser::BrowserStack;

/// Uploads at a time.
const AT_ONCE: usize = 4;
/// The length of each clip. Origins examine short clips faster, and nobody watches these.
const SECONDS: &str = "2.5";

/// A planned video that is uploaded.
pub(super) struct SeededVideo {
    pub(super) plan: PlannedVideo,
    pub(super) uploaded: UploadedVideo,
    /// Whether it waits for a moderator.
    pub(super) is_queued: bool,
}

/// Removes the video of which the day has copies.
pub(super) async fn remove_the_original(stack: &BrowserStack, moderator: &ApiModerator<'_>) -> Result<()> {
    let folder = stack.new_folder()?;
    let original = send(stack, folder.path(), &PlannedVideo::original()).await?;
    let case = until_examined(stack, &original.uuid, within()).await?;
    ensure!(case["content"]["state"] == "published", "the original is not published: {case}");
    moderator.take_down(&original.uuid).await
}

/// Uploads the videos, waits until all are examined, and lets viewers and owners do their part. Owners appeal against
/// decisions of these moderators.
pub(super) async fn seed(
    stack: &BrowserStack,
    moderators: &[ApiModerator<'_>],
    plan: &[PlannedVideo],
) -> Result<Vec<SeededVideo>> {
    let folder = stack.new_folder()?;
    let mut uploaded = Vec::new();
    for some in plan.chunks(AT_ONCE) {
        uploaded.extend(try_join_all(some.iter().map(|video| send(stack, folder.path(), video))).await?);
    }
    let mut seeded = Vec::new();
    for (plan, uploaded) in plan.iter().cloned().zip(uploaded) {
        let case = until_examined(stack, &uploaded.uuid, within()).await?;
        ensure_examined_as_planned(&plan, &case)?;
        let waits = case["content"]["waits_for"] == "person";
        let video = SeededVideo { is_queued: waits || plan.kind.needs_person(), plan, uploaded };
        prepare(stack, moderators, &video, &case).await.with_context(|| video.plan.caption.clone())?;
        seeded.push(video);
    }
    Ok(seeded)
}

/// The time for the origin to examine all videos before one, on a busy machine.
fn within() -> Duration {
    Duration::from_mins(fixtures::cases(4, 15))
}

async fn send(stack: &BrowserStack, folder: &Path, video: &PlannedVideo) -> Result<UploadedVideo> {
    let clip = folder.join(format!("{}.mp4", video.number));
    make_clip(&clip, &video.picture(), SECONDS, &video.caption)?;
    upload(stack, &video.caption, &clip).await
}

fn ensure_examined_as_planned(plan: &PlannedVideo, case: &Value) -> Result<()> {
    let content = &case["content"];
    let (state, waits) = (&content["state"], content["waits_for"] == "person");
    let is_as_planned = match plan.kind {
        Kind::Harmless | Kind::Bad => waits,
        Kind::Copy => state == "rejected",
        kind if kind.is_disguised() => waits || state == "rejected",
        _ => state == "published",
    };
    ensure!(is_as_planned, "{} is {state}, with {}", plan.caption, case["findings"]);
    Ok(())
}

/// Lets a viewer report the video, or a moderator remove it and its owner appeal.
async fn prepare(
    stack: &BrowserStack,
    moderators: &[ApiModerator<'_>],
    video: &SeededVideo,
    case: &Value,
) -> Result<()> {
    match video.plan.kind {
        Kind::ReportedBad | Kind::ReportedHarmless => {
            report(stack, case, ViewerReport { reason: "spam", text: "again", address: "203.0.113.1" }).await
        }
        Kind::WronglyRemoved | Kind::RightlyRemoved => {
            let moderator = &moderators[video.plan.number % moderators.len()];
            moderator.take_down(&video.uploaded.uuid).await?;
            appeal(stack, &video.uploaded, "Please look again.").await
        }
        _ => Ok(()),
    }
}
