//! What moderation is shown of a video: the frames that ffmpeg took, the poster, and what its detectors saw.

use super::Origin;
use crate::failure::JobError;
use crate::media::{self, Findings, Plan, Rate, Span, Stills};
use crate::moderation::detectors::{self, Flashing, Seen};
use crate::moderation::picture::Frame;
use crate::moderation::{Input, Moderated, ModerationError, moderate};
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
    let frames = shown(subject.folder, subject.plan.rate, &subject.plan.stills)?;
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

/// The frames and the poster, in the order of their times. A sent poster has no time in the video: it stands at its beginning.
fn shown(folder: &Path, rate: Rate, stills: &Stills) -> Result<Vec<Frame>, ModerationError> {
    let mut frames = frames(&folder.join(media::files::FRAMES), rate, stills)?;
    if frames.is_empty() {
        // The poster alone does not stand for the video.
        return Err(ModerationError::FrameCount(0));
    }
    frames.push(Frame {
        path: folder.join(media::files::JUDGED_POSTER),
        at_ms: stills.poster_at_ms(rate).unwrap_or(0),
    });
    frames.sort_by_key(|frame| frame.at_ms);
    Ok(frames)
}

/// ffmpeg numbers the frames from 1, and took one of every so many.
fn frames(folder: &Path, rate: Rate, stills: &Stills) -> std::io::Result<Vec<Frame>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    let numbered = paths.into_iter().zip(0_u64..);
    let frame = |(path, number)| Frame {
        path,
        at_ms: rate.ms_at(number * stills.sample_every),
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
            ModerationError::FrameCount(_) => Self::Permanent(error.to_string()),
            // The pictures are ours: one that is broken was not written to its end.
            ModerationError::NoPicture { .. }
            | ModerationError::Unreadable(_)
            | ModerationError::BrokenOff(_) => Self::Transient(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::Storyboard;
    use std::fs;

    fn stills(poster: Vec<u64>) -> Stills {
        Stills {
            poster,
            sample_every: 15,
            sample_size: (512, 288),
            storyboard: Storyboard {
                every: 30,
                cells: 3,
                columns: 3,
                rows: 1,
                width: 160,
                height: 90,
            },
            preview: (0, 30),
            preview_size: (320, 180),
        }
    }

    /// The names and times of what is shown of a video with so many samples.
    fn seen(samples: usize, poster: Vec<u64>) -> Result<Vec<(String, u64)>, ModerationError> {
        let folder = tempfile::tempdir().unwrap();
        let frames = folder.path().join(media::files::FRAMES);
        fs::create_dir(&frames).unwrap();
        for number in 1..=samples {
            fs::write(frames.join(format!("{number:04}.jpg")), "").unwrap();
        }
        let rate = Rate::new(30, 1).unwrap();
        let shown = shown(folder.path(), rate, &stills(poster))?;
        let name = |frame: &Frame| frame.path.file_name().unwrap().to_string_lossy().into();
        Ok(shown
            .iter()
            .map(|frame| (name(frame), frame.at_ms))
            .collect())
    }

    #[test]
    fn the_poster_is_shown_among_the_frames_at_its_time() {
        let named = |names: &[(&str, u64)]| -> Vec<(String, u64)> {
            names
                .iter()
                .map(|(name, at_ms)| ((*name).to_owned(), *at_ms))
                .collect()
        };
        let chosen = named(&[("0001.jpg", 0), ("0002.jpg", 500), ("poster.jpg", 667)]);
        assert_eq!(seen(2, vec![20]).unwrap(), chosen);
        let sent = named(&[("0001.jpg", 0), ("poster.jpg", 0), ("0002.jpg", 500)]);
        assert_eq!(seen(2, vec![]).unwrap(), sent);
        assert_eq!(seen(2, vec![5, 15, 25]).unwrap(), sent);
    }

    #[test]
    fn a_poster_does_not_stand_for_a_video_without_frames() {
        assert!(matches!(
            seen(0, vec![20]),
            Err(ModerationError::FrameCount(0))
        ));
    }
}
