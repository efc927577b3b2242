//! The first job of a content: its video in every rendition, examined by every check.

use super::{JudgedReport, truncated};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{AcceptedReport, Effects};
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::contents::life::rules::failure::fail_video;
use crate::contents::life::rules::jobs::want_change;
use crate::contents::life::rules::moderator::approve;
use crate::contents::life::rules::sweep::check_again_at;
use contract::api::{AUTOMATIC_POLICY, WaitsFor};
use contract::job::{JobDetails, JobOutcome, JobWork};
use contract::moderation::{Finding, Recommendation, strictest_recommendation};
use contract::{ContentEvent, ErrorCode, ObjectKey, Stage};

/// The edge's judgement of a report about a video, with the edge's own findings.
#[derive(Clone, Debug)]
pub(crate) struct VideoVerdict<'a> {
    pub outcome: &'a JobOutcome,
    pub more_findings: Vec<Finding>,
    /// The version of the blocklist that the frames were compared with.
    pub blocklist_version: Option<u64>,
    /// The hashes of the blocklist that caught the content, at most 20.
    pub caught_by: Vec<String>,
}

pub(super) fn details(life: &Life, job: &Job) -> JobDetails {
    let (content, upload_uuid) = (&life.content, life.facts.upload_uuid.as_str());
    let thumbnail_key = || ObjectKey::SourceThumbnail { upload_uuid }.path();
    JobDetails {
        work: job.kind,
        source_key: ObjectKey::SourceVideo { upload_uuid }.path(),
        thumbnail_key: content.thumbnail.picture_sha256.is_some().then(thumbnail_key),
        thumbnail_time_seconds: content.thumbnail.seconds,
        duration_ms: content.duration_ms,
        size_bytes: life.facts.size_bytes,
        file_sha256: content.file_sha256.clone(),
        caption: content.caption.clone(),
        summary: content.ai_summary_of_content.clone(),
        captions: None,
        is_suspect: job.is_suspect(),
        may_be_completed: true,
        first_generation: None,
    }
}

pub(super) fn finish(
    life: &mut Life,
    report: &JudgedReport<'_>,
    verdict: &VideoVerdict<'_>,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    let findings = all_findings(verdict);
    let mut accepted = accepted(report, verdict, &findings);
    match verdict.outcome {
        JobOutcome::Processed { media, frames, .. } => {
            let recommendation = strictest_recommendation(&findings);
            if let Some(waits_for) = waits_for(recommendation) {
                accepted.frames.clone_from(frames);
                wait(life, waits_for, now);
            } else if recommendation == Recommendation::Pass {
                approve(&mut life.content, now);
                life.job_mut(JobWork::Video, now).end(JobState::Done, now);
            } else {
                reject(life, ErrorCode::ContentModerationRejected, "", now);
            }
            if recommendation != Recommendation::Reject {
                life.content.set_media(media)?;
                life.content.media_generation = Some(report.id.generation);
                if !media.quality.is_full() {
                    want_change(life.job_mut(JobWork::Completion, now), now);
                }
            }
        }
        JobOutcome::Refused { code, detail } => reject(life, *code, detail, now),
        JobOutcome::Failed { detail } | JobOutcome::Undecided { detail } => {
            fail_video(life, ErrorCode::ContentProcessingFailed.text(), &truncated(detail), now);
        }
        // A job for a video cannot have these results.
        JobOutcome::Completed { .. } | JobOutcome::Thumbnail { .. } | JobOutcome::Captions { .. } => {
            fail_video(life, ErrorCode::ContentProcessingFailed.text(), "The result is of another kind of job.", now);
        }
    }
    effects.report = Some(accepted);
    Ok(())
}

fn all_findings(verdict: &VideoVerdict<'_>) -> Vec<Finding> {
    match verdict.outcome {
        JobOutcome::Processed { findings, .. } => findings.iter().chain(&verdict.more_findings).cloned().collect(),
        _ => Vec::new(),
    }
}

fn accepted(report: &JudgedReport<'_>, verdict: &VideoVerdict<'_>, findings: &[Finding]) -> AcceptedReport {
    let (kind, recommendation) = match verdict.outcome {
        JobOutcome::Processed { .. } => ("processed", Some(strictest_recommendation(findings))),
        JobOutcome::Refused { .. } => ("refused", None),
        _ => ("failed", None),
    };
    AcceptedReport {
        generation: report.id.generation,
        origin: report.id.origin.clone(),
        fingerprint: report.fingerprint.to_owned(),
        kind,
        recommendation,
        blocklist_version: verdict.blocklist_version,
        findings: findings.to_vec(),
        caught_by: verdict.caught_by.clone(),
        frames: Vec::new(),
    }
}

fn waits_for(recommendation: Recommendation) -> Option<WaitsFor> {
    match recommendation {
        Recommendation::Wait => Some(WaitsFor::Check),
        Recommendation::Review => Some(WaitsFor::Person),
        Recommendation::Pass | Recommendation::Reject => None,
    }
}

/// Leaves the content processing until a check is possible or a moderator has decided.
fn wait(life: &mut Life, waits_for: WaitsFor, now: UnixSeconds) {
    (life.content.waits_for, life.content.waits_since_unix) = (Some(waits_for), Some(now));
    let job = life.job_mut(JobWork::Video, now);
    job.stage = Stage::Moderate;
    if waits_for == WaitsFor::Person {
        return job.end(JobState::Done, now);
    }
    job.check_waits += 1;
    job.end(JobState::Waiting, now);
    job.due_at_unix = Some(check_again_at(job.check_waits, now));
}

fn reject(life: &mut Life, code: ErrorCode, detail: &str, now: UnixSeconds) {
    let content = &mut life.content;
    content.state = content.state.next(ContentEvent::Refused).unwrap_or(content.state);
    content.error_code = Some(code.as_str().to_owned());
    content.error_detail = Some(shown_detail(detail, code));
    content.policy_code = (code == ErrorCode::ContentModerationRejected).then(|| AUTOMATIC_POLICY.to_owned());
    content.finished_at_unix = Some(now);
    life.job_mut(JobWork::Video, now).end(JobState::Done, now);
}

/// Returns the origin's detail, truncated, or the error code's text if the origin gave none.
fn shown_detail(detail: &str, code: ErrorCode) -> String {
    match detail.trim() {
        "" => code.text().to_owned(),
        detail => truncated(detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detail_is_truncated_and_an_empty_one_becomes_the_codes_text() {
        let code = ErrorCode::ContentProcessingFailed;
        assert_eq!(shown_detail(&"é".repeat(501), code), "é".repeat(500));
        assert_eq!(shown_detail("  no disk \n", code), "no disk");
        assert_eq!(shown_detail(" \n", code), code.text());
    }
}
