//! Repeats the removals that a restored database has lost, and begins a new epoch of its ids.
//!
//! The first transaction begins the epoch and repeats everything but the removals of contents and the erasure of
//! accounts: keys and tokens end before anything else. The contents follow, a page per transaction, and erasures come
//! last, because an erasure would delete contents without the evidence that the log keeps. An interrupted repetition
//! continues where it stopped, in the same epoch: a new epoch would restart every job. It does not end keys, webhooks
//! and uploads a second time, because their owners may have made new ones since.

use super::contents;
use super::contradictions::{CONTRADICTED, NOT_REPEATED};
use crate::base::unix_seconds::UnixSeconds;
use crate::journal::removals::IDS_OF_EPOCH;
use crate::moderation::suspensions;
use crate::people::keys::key_store;
use crate::people::keys::open_uploads::{IS_UNFINISHED, end_resumable_uploads, release_uploads, revoke_direct_uploads};
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use crate::upkeep::accounts::erasure;
use crate::webhooks;
use serde::Deserialize;

/// A difference between the removal log and the database.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Contradiction {
    pub kind: String,
    pub subject: String,
    pub detail: String,
}

/// Entries that are repeated after the first transaction.
const IS_LATE: &str = "kind IN ('content', 'evidence', 'caption', 'captions', 'schedule', 'presentation', 'channel')";

/// The statements of the first transaction that need no others.
const REPEAT: [&str; 5] = [
    "UPDATE access_tokens SET ended_by = 'restore', ends_at_unix = min(ends_at_unix, unixepoch())
     WHERE ended_by IS NULL AND token_hash IN (SELECT subject FROM pending_removals WHERE kind = 'token')",
    "UPDATE origin_keys SET ended_at_unix = unixepoch(), ended_by = 'restore'
     WHERE ended_at_unix IS NULL AND id IN (
         SELECT CAST(subject AS INTEGER) FROM pending_removals WHERE kind = 'origin_key')",
    "INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix, content_id, at_ms)
     SELECT json_extract(data, '$.hash'), json_extract(data, '$.content_uuid'), json_extract(data, '$.reason'),
         json_extract(data, '$.added_by'), happened_at_unix,
         (SELECT id FROM contents WHERE uuid = json_extract(data, '$.content_uuid')), json_extract(data, '$.at_ms')
     FROM pending_removals WHERE kind = 'hash' ON CONFLICT (hash, content_uuid) DO NOTHING",
    "INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix, content_id)
     SELECT json_extract(data, '$.sha256'), json_extract(data, '$.content_uuid'), json_extract(data, '$.reason'),
         json_extract(data, '$.added_by'), happened_at_unix,
         (SELECT id FROM contents WHERE uuid = json_extract(data, '$.content_uuid'))
     FROM pending_removals WHERE kind = 'file' ON CONFLICT (sha256, content_uuid) DO NOTHING",
    "UPDATE webhooks SET previous_secret_ends_at_unix = NULL, secret_version = (
         SELECT max(json_extract(data, '$.version')) FROM pending_removals
         WHERE kind = 'webhook_secret' AND subject = uuid)
     WHERE id IN (SELECT held.id FROM pending_removals JOIN webhooks AS held ON held.uuid = subject
         WHERE kind = 'webhook_secret' AND json_extract(data, '$.version') > held.secret_version)",
];

/// The keys that were deleted or replaced.
const REMOVED_KEYS: &str = "channel_id IN (
    SELECT channels.id FROM pending_removals JOIN channels ON account_id = CAST(subject AS INTEGER)
    JOIN api_keys AS held ON held.channel_id = channels.id
    WHERE kind = 'key' AND (held.key_hash = json_extract(data, '$.key_hash')
        OR coalesce(held.rotated_at_unix, held.created_at_unix) < happened_at_unix))";

/// Not from `pending_removals`, because journaling the suspension adds later entries. An erasure is never reversed.
const ERASE_CHANNELS: &str = "
    UPDATE channels SET erased_at_unix = unixepoch(), suspended_at_unix = coalesce(suspended_at_unix, unixepoch()),
        evidence_until_unix = (SELECT max(json_extract(data, '$.evidence_until_unix')) FROM removals
            WHERE is_pending = 1 AND kind = 'channel' AND CAST(subject AS INTEGER) = account_id)
    WHERE erased_at_unix IS NULL AND account_id IN (SELECT CAST(subject AS INTEGER) FROM removals
        WHERE is_pending = 1 AND kind = 'channel' AND json_extract(data, '$.is_erased') = 1)";
const SUSPEND_CHANNELS: &str = "
    UPDATE channels SET suspended_at_unix = unixepoch() WHERE suspended_at_unix IS NULL AND account_id IN (
        SELECT CAST(subject AS INTEGER) FROM pending_removals WHERE kind = 'channel')";
/// The removed channels. Not from `pending_removals`, because journaling the repetition adds later entries.
const REMOVED_CHANNELS: &str = "account_id IN (
    SELECT CAST(subject AS INTEGER) FROM removals WHERE is_pending = 1 AND is_removed = 1 AND kind = 'channel')";
const REMOVED_WEBHOOKS: &str =
    "uuid IN (SELECT subject FROM pending_removals WHERE kind IN ('webhook', 'webhook_url'))";

/// The tables with `AUTOINCREMENT`, except for the log itself.
const NUMBERED: &str = r#"["uploads", "events", "webhooks", "decisions", "access_tokens",
    "origin_keys", "blocklist_additions", "trail"]"#;

/// Whether any entries are pending.
pub(super) async fn has_pending(database: &impl Database) -> Result<bool, DatabaseError> {
    let select = Statement::new("SELECT 1 FROM removals WHERE is_pending = 1 LIMIT 1");
    database.returns_rows(select).await
}

/// Returns the entries that the database contradicts, and those that are never repeated.
pub(super) async fn compare(
    database: &impl Database,
) -> Result<(Vec<Contradiction>, Vec<Contradiction>), DatabaseError> {
    let mut batch = Batch::default();
    let contradicted = CONTRADICTED.map(|sql| batch.query::<Contradiction>(Statement::new(sql)));
    let not_repeated = batch.query::<Contradiction>(Statement::new(NOT_REPEATED));
    let answers = database.run(batch).await?;
    let contradicted: Result<Vec<_>, _> = contradicted.into_iter().map(|query| answers.all(query)).collect();
    Ok((contradicted?.concat(), answers.all(not_repeated)?))
}

/// Repeats all pending removals. Fails if a content could not be changed; everything else but erasures is done then.
pub(super) async fn repeat(
    database: &impl Database,
    begins_anyway: bool,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    if begins_anyway || !has_begun(database).await? {
        let mut batch = Batch::default();
        begin_epoch(&mut batch);
        end_keys_and_the_rest(&mut batch);
        finish(&mut batch, &format!("NOT {IS_LATE}"));
        database.run(batch).await?;
    }
    let removed = contents::remove_again(database, now).await;
    contents::restart_jobs(database, now).await?;
    removed?;
    let mut batch = Batch::default();
    batch.execute(Statement::new(ERASE_CHANNELS));
    erasure::add_consequences(&mut batch, &format!("erasure_due_at_unix IS NULL AND {REMOVED_CHANNELS}"), &[]);
    finish(&mut batch, IS_LATE);
    database.run(batch).await.map(drop)
}

/// Whether an interrupted repetition of the pending entries has begun its epoch: its entry is newer than theirs.
async fn has_begun(database: &impl Database) -> Result<bool, DatabaseError> {
    let select = Statement::new(
        "SELECT 1 FROM removals WHERE kind = 'epoch' AND is_pending = 0
             AND id > (SELECT max(id) FROM removals WHERE is_pending = 1) LIMIT 1",
    );
    database.returns_rows(select).await
}

fn end_keys_and_the_rest(batch: &mut Batch) {
    key_store::delete_keys(batch, REMOVED_KEYS, &[]);
    for sql in REPEAT {
        batch.execute(Statement::new(sql));
    }
    webhooks::disable(batch, REMOVED_WEBHOOKS, &[]);
    batch.execute(Statement::new(SUSPEND_CHANNELS));
    suspensions::add_consequences(batch, REMOVED_CHANNELS, &[]);
    end_unfinished_uploads(batch);
}

/// Adds the statements that record the pending entries of some kinds in the trail, as repeated. Only the last pending
/// entry of each subject counts; the repetition has added later ones of its own.
fn finish(batch: &mut Batch, kinds: &str) {
    batch.execute(Statement::new(format!(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT 'restore', 'removal_repeated', kind || ':' || subject, data FROM removals INDEXED BY removals_to_repeat
         WHERE is_pending = 1 AND is_removed = 1 AND kind <> 'epoch' AND {kinds} AND NOT EXISTS (
             SELECT 1 FROM removals AS later WHERE later.kind = removals.kind AND later.subject = removals.subject
                 AND later.name > removals.name AND later.is_pending = 1)"
    )));
    batch.execute(Statement::new(format!("UPDATE removals SET is_pending = 0 WHERE is_pending = 1 AND {kinds}")));
}

/// Adds the statements that end unfinished uploads and one-time tokens: since the backup, the objects of an upload may
/// have changed, and a token may have been used or revoked. Clients begin again.
fn end_unfinished_uploads(batch: &mut Batch) {
    // All of them: the times only choose the index.
    end_resumable_uploads(batch, &format!("expires_at_unix > 0 AND {IS_UNFINISHED}"), &[]);
    release_uploads(batch, "lease_ends_at_unix > 0", &[]);
    revoke_direct_uploads(batch, "expires_at_unix > 0", &[]);
}

/// Adds the statements that prevent the reuse of lost ids. Sessions, messages in the queue, and objects in R2 may still
/// name them.
fn begin_epoch(batch: &mut Batch) {
    batch.execute(Statement::new("INSERT INTO removals (kind, subject) SELECT 'epoch', number + 1 FROM current_epoch"));
    // A table that was empty in the backup has no row there.
    let add = Statement::new(
        "INSERT INTO sqlite_sequence (name, seq) SELECT value, 0 FROM json_each(?1)
         WHERE value NOT IN (SELECT name FROM sqlite_sequence)",
    );
    batch.execute(add.bind(NUMBERED));
    let raise = Statement::new(
        "UPDATE sqlite_sequence SET seq = max(seq, CAST(?1 AS INTEGER) * (SELECT number FROM current_epoch))
         WHERE name IN (SELECT value FROM json_each(?2))",
    );
    batch.execute(raise.bind(IDS_OF_EPOCH).bind(NUMBERED));
}
