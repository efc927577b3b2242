//! Reads what ffmpeg's detectors wrote, and makes sure that they saw the whole video.

use super::filters::flash_size;
use super::flashes::{self, FlashSpan};
use super::folders;
use super::observations::Observations;
use crate::media::files::{AUDIO_OBSERVATIONS, FLASH_FRAMES, FRAMES, VIDEO_OBSERVATIONS};
use crate::media::plan::Plan;
use crate::media::{MediaError, limits};
use image::GrayImage;
use std::io::Read;
use std::path::Path;
use std::{fs, io};

/// Five times what the detectors write about two minutes at 60 frames per second.
const MAX_BYTES: u64 = 16 << 20;

/// Reads the detectors' files below the private folder.
pub(super) fn read_observations(folder: &Path, plan: &Plan) -> Result<Observations, MediaError> {
    let video = read_if_present(&folder.join(VIDEO_OBSERVATIONS))?;
    let audio = read_if_present(&folder.join(AUDIO_OBSERVATIONS))?;
    let samples = folders::list(&folder.join(FRAMES))?.len();
    let (observed, flashing) = find_flashes(&folder.join(FLASH_FRAMES), plan)?;
    check_samples(observed, samples, plan)?;
    check_copied_video(observed, plan)?;
    Ok(Observations::parse(&video, &audio, flashing, plan.playing_seconds))
}

/// Returns the number of frames, and the dangerous flashes in them.
fn find_flashes(path: &Path, plan: &Plan) -> Result<(u64, Vec<FlashSpan>), MediaError> {
    let (width, height) = flash_size(plan);
    let pixels = usize::try_from(width * height).unwrap_or(usize::MAX);
    let frames = read_small_frames(path, plan)?;
    let count = frames.len() / (3 * pixels.max(1));
    Ok((count as u64, flashes::find(&frames, pixels, plan.rate)))
}

/// Returns every frame of the video as a very small greyscale picture.
pub fn small_frames(folder: &Path, plan: &Plan) -> Result<Vec<GrayImage>, MediaError> {
    let (width, height) = flash_size(plan);
    let rgb = read_small_frames(&folder.join(FLASH_FRAMES), plan)?;
    let frame_bytes = usize::try_from(3 * width * height).unwrap_or(usize::MAX).max(1);
    let frames = rgb.chunks_exact(frame_bytes).map(|frame| GrayImage::from_raw(width, height, brightness(frame)));
    Ok(frames.flatten().collect())
}

fn brightness(rgb: &[u8]) -> Vec<u8> {
    let weighted = |red: u8, green: u8, blue: u8| 2 * u16::from(red) + 5 * u16::from(green) + u16::from(blue);
    let (pixels, _) = rgb.as_chunks::<3>();
    pixels.iter().map(|[red, green, blue]| u8::try_from(weighted(*red, *green, *blue) / 8).unwrap_or(u8::MAX)).collect()
}

fn read_small_frames(path: &Path, plan: &Plan) -> Result<Vec<u8>, MediaError> {
    let (width, height) = flash_size(plan);
    let mut frames = Vec::new();
    let file = fs::File::open(path).map_err(|error| MediaError::io("opening the detectors' frames", &error))?;
    let max_bytes = (plan.frame_count + 1).saturating_mul(3 * u64::from(width * height));
    let read = file.take(max_bytes).read_to_end(&mut frames);
    read.map_err(|error| MediaError::io("reading the detectors' frames", &error))?;
    Ok(frames)
}

/// The detectors and the samples get the same frames. If the detectors observed fewer, part of the video was not
/// examined. More frames than planned are not read: their source decodes to more than its packets say.
fn check_samples(observed: u64, samples: usize, plan: &Plan) -> Result<(), MediaError> {
    if samples == 0 {
        return Err(MediaError::no_frame());
    }
    let expected = plan.stills.sample_numbers().nth(samples - 1).map_or(u64::MAX, |last| last + 1);
    if expected > plan.frame_count + 1 {
        let detail = format!("at least {expected} frames are decoded instead of {}", plan.frame_count);
        return Err(MediaError::invalid_format(detail));
    }
    if observed < expected {
        let detail = format!("the detectors observed only {observed} of at least {expected} frames");
        return Err(MediaError::Undecided(detail));
    }
    Ok(())
}

/// Packets are copied even if they cannot be decoded. A video that moderation cannot see is rejected.
fn check_copied_video(observed: u64, plan: &Plan) -> Result<(), MediaError> {
    let missing = plan.frame_count.saturating_sub(observed);
    if plan.copy_video && missing > plan.rate.frames_in(limits::MAX_MISSING_SECONDS).max(1) {
        let detail = format!("only {observed} of its {} frames can be decoded", plan.frame_count);
        return Err(MediaError::invalid_format(detail));
    }
    Ok(())
}

/// Returns an empty string if there is no file: a detector that observes nothing, or has no sound to examine, writes
/// none.
pub(super) fn read_if_present(path: &Path) -> Result<String, MediaError> {
    let mut text = String::new();
    let read = fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_string(&mut text));
    match read {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(MediaError::io("reading the detectors' output", &error)),
        Ok(read) if read as u64 > MAX_BYTES => {
            Err(MediaError::Permanent(format!("the detectors wrote more than {MAX_BYTES} bytes")))
        }
        Ok(_) => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::plan::ThumbnailChoice;
    use crate::media::source::examples::plain_inspection;

    #[test]
    fn detectors_that_observed_fewer_frames_than_were_sampled_are_not_trusted() {
        let plan = Plan::new(&plain_inspection(), None, &ThumbnailChoice::Best);
        let check_samples = |observed, samples| check_samples(observed, samples, &plan);
        assert!(check_samples(31, 3).is_ok());
        for observed in [0, 30] {
            let result = check_samples(observed, 3);
            assert!(matches!(result, Err(MediaError::Undecided(_))), "{observed}");
        }
        for (observed, samples) in [(0, 0), (301, 100)] {
            assert!(matches!(check_samples(observed, samples), Err(MediaError::Rejected { .. })), "{samples}");
        }
    }

    #[test]
    fn a_copied_video_may_lack_a_few_frames_and_an_encoded_one_is_judged_by_its_outputs() {
        let mut plan = Plan::new(&plain_inspection(), None, &ThumbnailChoice::Best);
        assert!(plan.copy_video && plan.frame_count == 300);
        assert!(check_copied_video(291, &plan).is_ok());
        assert!(matches!(check_copied_video(290, &plan), Err(MediaError::Rejected { .. })));
        plan.copy_video = false;
        assert!(check_copied_video(290, &plan).is_ok());
    }

    #[test]
    fn an_endless_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("video.txt");
        assert_eq!(read_if_present(&path).unwrap(), "");
        let file = fs::File::create(&path).unwrap();
        file.set_len(MAX_BYTES + 1).unwrap();
        assert!(matches!(read_if_present(&path), Err(MediaError::Permanent(_))));
    }
}
