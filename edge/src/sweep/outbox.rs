//! Jobs that are still in the outbox: the request that wrote them could not send them.

use super::{BATCH, SweepError};
use crate::ids::ContentUuid;
use crate::jobs::send_job;
use crate::ports::database::{Database, Statement};
use crate::ports::platform::Platform;
use contract::{JOB_VERSION, JobMessage};
use serde::Deserialize;

/// A younger job is probably being sent by its own upload at this moment.
const OUTBOX_REST_SECONDS: u64 = 30;

#[derive(Deserialize)]
struct UnsentJobRow {
    content_id: u64,
    content_uuid: ContentUuid,
    generation: u64,
}

/// Sends the jobs that are in the outbox, and returns how many there were.
pub(super) async fn send_unsent<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let select = Statement::new(
        "SELECT content_id, contents.uuid AS content_uuid, outbox.generation
         FROM outbox JOIN contents ON contents.id = content_id
         WHERE written_at_unix <= ?1 - ?2
         ORDER BY written_at_unix LIMIT ?3",
    );
    let select = select.bind(platform.now()).bind(OUTBOX_REST_SECONDS).bind(BATCH);
    let unsent: Vec<UnsentJobRow> = platform.database().all(select).await?;
    let count = unsent.len() as u64;
    for UnsentJobRow { content_id, content_uuid, generation } in unsent {
        let content_uuid = content_uuid.into_string();
        let job = JobMessage { version: JOB_VERSION, content_id, content_uuid, generation };
        send_job(platform, &job).await?;
    }
    Ok(count)
}
