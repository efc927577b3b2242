//! Requeues a content at the request of the media team: its job restarts as a new generation.

use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Command;
use crate::contents::life::door::{self, Find, message};
use crate::platform::database::{Database, DatabaseError};
use contract::{ContentState, JobMessage};

/// The result of a request to process a content again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum RequeueOutcome {
    /// The content is processing, with this new job. It is held if enough jobs of its channel are in the queue.
    Requeued {
        job: JobMessage,
        /// The jobs of the channel that are to be sent now.
        messages: Vec<JobMessage>,
    },
    /// A content in this state cannot be processed again.
    Conflict(ContentState),
    UnknownContent,
}

/// Starts a new generation of a content that failed or is processing, and records in the trail who did.
pub(crate) async fn requeue(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
    now: UnixSeconds,
) -> Result<RequeueOutcome, DatabaseError> {
    let outcome = door::apply(database, Find::Uuid(content_uuid), &Command::Requeue { by }, now).await?;
    let Some(outcome) = outcome else { return Ok(RequeueOutcome::UnknownContent) };
    let state = outcome.before.content.state;
    let Ok(after) = &outcome.result else { return Ok(RequeueOutcome::Conflict(state)) };
    let job = after.active_job().ok_or_else(|| DatabaseError::Shape("a requeued content has no job".to_owned()))?;
    let job = message(after, job);
    Ok(RequeueOutcome::Requeued { job, messages: outcome.messages })
}
