//! The slot of an upload in progress: reserved together with the key check, kept by a lease, and released unless the
//! upload succeeds.
//!
//! The row exists before any object of the upload, so every stored object is on record.

use super::token::{self, TokenState};
use crate::base::daily_limit::{Usage, day_of};
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::known_categories;
use crate::base::limits::{LEASE_SECONDS, OPEN_UPLOADS_RETRY_SECONDS};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::key_store::{self, ChannelUse};
use crate::people::keys::refused_uploads::{hour_of, too_many_refused};
use crate::people::keys::valid_keys::{self, HAS_KEY};
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use crate::uploads::direct;
use crate::uploads::permission::Permission;
use contract::ErrorCode;
use contract::api::Category;
use contract::limits::MAX_REFUSED_UPLOADS;
use serde::Deserialize;

/// The slot that an upload asks for.
#[derive(Clone, Copy)]
pub(crate) struct SlotRequest<'a> {
    pub permission: &'a Permission,
    pub upload_uuid: &'a UploadUuid,
    /// The token that the slot takes, if it is free. Only for uploads with a key.
    pub token: Option<&'a str>,
    /// The maximum number of open uploads of a channel.
    pub max_open_uploads: u32,
}

/// The result of the first batch of an upload.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    pub channel_id: ChannelId,
    /// The channel's usage, including this upload if it got a slot.
    pub usage: Usage,
    /// The reason for which uploads are forbidden. There is no slot then, and no replay either.
    pub forbidden: Option<Forbidden>,
    /// Whether the upload holds a slot. Without one, only a replay of an earlier upload can succeed.
    pub has_slot: bool,
    /// The channel's slots with a live lease, including this upload's.
    pub open_uploads: u32,
    /// Whether the channel has any upload with a token, finished or in progress, so that this upload may be a replay.
    pub may_be_replay: bool,
    /// The state of the requested token.
    pub token: Option<TokenState>,
    pub category_ids: Vec<u64>,
}

/// The reasons for which uploads are forbidden for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forbidden {
    ChannelSuspended,
    /// More uploads with the key were refused in this hour than may be.
    RefusedTooOften,
}

impl Admission {
    /// Returns 403 `channel_suspended` or 429 `rate_limited` if uploads are forbidden.
    pub(crate) fn require_allowed(&self, now: UnixSeconds) -> Result<(), Refusal> {
        match self.forbidden {
            None => Ok(()),
            Some(Forbidden::ChannelSuspended) => Err(Refusal::new(ErrorCode::ChannelSuspended)),
            Some(Forbidden::RefusedTooOften) => Err(too_many_refused(now).with_usage(self.usage, now)),
        }
    }

    /// Adds the remaining uploads of the day to a refusal that does not have them. If the day has ended, it adds
    /// nothing, because the new day's usage is unknown here. If the key is no longer valid, it adds nothing either,
    /// because every invalid key gets the same answer.
    pub(crate) fn add_usage(&self, refusal: Refusal, now: UnixSeconds) -> Refusal {
        let usage = self.usage_after_release();
        if usage.day != day_of(now) || refusal.code == ErrorCode::ApiKeyInvalid || refusal.usage.is_some() {
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

/// Counts a use of the key, and reserves the slot if the day's limit and the number of open uploads allow it. With a
/// one-time token, the slot replaces that of an earlier upload with the token, which ends. Returns `None` if the key or
/// the token is not valid.
pub(crate) async fn reserve(
    database: &impl Database,
    request: SlotRequest<'_>,
    now: UnixSeconds,
) -> Result<Option<Admission>, DatabaseError> {
    let mut batch = Batch::default();
    let mut holder = None;
    let channel_use = match request.permission {
        Permission::Key(key) => {
            key_store::count_use(&mut batch, key, now);
            if let Some(token) = request.token {
                let (channel, key) = (valid_keys::CHANNEL_OF_KEY, key.as_str().into());
                token::release_given_up(&mut batch, channel, key, token, request.upload_uuid, now);
            }
            batch.execute(insert_slot(request, now));
            holder = request.token.map(|token| batch.query(token::select_holder_of_key(key.as_str(), token)));
            key_store::read_use(&mut batch, key, now)
        }
        Permission::DirectUpload(grant) => {
            direct::end_earlier_attempt(&mut batch, &grant.token, now);
            batch.execute(insert_slot(request, now));
            direct::note_attempt(&mut batch, &grant.token, request.upload_uuid, now);
            let values = [grant.token.as_str().into(), now.into()];
            key_store::read_use_of(&mut batch, CHANNEL_OF_TOKEN, &values, now)
        }
    };
    let row = batch.query::<AdmissionRow>(select_admission(request, now));
    let answers = database.run(batch).await?;
    let Some(row) = answers.first(row)? else {
        return Ok(None);
    };
    let Some(ChannelUse { channel_id, usage, is_suspended, .. }) = channel_use.read(&answers)? else {
        return Ok(None);
    };
    let refused_too_often = (row.is_refused_too_often == 1).then_some(Forbidden::RefusedTooOften);
    let categories: Vec<Category> =
        serde_json::from_str(&row.categories).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    let category_ids = categories.iter().map(|category| category.id).collect();
    known_categories::remember(categories);
    let holder = holder.map(|holder| answers.first(holder)).transpose()?;
    Ok(Some(Admission {
        token: holder.map(|holder| token::state_of(holder, request.upload_uuid)),
        channel_id,
        usage,
        forbidden: if is_suspended { Some(Forbidden::ChannelSuspended) } else { refused_too_often },
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
    is_refused_too_often: u8,
    categories: String,
}

/// The channel of the key `?1`. `?2` is the time, which only tokens need.
const CHANNEL_OF_KEY: &str = constcat::concat!("iif(?2 > 0, ", valid_keys::CHANNEL_OF_KEY, ", NULL)");

/// The channel of the open one-time token `?1` at the time `?2`.
const CHANNEL_OF_TOKEN: &str = "(SELECT channel_id FROM direct_uploads
         WHERE token_sha256 = ?1 AND state = 'open' AND expires_at_unix > ?2)";

/// Counts the open uploads of `channels` at the time `?2`.
const OPEN_UPLOADS: &str = "(SELECT count(*) FROM uploads
          WHERE channel_id = channels.id AND state = 'reserved' AND lease_ends_at_unix > ?2)";

impl Permission {
    /// Returns an expression for the channel of the secret `?1` at the time `?2`.
    fn channel(&self) -> &'static str {
        match self {
            Self::Key(_) => CHANNEL_OF_KEY,
            Self::DirectUpload(_) => CHANNEL_OF_TOKEN,
        }
    }

    fn secret(&self) -> &str {
        match self {
            Self::Key(key) => key.as_str(),
            Self::DirectUpload(grant) => grant.token.as_str(),
        }
    }
}

/// Whether the allowance of refused uploads of the key `?1` is used up. A one-time token has none.
fn is_refused_too_often(permission: &Permission, hour: &str, max: &str) -> String {
    match permission {
        Permission::Key(_) => format!(
            "EXISTS (SELECT 1 FROM api_keys
                 WHERE {HAS_KEY} AND refused_hour = {hour} AND refused_uploads >= {max})"
        ),
        Permission::DirectUpload(_) => format!("({hour} < {max} AND false)"),
    }
}

/// One conditional insert. D1 has a single writer, so two uploads cannot both take the last slot.
fn insert_slot(request: SlotRequest<'_>, now: UnixSeconds) -> Statement {
    let channel = request.permission.channel();
    let is_refused_too_often = is_refused_too_often(request.permission, "?7", "?8");
    let insert = Statement::new(format!(
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix, upload_token)
         SELECT ?3, channels.id, ?4, 'reserved', ?5, iif(
             EXISTS (SELECT 1 FROM uploads WHERE channel_id = channels.id AND upload_token = ?9), NULL, ?9)
         FROM channels LEFT JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = ?4
         WHERE channels.id = {channel} AND coalesce(daily_usage.used, 0) < channels.daily_upload_limit
             AND channels.suspended_at_unix IS NULL
             AND {OPEN_UPLOADS} < ?6 AND NOT {is_refused_too_often}
         ON CONFLICT (uuid) DO NOTHING"
    ));
    let insert = insert.bind(request.permission.secret()).bind(now).bind(request.upload_uuid).bind(day_of(now));
    let insert = insert.bind(now + LEASE_SECONDS).bind(request.max_open_uploads);
    insert.bind(hour_of(now)).bind(MAX_REFUSED_UPLOADS).bind(request.token)
}

fn select_admission(request: SlotRequest<'_>, now: UnixSeconds) -> Statement {
    let channel = request.permission.channel();
    let is_refused_too_often = is_refused_too_often(request.permission, "?4", "?5");
    let select = Statement::new(format!(
        "SELECT EXISTS (SELECT 1 FROM uploads WHERE uuid = ?3) AS has_slot,
             EXISTS (
                 SELECT 1 FROM uploads WHERE channel_id = channels.id AND upload_token IS NOT NULL
             ) AS may_be_replay,
             {is_refused_too_often} AS is_refused_too_often,
             {OPEN_UPLOADS} AS open_uploads,
             (SELECT json_group_array(json_object('id', id, 'name', name)) FROM super_categories) AS categories
         FROM channels WHERE id = {channel}"
    ));
    let select = select.bind(request.permission.secret()).bind(now).bind(request.upload_uuid);
    select.bind(hour_of(now)).bind(MAX_REFUSED_UPLOADS)
}

/// Returns how many uploads the channel has open.
pub(crate) async fn count_open(
    database: &impl Database,
    channel_id: ChannelId,
    now: UnixSeconds,
) -> Result<u32, DatabaseError> {
    #[derive(Deserialize)]
    struct CountRow {
        open_uploads: u32,
    }
    let select = Statement::new(format!("SELECT {OPEN_UPLOADS} AS open_uploads FROM channels WHERE id = ?1"));
    let row: Option<CountRow> = database.first(select.bind(channel_id).bind(now)).await?;
    Ok(row.map_or(0, |row| row.open_uploads))
}

/// Renews the lease and records R2's id of the unfinished object, if any. Returns false if the slot is lost because the
/// lease expired or the key ended. An expired lease is not revived, because another upload may have taken its place.
pub(crate) async fn renew(
    database: &impl Database,
    upload_uuid: &UploadUuid,
    multipart_id: Option<&str>,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    // Repeating a renewal changes nothing more.
    let mut batch = Batch::repeatable();
    let renewed = batch.query::<()>(renewal(upload_uuid, multipart_id, now));
    Ok(database.run(batch).await?.has_rows(renewed))
}

/// Returns the statement of a renewal. It returns a row unless the slot is lost.
pub(crate) fn renewal(upload_uuid: &UploadUuid, multipart_id: Option<&str>, now: UnixSeconds) -> Statement {
    let update = Statement::new(
        "UPDATE uploads SET lease_ends_at_unix = ?2, is_silent = 0, multipart_id = coalesce(?3, multipart_id)
         WHERE uuid = ?1 AND state = 'reserved' AND lease_ends_at_unix > ?4
         RETURNING uuid",
    );
    update.bind(upload_uuid).bind(now + LEASE_SECONDS).bind(multipart_id).bind(now)
}

/// Records that the client of an upload is silent, so that another upload with its token may take its place.
pub(crate) async fn note_silence(database: &impl Database, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    let update = Statement::new("UPDATE uploads SET is_silent = 1 WHERE uuid = ?1 AND state = 'reserved'");
    database.execute(update.bind(upload_uuid)).await
}

/// Releases the slot of an upload that stored nothing.
pub(crate) async fn release_unused(database: &impl Database, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    database.execute(unused_release(upload_uuid)).await
}

/// Returns the statement that releases such a slot.
pub(crate) fn unused_release(upload_uuid: &UploadUuid) -> Statement {
    Statement::new("DELETE FROM uploads WHERE uuid = ?1 AND state = 'reserved'").bind(upload_uuid)
}

/// The refusal of an upload of a channel that has as many open as it may.
pub(crate) fn too_many_open(usage: Usage, now: UnixSeconds) -> Refusal {
    Refusal::new(ErrorCode::TooManyUploads).with_retry_after(OPEN_UPLOADS_RETRY_SECONDS).with_usage(usage, now)
}

/// Removes the garbage record of an upload whose objects have been deleted.
pub(crate) async fn forget_garbage(database: &impl Database, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    database.execute(Statement::new("DELETE FROM garbage WHERE upload_uuid = ?1").bind(upload_uuid)).await
}
