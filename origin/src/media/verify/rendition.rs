//! Checks one rendition in HLS, of the pictures or of the sound: its segments and its playlists.

use super::codec_name;
use super::media_playlist::{MediaPlaylist, bit_rate};
use super::mismatch::{mismatch, not_written};
use super::segment_index::{self, SegmentIndex};
use super::video::{self, Content, FileFacts};
use crate::media::files::output;
use crate::media::plan::{Plan, Rung};
use crate::media::source::StreamEntry;
use crate::media::{MediaContext, MediaError};
use contract::{MediaFile, RenditionName, VideoCodec};
use std::fs;
use std::path::Path;

/// The attributes of one rendition in the master playlist.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendition {
    pub name: RenditionName,
    /// Whether its sound is the one for poor connections.
    pub is_low: bool,
    pub width: u32,
    pub height: u32,
    pub bit_rates: BitRates,
    /// The bit rates of a player that shows only keyframes.
    pub keyframe_bit_rates: BitRates,
    pub codec: String,
    pub frame_rate: f64,
    pub(in crate::media) segments: SegmentIndex,
}

/// A rendition of the sound.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::media) struct SoundRendition {
    pub(in crate::media) file: MediaFile,
    pub(in crate::media) bit_rates: BitRates,
    /// In samples per second.
    pub(in crate::media) sample_rate: String,
    pub(in crate::media) segments: SegmentIndex,
}

/// Bit rates in bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitRates {
    /// The bit rate of the busiest segment.
    pub peak: u64,
    pub average: u64,
}

impl Rendition {
    pub(in crate::media) fn is_h264(&self) -> bool {
        self.name.codec == VideoCodec::H264
    }
}

impl BitRates {
    /// Returns the rates of two streams that are played together.
    pub(in crate::media) fn with(self, other: Self) -> Self {
        Self { peak: self.peak + other.peak, average: self.average + other.average }
    }
}

/// Checks the files of one rendition, and returns what the master playlist and the manifest say about it.
pub(super) fn check(
    context: &MediaContext<'_>,
    plan: &Plan,
    rung: &Rung,
    codec: VideoCodec,
) -> Result<Rendition, MediaError> {
    let name = RenditionName { height: rung.name, codec };
    let segments = MediaFile::Segments(name);
    let facts = video::check(context, plan, Content::Pictures(rung, codec), segments)?;
    let files = (MediaFile::Playlist(name), segments);
    let (bit_rates, index) = check_playlist(context, plan, files, facts.seconds)?;
    Ok(Rendition {
        name,
        is_low: rung.is_low,
        width: rung.width,
        height: rung.height,
        bit_rates,
        keyframe_bit_rates: check_keyframes(context.folder, plan, name, facts.seconds)?,
        codec: check_codec(segments, codec, &facts, &index)?,
        frame_rate: plan.rate.per_second(),
        segments: index,
    })
}

/// Checks a rendition of the sound.
pub(super) fn check_sound(
    context: &MediaContext<'_>,
    plan: &Plan,
    (playlist, file): (MediaFile, MediaFile),
) -> Result<SoundRendition, MediaError> {
    let facts = video::check(context, plan, Content::Sound, file)?;
    let (bit_rates, segments) = check_playlist(context, plan, (playlist, file), facts.seconds)?;
    Ok(SoundRendition { file, bit_rates, sample_rate: facts.stream.sample_rate, segments })
}

/// Checks that the playlist covers the whole file of segments, and that each of these begins where it says.
fn check_playlist(
    context: &MediaContext<'_>,
    plan: &Plan,
    (name, segments): (MediaFile, MediaFile),
    seconds: f64,
) -> Result<(BitRates, SegmentIndex), MediaError> {
    let bytes = super::size(context.folder, segments)?;
    let playlist = MediaPlaylist::parse(&read(context.folder, name)?, &segments.local_name());
    let covers_file = (playlist.seconds - seconds).abs() <= video::tolerance(plan);
    if !playlist.is_whole || playlist.bytes != bytes || !covers_file {
        return Err(mismatch(name, &format!("{playlist:?} for {bytes} bytes and {seconds} s")));
    }
    let average = bit_rate(bytes, seconds);
    let index = segment_index::check(context.folder, segments, &playlist)?;
    // The average includes the file's header. If all segments are alike, it would exceed the peak.
    Ok((BitRates { peak: playlist.peak.max(average), average }, index))
}

/// Checks that the keyframes stand for the whole video.
fn check_keyframes(folder: &Path, plan: &Plan, rendition: RenditionName, seconds: f64) -> Result<BitRates, MediaError> {
    let (name, segments) = (MediaFile::KeyframePlaylist(rendition), MediaFile::Segments(rendition));
    let size = super::size(folder, segments)?;
    let playlist = MediaPlaylist::parse(&read(folder, name)?, &segments.local_name());
    let covers_video = (playlist.seconds - seconds).abs() <= video::tolerance(plan);
    if playlist.listed_bytes == 0 || playlist.bytes > size || !covers_video {
        return Err(mismatch(name, &format!("{playlist:?} for {size} bytes and {seconds} s")));
    }
    let average = bit_rate(playlist.listed_bytes, seconds);
    Ok(BitRates { peak: playlist.peak.max(average), average })
}

fn read(folder: &Path, name: MediaFile) -> Result<String, MediaError> {
    fs::read_to_string(output(folder, name)).map_err(|error| not_written(name, &error))
}

/// Returns the name of the file's codec by RFC 6381.
fn check_codec(
    name: MediaFile,
    codec: VideoCodec,
    facts: &FileFacts,
    index: &SegmentIndex,
) -> Result<String, MediaError> {
    let StreamEntry { profile, level, .. } = &facts.stream;
    match codec {
        VideoCodec::H264 => h264(profile, *level).ok_or_else(|| mismatch(name, &format!("profile {profile}"))),
        VideoCodec::Av1 | VideoCodec::Hevc => codec_name::of_entry(index.sample_entry.as_ref(), name),
    }
}

/// Returns `None` for a profile that our encodes never have.
fn h264(profile: &str, level: i32) -> Option<String> {
    let profile = match profile {
        "Constrained Baseline" => "42E0",
        "Main" => "4D40",
        "High" => "6400",
        _ => return None,
    };
    Some(format!("avc1.{profile}{level:02X}"))
}

#[cfg(test)]
pub(in crate::media) mod examples {
    use super::super::byte_range::ByteRange;
    use super::super::segment_index::{IndexedSegment, SegmentIndex};
    use super::{BitRates, Rendition};
    use contract::{RenditionName, VideoCodec};

    /// Returns an index of segments with these starts and durations. The header has 700 bytes, and each segment 1,000.
    pub(in crate::media) fn index(times: &[(u64, u64)]) -> SegmentIndex {
        let segment = |(number, (start, duration)): (u64, &(u64, u64))| IndexedSegment {
            range: ByteRange { offset: 700 + 1000 * number, bytes: 1000 },
            start: *start,
            duration: *duration,
        };
        let segments = (0..).zip(times).map(segment).collect();
        let header = ByteRange { offset: 0, bytes: 700 };
        SegmentIndex { timescale: 15_360, header, segments, sample_entry: None }
    }

    /// Returns a rendition of this height that plays for 6 s in two segments.
    pub(in crate::media) fn rendition(name: u32) -> Rendition {
        Rendition {
            name: name.into(),
            is_low: name == 240,
            width: name * 16 / 9,
            height: name,
            bit_rates: BitRates { peak: 2000, average: 1000 },
            keyframe_bit_rates: BitRates { peak: 200, average: 100 },
            codec: "avc1.64001F".into(),
            frame_rate: 29.97,
            segments: index(&[(0, 61_440), (61_440, 30_725)]),
        }
    }

    /// Returns the same rendition in AV1.
    pub(in crate::media) fn in_av1(height: u32) -> Rendition {
        let name = RenditionName { height, codec: VideoCodec::Av1 };
        Rendition { name, codec: "av01.0.05M.08".into(), ..rendition(height) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_are_named_as_players_expect() {
        assert_eq!(h264("High", 31).as_deref(), Some("avc1.64001F"));
        assert_eq!(h264("Constrained Baseline", 30).as_deref(), Some("avc1.42E01E"));
        assert_eq!(h264("High 10", 31), None);
    }
}
