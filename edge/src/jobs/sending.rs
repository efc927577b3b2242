//! Sends jobs to the queue. Nothing marks a job as delivered until an origin claims it, and the sweep sends unclaimed
//! jobs again. So a job may be sent twice, but it is never lost.

use crate::contents::life::claim::{ReleasedJob, note_unsent, release_all};
use crate::platform::Platform;
use crate::platform::database::Database;
use crate::platform::error::PlatformError;
use crate::platform::queue::{JobQueue, MESSAGES_PER_CALL};
use contract::JobMessage;

/// Sends jobs, as many at once as the queue accepts.
pub(crate) async fn send_jobs<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    for jobs in jobs.chunks(MESSAGES_PER_CALL) {
        let messages = jobs.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
        let messages = messages.map_err(|error| PlatformError::Failed(error.to_string()))?;
        match messages.as_slice() {
            [message] => platform.jobs().send(message).await?,
            messages => platform.jobs().send_all(messages).await?,
        }
    }
    Ok(())
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

/// Sends jobs. If that fails, the next sweep looks at them.
pub(super) async fn send_or_note<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let Err(error) = send_jobs(platform, jobs).await else { return Ok(()) };
    let noted = match note_unsent(jobs) {
        Ok(note) => platform.database().execute(note).await,
        Err(error) => Err(error),
    };
    if let Err(error) = noted {
        tracing::warn!(%error, "the next sweep does not know of unsent jobs; they are sent when they are due");
    }
    Err(error)
}

/// Releases and sends held jobs of all channels, and returns their number.
pub(crate) async fn send_held<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let release = release_all(platform.now());
    let released: Vec<ReleasedJob> = platform.database().all(release).await?;
    let jobs: Vec<_> = released.into_iter().map(ReleasedJob::into_message).collect();
    send_or_note(platform, &jobs).await?;
    Ok(jobs.len() as u64)
}
