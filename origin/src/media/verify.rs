//! Looks at every output as a stranger would: ffprobe and our own prober must find what was planned.
//!
//! A mismatch is our fault, and permanent; only a video that ends too early is the source's: it could not be decoded. What
//! is missing or cannot be read at all was not written, which may pass.

use std::fs;
use std::path::Path;
use std::thread::{self, ScopedJoinHandle};

use contract::{MediaFile, THUMBNAIL_WIDTHS};
use probe::TrackKind;

use super::ffprobe::{self, Stream};
use super::files::output;
use super::inspect::probe_file;
use super::ladder::{Rung, fit};
use super::limits::MOST_MISSING;
use super::loudness::Loudness;
use super::plan::Plan;
use super::playlist::{self, Rendition, Segments};
use super::sound;
use super::transcode::write;
use super::{MediaError, Workshop};

/// One AAC frame at the lowest rate that is copied, and the decoder's start.
const SOUND_SLACK: f64 = 0.05;

const MP4: &str = "mov,mp4,m4a,3gp,3g2,mj2";

/// What is really there.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    pub duration_ms: u64,
    pub width: u32,
    pub height: u32,
    pub renditions: Vec<Rendition>,
    /// Of the progressive file; `None` without sound.
    pub loudness: Option<Loudness>,
    /// Every output and its size.
    pub files: Vec<(MediaFile, u64)>,
}

/// Verifies all outputs, and writes the master playlist: it lists nothing that was not verified.
pub fn verify(shop: &Workshop<'_>, plan: &Plan) -> Result<Verified, MediaError> {
    let Some(top) = plan.rungs.first() else {
        return Err(MediaError::Permanent("the plan has no rendition".into()));
    };
    // Side by side: most of a look is the start of a process.
    let (seconds, renditions, loudness) = thread::scope(|scope| {
        let video = scope.spawn(|| check_video(shop, plan, top, MediaFile::Video));
        let loudness = scope.spawn(|| check_loudness(shop, plan));
        let looks = plan
            .rungs
            .iter()
            .map(|rung| scope.spawn(|| check_rung(shop, plan, rung)));
        let looks: Vec<_> = looks.collect();
        let (_, seconds, _) = joined(video)?;
        let renditions = looks
            .into_iter()
            .map(joined)
            .collect::<Result<Vec<_>, _>>()?;
        Ok((seconds, renditions, joined(loudness)?))
    })?;
    let master = output(shop.folder, MediaFile::MasterPlaylist);
    write(&master, &playlist::master(&renditions))?;
    check_pictures(plan, shop.folder)?;
    Ok(Verified {
        duration_ms: milliseconds(seconds),
        width: top.width,
        height: top.height,
        renditions,
        loudness,
        files: list(plan, shop.folder)?,
    })
}

fn joined<T>(look: ScopedJoinHandle<'_, Result<T, MediaError>>) -> Result<T, MediaError> {
    look.join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn check_rung(shop: &Workshop<'_>, plan: &Plan, rung: &Rung) -> Result<Rendition, MediaError> {
    let segments = MediaFile::Segments(rung.name);
    let (stream, seconds, picture) = check_video(shop, plan, rung, segments)?;
    let bytes = size(shop.folder, segments)?;
    let name = MediaFile::Playlist(rung.name);
    let text =
        fs::read_to_string(output(shop.folder, name)).map_err(|error| not_written(name, &error))?;
    let segments = Segments::parse(&text, &format!("{}p.mp4", rung.name));
    let covered = (segments.seconds - picture).abs() <= tolerance(plan);
    if !segments.whole || segments.bytes != bytes || !covered {
        return Err(wrong(
            name,
            &format!("{segments:?} for {bytes} bytes and {seconds} s"),
        ));
    }
    let average = playlist::bit_rate(bytes, seconds);
    let codecs = playlist::codecs(&stream.profile, stream.level, plan.sound.is_some());
    Ok(Rendition {
        name: rung.name,
        width: rung.width,
        height: rung.height,
        // The average counts the file's header too; where all segments are alike it would be above the peak.
        peak_bits_per_second: segments.peak.max(average),
        average_bits_per_second: average,
        codecs: codecs.ok_or_else(|| wrong(name, &format!("profile {}", stream.profile)))?,
        frame_rate: plan.rate.per_second(),
    })
}

/// Checks codec, size and tracks by ffprobe, the length by the packets, and all again by our own prober.
fn check_video(
    shop: &Workshop<'_>,
    plan: &Plan,
    rung: &Rung,
    name: MediaFile,
) -> Result<(Stream, f64, f64), MediaError> {
    let path = &output(shop.folder, name);
    let (streams, packets) = ffprobe::describe_whole(shop, path, MP4).map_err(not_the_source_s)?;
    let video = streams.iter().find(|stream| stream.is_video());
    let video = video.ok_or_else(|| wrong(name, "no video"))?;
    let as_planned = video.codec_name == "h264"
        && video.pix_fmt == "yuv420p"
        && (video.width, video.height) == (rung.width, rung.height)
        && video
            .side_data_list
            .iter()
            .all(|data| data.rotation.is_none());
    if !as_planned {
        return Err(wrong(name, &format!("{video:?}")));
    }
    let sounds: Vec<_> = streams
        .iter()
        .filter(|stream| stream.codec_type == "audio")
        .collect();
    let sound_as_planned = match sounds.as_slice() {
        [] => plan.sound.is_none(),
        [sound] => plan.sound.is_some() && sound.codec_name == "aac" && sound.channels == 2,
        _ => false,
    };
    if !sound_as_planned {
        return Err(wrong(name, &format!("{sounds:?}")));
    }
    let timings: Vec<_> = streams
        .iter()
        .filter_map(|stream| packets.timing(stream.index))
        .collect();
    let end = timings.iter().map(|timing| timing.end).fold(0.0, f64::max);
    let start = timings
        .iter()
        .map(|timing| timing.start)
        .fold(end, f64::min);
    // What stands before zero is a decoder's warming-up.
    let seconds = end - start.max(0.0);
    check_length(plan, name, seconds)?;
    check_by_prober(plan, name, path, seconds)?;
    // A playlist counts the picture alone.
    let picture = packets
        .timing(video.index)
        .map_or(0.0, |timing| timing.end - timing.start);
    Ok((video.clone(), seconds, picture))
}

fn check_length(plan: &Plan, name: MediaFile, seconds: f64) -> Result<(), MediaError> {
    let off = seconds - plan.playing_seconds;
    if off < -tolerance(plan).max(MOST_MISSING) {
        let planned = plan.playing_seconds;
        let detail = format!("only {seconds:.3} s of its {planned:.3} s can be decoded");
        return Err(MediaError::format(detail));
    }
    if off > tolerance(plan) {
        return Err(wrong(
            name,
            &format!("{seconds:.3} s instead of {:.3} s", plan.playing_seconds),
        ));
    }
    Ok(())
}

fn check_by_prober(
    plan: &Plan,
    name: MediaFile,
    path: &Path,
    seconds: f64,
) -> Result<(), MediaError> {
    let media = probe_file(path)?.map_err(|refusal| wrong(name, &refusal.to_string()))?;
    let sounds = media
        .tracks
        .iter()
        .filter(|track| track.kind == TrackKind::Audio)
        .count();
    let slack = milliseconds(tolerance(plan));
    let agrees = media.duration_ms.abs_diff(milliseconds(seconds)) <= slack;
    if !agrees || sounds != usize::from(plan.sound.is_some()) {
        return Err(wrong(
            name,
            &format!("the prober finds {media:?}, ffprobe {seconds:.3} s"),
        ));
    }
    Ok(())
}

/// A frame, and what sound in whole packets adds.
fn tolerance(plan: &Plan) -> f64 {
    plan.rate.frame_seconds()
        + if plan.sound.is_some() {
            SOUND_SLACK
        } else {
            0.001
        }
}

fn check_pictures(plan: &Plan, folder: &Path) -> Result<(), MediaError> {
    let board = &plan.stills.storyboard;
    let side = |cells: u64, length: u32| {
        u32::try_from(cells)
            .unwrap_or(u32::MAX)
            .saturating_mul(length)
    };
    let board = (
        side(board.columns, board.width),
        side(board.rows, board.height),
    );
    check_picture(folder, MediaFile::Storyboard, Some(board))?;
    check_picture(folder, MediaFile::Preview, Some(plan.stills.preview_size))?;
    let (width, height) = check_picture(folder, MediaFile::Poster, None)?;
    for nominal in THUMBNAIL_WIDTHS {
        let expected = fit(width, height, nominal, u32::MAX);
        check_picture(folder, MediaFile::Thumbnail(nominal), Some(expected))?;
    }
    Ok(())
}

fn check_picture(
    folder: &Path,
    name: MediaFile,
    expected: Option<(u32, u32)>,
) -> Result<(u32, u32), MediaError> {
    let found =
        image::image_dimensions(output(folder, name)).map_err(|error| not_written(name, &error))?;
    if expected.is_some_and(|expected| expected != found) {
        return Err(wrong(name, &format!("{found:?} instead of {expected:?}")));
    }
    Ok(found)
}

fn check_loudness(shop: &Workshop<'_>, plan: &Plan) -> Result<Option<Loudness>, MediaError> {
    if plan.sound.is_none() {
        return Ok(None);
    }
    let video = output(shop.folder, MediaFile::Video);
    let shop = Workshop {
        source: &video,
        ..*shop
    };
    // Our own files have the picture first and the sound second.
    let measured = sound::measure(&shop, MP4, 1, "anull")?;
    measured
        .map(Some)
        .ok_or_else(|| wrong(MediaFile::Video, "its sound is empty"))
}

fn list(plan: &Plan, folder: &Path) -> Result<Vec<(MediaFile, u64)>, MediaError> {
    let mut files = vec![
        MediaFile::Video,
        MediaFile::MasterPlaylist,
        MediaFile::Poster,
        MediaFile::Storyboard,
        MediaFile::StoryboardTrack,
        MediaFile::Preview,
    ];
    files.extend(THUMBNAIL_WIDTHS.map(MediaFile::Thumbnail));
    for rung in &plan.rungs {
        files.extend([
            MediaFile::Playlist(rung.name),
            MediaFile::Segments(rung.name),
        ]);
    }
    let sized = |file| size(folder, file).map(|bytes| (file, bytes));
    files.into_iter().map(sized).collect()
}

fn size(folder: &Path, name: MediaFile) -> Result<u64, MediaError> {
    match fs::metadata(output(folder, name)) {
        Ok(found) if found.len() > 0 => Ok(found.len()),
        Ok(_) => Err(not_written(name, &"it is empty")),
        Err(error) => Err(not_written(name, &error)),
    }
}

/// An output that is not there or cannot be read: a disk that became full is made room on.
fn not_written(name: MediaFile, what: &dyn std::fmt::Display) -> MediaError {
    MediaError::Transient(format!("{name} was not written: {what}"))
}

/// ffprobe refuses a file of ours: nothing that the sender could do anything about.
fn not_the_source_s(error: MediaError) -> MediaError {
    match error {
        MediaError::Rejected { detail, .. } => MediaError::Transient(detail),
        other => other,
    }
}

fn wrong(name: MediaFile, what: &str) -> MediaError {
    MediaError::Permanent(format!("{name} is not as planned: {what}"))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}
