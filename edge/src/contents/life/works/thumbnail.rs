//! The job for another thumbnail of an approved video. Its pictures are made from the published video, or from a
//! picture that the owner sent. The old pictures stay until the new ones have passed moderation.

use super::video;
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::content::Thumbnail;
use crate::contents::life::job::{Job, JobState};
use crate::contents::life::life::Life;
use crate::contents::life::packed_media::read_media;
use crate::contents::life::rules::failure::fail_change;
use contract::job::{JobDetails, JobOutcome, JobReport, JobWork, StoredFile, StoredPictures};
use contract::moderation::{FrameHash, Recommendation, strictest_recommendation};
use contract::{ErrorCode, MediaFile, ObjectKey};

/// Pictures that passed the checks of the origin, and their hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewThumbnail<'a> {
    pub pictures: &'a StoredPictures,
    pub frames: &'a [FrameHash],
    /// The version of the blocklist that the frames were compared with.
    pub blocklist_version: Option<u64>,
}

/// Returns the origin's details. The source is the sent picture or the published video: the uploaded file is gone.
pub(super) fn details(life: &Life, job: &Job) -> Option<JobDetails> {
    let (content, generation) = (&life.content, life.content.media_generation?);
    let media = read_media(content.media.as_deref()?).ok()?;
    let name = MediaFile::Video.to_string();
    let video = media.files.iter().find(|file| file.name == name)?;
    let picture = |name: &UploadUuid| ObjectKey::SourceThumbnail { upload_uuid: name.as_str() }.path();
    let content_uuid = content.uuid.as_str();
    Some(JobDetails {
        source_key: ObjectKey::Media { content_uuid, generation, file: MediaFile::Video }.path(),
        thumbnail_key: job.input.picture.as_ref().map(picture),
        thumbnail_time_seconds: job.input.thumbnail_seconds,
        duration_ms: media.duration_ms,
        size_bytes: video.size_bytes,
        file_sha256: String::new(),
        ..video::details(life, job)
    })
}

/// Returns the pictures if all of them are stored and pass every check, otherwise the reason. A picture never waits for
/// a moderator: unless it passes, it is refused. `stored` are the objects in the folder of the job, with their sizes.
pub(crate) fn judge<'a>(report: &'a JobReport, stored: &[(String, u64)]) -> Result<NewThumbnail<'a>, ErrorCode> {
    let (pictures, findings, frames) = match &report.outcome {
        JobOutcome::Thumbnail { pictures, findings, frames } => (pictures, findings, frames),
        JobOutcome::Refused { code, .. } => return Err(*code),
        JobOutcome::Processed { .. }
        | JobOutcome::Completed { .. }
        | JobOutcome::Captions { .. }
        | JobOutcome::Failed { .. }
        | JobOutcome::Undecided { .. } => {
            return Err(ErrorCode::ContentProcessingFailed);
        }
    };
    let is_stored = |file: &MediaFile| {
        let (content_uuid, generation) = (report.id.content_uuid.as_str(), report.id.generation);
        let key = ObjectKey::Media { content_uuid, generation, file: *file }.path();
        let name = file.to_string();
        let reported = pictures.files.iter().find(|reported| reported.name == name);
        reported.is_some_and(|reported| stored.contains(&(key, reported.size_bytes)))
    };
    match strictest_recommendation(findings) {
        Recommendation::Pass if MediaFile::THUMBNAILS.iter().all(is_stored) => {
            Ok(NewThumbnail { pictures, frames, blocklist_version: None })
        }
        // A check could not be made, or a picture is missing.
        Recommendation::Pass | Recommendation::Wait => Err(ErrorCode::ContentProcessingFailed),
        Recommendation::Review | Recommendation::Reject => Err(ErrorCode::ContentModerationRejected),
    }
}

/// Applies the result. The new pictures replace the entries with their names.
pub(super) fn finish(
    life: &mut Life,
    generation: u64,
    result: &Result<NewThumbnail<'_>, ErrorCode>,
    now: UnixSeconds,
) -> Result<(), ErrorCode> {
    let media = life.content.media.as_deref().and_then(|media| read_media(media).ok());
    let (Ok(new), Some(mut media)) = (result, media) else {
        let code = result.as_ref().err().copied().unwrap_or(ErrorCode::ContentProcessingFailed);
        fail_change(life, JobWork::Thumbnail, code, now);
        return Ok(());
    };
    media.thumbhash.clone_from(&new.pictures.thumbhash);
    for file in &mut media.files {
        replace(file, &new.pictures.files);
    }
    life.content.set_media(&media)?;
    let job = life.job_mut(JobWork::Thumbnail, now);
    job.input.picture = None;
    job.end(JobState::Done, now);
    let input = job.input.clone();
    life.content.thumbnail = Thumbnail {
        seconds: input.thumbnail_seconds,
        picture_sha256: input.picture_sha256,
        generation: Some(generation),
        frames: new.frames.to_vec(),
    };
    Ok(())
}

fn replace(file: &mut StoredFile, new: &[StoredFile]) {
    if let Some(new) = new.iter().find(|new| new.name == file.name) {
        file.size_bytes = new.size_bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::job;

    #[test]
    fn pictures_pass_if_all_are_stored_with_their_sizes() {
        let sizes = MediaFile::THUMBNAILS.iter().zip(1..).collect::<Vec<(&MediaFile, u64)>>();
        let file = |&(file, size_bytes): &(&MediaFile, u64)| StoredFile { name: file.to_string(), size_bytes };
        let pictures = StoredPictures { thumbhash: String::new(), files: sizes.iter().map(file).collect() };
        let outcome = JobOutcome::Thumbnail { pictures, findings: Vec::new(), frames: Vec::new() };
        let report = JobReport { id: job("a", 7), outcome };
        let stored: Vec<_> = sizes.iter().map(|(file, size)| (format!("media/c/7/{file}"), *size)).collect();
        assert!(judge(&report, &stored).is_ok());
        for changed in 0..stored.len() {
            let (mut other_name, mut other_size) = (stored.clone(), stored.clone());
            other_name[changed].0.push('x');
            other_size[changed].1 += 10;
            for stored in [other_name, other_size] {
                assert_eq!(judge(&report, &stored).err(), Some(ErrorCode::ContentProcessingFailed));
            }
        }
    }
}
