//! The slot that an upload holds while it is under way: taken with the key's check, kept alive by a lease, given back
//! by anything that is not a success.
//!
//! The row exists before any object of the upload does, so nothing can be stored that nobody knows of.

use crate::daily_limit::{Usage, day_of};
use crate::database::{Database, DatabaseError, Statement, first_row};
use crate::hash::KeyedHash;
use crate::key_store::{KeyUse, read_key_use, use_key_statements};
use contract::limits::LEASE_SECONDS;
use serde::Deserialize;

/// A lease this old is renewed when bytes arrive. Quick uploads never pay for it.
pub const RENEW_AFTER_SECONDS: u64 = 30;

/// What the first batch of an upload found out.
#[derive(Clone, Debug)]
pub struct Admission {
    pub channel_id: u64,
    /// The channel's day, this upload included where it got a slot.
    pub usage: Usage,
    /// Whether a slot is held. Without one, only the repetition of an earlier upload can still be answered.
    pub has_slot: bool,
    /// Whether the channel has an upload with a token, finished or under way, so that there is something to repeat.
    pub may_repeat: bool,
    pub category_ids: Vec<u64>,
}

/// Counts the key's use and takes a slot for the upload; `None` for a key that is not alive.
pub async fn admit(
    database: &impl Database,
    key: &KeyedHash,
    upload_uuid: &str,
    now_unix: u64,
) -> Result<Option<Admission>, DatabaseError> {
    let mut statements = use_key_statements(key, now_unix);
    statements.insert(1, reserve(key, upload_uuid, now_unix));
    statements.push(circumstances(key, upload_uuid));
    let mut answers = database.batch(statements).await?;
    let Some(circumstances) = first_row::<Circumstances>(answers.get(3))? else {
        return Ok(None);
    };
    answers.remove(1);
    let Some(KeyUse { channel_id, usage }) = read_key_use(&answers, now_unix)? else {
        return Ok(None);
    };
    let category_ids = serde_json::from_str(&circumstances.category_ids)
        .map_err(|error| DatabaseError::Shape(error.to_string()))?;
    Ok(Some(Admission {
        channel_id,
        usage,
        has_slot: circumstances.has_slot == 1,
        may_repeat: circumstances.may_repeat == 1,
        category_ids,
    }))
}

#[derive(Deserialize)]
struct Circumstances {
    has_slot: u8,
    may_repeat: u8,
    category_ids: String,
}

/// One conditional insert: D1 is one writer, so two uploads cannot both take the last slot.
fn reserve(key: &KeyedHash, upload_uuid: &str, now_unix: u64) -> Statement {
    Statement::new(
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT ?2, channels.id, ?3, 'reserved', ?4
         FROM api_keys
         JOIN channels ON channels.id = api_keys.channel_id
         LEFT JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = ?3
         WHERE api_keys.key_hash = ?1 AND coalesce(daily_usage.used, 0) < channels.daily_upload_limit
         ON CONFLICT (uuid) DO NOTHING",
    )
    .bind(key.as_str())
    .bind(upload_uuid)
    .bind(day_of(now_unix))
    .bind(now_unix + LEASE_SECONDS)
}

fn circumstances(key: &KeyedHash, upload_uuid: &str) -> Statement {
    Statement::new(
        "SELECT EXISTS (SELECT 1 FROM uploads WHERE uuid = ?2) AS has_slot,
             EXISTS (
                 SELECT 1 FROM uploads
                 WHERE channel_id = api_keys.channel_id AND upload_token IS NOT NULL
             ) AS may_repeat,
             (SELECT json_group_array(id) FROM super_categories) AS category_ids
         FROM api_keys WHERE key_hash = ?1",
    )
    .bind(key.as_str())
    .bind(upload_uuid)
}

/// Lengthens the lease, and notes R2's name for the unfinished object where there is one; false when the slot is lost.
pub async fn renew(
    database: &impl Database,
    upload_uuid: &str,
    multipart_id: Option<&str>,
    now_unix: u64,
) -> Result<bool, DatabaseError> {
    let update = Statement::new(
        "UPDATE uploads SET lease_ends_at_unix = ?2, multipart_id = coalesce(?3, multipart_id)
         WHERE uuid = ?1 AND state = 'reserved'
         RETURNING uuid",
    );
    let update = update
        .bind(upload_uuid)
        .bind(now_unix + LEASE_SECONDS)
        .bind(multipart_id);
    let answers = database.batch(vec![update]).await?;
    Ok(answers.first().is_some_and(|rows| !rows.0.is_empty()))
}

/// Gives the slot back. What the upload stored becomes garbage by the same transaction.
pub async fn release(database: &impl Database, upload_uuid: &str) -> Result<(), DatabaseError> {
    database
        .batch(vec![release_statement(upload_uuid)])
        .await
        .map(drop)
}

/// Gives the slot back of an upload that stored nothing.
pub async fn release_unused(
    database: &impl Database,
    upload_uuid: &str,
) -> Result<(), DatabaseError> {
    database
        .batch(vec![
            release_statement(upload_uuid),
            forget_statement(upload_uuid),
        ])
        .await
        .map(drop)
}

/// Forgets the garbage of an upload whose objects are deleted.
pub async fn forget_garbage(
    database: &impl Database,
    upload_uuid: &str,
) -> Result<(), DatabaseError> {
    database
        .batch(vec![forget_statement(upload_uuid)])
        .await
        .map(drop)
}

fn release_statement(upload_uuid: &str) -> Statement {
    Statement::new("DELETE FROM uploads WHERE uuid = ?1 AND state = 'reserved'").bind(upload_uuid)
}

fn forget_statement(upload_uuid: &str) -> Statement {
    Statement::new("DELETE FROM garbage WHERE upload_uuid = ?1").bind(upload_uuid)
}
