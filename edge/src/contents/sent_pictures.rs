//! Pictures that owners send as thumbnails of earlier videos.
//!
//! A picture is recorded as garbage before it is stored. The record ends when a content refers to the picture, and
//! returns when it is replaced, used or refused (`record_unwanted_picture` in the migrations). So the sweep deletes
//! every picture that nobody needs, even if the Worker dies in between.

use super::owner_changes::OwnedContent;
use super::update_outcome::{Reservation, STORING_SECONDS, UpdateOutcome, reserve_file};
use super::updates::{ContentChanges, SentPicture, is_limited, is_over_limit, refusal, update, wants_new_thumbnail};
use crate::keys::daily_changes::content_changes_are;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;

const RECORD: &str = concat!(
    "INSERT INTO garbage (upload_uuid, lease_ends_at_unix)
     SELECT ?3 ->> '$.picture', ?11 FROM contents
     WHERE uuid = ?1 AND channel_id = ?2 AND ",
    wants_new_thumbnail!(),
    " AND ",
    refusal!(),
    " IS NULL AND NOT ",
    is_over_limit!(">=")
);
const READ: &str = concat!(
    "SELECT state, coalesce(",
    refusal!(),
    ", iif(",
    is_over_limit!(">="),
    ", 'daily_change_limit_reached', NULL)) AS code, ",
    wants_new_thumbnail!(),
    " AS is_new FROM contents WHERE uuid = ?1 AND channel_id = ?2"
);

/// Records the picture if the content takes it and does not have it yet.
pub(crate) async fn reserve(
    database: &impl Database,
    content: OwnedContent<'_>,
    picture: &SentPicture,
    now: UnixSeconds,
) -> Result<Reservation, DatabaseError> {
    let changes = ContentChanges::to_picture(picture);
    let record = changes.bind(Statement::new(RECORD), content, now).bind(now + STORING_SECONDS);
    reserve_file(database, record, changes.bind(Statement::new(READ), content, now)).await
}

/// Changes the content's thumbnail to a picture that is stored. If the answer is lost, tries once more: the second
/// attempt finds what the first one did.
pub(crate) async fn commit(
    database: &impl Database,
    content: OwnedContent<'_>,
    picture: &SentPicture,
    now: UnixSeconds,
) -> Result<UpdateOutcome, DatabaseError> {
    let changes = ContentChanges::to_picture(picture);
    match update(database, content, &changes, now).await {
        Ok(outcome) => Ok(outcome),
        Err(_) => update(database, content, &changes, now).await,
    }
}
