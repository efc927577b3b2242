//! The result of a job, as its origin reports it, and its effect on the content.
//!
//! One report per generation is accepted. A row with its fingerprint records it, so that a repeated report gets the
//! same answer and a different one is refused. Acceptance, effect and findings are one transaction, which requires that
//! the blocklist has not changed since the frames were compared with it.

use super::captions_report::accept_captions;
use super::demands::{KnownFacts, ProcessedVideo, missing_evidence};
use super::report_effect::effect_of;
use super::report_statements::{ReportStatements, json};
use super::reported_work::reported_work;
use super::thumbnail_report::accept_thumbnail;
use crate::auth::hash::sha256_hex;
use crate::moderation::screening::{Blocklist, Comparison, MAX_COMPARISONS, Screening, changed_each_time};
use crate::ports::database::{Batch, Database, DatabaseError};
use crate::ports::object_store::ObjectStore;
use crate::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::job::{JobOutcome, JobReport, JobWork, ReportAnswer};
use contract::moderation::Finding;
use serde::Deserialize;

/// Accepts a valid report from the origin that claimed the job. Missing evidence becomes a finding.
pub(crate) async fn accept_report<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    report: &JobReport,
    facts: KnownFacts<'_>,
    now: UnixSeconds,
) -> Result<ReportAnswer, DatabaseError> {
    match reported_work(blocklist.database, report).await? {
        JobWork::Captions => accept_captions(blocklist.database, report, facts).await,
        JobWork::Thumbnail => accept_thumbnail(blocklist, report, facts.stored).await,
        JobWork::Video => accept_video(blocklist, report, facts, now).await,
    }
}

async fn accept_video<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    report: &JobReport,
    facts: KnownFacts<'_>,
    now: UnixSeconds,
) -> Result<ReportAnswer, DatabaseError> {
    let missing = match &report.outcome {
        JobOutcome::Processed { media, frames, examination, .. } => {
            missing_evidence(report, ProcessedVideo { media, frames, examination }, facts)
        }
        _ => Vec::new(),
    };
    let frames = match &report.outcome {
        JobOutcome::Processed { frames, .. } => frames.as_slice(),
        _ => &[],
    };
    let mut comparison = Comparison::new(frames);
    for _ in 0..MAX_COMPARISONS {
        let screening = comparison.update(blocklist).await?;
        if let Some(answer) = accept_screened(blocklist.database, report, (screening, &missing), now).await? {
            return Ok(answer);
        }
    }
    Err(changed_each_time())
}

/// Accepts the report together with the edge's own findings. Returns `None` if the blocklist has changed since the
/// screening.
async fn accept_screened(
    database: &impl Database,
    report: &JobReport,
    (screening, missing): (Screening, &[Finding]),
    now: UnixSeconds,
) -> Result<Option<ReportAnswer>, DatabaseError> {
    #[derive(Deserialize)]
    struct AnswerRow {
        state: ContentState,
        accepted: u8,
        is_same_list: u8,
    }
    let outcome = with_findings(report.outcome.clone(), screening.finding.into_iter().chain(missing.iter().cloned()));
    let statements = ReportStatements {
        report,
        outcome: &outcome,
        blocklist_version: screening.version,
        fingerprint: fingerprint(report)?,
        now,
    };
    let mut batch = Batch::default();
    statements.add_changes(&effect_of(&outcome), &mut batch)?;
    let answer = batch.query::<AnswerRow>(statements.read_answer());
    let row = database.run(batch).await?.first(answer)?;
    let is_decided = |row: &AnswerRow| row.accepted != 0 || row.is_same_list != 0;
    Ok(match row {
        Some(row) if !is_decided(&row) => None,
        row => Some(ReportAnswer {
            accepted: row.as_ref().is_some_and(|row| row.accepted != 0),
            state: row.map(|row| row.state),
        }),
    })
}

/// Returns the SHA-256 of the report.
pub(crate) fn fingerprint(report: &JobReport) -> Result<String, DatabaseError> {
    Ok(sha256_hex(json(report)?.as_bytes()))
}

fn with_findings(mut outcome: JobOutcome, more: impl Iterator<Item = Finding>) -> JobOutcome {
    if let JobOutcome::Processed { findings, .. } = &mut outcome {
        findings.extend(more);
    }
    outcome
}
