//! The one door to the rows of contents and their jobs.
//!
//! A change is decided on rows that were read first, and written with all its effects in one transaction. If a row has
//! changed since, its revision is set to NULL, which no row accepts, so the whole transaction fails. So the other
//! statements need no conditions, and after a lost race the change is simply decided again, after a pause. Changes of
//! one content in the same isolate take turns, so that few races are lost (`race`).

mod columns;
mod effects;
mod forget;
mod journal;
mod monthly_counts;
mod page;
mod race;
mod read;
mod write;

pub(crate) use forget::delete_erased_rows;
pub(crate) use page::{LeftOut, apply_to_all};
pub(crate) use race::{Race, overtake};
pub(crate) use read::{Find, OwnedContent};

use super::Decision;
use super::change::Change;
use super::job::{Job, JobState};
use super::life::Life;
use super::patience::Patience;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, DatabaseError};
use contract::{ErrorCode, JOB_VERSION, JobMessage};
use race::is_result;

/// The result of a command about one content.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    pub before: Life,
    /// The rows afterwards, or why nothing was changed.
    pub result: Result<Life, ErrorCode>,
    /// The jobs whose messages are to be sent now. If that fails, the sweep sends them.
    pub messages: Vec<JobMessage>,
}

/// The outcome of a change, and the jobs that it started. They are to be sent now.
#[derive(Clone, Debug)]
pub(crate) struct Changed<T> {
    pub outcome: T,
    pub jobs: Vec<JobMessage>,
}

impl<T> Changed<T> {
    /// Returns an outcome that started no jobs.
    pub(crate) fn nothing(outcome: T) -> Self {
        Self { outcome, jobs: Vec::new() }
    }
}

/// Changes one content. Returns `None` if there is no such content.
pub(crate) async fn apply(
    database: &impl Database,
    find: Find<'_>,
    command: &dyn Decision,
    now: UnixSeconds,
) -> Result<Option<Outcome>, DatabaseError> {
    let mut race = Race::begin(database, command.patience());
    let _turn = race.turn(find).await?;
    let mut unsure: Option<(Life, Change)> = None;
    let mut row = read::read(database, find, command.file(), now).await?.pop();
    loop {
        let Some(found) = row else { return Ok(None) };
        if let Some((before, change)) = unsure.take().filter(|(_, change)| is_result(&found, &change.after)) {
            let messages = started_job(&before, &found).into_iter().collect();
            return Ok(Some(Outcome { before, result: Ok(change.after), messages }));
        }
        let change = match command.change(&found, now) {
            Ok(change) => change,
            Err(code) => return Ok(Some(Outcome { before: found, result: Err(code), messages: Vec::new() })),
        };
        match write::write(database, &[(&found, &change)], now).await {
            Ok(messages) => return Ok(Some(Outcome { before: found, result: Ok(change.after), messages })),
            Err(error) => {
                let is_unsure = matches!(error, DatabaseError::LostRaceOrApplied(_));
                race.wait_after(error).await?;
                // Raising the revision would hide whether the change was applied.
                row = if command.patience() == Patience::Staff && !is_unsure {
                    overtake(database, found.content.id, command.file(), now).await?
                } else {
                    read::read(database, find, command.file(), now).await?.pop()
                };
                unsure = is_unsure.then_some((found, change));
            }
        }
    }
}

/// Returns the message of a job that was started and released by a batch whose answer was lost.
fn started_job(before: &Life, found: &Life) -> Option<JobMessage> {
    let job = found.active_job().filter(|job| job.state == JobState::Due)?;
    before.active_job().is_none_or(|old| old.generation != job.generation).then(|| message(found, job))
}

/// Changes a content that was just read. Fails with a lost race if the rows have changed since.
pub(crate) async fn apply_to(
    database: &impl Database,
    before: Life,
    command: &dyn Decision,
    now: UnixSeconds,
) -> Result<Outcome, DatabaseError> {
    let change = match command.change(&before, now) {
        Ok(change) => change,
        Err(code) => return Ok(Outcome { before, result: Err(code), messages: Vec::new() }),
    };
    let messages = write::write(database, &[(&before, &change)], now).await?;
    Ok(Outcome { before, result: Ok(change.after), messages })
}

/// Returns the content with its jobs, or `None` if there is no such content.
pub(crate) async fn read_one(
    database: &impl Database,
    find: Find<'_>,
    now: UnixSeconds,
) -> Result<Option<Life>, DatabaseError> {
    Ok(read::read(database, find, None, now).await?.pop())
}

/// Returns the queue message for a job.
pub(crate) fn message(life: &Life, job: &Job) -> JobMessage {
    JobMessage {
        version: JOB_VERSION,
        content_id: life.content.id,
        content_uuid: life.content.uuid.to_string(),
        generation: job.generation,
        work: job.kind,
        traceparent: job.traceparent.clone(),
    }
}

pub(crate) use read::{life_of, select_by_uuid};
