//! The statements that accept a report, apply its effect and store its findings in one transaction.
//!
//! The first inserts the report's row if the job is still open. All others depend on that row.

use super::report_effect::{ReportEffect, truncated};
use crate::ports::database::{Batch, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::job::{JobOutcome, JobReport};
use contract::moderation::strictest_recommendation;
use contract::{ContentEvent, ContentState};
use serde::Serialize;

/// The condition under which an accepted report takes effect: its job is still open.
macro_rules! where_accepted {
    () => {
        " WHERE uuid = ?1 AND generation = ?2 AND state = 'processing' AND waits_for IS NULL
             AND EXISTS (SELECT 1 FROM reports
                 WHERE content_id = contents.id AND generation = ?2 AND fingerprint = ?3)"
    };
}

const APPROVE: &str = concat!(
    "UPDATE contents SET state = CASE WHEN scheduled_publish_at_unix > ?4 THEN ?5 ELSE ?6 END,
         published_at_unix = CASE WHEN scheduled_publish_at_unix > ?4 THEN NULL ELSE ?4 END,
         finished_at_unix = ?4, media = ?7, media_generation = generation,
         claimed_by = NULL, claim_ends_at_unix = NULL",
    where_accepted!()
);
const WAIT: &str = concat!(
    "UPDATE contents SET waits_for = ?5, waits_since_unix = ?4, check_waits = check_waits + (?5 = 'check'),
         stage = 'moderate', media = ?6, media_generation = generation, claimed_by = NULL, claim_ends_at_unix = NULL",
    where_accepted!()
);
const END: &str = concat!(
    "UPDATE contents SET state = ?5, error_code = ?6, error_detail = ?7, finished_at_unix = ?4,
         claimed_by = NULL, claim_ends_at_unix = NULL",
    where_accepted!()
);

/// Adds the origin's explanation of a failure. The owner sees only the text of the error code.
const EXPLAIN_DEAD_LETTER: &str = "UPDATE dead_letters SET error_detail = ?4
     WHERE generation = ?2 AND content_id = (SELECT id FROM contents WHERE uuid = ?1)
         AND EXISTS (SELECT 1 FROM reports WHERE reports.content_id = dead_letters.content_id
             AND reports.generation = ?2 AND fingerprint = ?3)";

const INSERT_FINDINGS: &str = "INSERT INTO findings
         (content_id, generation, number, check_name, recommendation, from_ms, until_ms, score, note)
     SELECT content_id, reports.generation, key, json_extract(value, '$.check'), json_extract(value, '$.recommendation'),
         json_extract(value, '$.from_ms'), json_extract(value, '$.until_ms'), json_extract(value, '$.score'),
         json_extract(value, '$.note')
     FROM reports JOIN contents ON contents.id = content_id JOIN json_each(?4)
     WHERE uuid = ?1 AND reports.generation = ?2 AND fingerprint = ?3 AND blocklist_version IS ?5
     ON CONFLICT DO NOTHING";
const INSERT_FRAMES: &str = "INSERT INTO frame_hashes (content_id, generation, number, at_ms, hash)
     SELECT content_id, reports.generation, key, json_extract(value, '$.at_ms'), json_extract(value, '$.hash')
     FROM reports JOIN contents ON contents.id = content_id JOIN json_each(?4)
     WHERE uuid = ?1 AND reports.generation = ?2 AND fingerprint = ?3 AND blocklist_version IS ?5
     ON CONFLICT DO NOTHING";

/// The values that the statements bind.
pub(super) struct ReportStatements<'a> {
    pub report: &'a JobReport,
    /// The report's outcome, with the edge's own findings added.
    pub outcome: &'a JobOutcome,
    pub blocklist_version: Option<u64>,
    /// The hash of the report as the origin sent it.
    pub fingerprint: String,
    pub now: UnixSeconds,
}

impl ReportStatements<'_> {
    /// Adds the statements that accept the report.
    pub(super) fn add_changes(&self, effect: &ReportEffect<'_>, batch: &mut Batch) -> Result<(), DatabaseError> {
        batch.execute(self.insert_report());
        batch.execute(self.apply(effect)?);
        if let JobOutcome::Failed { detail } = self.outcome {
            batch.execute(self.statement(EXPLAIN_DEAD_LETTER).bind(truncated(detail)));
        }
        if let JobOutcome::Processed { findings, frames, .. } = self.outcome {
            batch.execute(self.insert_evidence(INSERT_FINDINGS, findings)?);
            // Frame hashes are used only if a moderator rejects the content. Storing them for every content would fill
            // the database.
            if matches!(effect, ReportEffect::Wait { .. }) {
                batch.execute(self.insert_evidence(INSERT_FRAMES, frames)?);
            }
        }
        Ok(())
    }

    /// Inserts the report, if it is the first of its generation and the origin that claimed the job sent it.
    fn insert_report(&self) -> Statement {
        let (kind, recommendation) = match self.outcome {
            JobOutcome::Processed { findings, .. } => ("processed", Some(strictest_recommendation(findings))),
            JobOutcome::Refused { .. } => ("refused", None),
            JobOutcome::Failed { .. } | JobOutcome::Thumbnail { .. } | JobOutcome::Captions { .. } => ("failed", None),
        };
        self.statement(
            "INSERT INTO reports
                 (content_id, generation, origin, fingerprint, kind, recommendation, received_at_unix, blocklist_version)
             SELECT id, generation, claimed_by, ?3, ?5, ?6, ?7, ?8 FROM contents
             WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?4 AND state = 'processing' AND waits_for IS NULL
                 AND (?8 IS NULL OR ?8 = (SELECT version FROM blocklist_version))
             ON CONFLICT DO NOTHING",
        )
        .bind(self.report.id.origin.as_str())
        .bind(kind)
        .bind(recommendation)
        .bind(self.now)
        .bind(self.blocklist_version)
    }

    fn apply(&self, effect: &ReportEffect<'_>) -> Result<Statement, DatabaseError> {
        let statement = |sql| self.statement(sql).bind(self.now);
        Ok(match effect {
            ReportEffect::Approve(media) => statement(APPROVE)
                .bind(state_after(ContentEvent::ApprovedForLater))
                .bind(state_after(ContentEvent::Approved))
                .bind(json(media)?),
            ReportEffect::Wait { media, waits_for } => statement(WAIT).bind(*waits_for).bind(json(media)?),
            ReportEffect::End { event, code, detail } => {
                statement(END).bind(state_after(*event)).bind(*code).bind(detail.as_str())
            }
        })
    }

    fn insert_evidence(&self, sql: &'static str, evidence: &impl Serialize) -> Result<Statement, DatabaseError> {
        let insert = self.statement(sql).bind(json(evidence)?);
        Ok(insert.bind(self.blocklist_version))
    }

    /// Returns the query for the content's state, and whether the report was accepted.
    pub(super) fn read_answer(&self) -> Statement {
        self.statement(
            "SELECT state, EXISTS (SELECT 1 FROM reports
                     WHERE content_id = contents.id AND generation = ?2 AND fingerprint = ?3) AS accepted,
                 coalesce(?4 = (SELECT version FROM blocklist_version), 1) AS is_same_list
             FROM contents WHERE uuid = ?1",
        )
        .bind(self.blocklist_version)
    }

    fn statement(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.report.id.content_uuid.as_str())
            .bind(self.report.id.generation)
            .bind(self.fingerprint.as_str())
    }
}

/// Returns the state that the event leads to from `processing`.
fn state_after(event: ContentEvent) -> Option<ContentState> {
    ContentState::Processing.next(event)
}

/// Returns the statement with the job of the report: its content, its generation and its origin.
pub(super) fn bind(sql: &'static str, report: &JobReport) -> Statement {
    let id = &report.id;
    Statement::new(sql).bind(id.content_uuid.as_str()).bind(id.generation).bind(id.origin.as_str())
}

/// Serialises a value for a column that holds JSON.
pub(super) fn json(value: &impl Serialize) -> Result<String, DatabaseError> {
    serde_json::to_string(value).map_err(|error| DatabaseError::Shape(error.to_string()))
}
