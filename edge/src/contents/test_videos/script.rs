//! The steps of test videos, and their times. Pure.

use crate::base::daily_limit::Usage;
use crate::base::limits::OVERLOADED_RETRY_SECONDS;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use contract::job::Quality;
use contract::limits::TEST_VIDEO_SECONDS;
use contract::{ContentState, ErrorCode, TestOutcome};

/// The change of a test video in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Becomes {
    Scheduled,
    Published,
    /// All qualities of the published video are ready.
    Complete,
    /// It waits for a moderator.
    Waiting,
    Rejected,
    Unreadable,
    Failed,
    TakenDown,
}

impl Becomes {
    pub(super) const fn state(self) -> ContentState {
        match self {
            Self::Scheduled => ContentState::Scheduled,
            Self::Published | Self::Complete => ContentState::Published,
            Self::Waiting => ContentState::Processing,
            Self::Rejected | Self::Unreadable => ContentState::Rejected,
            Self::Failed => ContentState::Failed,
            Self::TakenDown => ContentState::TakenDown,
        }
    }

    pub(super) const fn event(self) -> &'static str {
        match self {
            Self::Scheduled => "content.scheduled",
            Self::Published => "content.published",
            Self::Complete => "content.completed",
            Self::Waiting => "content.waiting",
            Self::Rejected | Self::Unreadable => "content.rejected",
            Self::Failed => "content.failed",
            Self::TakenDown => "content.taken_down",
        }
    }

    pub(super) const fn error(self) -> Option<ErrorCode> {
        match self {
            Self::Rejected | Self::TakenDown => Some(ErrorCode::ContentModerationRejected),
            Self::Unreadable => Some(ErrorCode::ContentFileInvalidFormat),
            Self::Failed => Some(ErrorCode::ContentProcessingFailed),
            _ => None,
        }
    }

    /// Whether a moderator has decided, by one of the operator's rules.
    pub(super) const fn names_policy(self) -> bool {
        matches!(self, Self::Rejected | Self::TakenDown)
    }

    /// Returns the quality in which the owner sees the video.
    pub(super) const fn quality(self) -> Option<Quality> {
        match self {
            Self::Published => Some(Quality::First),
            Self::Complete | Self::Scheduled => Some(Quality::Full),
            _ => None,
        }
    }
}

/// Returns the steps of a test video in order, each with the seconds after the upload. A video with a publication time
/// is scheduled instead of published.
pub(super) const fn steps(outcome: TestOutcome, is_scheduled: bool) -> &'static [(u64, Becomes)] {
    match (outcome, is_scheduled) {
        (TestOutcome::Published, false) => &[(2, Becomes::Published), (5, Becomes::Complete)],
        (TestOutcome::Published, true) => &[(2, Becomes::Scheduled)],
        (TestOutcome::Slow, false) => &[(60, Becomes::Published), (75, Becomes::Complete)],
        (TestOutcome::Slow, true) => &[(60, Becomes::Scheduled)],
        (TestOutcome::Waiting, _) => &[(2, Becomes::Waiting)],
        (TestOutcome::Rejected, _) => &[(2, Becomes::Rejected)],
        (TestOutcome::InvalidFile, _) => &[(2, Becomes::Unreadable)],
        (TestOutcome::Failed, _) => &[(2, Becomes::Failed)],
        (TestOutcome::TakenDown, false) => &[(2, Becomes::Published), (5, Becomes::Complete), (8, Becomes::TakenDown)],
        (TestOutcome::TakenDown, true) => &[(2, Becomes::Scheduled), (5, Becomes::TakenDown)],
        (TestOutcome::Refused(_), _) => &[],
    }
}

/// Returns the seconds between an upload and the first step of its test video.
pub(crate) fn first_step_seconds(outcome: TestOutcome, is_scheduled: bool) -> u64 {
    steps(outcome, is_scheduled).first().map_or(TEST_VIDEO_SECONDS, |(after, _)| *after)
}

/// Returns the refusal of a test upload that asks for one.
pub(crate) fn refusal(test: Option<TestOutcome>, usage: Usage, now: UnixSeconds) -> Option<Refusal> {
    let Some(TestOutcome::Refused(code)) = test else { return None };
    let refusal = match code {
        ErrorCode::ContentUploadLimitFailure => Refusal::limit_reached(Usage { used: usage.amount, ..usage }, now),
        code if matches!(code.status(), 429 | 503) => Refusal::new(code).with_retry_after(OVERLOADED_RETRY_SECONDS),
        code => Refusal::new(code),
    };
    Some(refusal.with_detail("This is a test: the field `test` of the upload asks for this error."))
}
