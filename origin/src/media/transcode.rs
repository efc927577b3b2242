//! Makes the outputs: one ffmpeg process, and the pictures that are chosen among its frames.
//!
//! Whether they came out as planned is not judged here but by `verify`; `written` only makes sure that they are whole.

use std::fs;
use std::io::Read;
use std::path::Path;

use contract::MediaFile;

use super::argv::argv;
use super::files::{self, output};
use super::findings::{Findings, frames_seen};
use super::limits;
use super::plan::{Plan, Thumbnail};
use super::spawn::{self, Event};
use super::thumbnail;
use super::{MediaError, Workshop, written};

/// What the detectors write of two minutes at 60 frames a second fits five times over.
const LONGEST_FINDINGS: u64 = 16 << 20;

/// Why a source without a frame is refused.
pub(super) const NOTHING: &str = "not one frame of it can be decoded";

/// What was made, besides the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    /// The placeholder shown before a picture is loaded, in base64.
    pub thumbhash: String,
    pub findings: Findings,
}

/// Carries the plan out. `progress` gets whole percents that only grow.
pub fn transcode(
    shop: &Workshop<'_>,
    plan: &Plan,
    thumbnail: &Thumbnail,
    progress: impl FnMut(u8),
) -> Result<Outputs, MediaError> {
    // A sent picture that is none ends the job before it costs an encode.
    let sent = match thumbnail {
        Thumbnail::Picture(path) => Some(thumbnail::open_sent(path)?),
        Thumbnail::At(_) | Thumbnail::Best => None,
    };
    make_folders(shop.folder)?;
    encode(shop, plan, progress)?;
    refuse_links(shop.folder)?;
    written::check(plan, shop.folder)?;
    let poster = output(shop.folder, MediaFile::Poster);
    match &sent {
        Some(picture) => thumbnail::write_poster(picture, &poster)?,
        None => take_poster(shop.folder, &poster)?,
    }
    let board = MediaFile::Storyboard.to_string();
    let cues = &plan.stills.storyboard;
    let cues = cues.vtt(&board, plan.rate, plan.duration_ms);
    write(&output(shop.folder, MediaFile::StoryboardTrack), &cues)?;
    Ok(Outputs {
        thumbhash: thumbnail::write_thumbnails(shop.folder)?,
        findings: findings(shop.folder, plan)?,
    })
}

/// Clears what an earlier attempt left, so that nothing of it can pass for a result.
fn make_folders(folder: &Path) -> Result<(), MediaError> {
    for name in [
        files::OUT,
        files::FRAMES,
        files::CANDIDATES,
        files::FINDINGS,
    ] {
        let path = folder.join(name);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(MediaError::trouble("clearing a folder", &error));
            }
            _ => {}
        }
        let wanted = if name == files::OUT {
            path.join("hls")
        } else {
            path
        };
        fs::create_dir_all(wanted)
            .map_err(|error| MediaError::trouble("making a folder", &error))?;
    }
    Ok(())
}

fn encode(
    shop: &Workshop<'_>,
    plan: &Plan,
    mut progress: impl FnMut(u8),
) -> Result<(), MediaError> {
    let argv = argv(plan, shop.source, shop.tools.threads);
    let mut shown = 0;
    spawn::ffmpeg(
        shop,
        &argv,
        limits::transcode_time(plan.duration_ms),
        |event| {
            if let Event::Progress(Some(seconds)) = event {
                let percent = percent(seconds, plan.playing_seconds);
                if percent > shown {
                    shown = percent;
                    progress(percent);
                }
            }
        },
    )?;
    progress(100);
    Ok(())
}

/// 100 is said once all is there.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to 0..=99"
)]
fn percent(seconds: f64, of: f64) -> u8 {
    (seconds / of.max(0.001) * 100.0).clamp(0.0, 99.0) as u8
}

/// A decoder that a file has taken over could leave a link in place of a picture, and this program, which may read and
/// write more than it, would follow.
fn refuse_links(folder: &Path) -> Result<(), MediaError> {
    let trouble = |error: std::io::Error| MediaError::trouble("looking at the outputs", &error);
    for entry in fs::read_dir(folder).map_err(trouble)? {
        let entry = entry.map_err(trouble)?;
        let kind = entry.file_type().map_err(trouble)?;
        if kind.is_dir() {
            refuse_links(&entry.path())?;
        } else if !kind.is_file() {
            return Err(MediaError::Permanent(
                "ffmpeg left something that is no plain file".into(),
            ));
        }
    }
    Ok(())
}

/// The best of the full-size frames becomes the poster as it is; where a damaged source gave none, a small one does.
fn take_poster(folder: &Path, poster: &Path) -> Result<(), MediaError> {
    let candidate = match thumbnail::choose(&folder.join(files::CANDIDATES))? {
        Some(frame) => Some(frame),
        None => thumbnail::list(&folder.join(files::FRAMES))?.pop(),
    };
    let frame = candidate.ok_or_else(|| MediaError::format(NOTHING))?;
    fs::copy(frame, poster).map_err(|error| MediaError::trouble("keeping the poster", &error))?;
    Ok(())
}

fn findings(folder: &Path, plan: &Plan) -> Result<Findings, MediaError> {
    let video = read_if_there(&folder.join(files::VIDEO_FINDINGS))?;
    let audio = read_if_there(&folder.join(files::AUDIO_FINDINGS))?;
    let samples = thumbnail::list(&folder.join(files::FRAMES))?.len() as u64;
    let seen = frames_seen(&video);
    check_seen(seen, samples, plan.stills.sample_every)?;
    check_copied(seen, plan)?;
    Ok(Findings::parse(&video, &audio, plan.playing_seconds))
}

/// The detectors and the samples get the same frames: where fewer were seen, what is wrong with the rest is not known.
fn check_seen(seen: u64, samples: u64, every: u64) -> Result<(), MediaError> {
    if samples == 0 {
        return Err(MediaError::format(NOTHING));
    }
    let least = (samples - 1) * every + 1;
    if seen < least {
        let detail = format!("the detectors saw {seen} of at least {least} frames");
        return Err(MediaError::Transient(detail));
    }
    Ok(())
}

/// Packets are copied whether they can be decoded or not; what nobody could look at goes no further.
fn check_copied(seen: u64, plan: &Plan) -> Result<(), MediaError> {
    let missing = plan.frames.saturating_sub(seen);
    if plan.copy_video && missing > plan.rate.frames_in(limits::MOST_MISSING).max(1) {
        let detail = format!("only {seen} of its {} frames can be decoded", plan.frames);
        return Err(MediaError::format(detail));
    }
    Ok(())
}

/// A detector that has nothing to say, or no sound to listen to, writes no file.
fn read_if_there(path: &Path) -> Result<String, MediaError> {
    let mut text = String::new();
    let read = fs::File::open(path)
        .and_then(|file| file.take(LONGEST_FINDINGS + 1).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(MediaError::trouble("reading findings", &error)),
        Ok(read) if read as u64 > LONGEST_FINDINGS => {
            Err(MediaError::Permanent("the findings have no end".into()))
        }
        Ok(_) => Ok(text),
    }
}

pub(super) fn write(path: &Path, text: &str) -> Result<(), MediaError> {
    fs::write(path, text).map_err(|error| MediaError::trouble("writing an output", &error))
}

#[cfg(test)]
mod tests {
    use super::super::plan::plan;
    use super::super::plan::tests::plain;
    use super::*;

    #[test]
    fn a_link_among_the_outputs_ends_the_job() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join(files::OUT);
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("plain"), "").unwrap();
        assert!(refuse_links(folder.path()).is_ok());
        std::os::unix::fs::symlink("/etc/hostname", inner.join("poster.jpg")).unwrap();
        assert!(matches!(
            refuse_links(folder.path()),
            Err(MediaError::Permanent(_))
        ));
    }

    #[test]
    fn findings_of_fewer_frames_than_there_are_samples_of_are_not_believed() {
        assert!(check_seen(31, 3, 15).is_ok());
        for seen in [0, 30] {
            let checked = check_seen(seen, 3, 15);
            assert!(matches!(checked, Err(MediaError::Transient(_))), "{seen}");
        }
        let nothing = check_seen(0, 0, 15);
        assert!(matches!(nothing, Err(MediaError::Rejected { .. })));
    }

    #[test]
    fn a_copy_may_miss_a_blink_and_an_encode_is_judged_by_what_came_of_it() {
        let mut plan = plan(&plain(), None, &Thumbnail::Best);
        assert!(plan.copy_video && plan.frames == 300);
        assert!(check_copied(291, &plan).is_ok());
        let checked = check_copied(290, &plan);
        assert!(matches!(checked, Err(MediaError::Rejected { .. })));
        plan.copy_video = false;
        assert!(check_copied(290, &plan).is_ok());
    }

    #[test]
    fn findings_without_end_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("video.txt");
        assert_eq!(read_if_there(&path).unwrap(), "");
        let file = fs::File::create(&path).unwrap();
        file.set_len(LONGEST_FINDINGS + 1).unwrap();
        assert!(matches!(
            read_if_there(&path),
            Err(MediaError::Permanent(_))
        ));
    }

    #[test]
    fn progress_stays_below_the_end_until_all_is_there() {
        assert_eq!(percent(5.0, 10.0), 50);
        assert_eq!(percent(12.0, 10.0), 99);
        assert_eq!(percent(-1.0, 10.0), 0);
        assert_eq!(percent(1.0, 0.0), 99);
    }
}
