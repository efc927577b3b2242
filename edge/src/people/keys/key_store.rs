//! The one API key of a channel: created, rotated, deleted and used, each in one transaction on the primary.
//!
//! Only the database decides whether a key is valid, so a deleted key is rejected everywhere as soon as the deletion
//! returns.

use crate::base::daily_limit::{Usage, day_of};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::journal;
use crate::people::auth::hash::KeyedHash;
use crate::people::keys::daily_changes::{AccountChange, count_change};
use crate::people::keys::open_uploads::{IS_UNFINISHED, end_resumable_uploads, release_uploads, revoke_direct_uploads};
use crate::people::keys::refused_uploads;
use crate::people::keys::valid_keys::{CHANNEL_OF_KEY, HAS_KEY, has_key};
use crate::platform::database::{Answers, Batch, Database, DatabaseError, Query, Statement, Value};
use contract::api::KeyMetadata;
use serde::Deserialize;

/// A key as it is stored: its hash, and a hint by which its owner recognises it.
#[derive(Clone, Debug)]
pub(crate) struct StoredKey {
    pub hash: KeyedHash,
    pub hint: String,
}

/// The channel of a caller, and how much of the channel's daily limit is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ChannelUse {
    pub channel_id: ChannelId,
    pub usage: Usage,
    /// The changes of videos that count against the daily limit of changes.
    pub content_changes: u32,
    pub is_suspended: bool,
}

/// The columns of `KeyMetadata`.
const METADATA: &str = "key_hint, created_at_unix, rotated_at_unix, last_used_at_unix, uses_count,
         iif(previous_ends_at_unix > unixepoch(), previous_ends_at_unix, NULL) AS previous_key_ends_at_unix";

/// The condition that the daily limit allows the new key that the previous statement counted.
const IS_WITHIN_LIMIT: &str =
    "EXISTS (SELECT 1 FROM daily_usage WHERE channel_id = ?1 AND day = ?6 AND new_keys <= ?7)";

const COUNT_CREATION: &str = count_change!(
    "new_keys",
    "?3",
    "SELECT id, ?2, 0, 1 FROM channels
     WHERE id = ?1 AND erased_at_unix IS NULL AND NOT EXISTS (SELECT 1 FROM api_keys WHERE channel_id = ?1)"
);
const COUNT_ROTATION: &str =
    count_change!("new_keys", "?3", "SELECT channel_id, ?2, 0, 1 FROM api_keys WHERE channel_id = ?1");

/// Creates the channel's key. Returns `None` if the channel has another key, its account was erased, or the daily limit
/// of new keys is reached. Creating the same key again returns its metadata, so the request can be retried.
pub(crate) async fn create(
    database: &impl Database,
    channel_id: ChannelId,
    key: &StoredKey,
    now: UnixSeconds,
) -> Result<Option<KeyMetadata>, DatabaseError> {
    let insert = constcat::concat!(
        "INSERT INTO api_keys (channel_id, key_hash, key_hint, created_at_unix, pepper_id)
         SELECT id, ?2, ?3, ?4, ?5 FROM channels WHERE id = ?1 AND erased_at_unix IS NULL AND ",
        IS_WITHIN_LIMIT,
        " ON CONFLICT (channel_id) DO NOTHING"
    );
    let select = Statement::new(constcat::concat!(
        "SELECT ",
        METADATA,
        " FROM api_keys WHERE channel_id = ?1 AND key_hash = ?2"
    ))
    .bind(channel_id)
    .bind(key.hash.as_str());
    let mut batch = Batch::default();
    batch.execute(count_new_key(COUNT_CREATION, channel_id, now));
    batch.execute(bind_new(insert, channel_id, key, now));
    let created = batch.query(select);
    database.run(batch).await?.first(created)
}

/// Replaces the channel's key, or returns `None` if the channel has no key, or the daily limit of new keys is reached.
/// The replaced key stays valid for some seconds. If these are none, its open uploads end.
pub(crate) async fn rotate(
    database: &impl Database,
    channel_id: ChannelId,
    key: &StoredKey,
    previous_valid_seconds: u64,
    now: UnixSeconds,
) -> Result<Option<KeyMetadata>, DatabaseError> {
    let update = constcat::concat!(
        "UPDATE api_keys SET key_hash = ?2, key_hint = ?3, rotated_at_unix = ?4, pepper_id = ?5,
             previous_key_hash = iif(?8 > 0, key_hash, NULL), previous_ends_at_unix = iif(?8 > 0, ?4 + ?8, NULL)
         WHERE channel_id = ?1 AND ",
        IS_WITHIN_LIMIT,
        " RETURNING ",
        METADATA
    );
    let mut batch = Batch::default();
    batch.execute(count_new_key(COUNT_ROTATION, channel_id, now));
    let rotated = batch.query(bind_new(update, channel_id, key, now).bind(previous_valid_seconds));
    let is_new = "channel_id = ?1 AND key_hash = ?2 AND rotated_at_unix = ?3";
    let new = [channel_id.into(), key.hash.as_str().into(), now.into()];
    log_keys(&mut batch, "key.rotated", is_new, &new);
    if previous_valid_seconds == 0 {
        end_uploads(&mut batch, is_new, &new);
    }
    database.run(batch).await?.first(rotated)
}

/// Adds an event for each key that meets a condition.
fn log_keys(batch: &mut Batch, kind: &str, condition: &str, values: &[Value]) {
    let select = format!(
        "SELECT channel_id, '{kind}' AS type, json_object('key_hint', key_hint) AS data FROM api_keys WHERE {condition}"
    );
    journal::events::add_of_channel(batch, &select, values);
}

/// Ends the open uploads of keys that are deleted or rotated, and their one-time tokens. They can neither renew their
/// lease nor commit, and their slots are free at once for the next key. So an open upload always began with a key that
/// its owner has not ended.
fn end_uploads(batch: &mut Batch, condition: &str, values: &[Value]) {
    let condition = format!("channel_id IN (SELECT channel_id FROM api_keys WHERE {condition})");
    end_resumable_uploads(batch, &format!("{condition} AND {IS_UNFINISHED}"), values);
    release_uploads(batch, &condition, values);
    revoke_direct_uploads(batch, &condition, values);
}

/// Adds the statements that delete the keys that meet a condition. Returns a row for each.
pub(crate) fn delete_keys(batch: &mut Batch, condition: &str, values: &[Value]) -> Query<()> {
    log_keys(batch, "key.deleted", condition, values);
    end_uploads(batch, condition, values);
    let delete = Statement::new(format!("DELETE FROM api_keys WHERE {condition} RETURNING key_hint"));
    batch.query(values.iter().cloned().fold(delete, Statement::bind))
}

fn count_new_key(sql: &'static str, channel_id: ChannelId, now: UnixSeconds) -> Statement {
    Statement::new(sql).bind(channel_id).bind(day_of(now)).bind(AccountChange::NewKey.max())
}

fn bind_new(sql: &'static str, channel_id: ChannelId, key: &StoredKey, now: UnixSeconds) -> Statement {
    let statement = Statement::new(sql).bind(channel_id).bind(key.hash.as_str()).bind(key.hint.as_str()).bind(now);
    statement.bind(key.hash.pepper_id()).bind(day_of(now)).bind(AccountChange::NewKey.max())
}

/// Returns the metadata of the channel's key, or `None` if the channel has no key.
pub(crate) async fn find(
    database: &impl Database,
    channel_id: ChannelId,
) -> Result<Option<KeyMetadata>, DatabaseError> {
    let select = Statement::new(constcat::concat!("SELECT ", METADATA, " FROM api_keys WHERE channel_id = ?1"));
    database.first(select.bind(channel_id)).await
}

/// Deletes the channel's key and returns whether there was one.
pub(crate) async fn delete(database: &impl Database, channel_id: ChannelId) -> Result<bool, DatabaseError> {
    let mut batch = Batch::default();
    let deleted = delete_keys(&mut batch, "channel_id = ?1", &[channel_id.into()]);
    Ok(database.run(batch).await?.has_rows(deleted))
}

/// Ends a key that was found in public, and records why. Returns whether it was valid. If it is the previous key, the
/// current one stays valid. In both cases, open uploads end, because it is unknown with which key they began.
pub(crate) async fn end_leaked(database: &impl Database, hash: &KeyedHash) -> Result<bool, DatabaseError> {
    const IS_PREVIOUS: &str = "previous_key_hash IN (?1, ?2) AND previous_ends_at_unix > unixepoch()";
    let values = [hash.as_str().into(), hash.second_or_same().into()];
    let bind = |sql| values.iter().cloned().fold(Statement::new(sql), Statement::bind);
    let mut batch = Batch::default();
    batch.execute(bind(constcat::concat!(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT 'anyone', 'key_reported_leaked', 'channel:' || channel_id,
             iif(key_hash IN (?1, ?2), key_hint, 'the key before ' || key_hint)
         FROM api_keys WHERE ",
        has_key!("IN (?1, ?2)")
    )));
    let deleted = delete_keys(&mut batch, "key_hash IN (?1, ?2)", &values);
    batch.execute(bind(constcat::concat!(
        "INSERT INTO removals (kind, subject, data)
         SELECT 'key', account_id, json_object('key_hash', previous_key_hash)
         FROM api_keys JOIN channels ON channels.id = channel_id WHERE ",
        IS_PREVIOUS
    )));
    end_uploads(&mut batch, IS_PREVIOUS, &values);
    let ended = batch.query::<()>(bind(constcat::concat!(
        "UPDATE api_keys SET previous_key_hash = NULL, previous_ends_at_unix = NULL WHERE ",
        IS_PREVIOUS,
        " RETURNING key_hint"
    )));
    let answers = database.run(batch).await?;
    Ok(answers.has_rows(deleted) || answers.has_rows(ended))
}

/// Adds a statement to the batch that moves the key to the current pepper, if its hash was made with the second one.
/// The statements after it find the key by its current hash. Without a second pepper, adds nothing.
///
/// A move must not name `rotated_at_unix`: triggers would treat it as a rotation.
fn move_to_current_pepper(batch: &mut Batch, hash: &KeyedHash) {
    if let Some(second) = hash.second() {
        let update = Statement::new(
            "UPDATE api_keys SET key_hash = iif(key_hash = ?3, ?1, key_hash),
                 pepper_id = iif(key_hash = ?3, ?2, pepper_id),
                 previous_key_hash = iif(previous_key_hash = ?3, ?1, previous_key_hash)
             WHERE key_hash = ?3 OR previous_key_hash = ?3",
        );
        batch.execute(update.bind(hash.as_str()).bind(hash.pepper_id()).bind(second));
    }
}

/// Adds a statement to the batch that counts a use of the key, if the key is valid.
pub(crate) fn count_use(batch: &mut Batch, hash: &KeyedHash, now: UnixSeconds) {
    move_to_current_pepper(batch, hash);
    let count = Statement::new(constcat::concat!(
        "UPDATE api_keys SET uses_count = uses_count + 1, last_used_at_unix = ?2 WHERE ",
        HAS_KEY
    ));
    batch.execute(count.bind(hash.as_str()).bind(now));
}

/// Adds a statement to the batch that counts a use of the key which only reads, if the key is valid. The uses of a
/// minute count as one, so most polls write nothing.
pub(crate) fn count_reading_use(batch: &mut Batch, hash: &KeyedHash, now: UnixSeconds) {
    move_to_current_pepper(batch, hash);
    let count = Statement::new(constcat::concat!(
        "UPDATE api_keys SET uses_count = uses_count + 1, last_used_at_unix = ?2
         WHERE coalesce(last_used_at_unix, 0) < ?3 AND ",
        HAS_KEY
    ));
    batch.execute(count.bind(hash.as_str()).bind(now).bind(now.0 - now.0 % 60));
}

/// Adds a query to the batch that reads the key's channel and the channel's usage of the day, as the statements before
/// it leave them.
pub(crate) fn read_use(batch: &mut Batch, hash: &KeyedHash, now: UnixSeconds) -> ChannelUseQuery {
    read_use_of(batch, CHANNEL_OF_KEY, &[hash.as_str().into()], now)
}

/// Does the same for the channel that an expression with these values returns.
pub(crate) fn read_use_of(batch: &mut Batch, channel: &str, values: &[Value], now: UnixSeconds) -> ChannelUseQuery {
    let day = day_of(now);
    let read = Statement::new(format!(
        "SELECT channels.id AS channel_id, channels.daily_upload_limit AS amount,
             coalesce(daily_usage.used, 0) AS used, coalesce(daily_usage.content_changes, 0) AS content_changes,
             channels.suspended_at_unix IS NOT NULL AS is_suspended
         FROM channels LEFT JOIN daily_usage ON daily_usage.channel_id = channels.id AND daily_usage.day = ?{}
         WHERE channels.id = {channel}",
        values.len() + 1
    ));
    let read = values.iter().cloned().fold(read, Statement::bind);
    ChannelUseQuery { row: batch.query(read.bind(day)), day }
}

/// The query of `read_use`.
pub(crate) struct ChannelUseQuery {
    row: Query<ChannelUseRow>,
    day: u64,
}

#[derive(Deserialize)]
struct ChannelUseRow {
    channel_id: ChannelId,
    amount: u32,
    used: u32,
    content_changes: u32,
    is_suspended: u8,
}

impl ChannelUseQuery {
    /// Returns the channel and its usage, or `None` if there is no such channel.
    pub(crate) fn read(self, answers: &Answers) -> Result<Option<ChannelUse>, DatabaseError> {
        let row = answers.first(self.row)?;
        Ok(row.map(|ChannelUseRow { channel_id, amount, used, content_changes, is_suspended }| {
            let usage = Usage { day: self.day, amount, used };
            ChannelUse { channel_id, usage, content_changes, is_suspended: is_suspended != 0 }
        }))
    }
}

/// Counts a use of the key, or returns `None` if the key is not valid.
pub(crate) async fn record_use(
    database: &impl Database,
    hash: &KeyedHash,
    now: UnixSeconds,
) -> Result<Option<ChannelUse>, DatabaseError> {
    let mut batch = Batch::default();
    count_use(&mut batch, hash, now);
    let channel_use = read_use(&mut batch, hash, now);
    channel_use.read(&database.run(batch).await?)
}

/// Counts a use of the key for an upload that is refused without a slot. Also returns how many were refused in this
/// hour, or `None` if the key is not valid.
pub(crate) async fn record_refused_upload(
    database: &impl Database,
    hash: &KeyedHash,
    now: UnixSeconds,
) -> Result<Option<(ChannelUse, u32)>, DatabaseError> {
    #[derive(Deserialize)]
    struct RefusedRow {
        refused_uploads: u32,
    }
    let count = Statement::new(constcat::concat!(
        "UPDATE api_keys SET uses_count = uses_count + 1, last_used_at_unix = ?3, ",
        refused_uploads::COUNT,
        " WHERE ",
        HAS_KEY,
        " RETURNING refused_uploads"
    ));
    let mut batch = Batch::default();
    move_to_current_pepper(&mut batch, hash);
    let refused = batch.query::<RefusedRow>(count.bind(hash.as_str()).bind(refused_uploads::hour_of(now)).bind(now));
    let channel_use = read_use(&mut batch, hash, now);
    let answers = database.run(batch).await?;
    let refused = answers.first(refused)?.map_or(0, |row| row.refused_uploads);
    Ok(channel_use.read(&answers)?.map(|channel_use| (channel_use, refused)))
}

/// The channel of a valid key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyChannel {
    pub channel_id: ChannelId,
    pub is_suspended: bool,
}

/// Returns the channel of a valid key, or `None` if the key is not valid. Does not count as a use.
pub(crate) async fn find_channel(
    database: &impl Database,
    hash: &KeyedHash,
) -> Result<Option<KeyChannel>, DatabaseError> {
    #[derive(Deserialize)]
    struct KeyRow {
        channel_id: ChannelId,
        is_suspended: u8,
    }
    let select = Statement::new(constcat::concat!(
        "SELECT channel_id, suspended_at_unix IS NOT NULL AS is_suspended
         FROM api_keys JOIN channels ON channels.id = channel_id WHERE ",
        has_key!("IN (?1, ?2)")
    ));
    let row: Option<KeyRow> = database.first(select.bind(hash.as_str()).bind(hash.second_or_same())).await?;
    Ok(row.map(|KeyRow { channel_id, is_suspended }| KeyChannel { channel_id, is_suspended: is_suspended != 0 }))
}

#[cfg(test)]
mod pepper_tests;
#[cfg(test)]
mod tests;
