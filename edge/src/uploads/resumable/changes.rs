//! The changes of the record of a resumable upload. Each is one transaction. `take_over` gives a request its epoch, and
//! the other changes of a request in progress require it.

use super::location::Location;
use super::part_numbers::SavedPart;
use super::record::{Record, not_found, select};
use super::refusal::StoredRefusal;
use crate::base::daily_limit::day_of;
use crate::base::limits::LEASE_SECONDS;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::open_uploads::{IS_UNFINISHED, drop_objects, end_resumable_uploads};
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use crate::uploads::slot::reservation::renewal;
use contract::limits::OUTCOME_SECONDS;

/// Inserts the slot of a parked upload at this offset, or renews the slot that it holds. Does nothing if the daily
/// limit or the number of open uploads leaves no room.
const HOLD_SLOT: &str = "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix, upload_token)
     SELECT upload_uuid, resumable_uploads.channel_id, ?3, 'reserved', ?4,
         (SELECT request ->> '$.token' WHERE NOT EXISTS (
             SELECT 1 FROM uploads AS other WHERE other.channel_id = channels.id
                 AND other.upload_token = request ->> '$.token' AND other.uuid <> upload_uuid))
     FROM resumable_uploads JOIN channels ON channels.id = resumable_uploads.channel_id
     LEFT JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = ?3
     LEFT JOIN uploads AS slot ON slot.uuid = upload_uuid
     WHERE secret_sha256 = ?1 AND resumable_uploads.state IN ('open', 'received') AND received = ?6 AND expires_at_unix > ?2
         AND suspended_at_unix IS NULL
         AND (slot.uuid IS NOT NULL OR coalesce(used, 0) < daily_upload_limit)
         AND (coalesce(slot.lease_ends_at_unix, 0) > ?2 OR (
             SELECT count(*) FROM uploads AS other
             WHERE other.channel_id = channels.id AND other.state = 'reserved' AND other.lease_ends_at_unix > ?2) < ?5)
     ON CONFLICT (uuid) DO UPDATE SET lease_ends_at_unix = excluded.lease_ends_at_unix WHERE state = 'reserved'";

/// Raises the epoch of the record if it is open at this offset and holds a slot. A client whose last request died is
/// not known to be fast.
const TAKE_OVER: &str = "UPDATE resumable_uploads
     SET epoch = epoch + 1, is_writing = 1, is_fast = is_fast AND NOT is_writing
     WHERE secret_sha256 = ?1 AND state = 'open' AND received = ?3 AND EXISTS (
         SELECT 1 FROM uploads WHERE uuid = upload_uuid AND uploads.state = 'reserved' AND lease_ends_at_unix > ?2)";

/// Takes the record over for a request that continues at this offset. Any earlier request can then write no more
/// checkpoints. Returns the record as it is afterwards: it is taken over if it is open, holds a slot and is at the
/// offset.
pub(super) async fn take_over(
    database: &impl Database,
    location: &Location,
    offset: u64,
    max_open_uploads: u32,
    now: UnixSeconds,
) -> Result<Record, Refusal> {
    let secret = location.sha256();
    let hold = Statement::new(HOLD_SLOT).bind(secret.as_str()).bind(now).bind(day_of(now)).bind(now + LEASE_SECONDS);
    let mut batch = Batch::repeatable();
    batch.execute(hold.bind(max_open_uploads).bind(offset));
    batch.execute(Statement::new(TAKE_OVER).bind(secret).bind(now).bind(offset));
    let record = batch.query::<Record>(select(location, now));
    database.run(batch).await?.first(record)?.ok_or_else(not_found)
}

/// Records R2's id of the unfinished object. Returns false if another request has taken the record over.
pub(super) async fn record_multipart(
    database: &impl Database,
    record: &Record,
    multipart_id: &str,
) -> Result<bool, DatabaseError> {
    let update = Statement::new(
        "UPDATE resumable_uploads SET multipart_id = ?3
         WHERE secret_sha256 = ?1 AND epoch = ?2 AND (multipart_id IS NULL OR multipart_id = ?3) RETURNING upload_uuid",
    );
    database.returns_rows(update.bind(record.secret_sha256.as_str()).bind(record.epoch).bind(multipart_id)).await
}

/// The progress that a checkpoint records, besides the parts: the number of stored bytes, the tail that holds the last
/// of them, and the state of the checker after them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checkpoint {
    pub received: u64,
    pub tail: Option<String>,
    pub checked: Option<String>,
}

/// A checkpoint to write, and the request that writes it.
pub(super) struct Save<'a> {
    pub parts: &'a [SavedPart],
    pub checkpoint: &'a Checkpoint,
    pub is_fast: bool,
    /// Whether the request has stored everything that it received.
    pub is_last: bool,
}

/// Writes a checkpoint, and renews the slot. Returns false if another request has taken the record over. Once all bytes
/// are received, the tails are garbage.
pub(super) async fn save(
    database: &impl Database,
    record: &Record,
    save: Save<'_>,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let Save { parts, checkpoint, is_fast, is_last } = save;
    let parts = json_text(parts)?;
    let update = Statement::new(
        "UPDATE resumable_uploads SET received = ?3, parts = ?4, tail = ?5, checked = ?6,
             is_writing = ?7, is_fast = ?8, state = iif(length = ?3, 'received', 'open')
         WHERE secret_sha256 = ?1 AND epoch = ?2 AND state IN ('open', 'received') RETURNING upload_uuid",
    );
    let update = update.bind(record.secret_sha256.as_str()).bind(record.epoch).bind(checkpoint.received).bind(parts);
    let drop_tails = Statement::new(
        "INSERT INTO garbage (upload_uuid, lease_ends_at_unix, is_tails)
         SELECT tails_uuid, ?2, 1 FROM resumable_uploads WHERE secret_sha256 = ?1 AND state = 'received'
         ON CONFLICT (upload_uuid) DO UPDATE SET lease_ends_at_unix = excluded.lease_ends_at_unix",
    );
    let mut batch = Batch::repeatable();
    let update = update.bind(checkpoint.tail.as_deref()).bind(checkpoint.checked.as_deref());
    let saved = batch.query::<()>(update.bind(u32::from(!is_last)).bind(u32::from(is_fast)));
    batch.execute(renewal(&record.upload_uuid, None, now));
    if checkpoint.received == record.length {
        batch.execute(drop_tails.bind(record.secret_sha256.as_str()).bind(now + LEASE_SECONDS));
    }
    Ok(database.run(batch).await?.has_rows(saved))
}

/// Stores a permanent refusal, and releases the slot and the objects. Does nothing if another request has taken the
/// upload over, or if it was accepted.
pub(super) async fn refuse(
    database: &impl Database,
    record: &Record,
    refusal: &StoredRefusal,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let condition = format!("secret_sha256 = ?1 AND epoch = ?2 AND {IS_UNFINISHED}");
    let refusal = json_text(refusal)?;
    let update = Statement::new(format!(
        "UPDATE resumable_uploads SET state = 'refused', refusal = ?3, expires_at_unix = ?4, multipart_id = NULL,
             parts = '[]', tail = NULL, checked = NULL
         WHERE {condition}"
    ));
    let mut batch = Batch::default();
    drop_objects(&mut batch, &condition, &[record.secret_sha256.as_str().into(), record.epoch.into()]);
    batch.execute(
        update.bind(record.secret_sha256.as_str()).bind(record.epoch).bind(refusal).bind(now + OUTCOME_SECONDS),
    );
    database.run(batch).await.map(drop)
}

/// Marks an upload as accepted, keeps its record for as long as clients can read the outcome, and drops the state that
/// only storing needed.
pub(super) async fn keep_outcome(
    database: &impl Database,
    record: &Record,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let update = Statement::new(
        "UPDATE resumable_uploads SET state = 'accepted', expires_at_unix = ?2, parts = '[]', checked = NULL
         WHERE secret_sha256 = ?1",
    );
    database.execute(update.bind(record.secret_sha256.as_str()).bind(now + OUTCOME_SECONDS)).await
}

/// Ends an upload: its objects are deleted, unless it was accepted.
pub(crate) async fn abandon(database: &impl Database, location: &Location) -> Result<(), Refusal> {
    let mut batch = Batch::default();
    let ended = end_resumable_uploads(&mut batch, "secret_sha256 = ?1", &[location.sha256().into()]);
    let is_found = database.run(batch).await?.has_rows(ended);
    if is_found { Ok(()) } else { Err(not_found()) }
}
