//! Decisions, the queue and the blocklist on real SQLite.

mod appeals;
mod blocklist;
mod cases;
mod decisions;
mod evidence;
mod histories;
mod matches;
mod queue;
mod recheck;
mod removed;
mod reported;
mod segments;
mod statistics;

use super::decisions::{DecisionKind, DecisionOutcome, DecisionRequest, decide};
use super::history;
use crate::base::ids::ContentUuid;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::moderation::blocklist::HashesChange;
use crate::people::auth::hash::Pepper;
use contract::api::DecisionAction;
use contract::job::JobOutcome;
use contract::moderation::FrameHash;
use futures_executor::block_on;

/// The hash of the frame in the scene's reports.
const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Returns a scene whose job was reported with this outcome.
pub(super) fn reported(schedule: Option<u64>, outcome: JobOutcome) -> Scene {
    let scene = Scene::scheduled(schedule);
    scene.claim("a", 1);
    scene.report("a", 1, outcome);
    scene
}

pub(crate) fn decide_about(scene: &Scene, kind: DecisionKind) -> DecisionOutcome {
    decide_with(scene, kind, &[])
}

fn decide_with(scene: &Scene, kind: DecisionKind, kept_frames: &[FrameHash]) -> DecisionOutcome {
    decide_on(scene, &uuid(), kind, kept_frames)
}

fn decide_on(
    scene: &Scene,
    content_uuid: &ContentUuid,
    kind: DecisionKind,
    kept_frames: &[FrameHash],
) -> DecisionOutcome {
    let request =
        DecisionRequest { kind, content_uuid, reason: "because", by: "moderator-1", policy: None, kept_frames };
    block_on(decide(&scene.world.database, &request, scene.now())).unwrap().outcome
}

fn change<'a>(hashes: &'a [&'a str]) -> HashesChange<'a> {
    HashesChange { hashes, reason: "because", by: "moderator-1" }
}

/// Returns the pepper of the addresses at which moderators see videos.
pub(crate) fn review_pepper() -> Pepper {
    Pepper::new("0123456789abcdef0123456789abcdef").unwrap()
}

/// Returns the recorded actions, the newest first.
fn actions(scene: &Scene) -> Vec<DecisionAction> {
    let entries = block_on(history::list(&scene.world.database, None, None, 100)).unwrap();
    entries.into_iter().map(|entry| entry.decision.action).collect()
}
