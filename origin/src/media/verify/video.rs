//! Checks one video file: its codecs, size and streams with ffprobe, its length by its packets, and length and streams
//! again with our own prober.

use super::mismatch::mismatch;
use crate::media::files::output;
use crate::media::limits::MAX_MISSING_SECONDS;
use crate::media::plan::{Plan, Rung};
use crate::media::source::{Packets, StreamEntry, describe_output, probe_file};
use crate::media::units::milliseconds;
use crate::media::{MediaContext, MediaError};
use contract::{MediaFile, VideoCodec};
use probe::TrackKind;
use std::path::Path;

/// The time by which sound may exceed its planned duration, in seconds: one AAC frame at the lowest sample rate that is
/// copied, and the encoder delay.
const SOUND_TOLERANCE_SECONDS: f64 = 0.05;

pub(super) const DEMUXER: &str = "mov,mp4,m4a,3gp,3g2,mj2";

/// The required contents of a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    PicturesAndSound(&'a Rung),
    Pictures(&'a Rung, VideoCodec),
    Sound,
}

/// The facts that the checks of one file established.
pub(super) struct FileFacts {
    /// The first stream.
    pub(super) stream: StreamEntry,
    /// The playing time of the file.
    pub(super) seconds: f64,
}

impl<'a> Content<'a> {
    /// Returns the rung, which has the size of the pictures, and ffprobe's name for their codec.
    fn pictures(self) -> Option<(&'a Rung, &'static str)> {
        match self {
            Self::PicturesAndSound(rung) => Some((rung, codec_name(VideoCodec::H264))),
            Self::Pictures(rung, codec) => Some((rung, codec_name(codec))),
            Self::Sound => None,
        }
    }

    fn has_sound(self, plan: &Plan) -> bool {
        plan.sound.is_some() && !matches!(self, Self::Pictures(..))
    }

    /// Returns how long the file should play.
    fn seconds(self, plan: &Plan) -> f64 {
        match self {
            Self::PicturesAndSound(_) => plan.playing_seconds,
            Self::Pictures(..) => plan.rate.seconds_at(plan.frame_count),
            Self::Sound => plan.sound.as_ref().map_or(0.0, |sound| sound.seconds),
        }
    }
}

fn codec_name(codec: VideoCodec) -> &'static str {
    match codec {
        VideoCodec::H264 => "h264",
        VideoCodec::Av1 => "av1",
        VideoCodec::Hevc => "hevc",
    }
}

pub(super) fn check(
    context: &MediaContext<'_>,
    plan: &Plan,
    expected: Content<'_>,
    name: MediaFile,
) -> Result<FileFacts, MediaError> {
    let path = &output(context.folder, name);
    let (streams, packets) = describe_output(context, path, DEMUXER).map_err(blame_machine)?;
    check_video_streams(expected, name, &streams)?;
    check_sound_streams(expected.has_sound(plan), name, &streams)?;
    let seconds = playing_seconds(&streams, &packets);
    check_length(plan, name, seconds, expected.seconds(plan))?;
    if expected.pictures().is_some() {
        check_by_prober(plan, name, path, (seconds, expected.has_sound(plan)))?;
    }
    let stream = streams.into_iter().next().ok_or_else(|| mismatch(name, "no stream"))?;
    Ok(FileFacts { stream, seconds })
}

fn check_video_streams(expected: Content<'_>, name: MediaFile, streams: &[StreamEntry]) -> Result<(), MediaError> {
    let videos: Vec<_> = streams.iter().filter(|stream| stream.is_video()).collect();
    let matches_plan = match (expected.pictures(), videos.as_slice()) {
        (None, []) => true,
        (Some((rung, codec)), [video]) => {
            video.codec_name == codec
                && video.pix_fmt == "yuv420p"
                && (video.width, video.height) == (rung.width, rung.height)
                && video.side_data_list.iter().all(|data| data.rotation.is_none())
        }
        _ => false,
    };
    if matches_plan { Ok(()) } else { Err(mismatch(name, &format!("{videos:?}"))) }
}

fn check_sound_streams(has_sound: bool, name: MediaFile, streams: &[StreamEntry]) -> Result<(), MediaError> {
    let sounds: Vec<_> = streams.iter().filter(|stream| stream.codec_type == "audio").collect();
    let matches_plan = match sounds.as_slice() {
        [] => !has_sound,
        [sound] => has_sound && sound.codec_name == "aac" && sound.channels == 2,
        _ => false,
    };
    if matches_plan { Ok(()) } else { Err(mismatch(name, &format!("{sounds:?}"))) }
}

fn playing_seconds(streams: &[StreamEntry], packets: &Packets) -> f64 {
    let timings: Vec<_> = streams.iter().filter_map(|stream| packets.timing(stream.index)).collect();
    let end = timings.iter().map(|timing| timing.end).fold(0.0, f64::max);
    let start = timings.iter().map(|timing| timing.start).fold(end, f64::min);
    // Packets before zero only warm up the decoder.
    end - start.max(0.0)
}

fn check_length(plan: &Plan, name: MediaFile, seconds: f64, planned: f64) -> Result<(), MediaError> {
    let difference = seconds - planned;
    if difference < -tolerance(plan).max(MAX_MISSING_SECONDS) {
        let detail = format!("only {seconds:.3} s of its {planned:.3} s can be decoded");
        return Err(MediaError::invalid_format(detail));
    }
    if difference > tolerance(plan) {
        return Err(mismatch(name, &format!("{seconds:.3} s instead of {planned:.3} s")));
    }
    Ok(())
}

fn check_by_prober(
    plan: &Plan,
    name: MediaFile,
    path: &Path,
    (seconds, has_sound): (f64, bool),
) -> Result<(), MediaError> {
    let media = probe_file(path)?.map_err(|refusal| mismatch(name, &refusal.to_string()))?;
    let sounds = media.tracks.iter().filter(|track| track.kind == TrackKind::Audio).count();
    let same_length = media.duration_ms.abs_diff(milliseconds(seconds)) <= milliseconds(tolerance(plan));
    if !same_length || sounds != usize::from(has_sound) {
        return Err(mismatch(name, &format!("our prober finds {media:?}, and ffprobe {seconds:.3} s")));
    }
    Ok(())
}

/// Returns how far a length may differ from the plan, in seconds: one frame, and what sound in whole packets adds.
pub(super) fn tolerance(plan: &Plan) -> f64 {
    plan.rate.frame_seconds() + if plan.sound.is_some() { SOUND_TOLERANCE_SECONDS } else { 0.001 }
}

/// ffprobe's opinion of one of our outputs is no verdict on the source.
fn blame_machine(error: MediaError) -> MediaError {
    match error {
        rejection @ MediaError::Rejected { .. } => MediaError::Undecided(rejection.to_string()),
        other => other,
    }
}
