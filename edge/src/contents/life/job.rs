//! The row of a job, and the times at which the sweep has to look at it.

use super::json_text;
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use contract::Stage;
use contract::job::JobWork;
use serde::{Deserialize, Serialize};

/// The time after which the sweep looks at an unclaimed job for the first time. After each sending, it is four times as
/// long.
const RESEND_SECONDS: u64 = 30;
/// The longest wait before the sweep looks at an unclaimed job, so a lost message is sent again within minutes.
const MAX_RESEND_SECONDS: u64 = 600;
/// The time after which the sweep looks again at a job whose message may be in the queue.
const LOOK_AGAIN_SECONDS: u64 = 300;
/// The queue's answer about its oldest message may be this old, and its clock may differ by as much.
const QUEUE_DELAY_SECONDS: u64 = 30;
/// The time after which an unclaimed job is sent again even if the queue may have its message. A message that never
/// leaves the queue would otherwise hide the loss of all later ones.
const DOUBT_SECONDS: u64 = 3 * 3600;
/// The time after the end of a claim at which its origin is considered dead or cut off. Its message stays hidden in the
/// queue for as long as the longest job, so another message is sent.
pub(crate) const LAPSED_AFTER_SECONDS: u64 = 120;
/// The number of times that an origin may fall silent before the job pauses. The first silences are probably accidents,
/// so the next origin gets the job at once. If silences go on, the job may be what kills the origins.
pub(crate) const SILENCES_WITHOUT_PAUSE: u32 = 8;

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
    pub turn_unix: UnixSeconds,
    pub sendings: u32,
    pub sent_at_unix: Option<UnixSeconds>,
    pub due_at_unix: Option<UnixSeconds>,
    pub attempt: u32,
    pub claimed_by: Option<String>,
    pub claim_ends_at_unix: Option<UnixSeconds>,
    pub last_signed_at_unix: Option<UnixSeconds>,
    pub stage: Stage,
    pub percent: u8,
    pub undecided_failures: u32,
    pub silences: u32,
    pub check_waits: u32,
    pub report: Option<String>,
    pub error_code: Option<String>,
    pub error_detail: Option<String>,
    pub ended_at_unix: Option<UnixSeconds>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobState {
    /// Its turn has not come: the content is not approved, another job of the content is active, a check is not
    /// possible yet, or it pauses after a failure.
    Waiting,
    /// It is less urgent than a new video that waits for an origin.
    Later,
    /// Enough jobs of its channel are in the queue.
    Held,
    /// Its message is in the queue, or was lost.
    Due,
    /// An origin works on it.
    Claimed,
    Done,
    /// It was given up although its file may be good.
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
        matches!(self, Self::Later | Self::Held | Self::Due | Self::Claimed)
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
            turn_unix: UnixSeconds(0),
            sendings: 0,
            sent_at_unix: None,
            due_at_unix: None,
            attempt: 0,
            claimed_by: None,
            claim_ends_at_unix: None,
            last_signed_at_unix: None,
            stage: Stage::Queued,
            percent: 0,
            undecided_failures: 0,
            silences: 0,
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
        matches!(self.state, JobState::Later | JobState::Held | JobState::Due) && self.attempt == 0
    }

    pub(crate) fn has_failed(&self) -> bool {
        !self.is_pending() && self.error_code.is_some()
    }

    /// Restarts it as another generation. It is held until its channel may have another job in the queue. Renditions
    /// that are missing wait for new videos. `turn` is its place among the jobs that wait.
    pub(crate) fn start(&mut self, generation: u64, turn: UnixSeconds, now: UnixSeconds) {
        self.state = if self.kind == JobWork::Completion { JobState::Later } else { JobState::Held };
        self.generation = generation;
        (self.enqueued_at_unix, self.turn_unix) = (now, turn);
        (self.sendings, self.sent_at_unix) = (0, None);
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
        }
        self.sent_at_unix = Some(now);
        self.due_at_unix = Some(now + resend_after(self.sendings));
        self.sendings += 1;
    }

    /// Sends its message again, unless the queue may still have it. If even the oldest message in the queue was sent
    /// later, this one is lost.
    pub(crate) fn send_if_lost(&mut self, oldest_message: Option<UnixSeconds>, now: UnixSeconds) {
        let may_have = |sent: UnixSeconds| {
            oldest_message.is_some_and(|oldest| oldest <= sent + QUEUE_DELAY_SECONDS) && now < sent + DOUBT_SECONDS
        };
        if self.sent_at_unix.is_some_and(may_have) {
            self.due_at_unix = Some(now + LOOK_AGAIN_SECONDS);
        } else {
            self.send(now);
        }
    }

    /// Stops it for this long. Then it restarts as another generation.
    pub(crate) fn pause(&mut self, seconds: u64, now: UnixSeconds) {
        self.end(JobState::Waiting, now);
        (self.stage, self.percent) = (Stage::Queued, 0);
        self.due_at_unix = Some(now + seconds);
    }

    pub(crate) fn is_paused(&self, now: UnixSeconds) -> bool {
        self.state == JobState::Waiting && self.due_at_unix.is_some_and(|time| time > now)
    }

    /// Forgets its failures, because a person asks for it again.
    pub(crate) fn forget_failures(&mut self) {
        (self.undecided_failures, self.silences) = (0, 0);
        (self.error_code, self.error_detail) = (None, None);
    }

    /// Whether it may be what breaks the machines that work on it.
    pub(crate) fn is_suspect(&self) -> bool {
        self.undecided_failures > 0 || self.silences > SILENCES_WITHOUT_PAUSE
    }

    /// Whether its claim expired without a release, and its message has not been sent again since.
    pub(crate) fn has_lapsed(&self, now: UnixSeconds) -> bool {
        self.state == JobState::Claimed && self.claim_ends_at_unix.is_some_and(|end| end + LAPSED_AFTER_SECONDS <= now)
    }

    /// Whether a run of the sweep after an outage has already left its lapsed claim alone.
    pub(crate) fn had_time_to_renew(&self) -> bool {
        self.due_at_unix > self.claim_ends_at_unix.map(|end| end + LAPSED_AFTER_SECONDS)
    }
}

/// Returns the time after which the sweep looks at a job that was sent this many times before.
pub(crate) fn resend_after(sendings: u32) -> u64 {
    (RESEND_SECONDS << (2 * sendings).min(16)).min(MAX_RESEND_SECONDS)
}
