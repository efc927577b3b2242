//! Checks one video file: its codecs, size and streams with ffprobe, its length by its packets, and length and streams
//! again with our own prober.

use super::mismatch::mismatch;
use crate::media::files::output;
use crate::media::limits::MAX_MISSING_SECONDS;
use crate::media::plan::{Plan, Rung};
use crate::media::source::{Packets, StreamEntry, describe_output, probe_file};
use crate::media::units::milliseconds;
use crate::media::{MediaContext, MediaError};
use contract::MediaFile;
use probe::TrackKind;
use std::path::Path;

/// How much longer sound may be than planned, in seconds: one AAC frame at the lowest sample rate that is copied, and
/// the encoder delay.
const SOUND_TOLERANCE_SECONDS: f64 = 0.05;

pub(super) const DEMUXER: &str = "mov,mp4,m4a,3gp,3g2,mj2";

/// The facts that the checks of one file established.
pub(super) struct VideoFacts {
    pub(super) stream: StreamEntry,
    /// How long the file plays.
    pub(super) seconds: f64,
    /// How long the video alone plays. Playlists count only this.
    pub(super) video_seconds: f64,
}

pub(super) fn check(
    context: &MediaContext<'_>,
    plan: &Plan,
    rung: &Rung,
    name: MediaFile,
) -> Result<VideoFacts, MediaError> {
    let path = &output(context.folder, name);
    let (streams, packets) = describe_output(context, path, DEMUXER).map_err(blame_machine)?;
    let stream = check_video_stream(rung, name, &streams)?;
    check_sound_streams(plan, name, &streams)?;
    let seconds = playing_seconds(&streams, &packets);
    check_length(plan, name, seconds)?;
    check_by_prober(plan, name, path, seconds)?;
    let video_seconds = packets.timing(stream.index).map_or(0.0, |timing| timing.end - timing.start);
    Ok(VideoFacts { stream: stream.clone(), seconds, video_seconds })
}

fn check_video_stream<'a>(
    rung: &Rung,
    name: MediaFile,
    streams: &'a [StreamEntry],
) -> Result<&'a StreamEntry, MediaError> {
    let video = streams.iter().find(|stream| stream.is_video());
    let video = video.ok_or_else(|| mismatch(name, "no video stream"))?;
    let matches_plan = video.codec_name == "h264"
        && video.pix_fmt == "yuv420p"
        && (video.width, video.height) == (rung.width, rung.height)
        && video.side_data_list.iter().all(|data| data.rotation.is_none());
    if matches_plan { Ok(video) } else { Err(mismatch(name, &format!("{video:?}"))) }
}

fn check_sound_streams(plan: &Plan, name: MediaFile, streams: &[StreamEntry]) -> Result<(), MediaError> {
    let sounds: Vec<_> = streams.iter().filter(|stream| stream.codec_type == "audio").collect();
    let matches_plan = match sounds.as_slice() {
        [] => plan.sound.is_none(),
        [sound] => plan.sound.is_some() && sound.codec_name == "aac" && sound.channels == 2,
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

fn check_length(plan: &Plan, name: MediaFile, seconds: f64) -> Result<(), MediaError> {
    let planned = plan.playing_seconds;
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

fn check_by_prober(plan: &Plan, name: MediaFile, path: &Path, seconds: f64) -> Result<(), MediaError> {
    let media = probe_file(path)?.map_err(|refusal| mismatch(name, &refusal.to_string()))?;
    let sounds = media.tracks.iter().filter(|track| track.kind == TrackKind::Audio).count();
    let same_length = media.duration_ms.abs_diff(milliseconds(seconds)) <= milliseconds(tolerance(plan));
    if !same_length || sounds != usize::from(plan.sound.is_some()) {
        return Err(mismatch(name, &format!("our prober finds {media:?}, and ffprobe {seconds:.3} s")));
    }
    Ok(())
}

/// Returns how far a length may differ from the plan, in seconds: one frame, and what sound in whole packets adds.
pub(super) fn tolerance(plan: &Plan) -> f64 {
    plan.rate.frame_seconds() + if plan.sound.is_some() { SOUND_TOLERANCE_SECONDS } else { 0.001 }
}

/// Turns a rejection into a transient error: if ffprobe rejects one of our outputs, the source is not to blame.
fn blame_machine(error: MediaError) -> MediaError {
    match error {
        MediaError::Rejected { detail, .. } => MediaError::Transient(detail),
        other => other,
    }
}
