//! Moderation as far as it needs the video: what its frames look like, and what detectors and a classifier say of it.
//!
//! The origin finds, the edge decides: it alone knows the blocklist and the people who review.

pub mod border;
pub mod classifier;
mod classifier_answer;
pub mod detectors;
pub mod hash;
pub mod picture;

use classifier::{ClassifierClient, Question};
use contract::moderation::{Check, Finding, FrameHash, Verdict};
use picture::{Frame, MOST_FRAMES, Picture};
use std::sync::Arc;

/// What is judged.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    pub duration_ms: u64,
    /// From the whole length of the video and its poster, in their order.
    pub frames: &'a [Frame],
    pub seen: &'a detectors::Seen,
    pub classifier: Option<&'a ClassifierClient>,
}

/// What the report tells the edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Moderated {
    pub findings: Vec<Finding>,
    pub frames: Vec<FrameHash>,
}

/// Nothing was judged, so nothing may pass.
#[derive(Debug, thiserror::Error)]
pub enum ModerationError {
    #[error("there are {0} frames to judge, not 1 to {MOST_FRAMES}")]
    FrameCount(usize),
    #[error("a frame cannot be read: {0}")]
    Unreadable(#[from] std::io::Error),
    #[error("the frame at {at_ms} ms is no picture: {error}")]
    NoPicture {
        at_ms: u64,
        error: image::ImageError,
    },
    #[error("the hashing of frames was broken off: {0}")]
    BrokenOff(#[from] tokio::task::JoinError),
}

/// Reads the frames, hashes them for the blocklist, tells what the detectors saw, and asks the classifier.
pub async fn moderate(input: Input<'_>) -> Result<Moderated, ModerationError> {
    if !(1..=MOST_FRAMES).contains(&input.frames.len()) {
        return Err(ModerationError::FrameCount(input.frames.len()));
    }
    let pictures: Arc<[Picture]> = picture::read_all(input.frames).await?.into();
    let frames = hash_apart(Arc::clone(&pictures)).await?;
    let mut findings = Vec::from_iter(incomparable(&frames));
    findings.extend(detectors::findings(input.seen));
    if let Some(classifier) = input.classifier {
        let question = Question {
            content_uuid: input.content_uuid,
            caption: input.caption,
            duration_ms: input.duration_ms,
            pictures: &pictures,
        };
        findings.extend(classifier.ask(question).await);
    }
    Ok(Moderated { findings, frames })
}

/// On a thread where it keeps nobody waiting.
async fn hash_apart(pictures: Arc<[Picture]>) -> Result<Vec<FrameHash>, ModerationError> {
    tokio::task::spawn_blocking(move || hash_all(&pictures)).await?
}

/// The hashes of those pictures that show enough to have one.
fn hash_all(pictures: &[Picture]) -> Result<Vec<FrameHash>, ModerationError> {
    let mut hashes = Vec::with_capacity(pictures.len());
    for picture in pictures {
        let at_ms = picture.at_ms;
        let decoded = hash::decode(&picture.jpeg)
            .map_err(|error| ModerationError::NoPicture { at_ms, error })?;
        hashes.extend(hash::hash(&decoded).map(|hash| FrameHash { at_ms, hash }));
    }
    Ok(hashes)
}

/// Says so when the blocklist cannot be asked about a video.
fn incomparable(frames: &[FrameHash]) -> Option<Finding> {
    frames.is_empty().then(|| Finding {
        check: Check::Blocklist,
        verdict: Verdict::Pass,
        from_ms: None,
        until_ms: None,
        score: None,
        note: Some("no frame shows enough to be compared".to_owned()),
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
