//! Jobs on their way to the queue: written with what they are about, sent afterwards, sent again by the sweep until
//! the queue has taken them. A job may so be sent twice; it is never lost.

use crate::database::{Database, Statement};
use crate::platform::{JobQueue, Platform, PlatformError};
use contract::JobMessage;

/// Sends a job and forgets it once the queue has it.
pub async fn send_job<P: Platform>(platform: &P, job: &JobMessage) -> Result<(), PlatformError> {
    let text = serde_json::to_string(job).map_err(|error| PlatformError(error.to_string()))?;
    platform.jobs().send(&text).await?;
    let forget = Statement::new("DELETE FROM outbox WHERE content_id = ?1 AND generation = ?2");
    let forget = forget.bind(job.content_id).bind(job.generation);
    let forgotten = platform.database().batch(vec![forget]).await;
    forgotten
        .map(drop)
        .map_err(|error| PlatformError(error.to_string()))
}
