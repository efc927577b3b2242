//! Prepares the input of moderation from the outputs of ffmpeg: the frames, the poster and the detections.

use super::JobContext;
use super::failure::JobError;
use super::steps::JobSteps;
use super::work_folder::JobFolder;
use crate::media::encode::{FlashSpan, Observations, TimeSpan};
use crate::media::plan::{Plan, Stills};
use crate::media::{self, FrameRate, MediaContext, MediaError};
use crate::moderation::detectors::{Detections, FlashingSpan, MillisecondSpan};
use crate::moderation::distinct::distinct_frames;
use crate::moderation::frame_file::FrameFile;
use crate::moderation::{ModerationError, ModerationEvidence, ModerationInput, collect_evidence};
use contract::MediaFile;
use std::path::Path;

/// The video to moderate.
#[derive(Clone, Copy)]
pub(super) struct ModerationSubject<'a> {
    pub(super) content_uuid: &'a str,
    pub(super) caption: Option<&'a str>,
    pub(super) summary: Option<&'a str>,
    pub(super) plan: &'a Plan,
    pub(super) observations: &'a Observations,
    /// The text of all subtitle tracks.
    pub(super) subtitles: &'a str,
    pub(super) distinct: &'a DistinctPictures,
    /// The folder that ffmpeg wrote to.
    pub(super) folder: &'a Path,
}

/// The frames that differ from all samples.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctPictures {
    frames: Vec<FrameFile>,
    /// The time of the first frame that is not examined, if there are more than can be examined.
    unexamined_from_ms: Option<u64>,
}

/// Finds and extracts the frames that differ from all samples.
pub(super) fn extract_distinct_pictures(
    context: &MediaContext<'_>,
    plan: &Plan,
) -> Result<DistinctPictures, MediaError> {
    let frames = media::encode::small_frames(context.folder, plan)?;
    let count = u64::try_from(frames.len()).unwrap_or(u64::MAX);
    let samples: Vec<_> = plan.stills.sample_numbers().take_while(|number| *number < count).collect();
    let distinct = distinct_frames(&frames, &samples);
    let paths = media::encode::extract_frames(context, plan, &distinct.numbers)?;
    let frame = |(path, number): (_, &u64)| FrameFile { path, at_ms: plan.rate.ms_at(*number) };
    Ok(DistinctPictures {
        frames: paths.into_iter().zip(&distinct.numbers).map(frame).collect(),
        unexamined_from_ms: distinct.unexamined_from.map(|number| plan.rate.ms_at(number)),
    })
}

pub(super) async fn moderate_video(
    context: &JobContext,
    subject: ModerationSubject<'_>,
) -> Result<ModerationEvidence, JobError> {
    let mut frames = frames_and_poster(subject.folder, subject.plan.rate, &subject.plan.stills)?;
    frames.extend_from_slice(&subject.distinct.frames);
    frames.sort_by_key(|frame| frame.at_ms);
    let sound = media::files::output(subject.folder, MediaFile::SoundSegments);
    let input = ModerationInput {
        content_uuid: subject.content_uuid,
        caption: subject.caption,
        summary: subject.summary,
        subtitles: subject.subtitles,
        duration_ms: subject.plan.duration_ms,
        sound: subject.plan.sound.as_ref().map(|_| sound.as_path()),
        frames: &frames,
        unexamined_from_ms: subject.distinct.unexamined_from_ms,
        detections: &detections(subject.observations),
        classifier: context.classifier.as_ref(),
    };
    Ok(collect_evidence(input).await?)
}

/// Returns the frames and the poster in the order of their times. A poster without a known time (sent by the client, or
/// picked from several candidates) counts as the beginning of the video.
fn frames_and_poster(folder: &Path, rate: FrameRate, stills: &Stills) -> Result<Vec<FrameFile>, ModerationError> {
    let mut frames = sampled_frames(&folder.join(media::files::FRAMES), rate, stills)?;
    if frames.is_empty() {
        // The poster alone is not enough to moderate a video.
        return Err(ModerationError::FrameCount(0));
    }
    let poster_ms = stills.poster_at_ms(rate).unwrap_or(0);
    frames.push(FrameFile { path: folder.join(media::files::MODERATION_POSTER), at_ms: poster_ms });
    frames.sort_by_key(|frame| frame.at_ms);
    Ok(frames)
}

/// Returns the samples that ffmpeg extracted during the encode and numbered from 1.
fn sampled_frames(folder: &Path, rate: FrameRate, stills: &Stills) -> std::io::Result<Vec<FrameFile>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let numbered = paths.into_iter().zip(stills.sample_numbers());
    let frame = |(path, number)| FrameFile { path, at_ms: rate.ms_at(number) };
    Ok(numbered.map(frame).collect())
}

fn detections(observations: &Observations) -> Detections {
    let spans = |spans: &[TimeSpan]| spans.iter().map(in_milliseconds).collect();
    let flashing = |flashes: &FlashSpan| FlashingSpan { span: in_milliseconds(&flashes.span), score: flashes.score };
    Detections {
        black: spans(&observations.black),
        frozen: spans(&observations.frozen),
        silent: spans(&observations.silent),
        loud: spans(&observations.loud),
        flashing: observations.flashing.iter().map(flashing).collect(),
    }
}

fn in_milliseconds(span: &TimeSpan) -> MillisecondSpan {
    MillisecondSpan { from_ms: round(span.start * 1000.0), until_ms: round(span.end * 1000.0) }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 120,000 ms, negatives are clamped")]
fn round(ms: f64) -> u64 {
    ms.max(0.0).round() as u64
}

impl From<ModerationError> for JobError {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::FrameCount(_) => Self::Permanent(error.to_string()),
            ModerationError::Unreadable(_) => Self::Undecided(error.to_string()),
            // ffmpeg wrote the images on this machine, so an invalid one was probably not written completely.
            ModerationError::InvalidImage { .. } | ModerationError::HashingAborted(_) => {
                Self::Undecided(error.to_string())
            }
        }
    }
}

impl JobSteps<'_> {
    /// Examines the poster in the folder, and texts that were not examined with the video.
    pub(super) async fn examine_poster(
        self,
        folder: &JobFolder,
        at_ms: u64,
        subtitles: &str,
    ) -> Result<ModerationEvidence, JobError> {
        let path = folder.scratch().join(media::files::MODERATION_POSTER);
        let input = ModerationInput {
            content_uuid: &self.job.id.content_uuid,
            caption: self.job.details.caption.as_deref(),
            summary: self.job.details.summary.as_deref(),
            subtitles,
            duration_ms: self.job.details.duration_ms,
            sound: None,
            frames: &[FrameFile { path, at_ms }],
            unexamined_from_ms: None,
            detections: &Detections::default(),
            classifier: self.context.classifier.as_ref(),
        };
        Ok(collect_evidence(input).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::plan::Storyboard;
    use std::fs;

    fn stills(poster: Vec<u64>) -> Stills {
        Stills {
            poster,
            sample_every: 15,
            secret_samples: vec![20],
            sample_size: (512, 288),
            storyboard: Storyboard { every: 30, cells: 3, columns: 3, rows: 1, width: 160, height: 90 },
            preview: (0, 30),
            preview_size: (320, 180),
        }
    }

    /// Returns the names and times of the images that moderation examines for a video with `samples` sampled frames.
    fn examined_images(samples: usize, poster: Vec<u64>) -> Result<Vec<(String, u64)>, ModerationError> {
        let folder = tempfile::tempdir().unwrap();
        let frames = folder.path().join(media::files::FRAMES);
        fs::create_dir(&frames).unwrap();
        for number in 1..=samples {
            fs::write(frames.join(format!("{number:04}.jpg")), "").unwrap();
        }
        let rate = FrameRate::new(30, 1).unwrap();
        let images = frames_and_poster(folder.path(), rate, &stills(poster))?;
        let name = |image: &FrameFile| image.path.file_name().unwrap().to_string_lossy().into();
        Ok(images.iter().map(|image| (name(image), image.at_ms)).collect())
    }

    #[test]
    fn the_poster_is_examined_among_the_frames_at_its_time() {
        let owned = |images: &[(&str, u64)]| -> Vec<(String, u64)> {
            images.iter().map(|(name, at_ms)| ((*name).to_owned(), *at_ms)).collect()
        };
        let chosen_poster = owned(&[("0001.jpg", 0), ("0002.jpg", 500), ("poster.jpg", 600), ("0003.jpg", 667)]);
        assert_eq!(examined_images(3, vec![18]).unwrap(), chosen_poster);
        let sent_poster = owned(&[("0001.jpg", 0), ("poster.jpg", 0), ("0002.jpg", 500)]);
        assert_eq!(examined_images(2, vec![]).unwrap(), sent_poster);
        assert_eq!(examined_images(2, vec![5, 15, 25]).unwrap(), sent_poster);
    }

    #[test]
    fn a_poster_alone_is_not_enough_to_moderate_a_video() {
        assert!(matches!(examined_images(0, vec![20]), Err(ModerationError::FrameCount(0))));
    }
}
