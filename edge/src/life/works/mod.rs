//! The kinds of work that a job may ask for, a file for each: what its origin is told, and what its result leads to.

pub(crate) mod captions;
pub(crate) mod thumbnail;
pub(crate) mod video;

use super::change::Effects;
use super::life::Life;
use super::rules::origin::JudgedReport;
use crate::unix_seconds::UnixSeconds;
use captions::NewCaptions;
use contract::ErrorCode;
use contract::job::{JobDetails, JobWork};
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
pub(super) fn finish(life: &mut Life, report: &JudgedReport<'_>, effects: &mut Effects, now: UnixSeconds) {
    match &report.verdict {
        Verdict::Video(verdict) => video::finish(life, report, verdict, effects, now),
        Verdict::Thumbnail(result) => thumbnail::finish(life, report.id.generation, result, now),
        Verdict::Captions(result) => captions::finish(life, report.id.generation, result, now),
    }
}
