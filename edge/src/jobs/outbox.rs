//! The outbox: a job is written together with its content and sent afterwards. The sweep sends it again until the queue
//! has accepted it. So a job may be sent twice, but it is never lost.

use crate::ids::ContentUuid;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::ports::queue::JobQueue;
use contract::{JOB_VERSION, JobMessage};
use serde::{Deserialize, Serialize};

/// A job that was read from the outbox.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct UnsentJob {
    content_id: u64,
    content_uuid: ContentUuid,
    generation: u64,
    traceparent: Option<String>,
}

impl From<UnsentJob> for JobMessage {
    fn from(row: UnsentJob) -> Self {
        let UnsentJob { content_id, content_uuid, generation, traceparent } = row;
        let content_uuid = content_uuid.into_string();
        Self { version: JOB_VERSION, content_id, content_uuid, generation, traceparent }
    }
}

/// Sends a job, and deletes it from the outbox once the queue has accepted it.
async fn send_job<P: Platform>(platform: &P, job: &JobMessage) -> Result<(), PlatformError> {
    platform.jobs().send(&json(job)?).await?;
    delete_sent(platform, std::slice::from_ref(job)).await
}

/// Sends a job after the change that made it. If that fails, the change stands, and the sweep sends the job later.
pub(crate) async fn send_new_job<P: Platform>(platform: &P, job: &JobMessage) {
    if let Err(error) = send_job(platform, job).await {
        tracing::warn!(content = job.content_uuid, %error, "a new job was not sent; the sweep will send it");
    }
}

/// Sends as many jobs as the queue accepts at once, and deletes them from the outbox once it has accepted all.
pub(crate) async fn send_jobs<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let messages = jobs.iter().map(json).collect::<Result<Vec<_>, _>>()?;
    platform.jobs().send_all(&messages).await?;
    delete_sent(platform, jobs).await
}

/// A job that got a newer generation meanwhile stays in the outbox.
async fn delete_sent<P: Platform>(platform: &P, jobs: &[JobMessage]) -> Result<(), PlatformError> {
    let sent: Vec<_> = jobs.iter().map(|job| (job.content_id, job.generation)).collect();
    let delete = Statement::new(
        "DELETE FROM outbox WHERE (content_id, generation) IN
             (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))",
    );
    platform.database().execute(delete.bind(json(&sent)?)).await.map_err(DatabaseError::into_platform_error)
}

fn json(value: &impl Serialize) -> Result<String, PlatformError> {
    serde_json::to_string(value).map_err(|error| PlatformError(error.to_string()))
}
