//! Reads the header objects of ASF: file properties, streams and encryption.
//!
//! This module must not depend on where the objects or packets lie in the file: `mod.rs` walks them.

use crate::bytes::{array, u8_at, u16_le, u32_le, u64_le};
use crate::codec::{from_video_fourcc, from_wave_format};
use crate::time::{NANOS_PER_MILLI, rate};
use crate::timeline::{TimedFrame, Timeline};
use crate::{Container, FileRefusal, MediaTrack, TrackKind};

type Guid = [u8; 16];

const HEADER: Guid = *b"\x30\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C";
const DATA: Guid = *b"\x36\x26\xB2\x75\x8E\x66\xCF\x11\xA6\xD9\x00\xAA\x00\x62\xCE\x6C";
const FILE: Guid = *b"\xA1\xDC\xAB\x8C\x47\xA9\xCF\x11\x8E\xE4\x00\xC0\x0C\x20\x53\x65";
const STREAM: Guid = *b"\x91\x07\xDC\xB7\xB7\xA9\xCF\x11\x8E\xE6\x00\xC0\x0C\x20\x53\x65";
const EXTENSION: Guid = *b"\xB5\x03\xBF\x5F\x2E\xA9\xCF\x11\x8E\xE3\x00\xC0\x0C\x20\x53\x65";
const ENCRYPTION: Guid = *b"\xFB\xB3\x11\x22\x23\xBD\xD2\x11\xB4\xB7\x00\xA0\xC9\x55\xFC\x6E";
const VIDEO: Guid = *b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B";
const AUDIO: Guid = *b"\x40\x9E\x69\xF8\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B";

/// ASF stores stream numbers in seven bits.
const MAX_STREAMS: usize = 128;
const BROADCAST: u32 = 1;

#[derive(Debug, Clone, Copy)]
pub(super) enum ObjectKind {
    Header,
    Extension,
    Data,
    File,
    Stream,
    Encryption,
    Ignored,
}

pub(super) fn object_kind(id: Guid) -> ObjectKind {
    match id {
        HEADER => ObjectKind::Header,
        EXTENSION => ObjectKind::Extension,
        DATA => ObjectKind::Data,
        FILE => ObjectKind::File,
        STREAM => ObjectKind::Stream,
        ENCRYPTION => ObjectKind::Encryption,
        _ => ObjectKind::Ignored,
    }
}

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct AsfStream {
    number: u8,
    track: MediaTrack,
    times: Timeline,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct AsfHeader {
    /// In units of 100 ns, including the preroll.
    play_time: u64,
    preroll_ms: u64,
    flags: u32,
    packet_size: u32,
    encrypted: bool,
    streams: Vec<AsfStream>,
}

impl AsfHeader {
    pub(super) fn absorb(&mut self, object: ObjectKind, body: &[u8]) {
        match object {
            ObjectKind::File => self.read_file(body),
            ObjectKind::Stream if self.streams.len() < MAX_STREAMS => {
                self.streams.extend(read_stream(body));
            }
            ObjectKind::Encryption => self.encrypted = true,
            _ => {}
        }
    }

    fn read_file(&mut self, body: &[u8]) {
        self.play_time = u64_le(body, 64).unwrap_or(0);
        self.preroll_ms = u64_le(body, 80).unwrap_or(0);
        self.flags = u32_le(body, 88).unwrap_or(0);
        self.packet_size = u32_le(body, 96).unwrap_or(0);
    }

    pub(super) fn is_broadcast(&self) -> bool {
        self.flags & BROADCAST != 0
    }

    pub(super) fn packet_size(&self) -> u64 {
        u64::from(self.packet_size)
    }

    pub(super) fn preroll_ms(&self) -> u64 {
        self.preroll_ms
    }

    /// Returns the play time without the preroll. A broadcast declares no length.
    pub(super) fn declared(&self) -> Option<u64> {
        let preroll = self.preroll_ms.saturating_mul(NANOS_PER_MILLI);
        let length = self.play_time.saturating_mul(100).saturating_sub(preroll);
        (length > 0 && !self.is_broadcast()).then_some(length)
    }

    pub(super) fn require_video(&self) -> Result<(), FileRefusal> {
        let has = |kind| self.streams.iter().any(|stream| stream.track.kind == kind);
        let container = Container::Asf;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(FileRefusal::AudioOnly { container }),
            (false, false) => Err(FileRefusal::NoTracks { container }),
        }
    }

    pub(super) fn observe(&mut self, number: u8, frame: TimedFrame, tolerance: i64) {
        let stream = self.streams.iter_mut().find(|stream| stream.number == number);
        if let Some(stream) = stream.filter(|stream| stream.track.kind != TrackKind::Other) {
            stream.times.observe(frame, tolerance);
        }
    }

    pub(super) fn timelines(&self) -> impl Iterator<Item = &Timeline> + Clone {
        self.streams.iter().map(|stream| &stream.times)
    }

    pub(super) fn describe(&self, length: u64) -> Vec<MediaTrack> {
        let describe = |stream: &AsfStream| {
            let mut track = MediaTrack { encrypted: self.encrypted, ..stream.track.clone() };
            if track.kind == TrackKind::Video {
                track.frame_rate = rate(stream.times.frames(), length);
            }
            track
        };
        self.streams.iter().map(describe).collect()
    }
}

fn read_stream(body: &[u8]) -> Option<AsfStream> {
    let mut track = MediaTrack::default();
    match array(body, 24)? {
        VIDEO => {
            track.kind = TrackKind::Video;
            track.codec = from_video_fourcc(array(body, 105).unwrap_or_default());
            track.set_size(u32_le(body, 78).unwrap_or(0), u32_le(body, 82).unwrap_or(0));
        }
        AUDIO => {
            track.kind = TrackKind::Audio;
            track.codec = from_wave_format(u16_le(body, 78).unwrap_or(0));
            track.channels = u16_le(body, 80).filter(|count| *count > 0);
            track.sample_rate = u32_le(body, 82).filter(|rate| *rate > 0);
        }
        _ => {}
    }
    let number = u8_at(body, 72)? & 0x7F;
    Some(AsfStream { number, track, times: Timeline::default() })
}

#[cfg(test)]
mod tests;
