//! The one door to the rows of contents and their jobs.
//!
//! A change is decided on rows that were read first, and written with all its effects in one transaction. If a row has
//! changed since, its revision is set to NULL, which no row accepts, so the whole transaction fails. So the other
//! statements need no conditions, and after a lost race the change is simply decided again.

mod columns;
mod effects;
mod forget;
mod journal;
mod read;
mod write;

pub(crate) use forget::delete_erased_rows;
pub(crate) use read::{Find, OwnedContent};

use super::change::Change;
use super::decide::{Command, decide};
use super::job::Job;
use super::life::Life;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, DatabaseError};
use contract::{ErrorCode, JOB_VERSION, JobMessage};

/// The maximum number of times that a change is decided if it keeps losing races.
const TRIES: u32 = 8;

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

/// The result of a command about a page of contents.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageOutcome {
    /// The rows before and afterwards. A command that is not possible for a content leaves it as it is.
    pub lives: Vec<(Life, Life)>,
    pub messages: Vec<JobMessage>,
}

/// Carries out a command about one content. Returns `None` if there is no such content.
pub(crate) async fn apply(
    database: &impl Database,
    find: Find<'_>,
    command: &Command<'_>,
    now: UnixSeconds,
) -> Result<Option<Outcome>, DatabaseError> {
    let mut tries = 1;
    loop {
        let Some(before) = read::read(database, find, command.file(), now).await?.pop() else { return Ok(None) };
        match apply_to(database, before, command, now).await {
            Err(error) if error.is_lost_race() && tries < TRIES => tries += 1,
            outcome => return outcome.map(Some),
        }
    }
}

/// Carries out a command about a content that was just read. Fails with a lost race if the rows have changed since.
pub(crate) async fn apply_to(
    database: &impl Database,
    before: Life,
    command: &Command<'_>,
    now: UnixSeconds,
) -> Result<Outcome, DatabaseError> {
    let change = match decide(&before, command, now) {
        Ok(change) => change,
        Err(code) => return Ok(Outcome { before, result: Err(code), messages: Vec::new() }),
    };
    let messages = write::write(database, &[(&before, &change)], now).await?;
    Ok(Outcome { before, result: Ok(change.after), messages })
}

/// Carries out a command about every content of a page. Contents without a command stay unchanged.
pub(crate) async fn apply_to_all<'a>(
    database: &impl Database,
    find: Find<'_>,
    command: impl Fn(&Life) -> Option<Command<'a>>,
    now: UnixSeconds,
) -> Result<PageOutcome, DatabaseError> {
    let mut tries = 1;
    loop {
        let before = read::read(database, find, None, now).await?;
        let decided = |life: Life| {
            let change = command(&life).and_then(|command| decide(&life, &command, now).ok());
            let change = change.unwrap_or_else(|| Change::none(&life));
            (life, change)
        };
        let changes: Vec<(Life, Change)> = before.into_iter().map(decided).collect();
        let page: Vec<(&Life, &Change)> = changes.iter().map(|(life, change)| (life, change)).collect();
        match write::write(database, &page, now).await {
            Ok(messages) => {
                let lives = changes.into_iter().map(|(before, change)| (before, change.after)).collect();
                return Ok(PageOutcome { lives, messages });
            }
            Err(error) if error.is_lost_race() && tries < TRIES => tries += 1,
            Err(error) => return Err(error),
        }
    }
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
        traceparent: job.traceparent.clone(),
    }
}

pub(crate) use read::{life_of, select_by_uuid};
