//! Claims: an origin takes a job that the queue handed to it, renews its claim, or gives the job back.

use super::RequestTimes;
use super::sending::{release_later, send_or_leave};
use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::compaction::expand;
use crate::contents::life::claim::{self, ReleasedJob};
use crate::contents::life::door::{life_of, select_by_uuid};
use crate::contents::life::job::SILENCES_WITHOUT_PAUSE;
use crate::contents::life::{Life, works};
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError};
use contract::job::{ClaimAnswer, JobId, JobProgress, ProgressAnswer, ReleaseAnswer};
use serde_json::Value;

/// Grants the job to the origin, unless another origin holds it or the job is obsolete. The holder may claim it again.
/// In every case the message has left the queue, so held jobs of the same channel are released.
pub(crate) async fn claim<P: Platform>(
    platform: &P,
    id: &JobId,
    times: RequestTimes,
) -> Result<ClaimAnswer, DatabaseError> {
    let uuid = ContentUuid::new(&id.content_uuid);
    let mut batch = Batch::default();
    let taken = batch.query::<Value>(claim::take(id, times));
    let row = batch.query::<Value>(select_by_uuid(&uuid, times.now));
    let released = batch.query::<ReleasedJob>(claim::release_beside(&id.content_uuid, times.now));
    let released_later = batch.query::<ReleasedJob>(release_later(platform));
    let answers = platform.database().run(batch).await?;
    let is_taken = answers.first(taken)?.is_some();
    let mut life = answers.first(row)?.as_ref().map(life_of).transpose()?;
    if life.as_ref().is_some_and(|life| life.content.is_compacted != 0) {
        life = read_expanded(platform, &uuid, times.now).await?;
    }
    let released = [answers.all(released)?, answers.all(released_later)?].concat();
    let released: Vec<_> = released.into_iter().map(ReleasedJob::into_message).collect();
    send_or_leave(platform, &released).await;
    Ok(life.map_or(ClaimAnswer::Obsolete, |life| answer(&life, id, is_taken, times.now)))
}

/// Reads a compacted content after expanding it, because the report about its job will change the media.
async fn read_expanded<P: Platform>(
    platform: &P,
    uuid: &ContentUuid,
    now: UnixSeconds,
) -> Result<Option<Life>, DatabaseError> {
    let database = platform.database();
    let expanded = expand(database, platform.objects(), uuid, now).await;
    expanded.map_err(|error| DatabaseError::Unavailable(error.to_string()))?;
    let row: Option<Value> = database.first(select_by_uuid(uuid, now)).await?;
    row.as_ref().map(life_of).transpose()
}

fn answer(life: &Life, id: &JobId, is_taken: bool, now: UnixSeconds) -> ClaimAnswer {
    let job = life.active_job().filter(|job| job.generation == id.generation);
    let (Some(job), Some(details)) = (job, works::details(life)) else { return ClaimAnswer::Obsolete };
    if is_taken {
        return ClaimAnswer::Granted(details);
    }
    // Either another origin holds it, or this one claimed it within the same second, or it fell silent too often.
    let is_own = job.claimed_by.as_ref() == Some(&id.origin) && job.silences < SILENCES_WITHOUT_PAUSE;
    let ends_at = job.claim_ends_at_unix.filter(|_| !is_own).unwrap_or(now);
    ClaimAnswer::Busy { retry_after_seconds: ends_at.seconds_since(now).max(1) }
}

/// Renews the claim and records the progress.
pub(crate) async fn record_progress(
    database: &impl Database,
    progress: &JobProgress,
    times: RequestTimes,
) -> Result<ProgressAnswer, DatabaseError> {
    let is_current = database.returns_rows(claim::renew(progress, times)).await?;
    Ok(ProgressAnswer { is_current })
}

/// Ends the origin's claim, and sends the job to the next one. Does nothing if the origin holds no claim.
pub(crate) async fn release<P: Platform>(
    platform: &P,
    id: &JobId,
    times: RequestTimes,
) -> Result<ReleaseAnswer, DatabaseError> {
    let job: Option<ReleasedJob> = platform.database().first(claim::give_back(id, times)).await?;
    let messages: Vec<_> = job.map(ReleasedJob::into_message).into_iter().collect();
    send_or_leave(platform, &messages).await;
    Ok(ReleaseAnswer { released: !messages.is_empty() })
}
