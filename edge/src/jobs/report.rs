//! The result of a job, as its origin reports it.
//!
//! One report per generation is accepted. Its fingerprint stays with the job, so that a repeated report gets the same
//! answer and a different one is refused. Acceptance, effect and findings are one transaction, which requires that the
//! blocklist has not changed since the frames were compared with it.

use super::demands::{ProcessedVideo, missing_evidence};
use super::report_validation::validate_report;
use super::sending::send_or_leave;
use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Changed, Find, Outcome, Race};
use crate::contents::life::works::{
    JudgedReport, KnownFacts, Verdict, captions, completion, thumbnail, video::VideoVerdict,
};
use crate::contents::life::{Command, Life, Patience};
use crate::moderation::kept_frames::store_frames;
use crate::moderation::screening::{Blocklist, Comparison, Screening};
use crate::moderation::segment_cache::SegmentCache;
use crate::people::auth::hash::sha256_hex;
use crate::platform::Platform;
use crate::platform::database::{Database, DatabaseError, Statement, json_text};
use crate::platform::object_store::ObjectStore;
use contract::job::{JobOutcome, JobReport, JobWork, ReportAnswer};
use contract::moderation::{Finding, FrameHash};
use contract::{ErrorCode, ObjectKey};

/// Takes the report of a signed origin, and sends the jobs that may begin because of it. The hashes are stored before
/// the report takes effect: without them, the frames of a published content could not be blocked.
pub(crate) async fn report<P: Platform>(
    platform: &P,
    segments: &SegmentCache,
    report: &JobReport,
    requires_classifier: bool,
    now: UnixSeconds,
) -> Result<ReportAnswer, Refusal> {
    validate_report(report).map_err(Refusal::malformed)?;
    let (database, objects) = (platform.database(), platform.objects());
    let life = find_reported(database, report, now).await?;
    store_frames(database, objects, report, &fingerprint(report)?).await?;
    let folder = ObjectKey::generation_folder(&report.id.content_uuid, report.id.generation);
    let facts = KnownFacts { stored: &objects.list_sizes(&folder).await?, requires_classifier };
    let blocklist = Blocklist { database, objects, segments };
    let Changed { outcome: answer, jobs } = accept_report(&blocklist, report, life, facts, now).await?;
    send_or_leave(platform, &jobs).await;
    Ok(answer)
}

/// Returns the content of a report, if it exists.
pub(super) async fn find_reported(
    database: &impl Database,
    report: &JobReport,
    now: UnixSeconds,
) -> Result<Option<Life>, DatabaseError> {
    door::read_one(database, Find::Uuid(&ContentUuid::new(&report.id.content_uuid)), now).await
}

/// Accepts a valid report from the origin that claimed the job. Missing evidence becomes a finding. If the content or
/// the blocklist changes before the report is stored, judges it again.
pub(super) async fn accept_report<D: Database, O: ObjectStore>(
    blocklist: &Blocklist<'_, D, O>,
    report: &JobReport,
    mut life: Option<Life>,
    facts: KnownFacts<'_>,
    now: UnixSeconds,
) -> Result<Changed<ReportAnswer>, DatabaseError> {
    let fingerprint = fingerprint(report)?;
    let (mut comparison, mut screened) = (None, None);
    let mut race = Race::begin(blocklist.database, Patience::Staff);
    loop {
        let Some(found) = life else {
            return Ok(Changed::nothing(ReportAnswer { accepted: false, state: None }));
        };
        let Some(kind) = found.job_of(report.id.generation).map(|job| job.kind) else {
            let answer = answer_about_earlier(blocklist.database, &found, report, &fingerprint).await?;
            return Ok(Changed::nothing(answer));
        };
        let comparison = comparison.get_or_insert_with(|| Comparison::new(frames_of(report, kind)));
        let screening = match screened.take() {
            Some(screening) => screening,
            None => comparison.update(blocklist).await?,
        };
        let content_id = found.content.id;
        let verdict = judge(kind, report, facts, found.content.duration_ms, screening);
        let judged = JudgedReport { id: &report.id, fingerprint: &fingerprint, verdict };
        match door::apply_to(blocklist.database, found, &Command::Report(&judged), now).await {
            Err(error) => race.wait_after(error).await?,
            Ok(outcome) => return Ok(answer(outcome)),
        }
        // The comparison takes longer than other changes take, so the content is read after it.
        screened = Some(comparison.update(blocklist).await?);
        life = door::overtake(blocklist.database, content_id, None, now).await?;
    }
}

fn answer(outcome: Outcome) -> Changed<ReportAnswer> {
    let state = outcome.result.as_ref().map_or(outcome.before.content.state, |after| after.content.state);
    let answer = ReportAnswer { accepted: outcome.result.is_ok(), state: Some(state) };
    Changed { outcome: answer, jobs: outcome.messages }
}

/// Answers a report about an obsolete generation. It may repeat an accepted report: of a video, or the last one of
/// another job, which was started again since.
async fn answer_about_earlier(
    database: &impl Database,
    life: &Life,
    report: &JobReport,
    fingerprint: &str,
) -> Result<ReportAnswer, DatabaseError> {
    if life.jobs.iter().any(|job| job.report.as_deref() == Some(fingerprint)) {
        return Ok(ReportAnswer { accepted: true, state: Some(life.content.state) });
    }
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
    if let JobOutcome::Undecided { detail } = &report.outcome {
        return Verdict::Undecided(detail);
    }
    match kind {
        JobWork::Video => Verdict::Video(VideoVerdict {
            outcome: &report.outcome,
            more_findings: more_findings(report, facts, duration_ms, screening.finding),
            blocklist_version: screening.version,
            caught_by: screening.caught_by,
        }),
        JobWork::Completion => completion::judge(report, facts),
        JobWork::Thumbnail => Verdict::Thumbnail(match thumbnail::judge(report, facts.stored) {
            Ok(_) if screening.finding.is_some() => Err(ErrorCode::ContentModerationRejected),
            Ok(new) => Ok(thumbnail::NewThumbnail { blocklist_version: screening.version, ..new }),
            Err(code) => Err(code),
        }),
        JobWork::Captions => Verdict::Captions(captions::judge(report, facts)),
    }
}

/// Returns the edge's own findings about a video: blocked frames and missing evidence.
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
    let text = json_text(report)?;
    Ok(sha256_hex(text.as_bytes()))
}
