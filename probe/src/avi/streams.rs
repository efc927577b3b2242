//! The streams of an AVI file: their clocks, and how many units of each have been counted.
//!
//! A stream's duration is its units times scale divided by rate. A unit is one chunk, or a fixed number of bytes for
//! audio with a constant sample size. This module must not depend on where the chunks lie.

use crate::bytes::{FourCc, array, i32_le, u16_le, u32_le};
use crate::codec::{from_video_fourcc, from_wave_format};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::{Container, FileRefusal, MediaTrack, TrackKind};

/// Chunk names identify a stream by two decimal digits.
const MAX_STREAMS: usize = 100;

#[derive(Debug, Default)]
struct AviStream {
    track: MediaTrack,
    scale: u32,
    rate: u32,
    declared_units: u32,
    /// The bytes in one unit. Zero means that each chunk is one unit.
    unit: u32,
    chunks: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct AviStreams {
    list: Vec<AviStream>,
    micros_per_frame: u32,
}

impl AviStreams {
    pub(super) fn read_main_header(&mut self, body: &[u8]) {
        self.micros_per_frame = u32_le(body, 0).unwrap_or(0);
    }

    pub(super) fn read_header(&mut self, body: &[u8]) {
        if self.list.len() >= MAX_STREAMS {
            return;
        }
        let number = |at| u32_le(body, at).unwrap_or(0);
        let kind = match body.get(..4).unwrap_or_default() {
            b"vids" | b"iavs" => TrackKind::Video,
            b"auds" => TrackKind::Audio,
            _ => TrackKind::Other,
        };
        let mut track = MediaTrack { kind, ..MediaTrack::default() };
        if kind == TrackKind::Video {
            track.codec = from_video_fourcc(array(body, 4).unwrap_or_default());
        }
        self.list.push(AviStream {
            track,
            scale: number(20),
            rate: number(24),
            declared_units: number(32),
            unit: if kind == TrackKind::Audio { number(44) } else { 0 },
            ..AviStream::default()
        });
    }

    pub(super) fn read_format(&mut self, body: &[u8]) {
        let Some(stream) = self.list.last_mut() else {
            return;
        };
        match stream.track.kind {
            TrackKind::Video => read_picture(&mut stream.track, body),
            TrackKind::Audio => read_sound(&mut stream.track, body),
            TrackKind::Other => {}
        }
    }

    /// Counts a chunk of the media list. An empty video chunk repeats the previous frame, so it counts too.
    pub(super) fn count(&mut self, kind: FourCc, size: u32) {
        let stream = stream_index(kind).and_then(|index| self.list.get_mut(index));
        if let Some(stream) = stream {
            stream.chunks = stream.chunks.saturating_add(1);
            stream.bytes = stream.bytes.saturating_add(u64::from(size));
        }
    }

    pub(super) fn require_video(&self) -> Result<(), FileRefusal> {
        let has = |kind| self.list.iter().any(|stream| stream.track.kind == kind);
        let container = Container::Avi;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(FileRefusal::AudioOnly { container }),
            (false, false) => Err(FileRefusal::NoTracks { container }),
        }
    }

    /// Returns the duration of the longest stream according to the headers.
    pub(super) fn declared(&self) -> Option<u64> {
        self.longest(|stream| u64::from(stream.declared_units))
    }

    /// Returns the duration of the longest stream according to the counted chunks.
    pub(super) fn counted(&self) -> u64 {
        self.longest(AviStream::counted_units).unwrap_or(0)
    }

    pub(super) fn describe(&self) -> Vec<MediaTrack> {
        let describe = |stream: &AviStream| {
            let mut track = stream.track.clone();
            if track.kind == TrackKind::Video {
                track.frame_rate = self.unit_nanos(stream, 1).and_then(|nanos| rate(1, nanos));
            }
            track
        };
        self.list.iter().map(describe).collect()
    }

    fn longest(&self, units: impl Fn(&AviStream) -> u64) -> Option<u64> {
        self.list
            .iter()
            .filter(|stream| stream.track.kind != TrackKind::Other)
            .filter_map(|stream| self.unit_nanos(stream, units(stream)))
            .max()
            .filter(|length| *length > 0)
    }

    fn unit_nanos(&self, stream: &AviStream, units: u64) -> Option<u64> {
        if stream.rate > 0 && stream.scale > 0 {
            let per_unit = u64::from(stream.scale).saturating_mul(NANOS_PER_SECOND);
            return scaled(units, per_unit, u64::from(stream.rate));
        }
        let is_picture = stream.track.kind == TrackKind::Video && self.micros_per_frame > 0;
        is_picture.then(|| units.saturating_mul(u64::from(self.micros_per_frame) * 1000))
    }
}

impl AviStream {
    fn counted_units(&self) -> u64 {
        self.bytes.checked_div(u64::from(self.unit)).unwrap_or(self.chunks)
    }
}

/// Returns the stream that a chunk belongs to. The chunk's name is two digits and two letters for the kind of content.
pub(super) fn stream_index(kind: FourCc) -> Option<usize> {
    match kind {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9', b'd' | b'w' | b'i', b'c' | b'b' | b'v'] => {
            Some(usize::from(tens - b'0') * 10 + usize::from(ones - b'0'))
        }
        _ => None,
    }
}

/// Reads a `BITMAPINFOHEADER`. A negative height means that the picture is stored top down.
fn read_picture(track: &mut MediaTrack, body: &[u8]) {
    let width = i32_le(body, 4).unwrap_or(0).unsigned_abs();
    let height = i32_le(body, 8).unwrap_or(0).unsigned_abs();
    track.set_size(width, height);
    if let Some(code) = array(body, 16) {
        let codec = from_video_fourcc(code);
        if codec != crate::Codec::Unknown {
            track.codec = codec;
        }
    }
}

/// Reads a `WAVEFORMATEX`.
fn read_sound(track: &mut MediaTrack, body: &[u8]) {
    track.codec = from_wave_format(u16_le(body, 0).unwrap_or(0));
    track.channels = u16_le(body, 2).filter(|count| *count > 0);
    track.sample_rate = u32_le(body, 4).filter(|rate| *rate > 0);
}

#[cfg(test)]
mod tests;
