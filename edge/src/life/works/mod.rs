//! The kinds of work that a job may ask for, a file for each: what its origin is told, and what its result leads to.

pub(crate) mod captions;
pub(crate) mod thumbnail;
pub(crate) mod video;

use super::change::Effects;
use super::job::JobState;
use super::life::Life;
use crate::unix_seconds::UnixSeconds;
use captions::NewCaptions;
use contract::ErrorCode;
use contract::job::{JobDetails, JobId, JobWork};
use thumbnail::NewThumbnail;
use video::VideoVerdict;

/// The meaning of a report, after everything was checked that the edge can check.
#[derive(Clone, Debug)]
pub(crate) enum Verdict<'a> {
    Video(VideoVerdict<'a>),
    /// The new pictures, or why the old ones stay.
    Thumbnail(Result<NewThumbnail<'a>, ErrorCode>),
    /// The new tracks, or why the old ones stay.
    Captions(Result<NewCaptions<'a>, ErrorCode>),
}

impl Verdict<'_> {
    /// Returns the version of the blocklist that the frames were compared with. Null if there were none to compare.
    pub(super) fn blocklist_version(&self) -> Option<u64> {
        match self {
            Self::Video(verdict) => verdict.blocklist_version,
            Self::Thumbnail(Ok(new)) => new.blocklist_version,
            Self::Thumbnail(Err(_)) | Self::Captions(_) => None,
        }
    }
}

/// The facts about a job that the edge knows independently of its report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownFacts<'a> {
    /// The objects in the folder of the job, with their sizes.
    pub stored: &'a [(String, u64)],
    /// Whether every origin has a classifier.
    pub requires_classifier: bool,
}

/// A report that was judged.
#[derive(Clone, Debug)]
pub(crate) struct JudgedReport<'a> {
    pub id: &'a JobId,
    /// SHA-256 of the report as the origin sent it.
    pub fingerprint: &'a str,
    pub verdict: Verdict<'a>,
}

/// Applies the report, if its origin has claimed the job that it is about. A repeated report changes nothing.
pub(super) fn report(
    life: &mut Life,
    report: &JudgedReport<'_>,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    let job = life.job_of(report.id.generation).ok_or(ErrorCode::ContentStateConflict)?;
    if job.report.as_deref() == Some(report.fingerprint) {
        return Ok(());
    }
    let is_holder = job.state == JobState::Claimed && job.claimed_by.as_ref() == Some(&report.id.origin);
    if !is_holder {
        return Err(ErrorCode::ContentStateConflict);
    }
    let kind = job.kind;
    effects.blocklist_version = report.verdict.blocklist_version();
    finish(life, report, effects, now);
    let job = life.job_mut(kind, now);
    job.report = Some(report.fingerprint.to_owned());
    Ok(())
}

/// Returns everything that an origin needs for the job that is under way.
pub(crate) fn details(life: &Life) -> Option<JobDetails> {
    let job = life.active_job()?;
    match job.kind {
        JobWork::Video => Some(video::details(life, job)),
        JobWork::Thumbnail => thumbnail::details(life, job),
        JobWork::Captions => captions::details(life, job),
    }
}

/// Applies the result of a job.
fn finish(life: &mut Life, report: &JudgedReport<'_>, effects: &mut Effects, now: UnixSeconds) {
    match &report.verdict {
        Verdict::Video(verdict) => video::finish(life, report, verdict, effects, now),
        Verdict::Thumbnail(result) => thumbnail::finish(life, report.id.generation, result, now),
        Verdict::Captions(result) => captions::finish(life, report.id.generation, result, now),
    }
}
