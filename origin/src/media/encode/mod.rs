//! Produces the outputs with one ffmpeg process, and chooses the poster among its frames. A second codec takes another
//! process, and a graphics card two more.
//!
//! In: a [`Plan`]. Out: complete files in the private folder, and an [`EncodeReport`]. Makes sure that everything
//! ffmpeg wrote is on the disk, down to the last byte, and that moderation can rely on the detectors. Must not judge
//! whether the outputs match the plan: `verify` does that without trusting this stage.

mod arguments;
mod captions;
mod completeness;
mod decoded_times;
mod detectors;
mod extraction;
mod filters;
mod flash_cells;
mod flashes;
mod folders;
mod frame_score;
mod hardware;
mod loud_parts;
mod observations;
mod other_thumbnail;
mod poster;
mod rate_control;
pub mod requirements;
mod second_codec;
mod sent_picture;
mod subtitles;
mod time_span;
mod whole_file;

pub use arguments::argv;
pub use captions::{CaptionFiles, MadeCaptions, write_captions};
pub use detectors::small_frames;
pub use extraction::extract_frames;
pub use flashes::FlashSpan;
pub use folders::create as create_folders;
pub use hardware::{pair_argv, try_hardware};
pub use observations::Observations;
pub use other_thumbnail::write_other_thumbnail;
pub use poster::write_moderation_copy;
pub use second_codec::{second_codec_argv, try_second_codec};
pub use subtitles::Subtitles;
pub use time_span::TimeSpan;

use super::files::output;
use super::limits;
use super::plan::{Plan, ThumbnailChoice};
use super::process::{FfmpegMessage, run_ffmpeg};
use super::{MediaContext, MediaError};
use contract::MediaFile;
use hardware::HardwareEncode;
use image::DynamicImage;
use std::fs;
use std::path::Path;

/// The results of the encode that are not files.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodeReport {
    /// The placeholder that is shown before a picture has loaded, in base64.
    pub thumbhash: String,
    pub observations: Observations,
    pub subtitles: Subtitles,
    /// The reason why x264 encoded what the graphics card was to encode.
    pub hardware_failure: Option<String>,
}

/// Carries out the plan of a whole video, or of its first step. `on_progress` receives increasing whole percentages.
pub fn write_outputs(
    context: &MediaContext<'_>,
    plan: &Plan,
    thumbnail: &ThumbnailChoice,
    on_progress: impl FnMut(u8),
) -> Result<EncodeReport, MediaError> {
    // An invalid sent picture fails the job before it costs an encode.
    let sent_picture = match thumbnail {
        ThumbnailChoice::SentPicture(path) => Some(sent_picture::open(path)?),
        ThumbnailChoice::AtMs(_) | ThumbnailChoice::Best => None,
    };
    folders::create(context.folder)?;
    let hardware_failure = encode(context, plan, on_progress)?;
    let subtitles = subtitles::write(context, plan)?;
    folders::reject_links(context.folder)?;
    completeness::check(plan, context.folder)?;
    decoded_times::check(plan, context.folder)?;
    write_poster(context.folder, sent_picture.as_ref())?;
    write_storyboard_track(context.folder, plan)?;
    Ok(EncodeReport {
        thumbhash: poster::write_thumbnails(context.folder)?,
        observations: detectors::read_observations(context.folder, plan)?,
        subtitles,
        hardware_failure,
    })
}

/// Makes what the first step has left out. Its files are in the folder of the outputs already. Returns the reason why
/// the graphics card failed, if it did.
pub fn write_rest(
    context: &MediaContext<'_>,
    plan: &Plan,
    on_progress: impl FnMut(u8),
) -> Result<Option<String>, MediaError> {
    let hardware_failure = encode(context, plan, on_progress)?;
    folders::reject_links(context.folder)?;
    completeness::check(plan, context.folder)?;
    Ok(hardware_failure)
}

/// The part of the time of both encodes that the first one takes, if there is a second codec.
const FIRST_SHARE: f64 = 0.35;

/// Returns why the graphics card failed, if it did.
fn encode(
    context: &MediaContext<'_>,
    plan: &Plan,
    mut on_progress: impl FnMut(u8),
) -> Result<Option<String>, MediaError> {
    let mut reported = 0;
    let mut report = |(start, share): (f64, f64), message: FfmpegMessage<'_>| {
        if let FfmpegMessage::Progress(Some(seconds)) = message {
            let percent = percent(start + share * (seconds / plan.playing_seconds.max(0.001)).clamp(0.0, 1.0));
            if percent > reported {
                reported = percent;
                on_progress(percent);
            }
        }
    };
    let second = second_codec_argv(plan, context.source, context.tools.threads);
    let needs_h264 = plan.makes_evidence() || !plan.encoded_rungs().is_empty();
    let first_share = match (needs_h264, &second) {
        (false, _) => 0.0,
        (true, Some(_)) => FIRST_SHARE,
        (true, None) => 1.0,
    };
    let mut failure = None;
    if needs_h264 {
        failure = encode_h264(context, plan, |message| report((0.0, first_share), message))?;
    }
    if let Some(second) = second {
        let time_limit = limits::second_encode_time(plan.duration_ms);
        run_ffmpeg(context, &second, time_limit, |message| report((first_share, 1.0 - first_share), message))?;
    }
    on_progress(100);
    Ok(failure)
}

/// Encodes with the graphics card if there is one, and with x264 if there is none or it fails.
fn encode_h264(
    context: &MediaContext<'_>,
    plan: &Plan,
    mut on_message: impl FnMut(FfmpegMessage<'_>),
) -> Result<Option<String>, MediaError> {
    let mut failure = None;
    if let Some(hardware) = plan.encoder.hardware.filter(|_| !plan.encoded_rungs().is_empty()) {
        match hardware::encode(context, plan, hardware, &mut on_message)? {
            HardwareEncode::Done => return Ok(None),
            HardwareEncode::Failed(error) => failure = Some(error.to_string()),
        }
    }
    let argv = argv(plan, context.source, context.tools.threads);
    run_ffmpeg(context, &argv, limits::encode_time(plan.duration_ms), on_message)?;
    Ok(failure)
}

/// At most 99: 100 is reported once ffmpeg has succeeded.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is clamped to 0..=99")]
fn percent(progress: f64) -> u8 {
    (progress * 100.0).clamp(0.0, 99.0) as u8
}

fn write_poster(folder: &Path, sent_picture: Option<&DynamicImage>) -> Result<(), MediaError> {
    let path = output(folder, MediaFile::Poster);
    match sent_picture {
        Some(picture) => sent_picture::write_poster(picture, &path),
        None => poster::choose(folder, &path),
    }
}

fn write_storyboard_track(folder: &Path, plan: &Plan) -> Result<(), MediaError> {
    let picture = MediaFile::Storyboard.to_string();
    let vtt = plan.stills.storyboard.vtt(&picture, plan.rate, plan.duration_ms);
    fs::write(output(folder, MediaFile::StoryboardTrack), vtt)
        .map_err(|error| MediaError::io("writing an output", &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_stays_below_100_until_everything_is_written() {
        assert_eq!(percent(0.5), 50);
        assert_eq!(percent(1.2), 99);
        assert_eq!(percent(-0.1), 0);
    }
}
