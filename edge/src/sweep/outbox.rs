//! Jobs that are still in the outbox, because the request that wrote them could not send them, and held jobs that no
//! claim has released.

use super::run::Deadline;
use super::{BATCH, ROUNDS, SweepError};
use crate::jobs::{UnsentJob, send_held, send_jobs};
use crate::ports::database::{Database, DatabaseError, Statement, may_have_more};
use crate::ports::platform::Platform;
use crate::ports::queue::MESSAGES_PER_CALL;
use contract::JobMessage;

/// A younger job is probably being sent by its own upload at this moment.
const OUTBOX_REST_SECONDS: u64 = 30;

/// Sends the jobs that are in the outbox, the oldest first, then the held jobs whose turn it is. Returns how many were
/// sent.
pub(super) async fn send_waiting<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    Ok(send_unsent(platform).await? + send_held(platform).await?)
}

/// Sends the jobs that are in the outbox, the oldest first, and returns how many were sent. If the queue refuses some,
/// it would refuse the others too, so the rest is left to the next run.
async fn send_unsent<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let deadline = Deadline::of_part(platform);
    let mut sent = 0;
    for _ in 0..ROUNDS {
        let unsent = read_unsent(platform).await?;
        for jobs in unsent.chunks(MESSAGES_PER_CALL) {
            send_jobs(platform, jobs).await?;
            sent += jobs.len() as u64;
            if deadline.is_over(platform) {
                return Ok(sent);
            }
        }
        if !may_have_more(unsent.len(), BATCH) {
            break;
        }
    }
    Ok(sent)
}

async fn read_unsent<P: Platform>(platform: &P) -> Result<Vec<JobMessage>, DatabaseError> {
    let select = Statement::new(
        "SELECT content_id, contents.uuid AS content_uuid, outbox.generation, traceparent
         FROM outbox JOIN contents ON contents.id = content_id
         WHERE written_at_unix <= ?1 - ?2
         ORDER BY written_at_unix LIMIT ?3",
    );
    let select = select.bind(platform.now()).bind(OUTBOX_REST_SECONDS).bind(BATCH);
    let rows: Vec<UnsentJob> = platform.database().all(select).await?;
    Ok(rows.into_iter().map(JobMessage::from).collect())
}
