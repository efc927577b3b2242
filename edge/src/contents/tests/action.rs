//! The actions of the interleavings: everything that origins, moderators, owners and the sweep can do to a content.

use super::sent_pictures::{form, picture, send};
use super::thumbnails::{pictures, thumbnail_at};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, delete, publish_now, release, reschedule};
use crate::contents::updates::update;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{all_stored, blocklist_of, find_and_accept, job, uuid};
use crate::jobs::{RequestTimes, claim, requeue};
use crate::moderation::blocklist::{HashesChange, block, unblock};
use crate::moderation::decisions::{DecisionKind, DecisionRequest, decide};
use crate::testing::fake_platform::FakePlatform;
use crate::testing::sweep;
use contract::job::{JobOutcome, JobReport};
use contract::moderation::Recommendation::{Pass, Reject, Review, Wait};
use contract::{ContentEvent, ErrorCode};

/// The hash of the frame in every report of these tests.
pub(super) const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Action {
    Claim { origin: u8, generation: u64 },
    Report { origin: u8, generation: u64, outcome: u8 },
    Decide(DecisionKind),
    Delete { channel_id: u64 },
    Reschedule { seconds_ahead: u64 },
    PublishNow,
    Release,
    Requeue,
    ChangeThumbnail { seconds: u8 },
    SendPicture { number: u8 },
    Block,
    Unblock,
    Sweep,
}

impl Action {
    /// Returns the events that the action may cause.
    pub(super) fn events(self) -> &'static [ContentEvent] {
        match self {
            Self::Report { .. } => &[
                ContentEvent::Approved,
                ContentEvent::ApprovedForLater,
                ContentEvent::Refused,
                ContentEvent::AttemptsExhausted,
            ],
            Self::Decide(DecisionKind::Approve) => &[ContentEvent::Approved, ContentEvent::ApprovedForLater],
            Self::Decide(DecisionKind::Reject) => &[ContentEvent::Refused],
            Self::Decide(DecisionKind::TakeDown) => &[ContentEvent::TakenDown],
            Self::Decide(DecisionKind::Restore) => &[ContentEvent::Restored, ContentEvent::RestoredForLater],
            Self::Delete { channel_id: 1 } => &[ContentEvent::Deleted],
            Self::PublishNow | Self::Release => &[ContentEvent::Due],
            Self::Sweep => &[ContentEvent::Due, ContentEvent::AttemptsExhausted],
            Self::Requeue => &[ContentEvent::Retried],
            Self::Decide(DecisionKind::RejectAppeal)
            | Self::Claim { .. }
            | Self::Delete { .. }
            | Self::Reschedule { .. }
            | Self::ChangeThumbnail { .. }
            | Self::SendPicture { .. }
            | Self::Block
            | Self::Unblock => &[],
        }
    }
}

/// Performs the action, transaction by transaction.
pub(super) async fn perform(process: &FakePlatform, action: Action, now: UnixSeconds) {
    let uuid = uuid();
    let owned = |id| OwnedContent { channel_id: ChannelId(id), content_uuid: &uuid };
    match action {
        Action::Claim { origin, generation } => {
            claim(process, &job_of(origin, generation), RequestTimes { now, signed_at: now }).await.unwrap();
        }
        Action::Report { origin, generation, outcome } => {
            let report = JobReport { id: job_of(origin, generation), outcome: outcome_of(outcome) };
            let stored = all_stored(generation);
            find_and_accept(&blocklist_of(process), &report, &stored, now).await.unwrap();
        }
        Action::Decide(kind) => {
            let request =
                DecisionRequest { kind, content_uuid: &uuid, reason: "r", by: "m", policy: None, kept_frames: &[] };
            decide(process, &request, now).await.unwrap();
        }
        Action::Delete { channel_id } => {
            let outcome = delete(process, owned(channel_id), now, now).await.unwrap();
            assert_eq!(outcome == ChangeOutcome::UnknownContent, channel_id == 2);
        }
        Action::Reschedule { seconds_ahead } => {
            reschedule(process, owned(1), now + seconds_ahead, now).await.unwrap();
        }
        Action::PublishNow => drop(publish_now(process, owned(1), now).await.unwrap()),
        Action::Release => drop(release(process, owned(1), now).await.unwrap()),
        Action::Requeue => drop(requeue(process, &uuid, "Ada", now).await.unwrap()),
        Action::ChangeThumbnail { seconds } => {
            let changes = thumbnail_at(Some(&format!("00:00:0{seconds}"))).unwrap();
            drop(update(process, owned(1), &changes, now).await.unwrap());
        }
        Action::SendPicture { number } => drop(send(process, 1, form("c", &picture(number))).await.unwrap()),
        Action::Block => drop(block(process, HASH_CHANGE, now).await.unwrap()),
        Action::Unblock => unblock(process, HASH_CHANGE, now).await.unwrap(),
        Action::Sweep => drop(sweep(process).await.unwrap()),
    }
}

fn job_of(origin: u8, generation: u64) -> contract::job::JobId {
    job(["a", "b"][usize::from(origin)], generation)
}

pub(super) const HASH_CHANGE: HashesChange<'_> = HashesChange { hashes: &[HASH], reason: "r", by: "m" };

/// Returns the outcome with this number.
pub(super) fn outcome_of(number: u8) -> JobOutcome {
    match number {
        0..=2 => processed(&[Pass]),
        3 => processed(&[Review]),
        4 => processed(&[Wait]),
        5 => processed(&[Pass, Reject]),
        6 => JobOutcome::Refused { code: ErrorCode::ContentVideoDurationInvalid, detail: String::new() },
        7 => pictures(&[Pass]),
        8 => JobOutcome::Refused { code: ErrorCode::ContentThumbnailInvalid, detail: String::new() },
        _ => JobOutcome::Failed { detail: String::new() },
    }
}
