//! The row of a job, and the times at which the sweep has to look at it.

use super::json_text;
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use contract::Stage;
use contract::job::{JobWork, MAX_DELIVERY_ATTEMPTS};
use serde::{Deserialize, Serialize};

/// The time after which an unclaimed job is sent again for the first time. Each further wait is four times as long: the
/// message may be lost, but more likely the origins are busy.
const RESEND_SECONDS: u64 = 30;
/// The grace period for the last attempt to report after its claim has expired. The origin may be cut off from the edge
/// for that long.
pub(crate) const LAST_ATTEMPT_GRACE_SECONDS: u64 = 300;
/// The time after the end of a claim at which its origin is considered dead or cut off. Its message stays hidden in the
/// queue for as long as the longest job, so another message is sent.
pub(crate) const LAPSED_AFTER_SECONDS: u64 = 120;
/// The age at which a job counts as stuck. No job takes this long, even with all its retries.
pub(crate) const STUCK_AFTER_SECONDS: u64 = 3 * 3600;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub content_id: u64,
    pub channel_id: ChannelId,
    pub kind: JobWork,
    pub state: JobState,
    pub generation: u64,
    #[serde(with = "json_text")]
    pub input: Input,
    pub traceparent: Option<String>,
    pub enqueued_at_unix: UnixSeconds,
    pub sendings: u32,
    pub due_at_unix: Option<UnixSeconds>,
    pub attempt: u32,
    pub claimed_by: Option<String>,
    pub claim_ends_at_unix: Option<UnixSeconds>,
    pub last_signed_at_unix: Option<UnixSeconds>,
    pub stage: Stage,
    pub percent: u8,
    pub requeues: u32,
    pub check_waits: u32,
    pub report: Option<String>,
    pub error_code: Option<String>,
    pub error_detail: Option<String>,
    pub ended_at_unix: Option<UnixSeconds>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobState {
    /// Its turn has not come: the content is not approved, another job of the content is active, or a check is not
    /// possible yet.
    Waiting,
    /// Enough jobs of its channel are in the queue.
    Held,
    /// Its message is in the queue, or was lost.
    Due,
    /// An origin works on it.
    Claimed,
    Done,
    /// Its delivery attempts are used up.
    Dead,
}

/// The thumbnail that the owner asks for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Input {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_seconds: Option<u32>,
    /// The name under which the picture is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<UploadUuid>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture_sha256: Option<String>,
}

impl JobState {
    /// Whether the job is not finished.
    pub(crate) fn is_pending(self) -> bool {
        self.is_active() || self == Self::Waiting
    }

    /// Whether it is its content's active job.
    pub(crate) fn is_active(self) -> bool {
        matches!(self, Self::Held | Self::Due | Self::Claimed)
    }
}

impl Job {
    pub(crate) fn new(content_id: u64, channel_id: ChannelId, kind: JobWork, now: UnixSeconds) -> Self {
        Self {
            content_id,
            channel_id,
            kind,
            state: JobState::Waiting,
            generation: 0,
            input: Input::default(),
            traceparent: None,
            enqueued_at_unix: now,
            sendings: 0,
            due_at_unix: None,
            attempt: 0,
            claimed_by: None,
            claim_ends_at_unix: None,
            last_signed_at_unix: None,
            stage: Stage::Queued,
            percent: 0,
            requeues: 0,
            check_waits: 0,
            report: None,
            error_code: None,
            error_detail: None,
            ended_at_unix: None,
        }
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.state.is_pending()
    }

    pub(crate) fn is_active(&self) -> bool {
        self.state.is_active()
    }

    /// Whether no origin has claimed it. An unclaimed job makes the change that is wanted when it is claimed.
    pub(crate) fn is_unclaimed(&self) -> bool {
        matches!(self.state, JobState::Held | JobState::Due) && self.attempt == 0
    }

    pub(crate) fn has_failed(&self) -> bool {
        !self.is_pending() && self.error_code.is_some()
    }

    /// Restarts it as another generation. It is held until its channel may have another job in the queue.
    pub(crate) fn start(&mut self, generation: u64, now: UnixSeconds) {
        self.state = JobState::Held;
        self.generation = generation;
        self.enqueued_at_unix = now;
        self.sendings = 0;
        self.attempt = 0;
        self.end_claim();
        self.last_signed_at_unix = None;
        (self.stage, self.percent) = (Stage::Queued, 0);
        (self.error_code, self.error_detail, self.ended_at_unix) = (None, None, None);
        self.due_at_unix = None;
    }

    pub(crate) fn end(&mut self, state: JobState, now: UnixSeconds) {
        self.state = state;
        self.ended_at_unix = Some(now);
        self.end_claim();
        self.due_at_unix = None;
    }

    pub(crate) fn end_claim(&mut self) {
        self.claimed_by = None;
        self.claim_ends_at_unix = None;
    }

    /// Records that its message is sent again, and when to look at it next.
    pub(crate) fn send(&mut self, now: UnixSeconds) {
        if self.attempt == 0 {
            self.enqueued_at_unix = now;
            self.due_at_unix = Some(now + resend_after(self.sendings));
        } else {
            self.due_at_unix = Some(self.stuck_at().max(now + 1));
        }
        self.sendings += 1;
    }

    /// Returns when the job counts as stuck, unless its claim lasts longer.
    pub(crate) fn stuck_at(&self) -> UnixSeconds {
        (self.enqueued_at_unix + STUCK_AFTER_SECONDS).max(self.claim_ends_at_unix.unwrap_or_default())
    }

    /// Whether its last attempt has ended without a report.
    pub(crate) fn is_exhausted(&self, now: UnixSeconds) -> bool {
        let is_last = self.attempt >= MAX_DELIVERY_ATTEMPTS;
        is_last && self.claim_ends_at_unix.is_some_and(|end| end + LAST_ATTEMPT_GRACE_SECONDS <= now)
    }

    /// Whether its claim expired without a release, and its message has not been sent again since.
    pub(crate) fn has_lapsed(&self, now: UnixSeconds) -> bool {
        self.state == JobState::Claimed
            && self.attempt < MAX_DELIVERY_ATTEMPTS
            && self.claim_ends_at_unix.is_some_and(|end| end + LAPSED_AFTER_SECONDS <= now)
    }

    pub(crate) fn is_stuck(&self, now: UnixSeconds) -> bool {
        self.attempt > 0 && self.stuck_at() <= now
    }
}

/// Returns the time after which a job that was sent this many times is sent again.
pub(crate) fn resend_after(sendings: u32) -> u64 {
    (RESEND_SECONDS << (2 * sendings).min(16)).min(STUCK_AFTER_SECONDS)
}
