//! The one API key of a channel: made, rotated, deleted and used, each in one transaction on the primary.
//!
//! The database alone says whether a key is alive, so a deleted key is dead with the answer of its deletion.

use crate::daily_limit::{Usage, day_of};
use crate::database::{Database, DatabaseError, Rows, Statement, first_row};
use crate::hash::KeyedHash;
use contract::api::KeyMetadata;
use serde::Deserialize;

/// What is stored of a key.
#[derive(Clone, Debug)]
pub struct StoredKey {
    pub hash: KeyedHash,
    pub hint: String,
}

/// Who uploads, and what of the day's limit is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyUse {
    pub channel_id: u64,
    pub usage: Usage,
}

/// The columns of `KeyMetadata`.
macro_rules! metadata {
    () => {
        "key_hint, created_at_unix, rotated_at_unix, last_used_at_unix, uses_count"
    };
}

/// Makes the channel's key; `None` when it has one. Sent twice, it still makes one and says so.
pub async fn create_key(
    database: &impl Database,
    channel_id: u64,
    key: &StoredKey,
    now_unix: u64,
) -> Result<Option<KeyMetadata>, DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO api_keys (channel_id, key_hash, key_hint, created_at_unix) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (channel_id) DO NOTHING",
    )
    .bind(channel_id)
    .bind(key.hash.as_str())
    .bind(key.hint.as_str())
    .bind(now_unix);
    let select = Statement::new(concat!(
        "SELECT ",
        metadata!(),
        " FROM api_keys WHERE channel_id = ?1 AND key_hash = ?2"
    ))
    .bind(channel_id)
    .bind(key.hash.as_str());
    first_row(database.batch(vec![insert, select]).await?.last())
}

/// Puts another key in the place of the channel's; `None` when it has none.
pub async fn rotate_key(
    database: &impl Database,
    channel_id: u64,
    key: &StoredKey,
    now_unix: u64,
) -> Result<Option<KeyMetadata>, DatabaseError> {
    let update = Statement::new(concat!(
        "UPDATE api_keys SET key_hash = ?2, key_hint = ?3, rotated_at_unix = ?4 WHERE channel_id = ?1 RETURNING ",
        metadata!()
    ))
    .bind(channel_id)
    .bind(key.hash.as_str())
    .bind(key.hint.as_str())
    .bind(now_unix);
    database.first(update).await
}

/// The metadata of the channel's key; `None` when it has none.
pub async fn find_key(
    database: &impl Database,
    channel_id: u64,
) -> Result<Option<KeyMetadata>, DatabaseError> {
    let select = Statement::new(concat!(
        "SELECT ",
        metadata!(),
        " FROM api_keys WHERE channel_id = ?1"
    ));
    database.first(select.bind(channel_id)).await
}

/// Whether there was a key to delete.
pub async fn delete_key(database: &impl Database, channel_id: u64) -> Result<bool, DatabaseError> {
    let delete = Statement::new("DELETE FROM api_keys WHERE channel_id = ?1 RETURNING key_hint")
        .bind(channel_id);
    let rows = database.batch(vec![delete]).await?;
    Ok(rows.first().is_some_and(|rows| !rows.0.is_empty()))
}

/// The statements that count a use of a living key and read its channel's day.
pub fn use_key_statements(hash: &KeyedHash, now_unix: u64) -> Vec<Statement> {
    let count = Statement::new(
        "UPDATE api_keys SET uses_count = uses_count + 1, last_used_at_unix = ?2 WHERE key_hash = ?1",
    );
    let read = Statement::new(
        "SELECT channels.id AS channel_id, channels.daily_upload_limit AS amount,
             coalesce(daily_usage.used, 0) AS used
         FROM api_keys
         JOIN channels ON channels.id = api_keys.channel_id
         LEFT JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = ?2
         WHERE api_keys.key_hash = ?1",
    );
    vec![
        count.bind(hash.as_str()).bind(now_unix),
        read.bind(hash.as_str()).bind(day_of(now_unix)),
    ]
}

/// Reads the answer of `use_key_statements`; `None` for a key that is not alive.
pub fn read_key_use(answers: &[Rows], now_unix: u64) -> Result<Option<KeyUse>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        channel_id: u64,
        amount: u32,
        used: u32,
    }
    let row: Option<Row> = first_row(answers.get(1))?;
    Ok(row.map(
        |Row {
             channel_id,
             amount,
             used,
         }| {
            let usage = Usage {
                day: day_of(now_unix),
                amount,
                used,
            };
            KeyUse { channel_id, usage }
        },
    ))
}

/// Counts a use of the key; `None` when no such key is alive.
pub async fn use_key(
    database: &impl Database,
    hash: &KeyedHash,
    now_unix: u64,
) -> Result<Option<KeyUse>, DatabaseError> {
    let answers = database.batch(use_key_statements(hash, now_unix)).await?;
    read_key_use(&answers, now_unix)
}

/// Whether the key is anybody's. Counts as no use.
pub async fn is_alive(database: &impl Database, hash: &KeyedHash) -> Result<bool, DatabaseError> {
    #[derive(Deserialize)]
    struct Found {}
    let select = Statement::new("SELECT 1 FROM api_keys WHERE key_hash = ?1");
    let found: Option<Found> = database.first(select.bind(hash.as_str())).await?;
    Ok(found.is_some())
}

#[cfg(test)]
mod tests;
