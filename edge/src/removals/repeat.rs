//! Removes again what a restored database has brought back, and begins a new epoch of its ids.

use super::IDS_OF_EPOCH;
use super::contradictions::{CONTRADICTED, REVERSED};
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::slug::{Slug, slug_column};
use crate::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// A difference between the removal log and the database.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Contradiction {
    pub kind: String,
    pub subject: String,
    pub detail: String,
}

/// The statements that remove again. Evidence is kept before its content is deleted.
const REPEAT: [&str; 16] = [
    "DELETE FROM api_keys WHERE channel_id IN (
         SELECT channels.id FROM pending_removals JOIN channels ON account_id = CAST(subject AS INTEGER)
         JOIN api_keys AS held ON held.channel_id = channels.id
         WHERE kind = 'key' AND (held.key_hash = json_extract(data, '$.key_hash')
             OR coalesce(held.rotated_at_unix, held.created_at_unix) < happened_at_unix))",
    "INSERT INTO evidence (content_id, state, caption, summary, deleted_at_unix, kept_until_unix)
     SELECT id, json_extract(data, '$.state'), caption, ai_summary_of_content, json_extract(data, '$.deleted_at_unix'),
         json_extract(data, '$.kept_until_unix')
     FROM pending_removals JOIN contents ON uuid = subject
     WHERE kind = 'evidence' AND contents.state <> 'deleted'
         AND json_extract(data, '$.state') IN ('rejected', 'taken_down', 'scheduled', 'published')
         AND json_extract(data, '$.kept_until_unix') > unixepoch() ON CONFLICT DO NOTHING",
    "UPDATE contents SET state = 'deleted', generation = generation + 1, caption = NULL, ai_summary_of_content = NULL,
         external_id = NULL, metadata = NULL, traceparent = NULL, waits_for = NULL, waits_since_unix = NULL, claimed_by = NULL,
         claim_ends_at_unix = NULL, finished_at_unix = coalesce(finished_at_unix, unixepoch())
     WHERE state <> 'deleted' AND uuid IN (SELECT subject FROM pending_removals
         WHERE kind = 'content' AND json_extract(data, '$.state') = 'deleted')",
    "UPDATE contents SET caption = NULL WHERE caption IS NOT NULL
         AND uuid IN (SELECT subject FROM pending_removals WHERE kind = 'caption')",
    // A job makes the change, as for the owner. It comes before the captions, because these say which contents change.
    "UPDATE contents SET captions_change = 'pending', captions_error_code = NULL
     WHERE state NOT IN ('rejected', 'taken_down', 'deleted') AND id IN (
         SELECT content_id FROM pending_removals JOIN captions ON name = subject
         WHERE kind = 'captions' AND is_wanted = 1 AND is_shown = 1)",
    "DELETE FROM captions WHERE is_shown = 0
         AND name IN (SELECT subject FROM pending_removals WHERE kind = 'captions')",
    "UPDATE captions SET is_wanted = 0 WHERE is_wanted = 1
         AND name IN (SELECT subject FROM pending_removals WHERE kind = 'captions')",
    "UPDATE contents SET scheduled_publish_at_unix = held.publish_at_unix
     FROM (SELECT subject, json_extract(data, '$.publish_at_unix') AS publish_at_unix FROM pending_removals
         WHERE kind = 'schedule') AS held
     WHERE uuid = held.subject AND state IN ('processing', 'scheduled')
         AND coalesce(scheduled_publish_at_unix, 0) < held.publish_at_unix",
    "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix, content_id, at_ms)
     SELECT subject, json_extract(data, '$.reason'), json_extract(data, '$.added_by'), happened_at_unix,
         (SELECT id FROM contents WHERE uuid = json_extract(data, '$.content_uuid')), json_extract(data, '$.at_ms')
     FROM pending_removals WHERE kind = 'hash' ON CONFLICT (hash) DO NOTHING",
    "INSERT INTO blocked_files (sha256, reason, added_by, added_at_unix, content_id)
     SELECT subject, json_extract(data, '$.reason'), json_extract(data, '$.added_by'), happened_at_unix,
         (SELECT id FROM contents WHERE uuid = json_extract(data, '$.content_uuid'))
     FROM pending_removals WHERE kind = 'file' ON CONFLICT (sha256) DO NOTHING",
    "UPDATE channels SET erased_at_unix = unixepoch(), suspended_at_unix = coalesce(suspended_at_unix, unixepoch()),
         evidence_until_unix = (SELECT json_extract(data, '$.evidence_until_unix') FROM pending_removals
             WHERE kind = 'channel' AND CAST(subject AS INTEGER) = account_id)
     WHERE erased_at_unix IS NULL AND account_id IN (SELECT CAST(subject AS INTEGER) FROM pending_removals
         WHERE kind = 'channel' AND json_extract(data, '$.is_erased') = 1)",
    "UPDATE channels SET suspended_at_unix = unixepoch() WHERE suspended_at_unix IS NULL AND account_id IN (
         SELECT CAST(subject AS INTEGER) FROM pending_removals WHERE kind = 'channel')",
    "UPDATE access_tokens SET ended_by = 'restore', ends_at_unix = min(ends_at_unix, unixepoch())
     WHERE ended_by IS NULL AND token_hash IN (SELECT subject FROM pending_removals WHERE kind = 'token')",
    "UPDATE origin_keys SET ended_at_unix = unixepoch(), ended_by = 'restore'
     WHERE ended_at_unix IS NULL AND id IN (
         SELECT CAST(subject AS INTEGER) FROM pending_removals WHERE kind = 'origin_key')",
    "UPDATE webhooks SET state = 'disabled', pause_reason = NULL, paused_at_unix = NULL
     WHERE state <> 'disabled' AND uuid IN (
         SELECT subject FROM pending_removals WHERE kind IN ('webhook', 'webhook_url'))",
    "UPDATE webhooks SET previous_secret_ends_at_unix = NULL, secret_version = (
         SELECT max(json_extract(data, '$.version')) FROM pending_removals
         WHERE kind = 'webhook_secret' AND subject = uuid)
     WHERE id IN (SELECT held.id FROM pending_removals JOIN webhooks AS held ON held.uuid = subject
         WHERE kind = 'webhook_secret' AND json_extract(data, '$.version') > held.secret_version)",
];

/// A content that was taken down or rejected since the backup is so again. It may not have been published yet.
const REMOVE_CONTENTS: &str = "
    UPDATE contents SET state = iif(state = 'processing', 'rejected', 'taken_down'), generation = generation + 1,
        error_code = coalesce((SELECT json_extract(data, '$.error_code') FROM pending_removals
            WHERE kind = 'content' AND subject = uuid), ?1),
        error_detail = (SELECT json_extract(data, '$.error_detail') FROM pending_removals
            WHERE kind = 'content' AND subject = uuid),
        waits_for = NULL, waits_since_unix = NULL, claimed_by = NULL, claim_ends_at_unix = NULL,
        finished_at_unix = ?2
    WHERE state IN ('processing', 'scheduled', 'published') AND uuid IN (SELECT subject FROM pending_removals
        WHERE kind = 'content' AND json_extract(data, '$.state') IN ('rejected', 'taken_down'))";

/// The slugs of compacted contents are stored whole again, because the events of their removal have them.
const COMPACTED_CONTENTS: &str = concat!(
    "SELECT id, ",
    slug_column!(),
    " FROM contents
     WHERE is_compacted = 1 AND uuid IN (SELECT subject FROM pending_removals WHERE kind = 'content')"
);
const RESTORE_SLUGS: &str = "
    UPDATE contents SET slug_url = value ->> '$.slug_url' FROM json_each(?1)
    WHERE contents.id = value ->> '$.id' AND is_compacted = 1";

/// A compacted content that is removed again.
#[derive(Deserialize)]
struct CompactedContent {
    id: u64,
    slug_url: Slug,
}

/// The jobs that may have gone on since the backup start again, in a folder of R2 that was never used. What waits for a
/// person keeps its files.
const RESTART_JOBS: [&str; 3] = [
    "UPDATE contents SET generation = generation + 1, enqueued_at_unix = ?1, stage = 'queued', progress_percent = 0,
         claimed_by = NULL, claim_ends_at_unix = NULL, last_signed_at_unix = NULL, delivery_attempt = 0,
         waits_for = NULL, waits_since_unix = NULL, media = NULL, media_generation = NULL
     WHERE id IN (
         SELECT id FROM contents INDEXED BY contents_by_processing
         WHERE state = 'processing' AND waits_for IS NULL AND enqueued_at_unix >= 0
         UNION ALL
         SELECT id FROM contents WHERE state = 'processing' AND waits_for = 'check')",
    // Changes of the thumbnail and of the captions of an approved content.
    "UPDATE contents SET generation = generation + 1, enqueued_at_unix = ?1, claimed_by = NULL,
         claim_ends_at_unix = NULL, last_signed_at_unix = NULL, delivery_attempt = 0
     WHERE thumbnail_change = 'pending' AND state IN ('scheduled', 'published')",
    "UPDATE contents SET generation = generation + 1, enqueued_at_unix = ?1, claimed_by = NULL,
         claim_ends_at_unix = NULL, last_signed_at_unix = NULL, delivery_attempt = 0
     WHERE captions_change = 'pending' AND thumbnail_change IS NOT 'pending' AND state IN ('scheduled', 'published')",
];

/// The tables with `AUTOINCREMENT`, except for the log itself.
const NUMBERED: &str = r#"["uploads", "contents", "events", "webhooks", "decisions", "access_tokens",
    "origin_keys", "blocklist_additions", "trail"]"#;

/// Whether entries wait to be repeated.
pub(super) async fn has_pending(database: &impl Database) -> Result<bool, DatabaseError> {
    let select = Statement::new("SELECT 1 FROM removals WHERE is_pending = 1 LIMIT 1");
    database.returns_rows(select).await
}

/// Returns what the database contradicts, and the reversals that are not repeated. With a time, whatever the pending
/// entries say is also removed again, and a new epoch begins.
pub(super) async fn compare(
    database: &impl Database,
    repeat_at: Option<UnixSeconds>,
) -> Result<(Vec<Contradiction>, Vec<Contradiction>), DatabaseError> {
    let mut batch = Batch::default();
    let contradicted = CONTRADICTED.map(|sql| batch.query::<Contradiction>(Statement::new(sql)));
    let reversed = batch.query::<Contradiction>(Statement::new(REVERSED));
    if let Some(now) = repeat_at {
        restore_slugs(database, &mut batch).await?;
        repeat(&mut batch, now);
    }
    let answers = database.run(batch).await?;
    let contradicted: Result<Vec<_>, _> = contradicted.into_iter().map(|query| answers.all(query)).collect();
    Ok((contradicted?.concat(), answers.all(reversed)?))
}

async fn restore_slugs(database: &impl Database, batch: &mut Batch) -> Result<(), DatabaseError> {
    let contents: Vec<CompactedContent> = database.all(Statement::new(COMPACTED_CONTENTS)).await?;
    let restored = |content: CompactedContent| json!({ "id": content.id, "slug_url": content.slug_url.into_string() });
    let contents: Json = contents.into_iter().map(restored).collect();
    batch.execute(Statement::new(RESTORE_SLUGS).bind(contents.to_string()));
    Ok(())
}

fn repeat(batch: &mut Batch, now: UnixSeconds) {
    begin_epoch(batch);
    batch.execute(Statement::new(
        "INSERT INTO trail (actor, action, subject, detail)
         SELECT 'restore', 'removal_repeated', kind || ':' || subject, data FROM pending_removals
         WHERE kind <> 'epoch'",
    ));
    batch.execute(Statement::new(REMOVE_CONTENTS).bind(ErrorCode::ContentModerationRejected).bind(now));
    for sql in REPEAT {
        batch.execute(Statement::new(sql));
    }
    for sql in RESTART_JOBS {
        batch.execute(Statement::new(sql).bind(now));
    }
    batch.execute(Statement::new("UPDATE removals SET is_pending = 0 WHERE is_pending = 1"));
}

/// Adds the statements to the batch that keep lost ids from being given again. Sessions, messages in the queue, and
/// objects in R2 may still name them.
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
