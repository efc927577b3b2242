//! The outbox: a job is written together with its content and sent afterwards. The sweep sends it again until the queue
//! has accepted it. So a job may be sent twice, but it is never lost.

use crate::ports::database::{Database, Statement};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::ports::queue::JobQueue;
use contract::JobMessage;

/// Sends a job, and deletes it from the outbox once the queue has accepted it.
pub(crate) async fn send_job<P: Platform>(platform: &P, job: &JobMessage) -> Result<(), PlatformError> {
    let text = serde_json::to_string(job).map_err(|error| PlatformError(error.to_string()))?;
    platform.jobs().send(&text).await?;
    let delete = Statement::new("DELETE FROM outbox WHERE content_id = ?1 AND generation = ?2");
    let delete = delete.bind(job.content_id).bind(job.generation);
    platform.database().execute(delete).await.map_err(|error| PlatformError(error.to_string()))
}
