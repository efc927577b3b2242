//! Sends jobs to the queue, one message for each generation of a job. The sweep sends a job again only if the queue
//! refused its message or has lost it. A message that the queue takes without saying so is sent twice, which is
//! harmless.

use crate::contents::life::claim::{self, ReleasedJob};
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, Statement};
use crate::platform::error::PlatformError;
use crate::platform::queue::{JobQueue, MESSAGES_PER_CALL};
use contract::JobMessage;
use contract::job::JobWork;

/// Sends jobs in one call.
async fn send_page(queue: &impl JobQueue, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let messages = jobs.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>();
    let messages = messages.map_err(|error| PlatformError::Failed(error.to_string()))?;
    match messages.as_slice() {
        [message] => queue.send(message).await,
        messages => queue.send_all(messages).await,
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

/// Sends jobs to their queues. A queue that fails does not keep the other's jobs back.
pub(super) async fn send_or_note<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let Some(queue) = platform.completions() else { return send_to(platform, platform.jobs(), jobs).await };
    let is_completion = |job: &JobMessage| job.work == JobWork::Completion;
    let (completions, others): (Vec<_>, Vec<_>) = jobs.iter().cloned().partition(is_completion);
    let sent = send_to(platform, platform.jobs(), &others).await;
    send_to(platform, queue, &completions).await.and(sent)
}

/// Sends jobs, as many at once as the queue accepts. If a call fails, the next sweep sends its jobs and the rest.
async fn send_to<P: Platform>(platform: &P, queue: &P::Jobs, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let mut unsent = jobs;
    while !unsent.is_empty() {
        let (page, rest) = unsent.split_at(unsent.len().min(MESSAGES_PER_CALL));
        if let Err(error) = send_page(queue, page).await {
            return Err(note(platform, unsent, error).await);
        }
        unsent = rest;
    }
    Ok(())
}

/// Makes the next sweep send these jobs, and returns the error that kept them from being sent.
async fn note<P: Platform>(platform: &P, unsent: &[JobMessage], error: PlatformError) -> PlatformError {
    let noted = match claim::note_unsent(unsent) {
        Ok(note) => platform.database().execute(note).await,
        Err(error) => Err(error),
    };
    if let Err(error) = noted {
        tracing::warn!(%error, "the next sweep does not know of unsent jobs; they are sent when they are due");
    }
    error
}

/// Returns the statement that releases completion jobs to their queue.
pub(super) fn release_later<P: Platform>(platform: &P) -> Statement {
    let release = if platform.completions().is_some() { claim::release_to_own_queue } else { claim::release_later };
    release(platform.now())
}

/// Releases and sends held jobs of all channels, and returns their number.
pub(crate) async fn send_held<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let mut batch = Batch::default();
    let held = batch.query::<ReleasedJob>(claim::release_all(platform.now()));
    let later = batch.query::<ReleasedJob>(release_later(platform));
    let answers = platform.database().run(batch).await?;
    let released = [answers.all(held)?, answers.all(later)?].concat();
    let jobs: Vec<_> = released.into_iter().map(ReleasedJob::into_message).collect();
    send_or_note(platform, &jobs).await?;
    Ok(jobs.len() as u64)
}
