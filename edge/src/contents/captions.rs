//! The captions that an owner wants for a content.
//!
//! A change only records what is wanted. A job makes the change, and viewers see the old captions until the new text
//! has passed moderation.

use super::owner_changes::OwnedContent;
use super::update_outcome::{Reservation, UpdateOutcome, change, reserve};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Command;
use crate::contents::life::rules::owner::are_new_captions;
use crate::platform::database::{Database, DatabaseError};

pub(crate) use crate::contents::life::rules::owner::{CaptionsFile, WantedCaptions};

/// Records a file if the content accepts it and does not have it yet.
pub(crate) async fn reserve_captions(
    database: &impl Database,
    content: OwnedContent<'_>,
    wanted: WantedCaptions<'_>,
    now: UnixSeconds,
) -> Result<Reservation, DatabaseError> {
    let Some(file) = wanted.file else { return Ok(Reservation::Store) };
    let is_new = |life: &_| are_new_captions(life, wanted);
    reserve(database, content, &Command::ChangeCaptions(wanted), &file.name, is_new, now).await
}

/// Changes the captions of one language. A file must be reserved and stored first. Retries once if the response is
/// lost, because repeating a change is safe.
pub(crate) async fn change_captions(
    database: &impl Database,
    content: OwnedContent<'_>,
    wanted: WantedCaptions<'_>,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let command = Command::ChangeCaptions(wanted);
    match change(database, content, &command, now).await {
        Ok(outcome) => Ok(outcome),
        Err(_) => change(database, content, &command, now).await,
    }
}
