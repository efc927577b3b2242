//! The kinds of jobs, one file each: the details for the origin, and the consequences of the result.

pub(crate) mod captions;
pub(crate) mod completion;
pub(crate) mod thumbnail;
pub(crate) mod video;

use super::change::Effects;
use super::job::JobState;
use super::life::Life;
use super::rules::failure::count_undecided;
use crate::base::unix_seconds::UnixSeconds;
use captions::NewCaptions;
use completion::{CompletedMedia, Incomplete};
use contract::ErrorCode;
use contract::job::{JobDetails, JobId, JobWork};
use thumbnail::NewThumbnail;
use video::VideoVerdict;

/// Longer details are truncated.
const MAX_DETAIL_CHARACTERS: usize = 500;

/// The edge's judgement of a report, after all checks that the edge can make.
#[derive(Clone, Debug)]
pub(crate) enum Verdict<'a> {
    Video(VideoVerdict<'a>),
    /// The files in all renditions, or why there are none.
    Completion(Result<CompletedMedia<'a>, Incomplete<'a>>),
    /// The new pictures, or why the old ones stay.
    Thumbnail(Result<NewThumbnail<'a>, ErrorCode>),
    /// The new tracks, or why the old ones stay.
    Captions(Result<NewCaptions<'a>, ErrorCode>),
    /// A failure of any job that the machine, the network or the file may have caused, with its detail.
    Undecided(&'a str),
}

impl Verdict<'_> {
    /// Returns the version of the blocklist that the frames were compared with. `None` if there were none.
    pub(super) fn blocklist_version(&self) -> Option<u64> {
        match self {
            Self::Video(verdict) => verdict.blocklist_version,
            Self::Thumbnail(Ok(new)) => new.blocklist_version,
            Self::Completion(_) | Self::Thumbnail(Err(_)) | Self::Captions(_) | Self::Undecided(_) => None,
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
    finish(life, kind, report, effects, now)?;
    let job = life.job_mut(kind, now);
    job.report = Some(report.fingerprint.to_owned());
    Ok(())
}

/// Returns everything that an origin needs for the job that is under way.
pub(crate) fn details(life: &Life) -> Option<JobDetails> {
    let job = life.active_job()?;
    match job.kind {
        JobWork::Video => Some(video::details(life, job)),
        JobWork::Completion => Some(completion::details(life, job)),
        JobWork::Thumbnail => thumbnail::details(life, job),
        JobWork::Captions => captions::details(life, job),
    }
}

/// Applies the result of a job.
fn finish(
    life: &mut Life,
    kind: JobWork,
    report: &JudgedReport<'_>,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    match &report.verdict {
        Verdict::Video(verdict) => video::finish(life, report, verdict, effects, now),
        Verdict::Completion(result) => completion::finish(life, report, result, effects, now),
        Verdict::Thumbnail(result) => thumbnail::finish(life, report.id.generation, result, now),
        Verdict::Captions(result) => captions::finish(life, report.id.generation, result, now),
        Verdict::Undecided(detail) => {
            count_undecided(life, kind, &truncated(detail), now);
            Ok(())
        }
    }
}

fn truncated(detail: &str) -> String {
    detail.chars().take(MAX_DETAIL_CHARACTERS).collect()
}
