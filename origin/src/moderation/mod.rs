//! Collects evidence about a video for moderation: frame hashes, and findings of ffmpeg's detectors and the classifier.
//!
//! It must not read the blocklist or decide about a video: the edge does both. It must not depend on jobs or media
//! plans.

pub mod border;
pub mod detectors;
pub mod distinct;
pub mod frame_file;
pub mod hash;
pub mod inset;
pub mod pdq;

use crate::clients::classifier::{ClassifierClient, ClassifierRequest, FrameImage};
use contract::moderation::{Check, Examination, Finding, FrameHash, Recommendation};
use frame_file::{FrameFile, MAX_FRAMES};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use tokio::fs::File;
use tokio::io::AsyncReadExt;

/// The most images in one request to the classifier, as `docs/classifier.md` promises.
const MAX_CLASSIFIED_FRAMES: usize = 64;

/// The most sound that is sent to the classifier. Two minutes of AAC have at most 8.7 MB, unless the file is padded.
const MAX_SOUND_BYTES: usize = 10_000_000;

/// The video to examine.
#[derive(Clone, Copy, Debug)]
pub struct ModerationInput<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    pub summary: Option<&'a str>,
    /// The text of all subtitle tracks; empty without any.
    pub subtitles: &'a str,
    pub duration_ms: u64,
    /// The file with the sound of the outputs.
    pub sound: Option<&'a Path>,
    /// The frames, spread over the whole video, and the poster, in the order of their times.
    pub frames: &'a [FrameFile],
    /// The time of the first picture that is not in `frames`, if the video shows more distinct pictures than `frames`
    /// may contain.
    pub unexamined_from_ms: Option<u64>,
    pub detections: &'a detectors::Detections,
    pub classifier: Option<&'a ClassifierClient>,
}

/// The part of a job report that moderation contributes.
#[derive(Clone, Debug, PartialEq)]
pub struct ModerationEvidence {
    pub findings: Vec<Finding>,
    pub frames: Vec<FrameHash>,
    pub examination: Examination,
}

/// The reason why a video could not be examined. Such a video must not be published.
#[derive(Debug, thiserror::Error)]
pub enum ModerationError {
    #[error("the video has {0} frames to examine instead of 1 to {MAX_FRAMES}")]
    FrameCount(usize),
    #[error("a frame or the sound cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("the frame at {at_ms} ms is not a valid JPEG: {error}")]
    InvalidImage { at_ms: u64, error: image::ImageError },
    #[error("hashing the frames panicked or was cancelled: {0}")]
    HashingAborted(#[from] tokio::task::JoinError),
}

/// Loads the frames, hashes them for the blocklist, converts the detections to findings, and asks the classifier.
pub async fn collect_evidence(input: ModerationInput<'_>) -> Result<ModerationEvidence, ModerationError> {
    if !(1..=MAX_FRAMES).contains(&input.frames.len()) {
        return Err(ModerationError::FrameCount(input.frames.len()));
    }
    let images: Arc<[FrameImage]> = frame_file::load_all(input.frames).await?.into();
    let frames = hash_in_background(Arc::clone(&images)).await?;
    let mut findings = Vec::from_iter(finding_without_hashes(&frames));
    findings.extend(input.unexamined_from_ms.map(unexamined_finding));
    findings.extend(detectors::findings(input.detections));
    findings.extend(ask_classifier(&input, &images).await?);
    let examination = examination(&images, &frames, input.classifier.is_some());
    Ok(ModerationEvidence { findings, frames, examination })
}

fn examination(images: &[FrameImage], frames: &[FrameHash], has_classifier: bool) -> Examination {
    let has_hash = |at_ms| frames.iter().any(|frame| frame.at_ms == at_ms);
    let plain = images.iter().map(|image| image.at_ms).filter(|at_ms| !has_hash(*at_ms));
    let checks = Check::OF_EVERY_JOB.into_iter().chain(has_classifier.then_some(Check::Classifier));
    Examination { checks: checks.collect(), plain_frames_at_ms: plain.collect() }
}

/// Asks the classifier about the sound and all images, in as many requests as its protocol requires. The sound is part
/// of the first one.
async fn ask_classifier(input: &ModerationInput<'_>, images: &[FrameImage]) -> Result<Vec<Finding>, ModerationError> {
    let mut findings = Vec::new();
    let Some(classifier) = input.classifier else {
        return Ok(findings);
    };
    let sound = match read_sound(input.sound).await? {
        Some(sound) if sound.len() > MAX_SOUND_BYTES => return Ok(vec![unclassified_sound_finding()]),
        sound => sound,
    };
    for (index, images) in images.chunks(MAX_CLASSIFIED_FRAMES).enumerate() {
        let ModerationInput { content_uuid, caption, summary, subtitles, duration_ms, .. } = *input;
        let sound = sound.as_deref().filter(|_| index == 0);
        let request = ClassifierRequest { content_uuid, caption, summary, subtitles, duration_ms, sound, images };
        findings.extend(classifier.classify(request).await);
    }
    Ok(findings)
}

/// Returns the file, or its beginning if it is too long.
async fn read_sound(path: Option<&Path>) -> Result<Option<Vec<u8>>, ModerationError> {
    let Some(path) = path else {
        return Ok(None);
    };
    let mut sound = Vec::new();
    File::open(path).await?.take(MAX_SOUND_BYTES as u64 + 1).read_to_end(&mut sound).await?;
    Ok(Some(sound))
}

/// Hashes on a blocking thread, because it takes too long for the async runtime.
async fn hash_in_background(images: Arc<[FrameImage]>) -> Result<Vec<FrameHash>, ModerationError> {
    tokio::task::spawn_blocking(move || hash_all(&images)).await?
}

/// Returns the hashes of all images, in their order. Every processor takes a share.
fn hash_all(images: &[FrameImage]) -> Result<Vec<FrameHash>, ModerationError> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let share = images.len().div_ceil(processors).max(1);
    let hashes: Vec<_> = thread::scope(|scope| {
        let parts: Vec<_> = images.chunks(share).map(|images| scope.spawn(|| hash_each(images))).collect();
        parts.into_iter().map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    Ok(hashes.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// Returns the hashes of images that show enough detail to have one. An image may have two.
fn hash_each(images: &[FrameImage]) -> Result<Vec<FrameHash>, ModerationError> {
    let mut hashes = Vec::with_capacity(images.len());
    for image in images {
        let at_ms = image.at_ms;
        let decoded = hash::decode(&image.jpeg).map_err(|error| ModerationError::InvalidImage { at_ms, error })?;
        hashes.extend(hash::picture_hashes(&decoded).into_iter().map(|hash| FrameHash { at_ms, hash }));
    }
    Ok(hashes)
}

/// Requires a review if some distinct pictures were not examined.
fn unexamined_finding(from_ms: u64) -> Finding {
    Finding {
        check: Check::Pictures,
        recommendation: Recommendation::Review,
        from_ms: Some(from_ms),
        until_ms: None,
        score: None,
        note: Some("more different pictures than can be compared".to_owned()),
    }
}

/// Requires a review if the sound cannot be sent to the classifier.
fn unclassified_sound_finding() -> Finding {
    let note = "the sound has too many bytes for the classifier";
    Finding::of_whole_video(Check::Classifier, Recommendation::Review, note)
}

/// Records that the blocklist cannot recognise this video.
fn finding_without_hashes(frames: &[FrameHash]) -> Option<Finding> {
    let note = "no frame shows enough detail to be compared";
    frames.is_empty().then(|| Finding::of_whole_video(Check::Blocklist, Recommendation::Pass, note))
}

#[cfg(test)]
mod tests;
