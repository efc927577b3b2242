//! A moderator's decision about a content: approve it, reject it, take it down, or reverse its removal.
//!
//! The decision, its record and its effect are one transaction (`life`). The record distinguishes a repeated decision
//! from a late one.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Command;
use crate::contents::life::content::Presentation;
use crate::contents::life::door::{self, Changed, Find, Outcome};
use crate::platform::database::{Database, DatabaseError};
use contract::ContentState;

pub(crate) use crate::contents::life::rules::moderator::{BrokenPolicy, DecisionKind, DecisionRequest, LabelRequest};

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

/// Returns the labels of the content after the change, or `None` if there is no such content. Sending the same change
/// again changes nothing.
pub(crate) async fn label(
    database: &impl Database,
    request: &LabelRequest<'_>,
    now: UnixSeconds,
) -> Result<Option<Result<Presentation, ContentState>>, DatabaseError> {
    let outcome = door::apply(database, Find::Uuid(request.content_uuid), &Command::Label(request), now).await?;
    Ok(outcome.map(|outcome| match outcome.result {
        Ok(after) => Ok(after.content.presentation()),
        Err(_) => Err(outcome.before.content.state),
    }))
}
