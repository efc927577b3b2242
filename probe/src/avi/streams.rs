//! The streams of an AVI: their clocks, and what of them has been counted.
//!
//! A stream's length is counted units times scale over rate; a unit is a chunk, or for sound of constant size
//! so many bytes.

use crate::bytes::{array, i32_le, u16_le, u32_le};
use crate::codec::{from_video_fourcc, from_wave_format};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::{Container, Refusal, Track, TrackKind};

/// Chunk names give a stream two decimal digits.
const MAX_STREAMS: usize = 100;

#[derive(Debug, Default)]
struct Stream {
    track: Track,
    scale: u32,
    rate: u32,
    declared_units: u32,
    /// Bytes of a unit; zero means that each chunk is one.
    unit: u32,
    chunks: u64,
    bytes: u64,
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    list: Vec<Stream>,
    micros_per_frame: u32,
}

impl Streams {
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
        let mut track = Track {
            kind,
            ..Track::default()
        };
        if kind == TrackKind::Video {
            track.codec = from_video_fourcc(array(body, 4).unwrap_or_default());
        }
        self.list.push(Stream {
            track,
            scale: number(20),
            rate: number(24),
            declared_units: number(32),
            unit: if kind == TrackKind::Audio {
                number(44)
            } else {
                0
            },
            ..Stream::default()
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

    /// A chunk of the media list. An empty picture chunk repeats the frame before it, so it counts too.
    pub(super) fn count(&mut self, kind: [u8; 4], size: u32) {
        let stream = stream_index(kind).and_then(|index| self.list.get_mut(index));
        if let Some(stream) = stream {
            stream.chunks = stream.chunks.saturating_add(1);
            stream.bytes = stream.bytes.saturating_add(u64::from(size));
        }
    }

    pub(super) fn judge(&self) -> Result<(), Refusal> {
        let has = |kind| self.list.iter().any(|stream| stream.track.kind == kind);
        let container = Container::Avi;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(Refusal::AudioOnly { container }),
            (false, false) => Err(Refusal::NoTracks { container }),
        }
    }

    /// The longest stream by the headers.
    pub(super) fn declared(&self) -> Option<u64> {
        self.longest(|stream| u64::from(stream.declared_units))
    }

    /// The longest stream by what has been counted.
    pub(super) fn counted(&self) -> u64 {
        self.longest(Stream::counted_units).unwrap_or(0)
    }

    pub(super) fn describe(&self) -> Vec<Track> {
        let describe = |stream: &Stream| {
            let mut track = stream.track.clone();
            if track.kind == TrackKind::Video {
                track.frame_rate = self.unit_nanos(stream, 1).and_then(|nanos| rate(1, nanos));
            }
            track
        };
        self.list.iter().map(describe).collect()
    }

    fn longest(&self, units: impl Fn(&Stream) -> u64) -> Option<u64> {
        self.list
            .iter()
            .filter(|stream| stream.track.kind != TrackKind::Other)
            .filter_map(|stream| self.unit_nanos(stream, units(stream)))
            .max()
            .filter(|length| *length > 0)
    }

    fn unit_nanos(&self, stream: &Stream, units: u64) -> Option<u64> {
        if stream.rate > 0 && stream.scale > 0 {
            let per_unit = u64::from(stream.scale).saturating_mul(NANOS_PER_SECOND);
            return scaled(units, per_unit, u64::from(stream.rate));
        }
        let is_picture = stream.track.kind == TrackKind::Video && self.micros_per_frame > 0;
        is_picture.then(|| units.saturating_mul(u64::from(self.micros_per_frame) * 1000))
    }
}

impl Stream {
    fn counted_units(&self) -> u64 {
        self.bytes
            .checked_div(u64::from(self.unit))
            .unwrap_or(self.chunks)
    }
}

/// The stream that a chunk belongs to, by its name: two digits and what it holds.
pub(super) fn stream_index(kind: [u8; 4]) -> Option<usize> {
    match kind {
        [
            tens @ b'0'..=b'9',
            ones @ b'0'..=b'9',
            b'd' | b'w' | b'i',
            b'c' | b'b' | b'v',
        ] => Some(usize::from(tens - b'0') * 10 + usize::from(ones - b'0')),
        _ => None,
    }
}

/// `BITMAPINFOHEADER`; pictures stored top down have a negative height.
fn read_picture(track: &mut Track, body: &[u8]) {
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

/// `WAVEFORMATEX`.
fn read_sound(track: &mut Track, body: &[u8]) {
    track.codec = from_wave_format(u16_le(body, 0).unwrap_or(0));
    track.channels = u16_le(body, 2).filter(|count| *count > 0);
    track.sample_rate = u32_le(body, 4).filter(|rate| *rate > 0);
}
