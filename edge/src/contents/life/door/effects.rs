//! The effects of changes on other tables: files, flags, evidence, reports, decisions and daily limits.

use super::columns::Page;
use super::monthly_counts;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{AcceptedReport, AppealEffect, Blocks, Change, EvidenceEffect, StorageEffect};
use crate::contents::life::life::Life;
use crate::contents::life::rules::appeal::LATEST_REMOVAL;
use crate::people::keys::daily_changes;
use crate::platform::database::{Batch, DatabaseError, Statement, json_text};
use contract::ContentState;
use contract::api::{AUTOMATIC_POLICY, AppealState, DecisionAction};
use serde::Serialize;
use serde_json::json as object;

/// Adds a statement with the rows in JSON, unless there are none.
fn add<T: Serialize>(batch: &mut Batch, sql: &'static str, rows: &[T]) -> Result<(), DatabaseError> {
    if !rows.is_empty() {
        batch.execute(Statement::new(sql).bind(json_text(&rows)?));
    }
    Ok(())
}

/// Returns the ids of the contents whose change has this effect.
fn ids(page: &Page<'_>, has: impl Fn(&Change) -> bool) -> Vec<u64> {
    page.iter().filter(|(_, change)| has(change)).map(|(before, _)| before.content.id).collect()
}

/// Adds reports and decisions, and deletes frame hashes that no decision needs any more.
pub(super) fn add_judgements(batch: &mut Batch, page: &Page<'_>, now: UnixSeconds) -> Result<(), DatabaseError> {
    for (before, change) in page {
        if let Some(report) = &change.effects.report {
            add_report(batch, before, report, now)?;
        }
        add_decision(batch, before, change, now)?;
        add_appeal(batch, before, change, now);
        if is_rejected_by_checks(change) && !before.content.is_removed() {
            monthly_counts::add(batch, "automatic_rejection", now);
        }
    }
    add(
        batch,
        "DELETE FROM frame_hashes WHERE content_id IN (SELECT value FROM json_each(?1))",
        &ids(page, |change| change.effects.forgets_frames),
    )
}

/// Stores an accepted report with its fingerprint, which distinguishes a repeated report from a different one.
fn add_report(
    batch: &mut Batch,
    before: &Life,
    report: &AcceptedReport,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let (id, generation) = (before.content.id, report.generation);
    let insert = Statement::new(
        "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, recommendation, received_at_unix,
             blocklist_version)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    );
    let insert = insert.bind(id).bind(generation).bind(report.origin.as_str()).bind(report.fingerprint.as_str());
    let insert = insert.bind(report.kind).bind(report.recommendation).bind(now).bind(report.blocklist_version);
    batch.execute(insert);
    let of_report = |sql, rows: String| Statement::new(sql).bind(id).bind(generation).bind(rows);
    if !report.findings.is_empty() {
        let sql = "INSERT INTO findings
                 (content_id, generation, number, check_name, recommendation, from_ms, until_ms, score, note)
             SELECT ?1, ?2, key, value ->> '$.check', value ->> '$.recommendation', value ->> '$.from_ms',
                 value ->> '$.until_ms', value ->> '$.score', value ->> '$.note' FROM json_each(?3)";
        batch.execute(of_report(sql, json_text(&report.findings)?));
    }
    if !report.caught_by.is_empty() {
        let sql = "INSERT INTO blocklist_catches (hash, content_id, caught_at_unix)
             SELECT value, ?1, ?2 FROM json_each(?3) WHERE true ON CONFLICT DO NOTHING";
        batch.execute(Statement::new(sql).bind(id).bind(now).bind(json_text(&report.caught_by)?));
    }
    // Frame hashes are used only if a moderator rejects the content. Storing them for every content would fill the
    // database.
    if !report.frames.is_empty() {
        let sql = "INSERT INTO frame_hashes (content_id, generation, number, at_ms, hash)
             SELECT ?1, ?2, key, value ->> '$.at_ms', value ->> '$.hash' FROM json_each(?3)";
        batch.execute(of_report(sql, json_text(&report.frames)?));
    }
    Ok(())
}

fn add_decision(batch: &mut Batch, before: &Life, change: &Change, now: UnixSeconds) -> Result<(), DatabaseError> {
    let Some(decision) = &change.effects.decision else { return Ok(()) };
    let content = &before.content;
    let record = Statement::new(
        "INSERT INTO decisions (action, content_id, generation, reason, made_by, decided_at_unix, policy_code)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    );
    let record = record.bind(decision.action).bind(content.id).bind(content.generation);
    let record = record.bind(decision.reason.as_str()).bind(decision.by.as_str()).bind(now);
    batch.execute(record.bind(decision.policy_code.as_deref()));
    monthly_counts::add_decision(batch, before, decision, now);
    // Whoever sets a label still has to decide about the content.
    if decision.action != DecisionAction::Label {
        let end_claim = Statement::new("DELETE FROM review_claims WHERE content_id = ?1");
        batch.execute(end_claim.bind(content.id));
    }
    let block = |sql, what: String| {
        let block = Statement::new(sql).bind(content.id).bind(decision.reason.as_str());
        block.bind(decision.by.as_str()).bind(now).bind(what).bind(content.uuid.as_str())
    };
    match &decision.blocks {
        Blocks::Nothing => {}
        Blocks::Withdrawn => {
            let frames = Statement::new("DELETE FROM blocked_hashes WHERE content_id = ?1");
            batch.execute(frames.bind(content.id));
            let file = Statement::new("DELETE FROM blocked_files WHERE content_id = ?1");
            batch.execute(file.bind(content.id));
        }
        Blocks::Added { kept_frames, reported_frames } => {
            if *reported_frames {
                batch.execute(block(BLOCK_REPORTED_FRAMES, content.generation.to_string()));
            } else {
                batch.execute(block(BLOCK_FRAMES, json_text(kept_frames)?));
            }
            // A compacted content whose details are lost has no hash.
            if !content.file_sha256.is_empty() {
                batch.execute(block(BLOCK_FILE, content.file_sha256.clone()));
            }
        }
    }
    Ok(())
}

fn is_rejected_by_checks(change: &Change) -> bool {
    let content = &change.after.content;
    content.state == ContentState::Rejected && content.policy_code.as_deref() == Some(AUTOMATIC_POLICY)
}

fn add_appeal(batch: &mut Batch, before: &Life, change: &Change, now: UnixSeconds) {
    let id = before.content.id;
    match &change.effects.appeal {
        None => {}
        Some(AppealEffect::Made { text }) => {
            batch.execute(Statement::new(APPEAL).bind(id).bind(text.as_str()).bind(now));
            monthly_counts::add(batch, "appeal_made", now);
        }
        Some(AppealEffect::Decided(state)) => {
            let update = Statement::new(
                "UPDATE appeals SET state = ?2, decided_at_unix = ?3 WHERE content_id = ?1 AND state = 'pending'",
            );
            batch.execute(update.bind(id).bind(state.as_str()).bind(now));
            let is_granted = *state == AppealState::Granted;
            monthly_counts::add(batch, if is_granted { "appeal_granted" } else { "appeal_rejected" }, now);
        }
    }
}

const APPEAL: &str = constcat::concat!(
    "INSERT INTO appeals (content_id, decision_id, text, state, made_at_unix) SELECT id, ",
    LATEST_REMOVAL,
    ", ?2, 'pending', ?3 FROM contents WHERE id = ?1
     ON CONFLICT (content_id) DO UPDATE SET decision_id = excluded.decision_id, text = excluded.text,
         state = 'pending', made_at_unix = excluded.made_at_unix, decided_at_unix = NULL"
);
const BLOCK_REPORTED_FRAMES: &str = "
    INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix, content_id, at_ms)
    SELECT hash, ?6, ?2, ?3, ?4, ?1, min(at_ms) FROM frame_hashes
    WHERE content_id = ?1 AND generation = CAST(?5 AS INTEGER) GROUP BY hash
    ON CONFLICT (hash, content_uuid) DO NOTHING";
const BLOCK_FRAMES: &str = "
    INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix, content_id, at_ms)
    SELECT value ->> '$.hash', ?6, ?2, ?3, ?4, ?1, min(value ->> '$.at_ms') FROM json_each(?5) WHERE true
    GROUP BY value ->> '$.hash' ON CONFLICT (hash, content_uuid) DO NOTHING";
const BLOCK_FILE: &str = "
    INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix, content_id)
    VALUES (?5, ?6, ?2, ?3, ?4, ?1) ON CONFLICT (sha256, content_uuid) DO NOTHING";

/// Adds everything else.
pub(super) fn add_after(batch: &mut Batch, page: &Page<'_>, now: UnixSeconds) -> Result<(), DatabaseError> {
    add(
        batch,
        "INSERT INTO cleanups (content_id) SELECT value FROM json_each(?1) WHERE true
         ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL",
        &ids(page, |change| change.effects.needs_cleanup),
    )?;
    let used: Vec<_> = page.iter().flat_map(|(_, change)| &change.effects.used).collect();
    add(batch, "DELETE FROM garbage WHERE upload_uuid IN (SELECT value FROM json_each(?1))", &used)?;
    let garbage: Vec<_> = page.iter().flat_map(|(_, change)| &change.effects.garbage).collect();
    add(
        batch,
        "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) SELECT value, 0 FROM json_each(?1) WHERE true
         ON CONFLICT (upload_uuid) DO NOTHING",
        &garbage,
    )?;
    let unflagged = ids(page, |change| change.effects.drops_flag);
    add(batch, "DELETE FROM abuse_reports WHERE content_id IN (SELECT value FROM json_each(?1))", &unflagged)?;
    add(batch, "DELETE FROM flags WHERE content_id IN (SELECT value FROM json_each(?1))", &unflagged)?;
    add_evidence(batch, page)?;
    add_forgotten_words(batch, page)?;
    for (before, _) in page.iter().filter(|(_, change)| change.effects.is_counted) {
        batch.execute(daily_changes::count_content_change(
            before.content.channel_id,
            before.facts.daily_upload_limit,
            now,
        ));
    }
    add_storage(batch, page)
}

fn add_evidence(batch: &mut Batch, page: &Page<'_>) -> Result<(), DatabaseError> {
    let (mut kept, mut decided) = (Vec::new(), Vec::new());
    for (before, change) in page {
        match &change.effects.evidence {
            None => {}
            Some(EvidenceEffect::TakenDown) => decided.push(before.content.id),
            Some(EvidenceEffect::Kept(evidence)) => {
                kept.push(object!({ "content_id": before.content.id, "evidence": evidence }));
            }
        }
    }
    add(
        batch,
        "INSERT INTO evidence (content_id, state, caption, summary, deleted_at_unix, kept_until_unix)
         SELECT value ->> '$.content_id', value ->> '$.evidence.state', value ->> '$.evidence.caption',
             value ->> '$.evidence.summary', value ->> '$.evidence.deleted_at_unix',
             value ->> '$.evidence.kept_until_unix'
         FROM json_each(?1) WHERE true ON CONFLICT (content_id) DO NOTHING",
        &kept,
    )?;
    add(
        batch,
        "UPDATE evidence SET state = 'taken_down' WHERE content_id IN (SELECT value FROM json_each(?1))",
        &decided,
    )?;
    // Undecided evidence always has a flag, even in a restored database that has lost the reports.
    add(
        batch,
        "INSERT INTO flags (content_id, state, flagged_at_unix)
         SELECT content_id, contents.state, deleted_at_unix FROM json_each(?1) JOIN evidence ON content_id = value
             JOIN contents ON contents.id = content_id
         WHERE true ON CONFLICT (content_id) DO NOTHING",
        &ids(page, |change| change.effects.keeps_flag()),
    )?;
    add(
        batch,
        "INSERT INTO removals (kind, subject, data)
         SELECT 'evidence', contents.uuid, json_object('state', evidence.state, 'deleted_at_unix', deleted_at_unix,
             'kept_until_unix', kept_until_unix)
         FROM json_each(?1) JOIN evidence ON evidence.content_id = value JOIN contents ON contents.id = value",
        &ids(page, |change| change.effects.evidence.is_some()),
    )
}

fn add_forgotten_words(batch: &mut Batch, page: &Page<'_>) -> Result<(), DatabaseError> {
    let deleted = ids(page, |change| change.effects.forgets_words);
    add(batch, "DELETE FROM appeals WHERE content_id IN (SELECT value FROM json_each(?1))", &deleted)?;
    add(
        batch,
        "UPDATE events SET data = json_set(data, '$.slug_url', substr(json_extract(data, '$.slug_url'), -10))
         WHERE content_id IN (SELECT value FROM json_each(?1))",
        &deleted,
    )?;
    // A response may repeat the words that were sent.
    add(
        batch,
        "UPDATE webhook_deliveries SET body_start = NULL
         WHERE body_start IS NOT NULL AND (webhook_id, event_id) IN (
             SELECT webhooks.id, events.id FROM json_each(?1) JOIN events ON events.content_id = value
                 JOIN webhooks ON webhooks.channel_id = events.channel_id)",
        &deleted,
    )?;
    // A classifier may quote the owner's words. If evidence is kept, the notes are part of it.
    add(
        batch,
        "UPDATE findings SET note = NULL WHERE content_id IN (SELECT value FROM json_each(?1)
             WHERE NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.content_id = value)) AND note IS NOT NULL",
        &deleted,
    )
}

/// Moves the details of compacted contents out of the database, and of expanded contents back.
fn add_storage(batch: &mut Batch, page: &Page<'_>) -> Result<(), DatabaseError> {
    let compacted = ids(page, |change| change.effects.storage == Some(StorageEffect::Compacted));
    for sql in [
        // A report that arrived while the content waited for a check may have left frame hashes.
        "DELETE FROM frame_hashes WHERE content_id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM findings WHERE content_id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM reports WHERE content_id IN (SELECT value FROM json_each(?1))",
        SHORTEN_UPLOADS,
    ] {
        add(batch, sql, &compacted)?;
    }
    for (before, change) in page {
        let Some(StorageEffect::Expanded { reports, findings, upload_uuid }) = &change.effects.storage else {
            continue;
        };
        let insert = |sql, rows: &str| Statement::new(sql).bind(before.content.id).bind(rows);
        batch.execute(insert(INSERT_REPORTS, reports));
        batch.execute(insert(INSERT_FINDINGS, findings));
        if let Some(uuid) = upload_uuid {
            let restore = Statement::new(
                "UPDATE uploads SET uuid = ?2 WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = ?2)",
            );
            batch.execute(restore.bind(before.content.id).bind(uuid));
        }
    }
    Ok(())
}

/// The token is kept, so that a repeated upload never creates a second video. Half of a fingerprint is enough to
/// compare uploads. The source is deleted, so its name is not needed.
const SHORTEN_UPLOADS: &str = "
    UPDATE uploads SET id = id, uuid = CAST(id AS TEXT), lease_ends_at_unix = 0, multipart_id = NULL,
        fingerprint = iif(upload_token IS NULL, NULL, substr(fingerprint, 1, 32)),
        limit_day = iif(upload_token IS NULL, NULL, limit_day),
        limit_amount = iif(upload_token IS NULL, NULL, limit_amount),
        limit_used = iif(upload_token IS NULL, NULL, limit_used),
        scheduled_publish_at_unix = iif(upload_token IS NULL, NULL, scheduled_publish_at_unix)
    WHERE id IN (SELECT value FROM json_each(?1))";
const INSERT_REPORTS: &str = "
    INSERT INTO reports (content_id, generation, origin, fingerprint, kind, recommendation, received_at_unix,
        blocklist_version)
    SELECT ?1, value ->> '$.generation', value ->> '$.origin', value ->> '$.fingerprint', value ->> '$.kind',
        value ->> '$.recommendation', value ->> '$.received_at_unix', value ->> '$.blocklist_version'
    FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING";
const INSERT_FINDINGS: &str = "
    INSERT INTO findings (content_id, generation, number, check_name, recommendation, from_ms, until_ms, score, note)
    SELECT ?1, value ->> '$.generation', value ->> '$.number', value ->> '$.check_name', value ->> '$.recommendation',
        value ->> '$.from_ms', value ->> '$.until_ms', value ->> '$.score', value ->> '$.note'
    FROM json_each(?2) WHERE true ON CONFLICT DO NOTHING";
