//! The job that makes the renditions that a video was published without. They show the same source that the first job
//! examined, so nothing is examined again.

use super::{JudgedReport, KnownFacts, Verdict, truncated, video};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{AcceptedReport, Effects};
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::contents::life::packed_media::read_media;
use crate::contents::life::rules::failure::fail_change;
use crate::contents::life::rules::jobs::want_change;
use contract::job::{JobDetails, JobOutcome, JobReport, JobWork, Quality, StoredFile, StoredMedia};
use contract::{ErrorCode, MediaFile, ObjectKey};

pub(crate) type CompletedMedia<'a> = &'a StoredMedia;

/// The reason, for operators, why there will be no other renditions.
pub(crate) type Incomplete<'a> = &'a str;

/// Returns the origin's details, with the generation of the files that the job completes.
pub(super) fn details(life: &Life, job: &Job) -> JobDetails {
    JobDetails { thumbnail_key: None, first_generation: life.content.media_generation, ..video::details(life, job) }
}

/// Judges a report. A file that is not stored may be by the next attempt.
pub(crate) fn judge<'a>(report: &'a JobReport, facts: KnownFacts<'_>) -> Verdict<'a> {
    let folder = ObjectKey::generation_folder(&report.id.content_uuid, report.id.generation);
    let is_stored = |file: &StoredFile| facts.stored.contains(&(format!("{folder}{}", file.name), file.size_bytes));
    match &report.outcome {
        JobOutcome::Completed { media } if media.files.iter().all(is_stored) => Verdict::Completion(Ok(media)),
        JobOutcome::Completed { .. } => Verdict::Undecided("A file is not stored with its reported size."),
        JobOutcome::Refused { detail, .. } | JobOutcome::Failed { detail } => Verdict::Completion(Err(detail)),
        _ => Verdict::Completion(Err("The result is of another kind of job.")),
    }
}

/// Applies the result. The new folder has all files of the video, except those that its owner has changed since.
pub(super) fn finish(
    life: &mut Life,
    report: &JudgedReport<'_>,
    result: &Result<CompletedMedia<'_>, Incomplete<'_>>,
    effects: &mut Effects,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    let first = life.content.media.as_deref().and_then(|media| read_media(media).ok());
    let both = result.and_then(|new| Ok((new, first.ok_or("The files of the first job cannot be read.")?)));
    let (new, old) = match both {
        Ok(both) => both,
        Err(detail) => {
            give_up(life, detail, now);
            return Ok(());
        }
    };
    let has_own_thumbnail = life.content.thumbnail.generation.is_some();
    let has_own_captions = life.content.captions_generation.is_some();
    let is_kept = |file: &StoredFile| {
        MediaFile::parse(&file.name).is_some_and(|file| {
            (has_own_thumbnail && MediaFile::THUMBNAILS.contains(&file))
                || (has_own_captions && file.depends_on_subtitles())
        })
    };
    let kept = old.files.iter().filter(|file| is_kept(file));
    let files = new.files.iter().filter(|file| !is_kept(file)).chain(kept).cloned().collect();
    life.content.set_media(&StoredMedia { quality: Quality::Full, files, ..old })?;
    life.content.media_generation = Some(report.id.generation);
    if has_own_captions {
        // Their lists name only the renditions of the first job.
        want_change(life.job_mut(JobWork::Captions, now), now);
    }
    life.job_mut(JobWork::Completion, now).end(JobState::Done, now);
    effects.report = Some(AcceptedReport {
        generation: report.id.generation,
        origin: report.id.origin.clone(),
        fingerprint: report.fingerprint.to_owned(),
        kind: "completed",
        recommendation: None,
        blocklist_version: None,
        caught_by: Vec::new(),
        findings: Vec::new(),
        frames: Vec::new(),
    });
    Ok(())
}

/// Ends the job as a dead letter: viewers keep the first quality, and operators can start the job again.
fn give_up(life: &mut Life, detail: &str, now: UnixSeconds) {
    fail_change(life, JobWork::Completion, ErrorCode::ContentProcessingFailed, now);
    let job = life.job_mut(JobWork::Completion, now);
    job.state = JobState::Dead;
    job.error_detail = Some(truncated(detail));
}
