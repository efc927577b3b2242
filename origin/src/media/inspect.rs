//! What a source is, agreed upon by our own prober, ffprobe's description and the packets themselves.
//!
//! Nothing is decoded here but what ffprobe needs to name a stream; every limit is checked before that or right after.

use std::io::Read;
use std::path::Path;

use probe::{Container, Media, Prober, Refusal};

use super::ffprobe::{self, Description, Stream};
use super::limits;
use super::packets::{Packets, Timing};
use super::rate::Rate;
use super::{MediaError, Workshop};

/// Our prober and the packets may differ by this and still tell the same story: sound in the last packet, edits. It does
/// not grow with the length, or two minutes could be two seconds more.
const AGREEMENT_MS: u64 = 250;

/// A smaller difference between two beginnings is how codecs warm up.
const WARMING_UP: f64 = 0.05;

/// All that a plan needs to know of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    pub container: Container,
    /// What would be played.
    pub duration_ms: u64,
    /// By how many seconds a stream that is not played begins before those that are.
    pub ahead: f64,
    pub video: Video,
    pub audio: Option<Audio>,
}

/// The moving pictures.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact of its own, and all combinations exist"
)]
pub struct Video {
    pub stream: usize,
    pub codec: String,
    pub profile: String,
    pub level: i32,
    pub pixel_format: String,
    /// As displayed: after pixel aspect and rotation.
    pub width: u32,
    pub height: u32,
    /// Whether the stored picture is the displayed one: square pixels, neither turned nor moved.
    pub as_stored: bool,
    pub interlaced: bool,
    pub full_range: bool,
    /// ffmpeg's name of the colour matrix, guessed from the size where the file is silent.
    pub matrix: String,
    pub transfer: String,
    pub rate: Rate,
    pub constant_rate: bool,
    pub source_fps: f64,
    /// Seconds on the timeline that starts with the first thing played.
    pub start: f64,
    pub end: f64,
    pub longest_group: f64,
    pub starts_with_key: bool,
    /// Whether some frames need the group before theirs.
    pub open_groups: bool,
    pub trimmed: bool,
    pub bits_per_second: f64,
    /// H.264 in the form that MP4 stores.
    pub is_avc: bool,
}

/// The sound.
#[derive(Clone, Debug, PartialEq)]
pub struct Audio {
    pub stream: usize,
    pub codec: String,
    pub profile: String,
    pub channels: u32,
    pub sample_rate: u32,
    pub start: f64,
    pub end: f64,
}

/// Finds out what the source is, or why it is not taken.
pub fn inspect(shop: &Workshop<'_>) -> Result<Inspection, MediaError> {
    let media = probe_file(shop.source)?.map_err(|refusal| refused(&refusal))?;
    for track in &media.tracks {
        let (width, height) = (
            track.coded_width.unwrap_or(0),
            track.coded_height.unwrap_or(0),
        );
        limits::check_pixels(width, height)?;
    }
    let demuxer = limits::demuxer(media.container);
    let description = ffprobe::describe(shop, shop.source, demuxer)?;
    limits::check_streams(description.streams.len())?;
    let packets = ffprobe::packets(shop, shop.source, demuxer)?;
    combine(&media, &description, &packets)
}

/// What our own prober says of a file, read piece by piece.
pub(super) fn probe_file(path: &Path) -> Result<Result<Media, Refusal>, MediaError> {
    let trouble = |error: std::io::Error| MediaError::trouble("reading a video", &error);
    let mut file = std::fs::File::open(path).map_err(trouble)?;
    let mut prober = Prober::new();
    let mut chunk = vec![0; 1 << 18];
    loop {
        let read = file.read(&mut chunk).map_err(trouble)?;
        if read == 0 || prober.refusal().is_some() {
            return Ok(prober.finish());
        }
        prober.feed(chunk.get(..read).unwrap_or_default());
    }
}

/// By the code that the edge has for it: a length that cannot be told is no wrong length.
fn refused(refusal: &Refusal) -> MediaError {
    MediaError::format(refusal.to_string())
}

fn combine(
    media: &Media,
    description: &Description,
    packets: &Packets,
) -> Result<Inspection, MediaError> {
    let streams = &description.streams;
    let video = streams
        .iter()
        .find(|stream| stream.is_video())
        .ok_or_else(|| MediaError::format("ffprobe finds no video in it"))?;
    limits::check_pixels(video.width, video.height)?;
    let timing = packets
        .timing(video.index)
        .ok_or_else(|| MediaError::format("its video track is empty"))?;
    let audio = streams
        .iter()
        .filter(|stream| stream.is_audio())
        .find_map(|stream| Some((stream, packets.timing(stream.index)?)));
    let (first, end) = span(&timing, audio.as_ref().map(|(_, timing)| timing));
    let start = played_from(first);
    let duration_ms = authoritative(media.duration_ms, milliseconds(end - start));
    limits::check_duration(duration_ms)?;
    Ok(Inspection {
        container: media.container,
        duration_ms,
        ahead: ahead(&description.format.start_time, first),
        video: describe_video(video, &timing, start)?,
        audio: audio.map(|(stream, timing)| describe_audio(stream, &timing, start)),
    })
}

/// When the first packet that is played starts, and when the last one ends.
fn span(video: &Timing, audio: Option<&Timing>) -> (f64, f64) {
    let start = audio.map_or(video.start, |audio| audio.start.min(video.start));
    let end = audio.map_or(video.end, |audio| audio.end.max(video.end));
    (start, end)
}

/// What stands before zero is a decoder's warming-up.
fn played_from(first: f64) -> f64 {
    if (-0.2..0.0).contains(&first) {
        0.0
    } else {
        first
    }
}

/// How long ffmpeg would wait for the first packet that is played, because it counts from the first one of all.
fn ahead(file_start: &str, first: f64) -> f64 {
    let file_start: Option<f64> = file_start.parse().ok();
    file_start
        .map(|start| first - start)
        .filter(|ahead| ahead.is_finite() && *ahead > WARMING_UP)
        .unwrap_or(0.0)
}

/// The number that the edge judged by, where the packets bear it out; the packets' own otherwise.
fn authoritative(probed_ms: u64, packets_ms: u64) -> u64 {
    if probed_ms.abs_diff(packets_ms) <= AGREEMENT_MS {
        probed_ms
    } else {
        packets_ms
    }
}

fn describe_video(stream: &Stream, timing: &Timing, origin: f64) -> Result<Video, MediaError> {
    let fps = 1.0 / timing.typical.max(1e-6);
    let average = frames(timing.count) / (timing.end - timing.start).max(0.001);
    limits::check_frame_rate(average)?;
    let (turned, unmoved) = rotation(stream);
    let (width, square) = displayed_width(stream);
    let (width, height) = if turned {
        (stream.height, width)
    } else {
        (width, stream.height)
    };
    if width == 0 || height == 0 {
        return Err(MediaError::format("its video has no size"));
    }
    Ok(Video {
        stream: stream.index,
        codec: stream.codec_name.clone(),
        profile: stream.profile.clone(),
        level: stream.level,
        pixel_format: stream.pix_fmt.clone(),
        width,
        height,
        as_stored: square && unmoved,
        interlaced: !matches!(stream.field_order.as_str(), "" | "progressive" | "unknown"),
        full_range: stream.color_range == "pc" || stream.pix_fmt.starts_with("yuvj"),
        matrix: matrix(stream),
        transfer: stream.color_transfer.clone(),
        rate: Rate::for_output(Rate::parse(&stream.avg_frame_rate), fps),
        constant_rate: timing.constant,
        source_fps: fps,
        start: timing.start - origin,
        end: timing.end - origin,
        longest_group: timing.longest_group,
        starts_with_key: timing.starts_with_key,
        open_groups: timing.open_groups,
        trimmed: timing.discarded > 0,
        bits_per_second: timing.bits_per_second,
        is_avc: stream.is_avc == "true",
    })
}

fn describe_audio(stream: &Stream, timing: &Timing, origin: f64) -> Audio {
    Audio {
        stream: stream.index,
        codec: stream.codec_name.clone(),
        profile: stream.profile.clone(),
        channels: stream.channels,
        sample_rate: stream.sample_rate.parse().unwrap_or(0),
        start: timing.start - origin,
        end: timing.end - origin,
    }
}

/// Whether width and height change places, and whether nothing at all moves the picture. ffmpeg turns it by itself, but
/// a copy would keep even a matrix that only shifts or enlarges, and no output has one.
fn rotation(stream: &Stream) -> (bool, bool) {
    let rotation = stream.side_data_list.iter().find_map(|data| data.rotation);
    let degrees = rotation.unwrap_or(0.0).rem_euclid(360.0);
    let sideways = (degrees - 90.0).abs() < 1.0 || (degrees - 270.0).abs() < 1.0;
    (sideways, rotation.is_none())
}

/// The width after pixel aspect; players widen and do not shorten.
fn displayed_width(stream: &Stream) -> (u32, bool) {
    let parts = stream.sample_aspect_ratio.split_once(':');
    let aspect =
        parts.and_then(|(num, den)| Some((num.parse::<u64>().ok()?, den.parse::<u64>().ok()?)));
    match aspect {
        Some((num, den)) if num > 0 && den > 0 && num != den => {
            let width = (u64::from(stream.width) * num + den / 2) / den;
            // A forged aspect would ask for a picture as wide as the sea.
            let width = width.clamp(1, u64::from(stream.width) * 8);
            (u32::try_from(width).unwrap_or(stream.width), false)
        }
        _ => (stream.width, true),
    }
}

fn matrix(stream: &Stream) -> String {
    match stream.color_space.as_str() {
        "bt709" | "fcc" | "bt470bg" | "smpte170m" | "smpte240m" => stream.color_space.clone(),
        "bt2020nc" | "bt2020c" => "bt2020nc".to_owned(),
        // Players guess by the size as well.
        _ if stream.width.min(stream.height) >= 720 => "bt709".to_owned(),
        _ => "smpte170m".to_owned(),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and what is negative plays for no time"
)]
fn milliseconds(seconds: f64) -> u64 {
    (seconds * 1000.0).round() as u64
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn frames(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_edge_s_number_holds_where_the_packets_bear_it_out() {
        assert_eq!(authoritative(120_000, 120_021), 120_000);
        assert_eq!(authoritative(2000, 2230), 2000);
        assert_eq!(authoritative(120_000, 120_250), 120_000);
    }

    #[test]
    fn packets_overrule_a_forged_duration() {
        assert_eq!(authoritative(60_000, 300_000), 300_000);
        assert_eq!(authoritative(120_000, 125_000), 125_000);
        assert_eq!(authoritative(120_000, 120_251), 120_251);
    }

    #[test]
    fn what_is_not_played_is_ahead_only_when_it_begins_clearly_earlier() {
        assert!((ahead("1.000000", 1.4) - 0.4).abs() < 1e-9);
        for (file_start, first) in [
            ("1.4", 1.4),
            ("1.38", 1.4),
            ("1.5", 1.4),
            ("N/A", 1.4),
            ("nan", 1.4),
        ] {
            assert!(ahead(file_start, first).abs() < 1e-9, "{file_start}");
        }
    }

    #[test]
    fn a_quarter_turn_swaps_the_sides_and_a_half_turn_does_not() {
        let turned = |degrees| {
            let side_data_list = vec![ffprobe::SideData {
                rotation: Some(degrees),
            }];
            rotation(&Stream {
                side_data_list,
                ..Stream::default()
            })
        };
        assert_eq!(turned(-90.0), (true, false));
        assert_eq!(turned(180.0), (false, false));
        assert_eq!(turned(0.0), (false, false));
        assert_eq!(rotation(&Stream::default()), (false, true));
    }

    #[test]
    fn wide_pixels_widen_and_a_forged_shape_is_bounded() {
        let width = |sample_aspect_ratio: &str| {
            let sample_aspect_ratio = sample_aspect_ratio.to_owned();
            displayed_width(&Stream {
                width: 720,
                sample_aspect_ratio,
                ..Stream::default()
            })
        };
        assert_eq!(width("64:45"), (1024, false));
        assert_eq!(width("1:1"), (720, true));
        assert_eq!(width("0:1"), (720, true));
        assert_eq!(width("4000000000:1"), (5760, false));
    }
}
