//! Sends jobs to the queue, one message for each generation of a job. The sweep sends a job again only if the queue
//! refused its message or has lost it. A message that the queue takes without saying so is sent twice, which is
//! harmless.

use crate::contents::life::claim::{ReleasedJob, note_unsent, release_all, release_later};
use crate::platform::Platform;
use crate::platform::database::{Batch, Database};
use crate::platform::error::PlatformError;
use crate::platform::queue::{JobQueue, MESSAGES_PER_CALL};
use contract::JobMessage;

/// Sends jobs in one call.
async fn send_page<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let messages = jobs.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
    let messages = messages.map_err(|error| PlatformError::Failed(error.to_string()))?;
    match messages.as_slice() {
        [message] => platform.jobs().send(message).await,
        messages => platform.jobs().send_all(messages).await,
    }
}

/// Sends jobs after the change that made them. If that fails, the change stands, and the sweep sends them.
pub(crate) async fn send_or_leave<P: Platform>(platform: &P, jobs: &[JobMessage]) {
    if jobs.is_empty() {
        return;
    }
    if let Err(error) = send_or_note(platform, jobs).await {
        tracing::warn!(jobs = jobs.len(), %error, "new jobs were not sent; the sweep will send them");
    }
}

/// Sends jobs, as many at once as the queue accepts. If a call fails, the next sweep sends its jobs and the rest.
pub(super) async fn send_or_note<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let mut unsent = jobs;
    while !unsent.is_empty() {
        let (page, rest) = unsent.split_at(unsent.len().min(MESSAGES_PER_CALL));
        if let Err(error) = send_page(platform, page).await {
            return Err(note(platform, unsent, error).await);
        }
        unsent = rest;
    }
    Ok(())
}

/// Makes the next sweep send these jobs, and returns the error that kept them from being sent.
async fn note<P: Platform>(platform: &P, unsent: &[JobMessage], error: PlatformError) -> PlatformError {
    let noted = match note_unsent(unsent) {
        Ok(note) => platform.database().execute(note).await,
        Err(error) => Err(error),
    };
    if let Err(error) = noted {
        tracing::warn!(%error, "the next sweep does not know of unsent jobs; they are sent when they are due");
    }
    error
}

/// Releases and sends held jobs of all channels, and returns their number.
pub(crate) async fn send_held<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let mut batch = Batch::default();
    let held = batch.query::<ReleasedJob>(release_all(platform.now()));
    let later = batch.query::<ReleasedJob>(release_later(platform.now()));
    let answers = platform.database().run(batch).await?;
    let released = [answers.all(held)?, answers.all(later)?].concat();
    let jobs: Vec<_> = released.into_iter().map(ReleasedJob::into_message).collect();
    send_or_note(platform, &jobs).await?;
    Ok(jobs.len() as u64)
}
