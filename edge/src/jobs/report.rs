//! The result of a job, as its origin reports it.
//!
//! One report per generation is accepted. Its fingerprint stays with the job, so that a repeated report gets the same
//! answer and a different one is refused. Acceptance, effect and findings are one transaction, which requires that the
//! blocklist has not changed since the frames were compared with it.

use super::demands::{ProcessedVideo, missing_evidence};
use crate::auth::hash::sha256_hex;
use crate::ids::ContentUuid;
use crate::life::door::{self, Changed, Find, Outcome};
use crate::life::works::{JudgedReport, KnownFacts, Verdict, captions, thumbnail, video::VideoVerdict};
use crate::life::{Command, Life};
use crate::moderation::screening::{Blocklist, Comparison, MAX_COMPARISONS, Screening, changed_each_time};
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::ports::object_store::ObjectStore;
use crate::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::job::{JobOutcome, JobReport, JobWork, ReportAnswer};
use contract::moderation::{Finding, FrameHash};

/// Accepts a valid report from the origin that claimed the job. Missing evidence becomes a finding. If the content or
/// the blocklist changes meanwhile, the report is judged again.
pub(crate) async fn accept_report<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    report: &JobReport,
    facts: KnownFacts<'_>,
    now: UnixSeconds,
) -> Result<Changed<ReportAnswer>, DatabaseError> {
    let (uuid, fingerprint) = (ContentUuid::new(&report.id.content_uuid), fingerprint(report)?);
    let mut comparison = None;
    for _ in 0..MAX_COMPARISONS {
        let Some(life) = door::read_one(blocklist.database, Find::Uuid(&uuid), now).await? else {
            return Ok(Changed::nothing(ReportAnswer { accepted: false, state: None }));
        };
        let Some(kind) = life.job_of(report.id.generation).map(|job| job.kind) else {
            let answer = answer_about_earlier(blocklist.database, &life, report, &fingerprint).await?;
            return Ok(Changed::nothing(answer));
        };
        let comparison = comparison.get_or_insert_with(|| Comparison::new(frames_of(report, kind)));
        let verdict = judge(kind, report, facts, life.content.duration_ms, comparison.update(blocklist).await?);
        let judged = JudgedReport { id: &report.id, fingerprint: &fingerprint, verdict };
        match door::apply_to(blocklist.database, life, &Command::Report(&judged), now).await {
            Err(error) if error.is_lost_race() => {}
            outcome => return outcome.map(answer),
        }
    }
    Err(changed_each_time())
}

fn answer(outcome: Outcome) -> Changed<ReportAnswer> {
    let state = outcome.result.as_ref().map_or(outcome.before.content.state, |after| after.content.state);
    let answer = ReportAnswer { accepted: outcome.result.is_ok(), state: Some(state) };
    Changed { outcome: answer, jobs: outcome.messages }
}

/// Answers a report about a job that another one has replaced: it may be the repetition of one that was accepted.
async fn answer_about_earlier(
    database: &impl Database,
    life: &Life,
    report: &JobReport,
    fingerprint: &str,
) -> Result<ReportAnswer, DatabaseError> {
    let select = Statement::new("SELECT 1 FROM reports WHERE content_id = ?1 AND generation = ?2 AND fingerprint = ?3");
    let select = select.bind(life.content.id).bind(report.id.generation).bind(fingerprint);
    Ok(ReportAnswer { accepted: database.returns_rows(select).await?, state: Some(life.content.state) })
}

/// Returns the frames that are compared with the blocklist.
fn frames_of(report: &JobReport, kind: JobWork) -> &[FrameHash] {
    match (kind, &report.outcome) {
        (JobWork::Video, JobOutcome::Processed { frames, .. })
        | (JobWork::Thumbnail, JobOutcome::Thumbnail { frames, .. }) => frames,
        _ => &[],
    }
}

fn judge<'a>(
    kind: JobWork,
    report: &'a JobReport,
    facts: KnownFacts<'_>,
    duration_ms: u64,
    screening: Screening,
) -> Verdict<'a> {
    match kind {
        JobWork::Video => Verdict::Video(VideoVerdict {
            outcome: &report.outcome,
            more_findings: more_findings(report, facts, duration_ms, screening.finding),
            blocklist_version: screening.version,
        }),
        JobWork::Thumbnail => Verdict::Thumbnail(match thumbnail::judge(report, facts.stored) {
            Ok(_) if screening.finding.is_some() => Err(ErrorCode::ContentModerationRejected),
            Ok(new) => Ok(thumbnail::NewThumbnail { blocklist_version: screening.version, ..new }),
            Err(code) => Err(code),
        }),
        JobWork::Captions => Verdict::Captions(captions::judge(report, facts)),
    }
}

/// Returns the edge's own findings about a video: frames that are blocked, and evidence that is missing.
fn more_findings(
    report: &JobReport,
    facts: KnownFacts<'_>,
    duration_ms: u64,
    blocked: Option<Finding>,
) -> Vec<Finding> {
    let missing = match &report.outcome {
        JobOutcome::Processed { media, frames, examination, .. } => {
            missing_evidence(report, ProcessedVideo { media, frames, examination }, facts, duration_ms)
        }
        _ => Vec::new(),
    };
    blocked.into_iter().chain(missing).collect()
}

/// Returns the SHA-256 of the report.
pub(crate) fn fingerprint(report: &JobReport) -> Result<String, DatabaseError> {
    let text = serde_json::to_string(report).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    Ok(sha256_hex(text.as_bytes()))
}
