//! Carries out an owner's update, and decides whether a file has to be stored first.

use super::owner_changes::OwnedContent;
use super::status::{self, StoredContent};
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find};
use crate::contents::life::{Command, Life, decide};
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::{ContentState, ErrorCode, JobMessage};

/// The time limit for storing and committing a file. Both usually take less than a second.
pub(super) const STORING_SECONDS: u64 = 120;

/// The result of an update.
#[derive(Clone, Debug)]
pub(crate) enum UpdateOutcome {
    Done {
        content: Box<StoredContent>,
        /// The jobs that have to be sent now. If that fails, the sweep sends them.
        jobs: Vec<JobMessage>,
    },
    Refused {
        code: ErrorCode,
        state: ContentState,
    },
    /// The channel has no such content.
    UnknownContent,
}

/// Whether a file has to be stored before an update refers to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reservation {
    /// The file is recorded, and may be stored now.
    Store,
    /// The content has the same file, or a job for it is pending.
    Unneeded,
    Refused {
        code: ErrorCode,
        state: ContentState,
    },
    /// The channel has no such content.
    UnknownContent,
}

/// Carries out a command of the owner, and reads the content afterwards.
pub(super) async fn change(
    database: &impl Database,
    content: OwnedContent<'_>,
    command: &Command<'_>,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let outcome = door::apply(database, Find::Owned(content), command, now).await?;
    let Some(outcome) = outcome else { return Ok(UpdateOutcome::UnknownContent) };
    if let Err(code) = outcome.result {
        return Ok(UpdateOutcome::Refused { code, state: outcome.before.content.state });
    }
    let jobs = outcome.messages;
    let stored = status::find_owned(database, content).await?;
    Ok(stored.map_or(UpdateOutcome::UnknownContent, |stored| UpdateOutcome::Done { content: Box::new(stored), jobs }))
}

/// Records a file as garbage if the command would use it. It may be stored afterwards. `is_new` says whether the
/// content needs it.
pub(super) async fn reserve(
    database: &impl Database,
    content: OwnedContent<'_>,
    command: &Command<'_>,
    file: &UploadUuid,
    is_new: impl FnOnce(&Life) -> bool,
    now: UnixSeconds,
) -> Result<Reservation, DatabaseError> {
    let Some(mut life) = door::read_one(database, Find::Owned(content), now).await? else {
        return Ok(Reservation::UnknownContent);
    };
    life.facts.is_file_stored = 1;
    if let Err(code) = decide(&life, command, now) {
        return Ok(Reservation::Refused { code, state: life.content.state });
    }
    if !is_new(&life) {
        return Ok(Reservation::Unneeded);
    }
    let record = Statement::new("INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES (?1, ?2)");
    database.execute(record.bind(file).bind(now + STORING_SECONDS)).await?;
    Ok(Reservation::Store)
}
