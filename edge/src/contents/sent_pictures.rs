//! Pictures that owners send as thumbnails of earlier videos.
//!
//! A picture is recorded as garbage before it is stored. The record ends when a content refers to the picture, and
//! returns when it is replaced, used or refused. So the sweep deletes every picture that nobody needs, even if the
//! Worker dies in between.

use super::owner_changes::OwnedContent;
use super::update_outcome::{Reservation, UpdateOutcome, change, reserve as reserve_file};
use super::updates::SentPicture;
use crate::life::rules::owner::{Update, is_new_thumbnail};
use crate::life::{Command, Input};
use crate::ports::database::{Database, DatabaseError};
use crate::unix_seconds::UnixSeconds;

/// Records the picture if the content takes it and does not have it yet.
pub(crate) async fn reserve(
    database: &impl Database,
    content: OwnedContent<'_>,
    picture: &SentPicture,
    now: UnixSeconds,
) -> Result<Reservation, DatabaseError> {
    let update = update_to(picture);
    let is_new = |life: &_| is_new_thumbnail(life, &wanted(picture));
    reserve_file(database, content, &Command::Update(&update), &picture.name, is_new, now).await
}

/// Changes the content's thumbnail to a picture that is stored. If the answer is lost, tries once more: the second
/// attempt finds what the first one did.
pub(crate) async fn commit(
    database: &impl Database,
    content: OwnedContent<'_>,
    picture: &SentPicture,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let update = update_to(picture);
    match change(database, content, &Command::Update(&update), now).await {
        Ok(outcome) => Ok(outcome),
        Err(_) => change(database, content, &Command::Update(&update), now).await,
    }
}

fn update_to(picture: &SentPicture) -> Update {
    Update { thumbnail: Some(wanted(picture)), ..Update::default() }
}

/// A picture is a thumbnail without a time.
fn wanted(picture: &SentPicture) -> Input {
    Input { thumbnail_seconds: None, picture: Some(picture.name.clone()), picture_sha256: Some(picture.sha256.clone()) }
}
