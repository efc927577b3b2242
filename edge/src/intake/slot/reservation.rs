//! The slot of an upload in progress: reserved together with the key check, kept by a lease, and released unless the
//! upload succeeds.
//!
//! The row exists before any object of the upload, so every stored object is on record.

use crate::ids::{ChannelId, UploadUuid};
use crate::intake::request::UploadRequest;
use crate::keys::daily_limit::{Usage, day_of};
use crate::keys::key_store::{self, KeyUse};
use crate::keys::open_uploads::release_uploads;
use crate::limits::LEASE_SECONDS;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use serde::Deserialize;

/// The result of the first batch of an upload.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    pub channel_id: ChannelId,
    /// The channel's usage, including this upload if it got a slot.
    pub usage: Usage,
    /// A suspended channel never gets a slot, and may not replay an upload either.
    pub is_suspended: bool,
    /// Whether the upload holds a slot. Without one, only a replay of an earlier upload can succeed.
    pub has_slot: bool,
    /// The channel's slots with a live lease, including this upload's.
    pub open_uploads: u32,
    /// Whether the channel has any upload with a token, finished or in progress, that this one may replay.
    pub may_be_replay: bool,
    pub category_ids: Vec<u64>,
}

impl Admission {
    /// Adds the remaining uploads of the day to a refusal. If the day has ended, it adds nothing, because the new day's
    /// usage is unknown here. If the key is no longer valid, it adds nothing either, because every invalid key gets the
    /// same answer.
    pub(crate) fn add_usage(&self, refusal: Refusal, now: UnixSeconds) -> Refusal {
        let usage = self.usage_after_release();
        if usage.day != day_of(now) || refusal.code == ErrorCode::ApiKeyInvalid {
            return refusal;
        }
        refusal.with_usage(usage, now)
    }

    /// Returns the channel's usage after the slot has been released.
    pub(crate) fn usage_after_release(&self) -> Usage {
        let used = self.usage.used.saturating_sub(u32::from(self.has_slot));
        Usage { used, ..self.usage }
    }
}

/// Counts a use of the key, and reserves the slot if the day's limit and the number of open uploads allow it. Returns
/// `None` for an invalid key.
pub(crate) async fn reserve(
    database: &impl Database,
    request: &UploadRequest,
    now: UnixSeconds,
) -> Result<Option<Admission>, DatabaseError> {
    let mut batch = Batch::default();
    key_store::count_use(&mut batch, &request.key, now);
    batch.execute(insert_slot(request, now));
    let key_use = key_store::read_use(&mut batch, &request.key, now);
    let row = batch.query::<AdmissionRow>(select_admission(request, now));
    let answers = database.run(batch).await?;
    let Some(row) = answers.first(row)? else {
        return Ok(None);
    };
    let Some(KeyUse { channel_id, usage, is_suspended, .. }) = key_use.read(&answers)? else {
        return Ok(None);
    };
    let category_ids =
        serde_json::from_str(&row.category_ids).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    Ok(Some(Admission {
        channel_id,
        usage,
        is_suspended,
        has_slot: row.has_slot == 1,
        open_uploads: row.open_uploads,
        may_be_replay: row.may_be_replay == 1,
        category_ids,
    }))
}

#[derive(Deserialize)]
struct AdmissionRow {
    has_slot: u8,
    open_uploads: u32,
    may_be_replay: u8,
    category_ids: String,
}

/// Counts the open uploads of the channel of `api_keys`, at the time `?3`.
macro_rules! open_uploads {
    () => {
        "(SELECT count(*) FROM uploads
          WHERE channel_id = api_keys.channel_id AND state = 'reserved' AND lease_ends_at_unix > ?3)"
    };
}

/// One conditional insert. D1 has a single writer, so two uploads cannot both take the last slot.
fn insert_slot(request: &UploadRequest, now: UnixSeconds) -> Statement {
    Statement::new(concat!(
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT ?2, channels.id, ?4, 'reserved', ?5
         FROM api_keys
         JOIN channels ON channels.id = api_keys.channel_id
         LEFT JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = ?4
         WHERE api_keys.key_hash = ?1 AND coalesce(daily_usage.used, 0) < channels.daily_upload_limit
             AND channels.suspended_at_unix IS NULL
             AND ",
        open_uploads!(),
        " < ?6
         ON CONFLICT (uuid) DO NOTHING",
    ))
    .bind(request.key.as_str())
    .bind(&request.names.upload_uuid)
    .bind(now)
    .bind(day_of(now))
    .bind(now + LEASE_SECONDS)
    .bind(request.max_open_uploads)
}

fn select_admission(request: &UploadRequest, now: UnixSeconds) -> Statement {
    Statement::new(concat!(
        "SELECT EXISTS (SELECT 1 FROM uploads WHERE uuid = ?2) AS has_slot,
             EXISTS (
                 SELECT 1 FROM uploads
                 WHERE channel_id = api_keys.channel_id AND upload_token IS NOT NULL
             ) AS may_be_replay,
             ",
        open_uploads!(),
        " AS open_uploads,
             (SELECT json_group_array(id) FROM super_categories) AS category_ids
         FROM api_keys WHERE key_hash = ?1",
    ))
    .bind(request.key.as_str())
    .bind(&request.names.upload_uuid)
    .bind(now)
}

/// Renews the lease and records R2's id of the unfinished object, if any. Returns false if the slot is lost, with its
/// lease or with its key. A lease that has ended is not revived, because another upload may be open in its place.
pub(crate) async fn renew(
    database: &impl Database,
    upload_uuid: &UploadUuid,
    multipart_id: Option<&str>,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let update = Statement::new(
        "UPDATE uploads SET lease_ends_at_unix = ?2, multipart_id = coalesce(?3, multipart_id)
         WHERE uuid = ?1 AND state = 'reserved' AND lease_ends_at_unix > ?4
         RETURNING uuid",
    );
    let update = update.bind(upload_uuid).bind(now + LEASE_SECONDS).bind(multipart_id).bind(now);
    // A repeated renewal finds the slot as the first one left it.
    let mut batch = Batch::repeatable();
    let renewed = batch.query::<()>(update);
    Ok(database.run(batch).await?.has_rows(renewed))
}

/// Releases the slot. The upload's objects are garbage from then on.
pub(crate) async fn release(database: &impl Database, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    let mut batch = Batch::default();
    release_uploads(&mut batch, "uuid = ?1", &[upload_uuid.into()]);
    database.run(batch).await.map(drop)
}

/// Releases the slot of an upload that stored nothing.
pub(crate) async fn release_unused(database: &impl Database, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    let release = Statement::new("DELETE FROM uploads WHERE uuid = ?1 AND state = 'reserved'");
    database.execute(release.bind(upload_uuid)).await
}

/// Removes the garbage record of an upload whose objects have been deleted.
pub(crate) async fn forget_garbage(database: &impl Database, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    database.execute(Statement::new("DELETE FROM garbage WHERE upload_uuid = ?1").bind(upload_uuid)).await
}
