//! Collects evidence about a video for moderation: frame hashes, and findings of ffmpeg's detectors and the classifier.
//!
//! It must not read the blocklist or decide about a video: the edge does both. It must not depend on jobs or media
//! plans.

pub mod border;
pub mod detectors;
pub mod distinct;
pub mod frame_file;
pub mod hash;

use crate::clients::classifier::{ClassifierClient, ClassifierRequest, FrameImage};
use contract::moderation::{Check, Examination, Finding, FrameHash, Recommendation};
use frame_file::{FrameFile, MAX_FRAMES};
use std::sync::Arc;

/// The most images in one request to the classifier, as `docs/classifier.md` promises.
const MAX_CLASSIFIED_FRAMES: usize = 64;

/// The video to examine.
#[derive(Clone, Copy, Debug)]
pub struct ModerationInput<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    pub summary: Option<&'a str>,
    /// The text of all subtitle tracks; empty without any.
    pub subtitles: &'a str,
    pub duration_ms: u64,
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
    #[error("a frame cannot be read: {0}")]
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
    findings.extend(ask_classifier(&input, &images).await);
    let examination = examination(&images, &frames, input.classifier.is_some());
    Ok(ModerationEvidence { findings, frames, examination })
}

fn examination(images: &[FrameImage], frames: &[FrameHash], has_classifier: bool) -> Examination {
    let has_hash = |at_ms| frames.iter().any(|frame| frame.at_ms == at_ms);
    let plain = images.iter().map(|image| image.at_ms).filter(|at_ms| !has_hash(*at_ms));
    let checks = Check::OF_EVERY_JOB.into_iter().chain(has_classifier.then_some(Check::Classifier));
    Examination { checks: checks.collect(), plain_frames_at_ms: plain.collect() }
}

/// Asks the classifier about all images, in as many requests as its protocol requires.
async fn ask_classifier(input: &ModerationInput<'_>, images: &[FrameImage]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(classifier) = input.classifier else {
        return findings;
    };
    for images in images.chunks(MAX_CLASSIFIED_FRAMES) {
        let ModerationInput { content_uuid, caption, summary, subtitles, duration_ms, .. } = *input;
        let request = ClassifierRequest { content_uuid, caption, summary, subtitles, duration_ms, images };
        findings.extend(classifier.classify(request).await);
    }
    findings
}

/// Hashes on a blocking thread, because it takes too long for the async runtime.
async fn hash_in_background(images: Arc<[FrameImage]>) -> Result<Vec<FrameHash>, ModerationError> {
    tokio::task::spawn_blocking(move || hash_all(&images)).await?
}

/// Returns the hashes of all images that show enough detail to have one.
fn hash_all(images: &[FrameImage]) -> Result<Vec<FrameHash>, ModerationError> {
    let mut hashes = Vec::with_capacity(images.len());
    for image in images {
        let at_ms = image.at_ms;
        let decoded = hash::decode(&image.jpeg).map_err(|error| ModerationError::InvalidImage { at_ms, error })?;
        hashes.extend(hash::picture_hash(&decoded).map(|hash| FrameHash { at_ms, hash }));
    }
    Ok(hashes)
}

/// Calls for a person if some distinct pictures were not examined.
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

/// Records that the blocklist cannot recognise this video.
fn finding_without_hashes(frames: &[FrameHash]) -> Option<Finding> {
    frames.is_empty().then(|| Finding {
        check: Check::Blocklist,
        recommendation: Recommendation::Pass,
        from_ms: None,
        until_ms: None,
        score: None,
        note: Some("no frame shows enough detail to be compared".to_owned()),
    })
}

#[cfg(test)]
mod tests;
