//! Looks at every output as a stranger would: ffprobe and our own prober must find what was planned.
//!
//! A mismatch is our fault, and permanent; only a video that ends too early is the source's: it could not be decoded.

use std::fs;
use std::path::Path;
use std::thread::{self, ScopedJoinHandle};

use probe::TrackKind;

use super::ffprobe::{self, Stream};
use super::files;
use super::inspect::probe_file;
use super::ladder::{Rung, fit};
use super::loudness::Loudness;
use super::plan::Plan;
use super::playlist::{self, Rendition, Segments};
use super::sound;
use super::transcode::write;
use super::{MediaError, Workshop};

/// One AAC frame at the lowest rate that is copied, and the decoder's start.
const SOUND_SLACK: f64 = 0.05;

/// Real recordings end with frames that no decoder gives out, or in the middle of one; nobody misses a blink.
const MOST_MISSING: f64 = 0.3;

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
    /// Every output's name and size, the names relative to the folder of outputs.
    pub files: Vec<(String, u64)>,
}

/// Verifies all outputs, and writes the master playlist: it lists nothing that was not verified.
pub fn verify(shop: &Workshop<'_>, plan: &Plan) -> Result<Verified, MediaError> {
    let out = shop.folder.join(files::OUT);
    let Some(top) = plan.rungs.first() else {
        return Err(MediaError::Permanent("the plan has no rendition".into()));
    };
    // Side by side: most of a look is the start of a process.
    let (seconds, renditions, loudness) = thread::scope(|scope| {
        let video = scope.spawn(|| check_video(shop, plan, top, &out.join(files::VIDEO)));
        let loudness = scope.spawn(|| check_loudness(shop, plan, &out));
        let looks = plan
            .rungs
            .iter()
            .map(|rung| scope.spawn(|| check_rung(shop, plan, rung, &out)));
        let looks: Vec<_> = looks.collect();
        let (_, seconds, _) = joined(video)?;
        let renditions = looks
            .into_iter()
            .map(joined)
            .collect::<Result<Vec<_>, _>>()?;
        Ok((seconds, renditions, joined(loudness)?))
    })?;
    write(&out.join(files::MASTER), &playlist::master(&renditions))?;
    check_pictures(plan, &out)?;
    Ok(Verified {
        duration_ms: milliseconds(seconds),
        width: top.width,
        height: top.height,
        renditions,
        loudness,
        files: list(plan, &out)?,
    })
}

fn joined<T>(look: ScopedJoinHandle<'_, Result<T, MediaError>>) -> Result<T, MediaError> {
    look.join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn check_rung(
    shop: &Workshop<'_>,
    plan: &Plan,
    rung: &Rung,
    out: &Path,
) -> Result<Rendition, MediaError> {
    let path = out.join(files::segments(rung.name));
    let (stream, seconds, picture) = check_video(shop, plan, rung, &path)?;
    let name = files::playlist(rung.name);
    let text = fs::read_to_string(out.join(&name))
        .map_err(|error| MediaError::Permanent(format!("{name}: {error}")))?;
    let segments = Segments::parse(&text, &format!("{}p.mp4", rung.name));
    let bytes = size(&path)?;
    let covered = (segments.seconds - picture).abs() <= tolerance(plan);
    if !segments.whole || segments.bytes != bytes || !covered {
        return Err(wrong(
            &name,
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
        codecs: codecs.ok_or_else(|| wrong(&name, &format!("profile {}", stream.profile)))?,
        frame_rate: plan.rate.per_second(),
    })
}

/// Checks codec, size and tracks by ffprobe, the length by the packets, and all again by our own prober.
fn check_video(
    shop: &Workshop<'_>,
    plan: &Plan,
    rung: &Rung,
    path: &Path,
) -> Result<(Stream, f64, f64), MediaError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (streams, packets) = ffprobe::describe_whole(shop, path, MP4)?;
    let video = streams.iter().find(|stream| stream.is_video());
    let video = video.ok_or_else(|| wrong(&name, "no video"))?;
    let as_planned = video.codec_name == "h264"
        && video.pix_fmt == "yuv420p"
        && (video.width, video.height) == (rung.width, rung.height)
        && video
            .side_data_list
            .iter()
            .all(|data| data.rotation.is_none());
    if !as_planned {
        return Err(wrong(&name, &format!("{video:?}")));
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
        return Err(wrong(&name, &format!("{sounds:?}")));
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
    check_length(plan, &name, seconds)?;
    check_by_prober(plan, &name, path, seconds)?;
    // A playlist counts the picture alone.
    let picture = packets
        .timing(video.index)
        .map_or(0.0, |timing| timing.end - timing.start);
    Ok((video.clone(), seconds, picture))
}

fn check_length(plan: &Plan, name: &str, seconds: f64) -> Result<(), MediaError> {
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

fn check_by_prober(plan: &Plan, name: &str, path: &Path, seconds: f64) -> Result<(), MediaError> {
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

fn check_pictures(plan: &Plan, out: &Path) -> Result<(), MediaError> {
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
    check_picture(out, files::STORYBOARD, Some(board))?;
    check_picture(out, files::PREVIEW, Some(plan.stills.preview_size))?;
    let (width, height) = check_picture(out, files::POSTER, None)?;
    for nominal in files::THUMBNAIL_WIDTHS {
        let expected = fit(width, height, nominal, u32::MAX);
        check_picture(out, &files::thumbnail(nominal), Some(expected))?;
    }
    Ok(())
}

fn check_picture(
    out: &Path,
    name: &str,
    expected: Option<(u32, u32)>,
) -> Result<(u32, u32), MediaError> {
    let found =
        image::image_dimensions(out.join(name)).map_err(|error| wrong(name, &error.to_string()))?;
    if expected.is_some_and(|expected| expected != found) {
        return Err(wrong(name, &format!("{found:?} instead of {expected:?}")));
    }
    Ok(found)
}

fn check_loudness(
    shop: &Workshop<'_>,
    plan: &Plan,
    out: &Path,
) -> Result<Option<Loudness>, MediaError> {
    if plan.sound.is_none() {
        return Ok(None);
    }
    let video = out.join(files::VIDEO);
    let shop = Workshop {
        source: &video,
        ..*shop
    };
    // Our own files have the picture first and the sound second.
    let measured = sound::measure(&shop, MP4, 1, "anull")?;
    measured
        .map(Some)
        .ok_or_else(|| wrong(files::VIDEO, "its sound is empty"))
}

fn list(plan: &Plan, out: &Path) -> Result<Vec<(String, u64)>, MediaError> {
    let mut names: Vec<String> = [
        files::VIDEO,
        files::MASTER,
        files::POSTER,
        files::STORYBOARD,
        files::STORYBOARD_CUES,
        files::PREVIEW,
    ]
    .map(str::to_owned)
    .to_vec();
    names.extend(files::THUMBNAIL_WIDTHS.map(files::thumbnail));
    for rung in &plan.rungs {
        names.extend([files::playlist(rung.name), files::segments(rung.name)]);
    }
    names
        .into_iter()
        .map(|name| size(&out.join(&name)).map(|bytes| (name, bytes)))
        .collect()
}

fn size(path: &Path) -> Result<u64, MediaError> {
    match fs::metadata(path) {
        Ok(found) if found.len() > 0 => Ok(found.len()),
        Ok(_) => Err(wrong(&path.to_string_lossy(), "empty")),
        Err(error) => Err(MediaError::Permanent(format!(
            "an output is missing: {error}"
        ))),
    }
}

fn wrong(name: &str, what: &str) -> MediaError {
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
