//! Pictures that owners send as thumbnails of earlier videos.
//!
//! A picture is recorded as garbage before it is stored. The record is removed when a content refers to the picture,
//! and returns when the picture is replaced, used or refused. So the sweep deletes every unneeded picture, even if the
//! Worker dies in between.

use super::owner_changes::OwnedContent;
use super::update_outcome::{Reservation, UpdateOutcome, change, reserve as reserve_file};
use super::updates::SentPicture;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::rules::owner::{Update, is_new_thumbnail};
use crate::contents::life::{Command, Input};
use crate::platform::database::{Database, DatabaseError};

/// Records the picture if the content accepts it and does not have it yet.
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

/// Changes the content's thumbnail to a stored picture. Retries once if the response is lost, because repeating the
/// change is safe.
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
