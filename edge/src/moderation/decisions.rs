//! A moderator's decision about a content: approve it, reject it, take it down, or reverse its removal.
//!
//! The decision, its record and its effect are one transaction (`life`). The record distinguishes a repeated decision
//! from one that is too late.

use crate::ids::ContentUuid;
use crate::life::Command;
use crate::life::door::{self, Changed, Find, Outcome};
use crate::ports::database::{Database, DatabaseError};
use crate::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::api::DecisionAction;
use contract::moderation::FrameHash;

/// The time in which the removal of a content can be reversed. Its files are deleted later.
pub(crate) const REVERSIBLE_SECONDS: u64 = 30 * 86_400;

/// A decision, who made it, and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DecisionRequest<'a> {
    pub kind: DecisionKind,
    pub content_uuid: &'a ContentUuid,
    pub reason: &'a str,
    pub by: &'a str,
    /// The stored hashes of the content's frames. Empty for an approval or a restoration, or if they were not kept.
    pub kept_frames: &'a [FrameHash],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionKind {
    Approve,
    /// Also blocks the content's frames and its file.
    Reject,
    /// Removes an approved content. Also blocks its frames and its file.
    TakeDown,
    /// Reverses a rejection or a removal by a moderator.
    Restore,
}

/// The result of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DecisionOutcome {
    Done(ContentState),
    /// The decision is not possible in this state.
    Conflict(ContentState),
    UnknownContent,
}

/// Applies a decision if the content's state allows it. A repeated decision changes nothing.
pub(crate) async fn decide(
    database: &impl Database,
    request: &DecisionRequest<'_>,
    now: UnixSeconds,
) -> Result<Changed<DecisionOutcome>, DatabaseError> {
    let outcome = door::apply(database, Find::Uuid(request.content_uuid), &Command::Decide(request), now).await?;
    Ok(match outcome {
        None => Changed::nothing(DecisionOutcome::UnknownContent),
        Some(Outcome { result: Ok(after), messages: jobs, .. }) => {
            Changed { outcome: DecisionOutcome::Done(after.content.state), jobs }
        }
        Some(outcome) => Changed::nothing(DecisionOutcome::Conflict(outcome.before.content.state)),
    })
}

impl DecisionKind {
    pub(crate) const fn action(self) -> DecisionAction {
        match self {
            Self::Approve => DecisionAction::Approve,
            Self::Reject => DecisionAction::Reject,
            Self::TakeDown => DecisionAction::TakeDown,
            Self::Restore => DecisionAction::Restore,
        }
    }

    /// Whether a content may be in this state after the decision. Its owner may have deleted it before or since.
    pub(crate) const fn leads_to(self, state: ContentState) -> bool {
        match self {
            Self::Approve | Self::Restore => matches!(state, ContentState::Scheduled | ContentState::Published),
            Self::Reject => matches!(state, ContentState::Rejected | ContentState::Deleted),
            Self::TakeDown => matches!(state, ContentState::TakenDown | ContentState::Deleted),
        }
    }
}
