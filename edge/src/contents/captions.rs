//! Captions that owners send: which of them a content is to show.
//!
//! A change only says what is wanted. A job makes it, and viewers see what they saw before until the new text has
//! passed moderation.

use super::owner_changes::OwnedContent;
use super::update_outcome::{Reservation, UpdateOutcome, change, reserve};
use crate::life::Command;
use crate::life::rules::owner::are_new_captions;
use crate::ports::database::{Database, DatabaseError};
use crate::unix_seconds::UnixSeconds;

pub(crate) use crate::life::rules::owner::{CaptionsFile, WantedCaptions};

/// Records a file if the content takes it and does not have it yet.
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

/// Changes the captions of one language. A file must be reserved and stored before. If the answer is lost, tries once
/// more: the second attempt finds what the first one did.
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
