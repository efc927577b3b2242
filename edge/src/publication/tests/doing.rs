//! What somebody may do to a content, and the doing of it.

use crate::fake_platform::FakePlatform;
use crate::jobs::Heard;
use crate::jobs::claim::claim;
use crate::jobs::renew::requeue;
use crate::jobs::report::report;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::job;
use crate::moderation::blocklist::{block, unblock};
use crate::moderation::decide::{Ruling, Verdict, decide};
use crate::publication::{Changed, Owned, delete, publish_now, reschedule};
use crate::sweep::sweep;
use contract::api::ChangeHash;
use contract::job::{JobClaim, JobOutcome, JobReport};
use contract::moderation::Verdict::{Pass, Reject, Review, Wait};
use contract::{ErrorCode, Event};

/// The hash of the frame of every report here.
pub const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Doing {
    Claim {
        origin: u8,
        generation: u64,
        delivery: u32,
    },
    Report {
        origin: u8,
        generation: u64,
        outcome: u8,
    },
    Decide(Verdict),
    Delete {
        channel_id: u64,
    },
    Reschedule(u64),
    PublishNow,
    Requeue,
    Block(bool),
    Sweep,
}

impl Doing {
    /// What it may do to a content at all.
    pub fn events(self) -> &'static [Event] {
        match self {
            Self::Report { .. } => &[
                Event::Approved,
                Event::ApprovedForLater,
                Event::Refused,
                Event::GivenUp,
            ],
            Self::Decide(Verdict::Approve) => &[Event::Approved, Event::ApprovedForLater],
            Self::Decide(Verdict::Reject) => &[Event::Refused],
            Self::Decide(Verdict::TakeDown) => &[Event::TakenDown],
            Self::Delete { channel_id: 1 } => &[Event::Deleted],
            Self::PublishNow => &[Event::Due],
            Self::Sweep => &[Event::Due, Event::GivenUp],
            Self::Requeue => &[Event::Retried],
            Self::Claim { .. } | Self::Delete { .. } | Self::Reschedule(_) | Self::Block(_) => &[],
        }
    }
}

/// Does it, transaction by transaction.
pub async fn perform(process: &FakePlatform, doing: Doing, now_unix: u64) {
    let owned = |channel_id| Owned {
        channel_id,
        content_uuid: "c",
    };
    let origin = |number: u8| ["a", "b"][usize::from(number)];
    match doing {
        Doing::Claim {
            origin: name,
            generation,
            delivery,
        } => {
            let id = job(origin(name), generation);
            let heard = Heard {
                now_unix,
                signed_at_unix: now_unix,
            };
            claim(process, &JobClaim { id, delivery }, heard)
                .await
                .unwrap();
        }
        Doing::Report {
            origin: name,
            generation,
            outcome,
        } => {
            let id = job(origin(name), generation);
            let outcome = outcome_of(outcome);
            report(process, &JobReport { id, outcome }, now_unix)
                .await
                .unwrap();
        }
        Doing::Decide(verdict) => {
            let ruling = Ruling {
                verdict,
                content_uuid: "c",
                reason: "r",
                by: "m",
            };
            decide(process, &ruling, now_unix).await.unwrap();
        }
        Doing::Delete { channel_id } => {
            let deleted = delete(process, owned(channel_id), now_unix).await.unwrap();
            assert_eq!(deleted == Changed::Unknown, channel_id == 2);
        }
        Doing::Reschedule(ahead) => {
            reschedule(process, owned(1), now_unix + ahead)
                .await
                .unwrap();
        }
        Doing::PublishNow => drop(publish_now(process, owned(1), now_unix).await.unwrap()),
        Doing::Requeue => drop(requeue(process, "c", now_unix).await.unwrap()),
        Doing::Block(is_blocked) => {
            let [hash, reason, by] = [HASH, "r", "m"].map(str::to_owned);
            let change = ChangeHash { hash, reason, by };
            if is_blocked {
                block(process, &change, now_unix).await.unwrap();
            } else {
                unblock(process, &change, now_unix).await.unwrap();
            }
        }
        Doing::Sweep => drop(sweep(process).await.unwrap()),
    }
}

/// The outcome of that number.
pub fn outcome_of(number: u8) -> JobOutcome {
    match number {
        0..=2 => processed(&[Pass]),
        3 => processed(&[Review]),
        4 => processed(&[Wait]),
        5 => processed(&[Pass, Reject]),
        6 => {
            let (code, detail) = (ErrorCode::ContentVideoDurationInvalid, String::new());
            JobOutcome::Refused { code, detail }
        }
        _ => JobOutcome::Failed {
            detail: String::new(),
        },
    }
}
