//! What moderation is shown of a video: the frames that ffmpeg took, and what its detectors saw.

use super::Origin;
use crate::failure::JobError;
use crate::media::{self, Findings, Plan, Span};
use crate::moderation::detectors::{self, Flashing, Seen};
use crate::moderation::picture::Frame;
use crate::moderation::{Input, Moderated, ModerationError, moderate};
use std::io;
use std::path::Path;

/// What the look is about.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    pub content_uuid: &'a str,
    pub caption: Option<&'a str>,
    pub plan: &'a Plan,
    pub findings: &'a Findings,
    /// ffmpeg's working folder.
    pub folder: &'a Path,
}

pub(super) async fn look(origin: &Origin, subject: Subject<'_>) -> Result<Moderated, JobError> {
    let frames = frames(&subject.folder.join(media::files::FRAMES), subject.plan)
        .map_err(ModerationError::Unreadable)?;
    let input = Input {
        content_uuid: subject.content_uuid,
        caption: subject.caption,
        duration_ms: subject.plan.duration_ms,
        frames: &frames,
        seen: &seen(subject.findings),
        classifier: origin.classifier.as_ref(),
    };
    Ok(moderate(input).await?)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a step of a few thousand frames at most"
)]
/// The frames in their order; ffmpeg numbers them from 1, and took one of every so many.
fn frames(folder: &Path, plan: &Plan) -> io::Result<Vec<Frame>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let step_ms = plan.rate.frame_seconds() * 1000.0 * plan.stills.sample_every as f64;
    let numbered = paths.into_iter().zip(0_u32..);
    let frame = |(path, number)| Frame {
        path,
        at_ms: whole(f64::from(number) * step_ms),
    };
    Ok(numbered.map(frame).collect())
}

fn seen(findings: &Findings) -> Seen {
    let spans = |spans: &[Span]| spans.iter().map(span).collect();
    let dangerous = |flash| Flashing {
        span: span(flash),
        score: detectors::DANGEROUS_FLASHES,
    };
    Seen {
        black: spans(&findings.black),
        frozen: spans(&findings.frozen),
        silent: spans(&findings.silent),
        flashing: findings.flashing.iter().map(dangerous).collect(),
    }
}

fn span(span: &Span) -> detectors::Span {
    detectors::Span {
        from_ms: whole(span.start * 1000.0),
        until_ms: whole(span.end * 1000.0),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "times within two minutes, and not before the beginning"
)]
fn whole(ms: f64) -> u64 {
    ms.max(0.0).round() as u64
}

impl From<ModerationError> for JobError {
    fn from(error: ModerationError) -> Self {
        match error {
            ModerationError::FrameCount(_) | ModerationError::NoPicture { .. } => {
                Self::Permanent(error.to_string())
            }
            ModerationError::Unreadable(_) | ModerationError::BrokenOff(_) => {
                Self::Transient(error.to_string())
            }
        }
    }
}
