//! The job that changes the captions of an approved video. Viewers see the old captions until the new text has passed
//! moderation.

use super::KnownFacts;
use super::video;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::content::Captions;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::contents::life::packed_media::read_media;
use crate::contents::life::rules::failure::fail_change;
use contract::job::{
    CaptionsWork, JobDetails, JobOutcome, JobReport, JobWork, SentCaptions, StoredFile, StoredSubtitles,
};
use contract::moderation::{Check, Recommendation, strictest_recommendation};
use contract::{ErrorCode, MediaFile, ObjectKey};

/// The width of the picture that the classifier gets with a text, and scales down a little.
const CLASSIFIED_WIDTH: u32 = 640;

pub(crate) type NewCaptions<'a> = &'a StoredSubtitles;

/// Returns the origin's details, with the generation of the first job, whose files the captions change.
pub(super) fn details(life: &Life, job: &Job) -> Option<JobDetails> {
    let (content, media_generation) = (&life.content, life.content.media_generation?);
    let media = read_media(content.media.as_deref()?).ok()?;
    let content_uuid = content.uuid.as_str();
    let key = |generation, file| ObjectKey::Media { content_uuid, generation, file }.path();
    let picture = MediaFile::Thumbnail(CLASSIFIED_WIDTH);
    Some(JobDetails {
        source_key: key(media_generation, MediaFile::Video),
        thumbnail_key: None,
        thumbnail_time_seconds: None,
        duration_ms: media.duration_ms,
        file_sha256: String::new(),
        captions: Some(CaptionsWork {
            media_generation,
            picture_key: key(content.thumbnail.generation.unwrap_or(media_generation), picture),
            files: life.wanted_captions().map(sent_captions).collect(),
            is_examined: life.captions.iter().all(|captions| captions.is_wanted != 0 && captions.is_shown != 0),
        }),
        ..video::details(life, job)
    })
}

fn sent_captions(captions: &Captions) -> SentCaptions {
    let key = ObjectKey::SourceCaptions { upload_uuid: captions.name.as_str() }.path();
    SentCaptions { language: captions.language.clone(), key }
}

/// Returns the subtitles if all their files are stored and their text passes every check, otherwise the reason. A text
/// never waits for a moderator: unless it passes, it is refused.
pub(crate) fn judge<'a>(report: &'a JobReport, facts: KnownFacts<'_>) -> Result<NewCaptions<'a>, ErrorCode> {
    let (subtitles, findings, examination) = match &report.outcome {
        JobOutcome::Captions { subtitles, findings, examination } => (subtitles, findings, examination),
        JobOutcome::Refused { code, .. } => return Err(*code),
        _ => return Err(ErrorCode::ContentProcessingFailed),
    };
    let folder = ObjectKey::generation_folder(&report.id.content_uuid, report.id.generation);
    let is_stored = |file: &StoredFile| facts.stored.contains(&(format!("{folder}{}", file.name), file.size_bytes));
    let is_examined = !facts.requires_classifier || examination.checks.contains(&Check::Classifier);
    let is_complete = is_examined && subtitles.files.iter().all(is_stored);
    match strictest_recommendation(findings) {
        Recommendation::Pass if is_complete => Ok(subtitles),
        // A check was not made, or a file is missing.
        Recommendation::Pass | Recommendation::Wait => Err(ErrorCode::ContentProcessingFailed),
        Recommendation::Review | Recommendation::Reject => Err(ErrorCode::ContentModerationRejected),
    }
}

/// Applies the result. The new files replace all files that depend on the subtitles.
pub(super) fn finish(
    life: &mut Life,
    generation: u64,
    result: &Result<NewCaptions<'_>, ErrorCode>,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    let media = life.content.media.as_deref().and_then(|media| read_media(media).ok());
    let (Ok(new), Some(mut media)) = (result, media) else {
        let code = result.as_ref().err().copied().unwrap_or(ErrorCode::ContentProcessingFailed);
        fail_change(life, JobWork::Captions, code, now);
        return Ok(());
    };
    media.subtitles.clone_from(&new.tracks);
    media.files.retain(|file| !MediaFile::parse(&file.name).is_some_and(MediaFile::depends_on_subtitles));
    media.files.extend(new.files.iter().cloned());
    life.content.set_media(&media)?;
    life.content.captions_generation = Some(generation);
    life.captions.retain(|captions| captions.is_wanted != 0);
    life.captions.iter_mut().for_each(|captions| captions.is_shown = 1);
    life.job_mut(JobWork::Captions, now).end(JobState::Done, now);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::{all_known, all_stored, job};
    use crate::jobs::tests::with_subtitles;
    use contract::moderation::Examination;

    fn report(checks: Vec<Check>) -> JobReport {
        let media = with_subtitles();
        let mut files = media.files;
        files.retain(|file| MediaFile::parse(&file.name).is_some_and(MediaFile::depends_on_subtitles));
        let outcome = JobOutcome::Captions {
            subtitles: StoredSubtitles { tracks: media.subtitles, files },
            findings: Vec::new(),
            examination: Examination { checks, ..Examination::default() },
        };
        JobReport { id: job("a", 1), outcome }
    }

    #[test]
    fn captions_pass_with_all_required_checks_and_files() {
        let (all, of_another_job) = (all_stored(1), all_stored(2));
        let but_one = &all[..all.len() - 1];
        for (requires_classifier, checks, stored, passes) in [
            (false, vec![], &all[..], true),
            (true, vec![Check::Classifier], &all, true),
            (true, vec![], &all, false),
            (true, vec![Check::Blocklist], &all, false),
            (false, vec![], but_one, false),
            (true, vec![Check::Classifier], but_one, false),
            (false, vec![], &of_another_job, false),
        ] {
            let facts = KnownFacts { requires_classifier, ..all_known(stored) };
            assert_eq!(judge(&report(checks), facts).is_ok(), passes);
        }
    }
}
