//! The streams of an ASF file: what they hold, and the times of their frames.
//!
//! This module must not depend on where the objects or packets lie in the file.

use super::frames::FrameAssembly;
use super::packet::Payload;
use crate::bytes::{array, tail, u8_at, u16_le, u32_le};
use crate::codec::{from_video_fourcc, from_wave_format};
use crate::ends::{LeastTime, least_time};
use crate::sound_bytes::{SoundPace, outlasts};
use crate::structures::StructureCount;
use crate::time::rate;
use crate::timeline::{TimedFrame, Timeline};
use crate::{Container, FileRefusal, MediaTrack, TrackKind};

type Guid = [u8; 16];

const VIDEO: Guid = *b"\xC0\xEF\x19\xBC\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B";
const JPEG: Guid = *b"\x00\xE1\x1B\xB6\x4E\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B";
const AUDIO: Guid = *b"\x40\x9E\x69\xF8\x4D\x5B\xCF\x11\xA8\xFD\x00\x80\x5F\x5C\x44\x2B";
/// Commands to the player, which are not shown.
const COMMANDS: Guid = *b"\xC0\xCF\xDA\x59\xE6\x59\xD0\x11\xA3\xAC\x00\xA0\xC9\x03\x48\xF6";

/// Frames are stored in decoding order, so their times may go back, but not by more than this.
const REORDERING_MS: i64 = 10_000;
/// Players assume that the clock has wrapped around if a time is more than a minute before the first.
const BEFORE_BEGINNING_MS: i64 = 60_000;
/// The most by which an unfinished frame at the end of a recording may change its duration.
const UNFINISHED_MS: i64 = 200;

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct AsfStream {
    number: u8,
    track: MediaTrack,
    is_played: bool,
    /// The bounds of sound by its bytes.
    pace: SoundPace,
    times: Timeline,
    assembly: FrameAssembly,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct AsfStreams {
    list: Vec<AsfStream>,
    encrypted: bool,
    /// The times of the first and of the latest frame.
    first: Option<i64>,
    latest: i64,
}

impl AsfStreams {
    /// Adds a stream by its properties.
    pub(super) fn add(&mut self, properties: &[u8]) -> Result<(), FileRefusal> {
        let Some(stream) = read_stream(properties) else {
            return Err(super::ambiguous("the description of a stream is too short"));
        };
        if self.list.iter().any(|other| other.number == stream.number) {
            return Err(super::ambiguous("a stream is described twice"));
        }
        self.list.push(stream);
        Ok(())
    }

    pub(super) fn set_encrypted(&mut self) {
        self.encrypted = true;
    }

    pub(super) fn require_video(&self) -> Result<(), FileRefusal> {
        let has = |kind| self.list.iter().any(|stream| stream.track.kind == kind);
        let container = Container::Asf;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(FileRefusal::AudioOnly { container }),
            (false, false) => Err(FileRefusal::NoTracks { container }),
        }
    }

    /// Adds the frames that a payload completes.
    pub(super) fn absorb(
        &mut self,
        number: u8,
        payload: &Payload<'_>,
        preroll_ms: i64,
        structures: &mut StructureCount,
    ) -> Result<(), FileRefusal> {
        let Some(stream) = self.list.iter_mut().find(|stream| stream.number == number) else {
            return Err(super::ambiguous("a frame belongs to no stream"));
        };
        let AsfStream { assembly, times, is_played, .. } = stream;
        // Players read commands too, so their parts must agree.
        if !*is_played {
            return assembly.absorb(payload, |_| structures.add());
        }
        times.sound.bytes = times.sound.bytes.saturating_add(payload.bytes());
        assembly.absorb(payload, |time| {
            let at = i64::from(time).saturating_sub(preroll_ms);
            if at.saturating_add(BEFORE_BEGINNING_MS) < *self.first.get_or_insert(at) {
                return Err(super::ambiguous("its times go back before its beginning"));
            }
            self.latest = self.latest.max(at);
            times.observe(TimedFrame { at, order: at, duration: None }, REORDERING_MS);
            if times.jumps_back() > 0 {
                return Err(super::ambiguous("its times go back"));
            }
            structures.add()
        })
    }

    /// Refuses frames without their end. Only a recording may stop within a frame.
    pub(super) fn require_whole_frames(&self, is_recording: bool, preroll_ms: i64) -> Result<(), FileRefusal> {
        let limit = if is_recording { self.latest.saturating_add(UNFINISHED_MS) } else { i64::MIN };
        let mut unfinished = self.list.iter().filter_map(|stream| stream.assembly.unfinished());
        if unfinished.any(|time| i64::from(time).saturating_sub(preroll_ms) > limit) {
            return Err(super::ambiguous("the end of a frame is missing"));
        }
        Ok(())
    }

    /// Whether the sound of a stream plays for longer than its times say. Frames may hold parts of packets.
    pub(super) fn have_hidden_sound(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> bool {
        let mut streams = self.list.iter();
        streams.any(|stream| outlasts(stream.pace.least(stream.times.sound), nanos(stream.times.length(guess))))
    }

    pub(super) fn timelines(&self) -> impl Iterator<Item = &Timeline> + Clone {
        self.list.iter().map(|stream| &stream.times)
    }

    /// Returns the playing time without the last frame of each stream.
    pub(super) fn least(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<LeastTime> {
        let played = self.list.iter().filter(|stream| stream.times.frames() > 0);
        let ends: Option<Vec<_>> = played.map(|stream| stream.times.ends(&stream.track, guess, &nanos)).collect();
        least_time(ends?.into_iter())
    }

    pub(super) fn describe(&self, length: u64) -> Vec<MediaTrack> {
        let describe = |stream: &AsfStream| {
            let mut track = MediaTrack { encrypted: self.encrypted, ..stream.track.clone() };
            if track.kind == TrackKind::Video {
                track.frame_rate = rate(stream.times.frames(), length);
            }
            track
        };
        self.list.iter().map(describe).collect()
    }
}

/// Players read this much of a description, and of its format.
const DESCRIPTION: usize = 78;
const PICTURE_FORMAT: usize = 51;
const SOUND_FORMAT: usize = 16;

fn read_stream(body: &[u8]) -> Option<AsfStream> {
    let (mut track, mut pace) = (MediaTrack::default(), SoundPace::default());
    let kind = array(body, 24)?;
    let format = match kind {
        VIDEO | JPEG => PICTURE_FORMAT,
        AUDIO => SOUND_FORMAT,
        _ => 0,
    };
    body.get(..DESCRIPTION + format)?;
    match kind {
        VIDEO | JPEG => {
            track.kind = TrackKind::Video;
            track.codec = from_video_fourcc(array(body, 105).unwrap_or_default());
            track.set_size(u32_le(body, 78).unwrap_or(0), u32_le(body, 82).unwrap_or(0));
        }
        AUDIO => {
            track.kind = TrackKind::Audio;
            pace = SoundPace::of_wave(tail(body, 78));
            track.codec = from_wave_format(u16_le(body, 78).unwrap_or(0));
            track.channels = u16_le(body, 80).filter(|count| *count > 0);
            track.sample_rate = u32_le(body, 82).filter(|rate| *rate > 0);
        }
        _ => {}
    }
    Some(AsfStream {
        number: u8_at(body, 72)? & 0x7F,
        track,
        // Some players play streams of other kinds.
        is_played: kind != COMMANDS,
        pace,
        times: Timeline::default(),
        assembly: FrameAssembly::default(),
    })
}

#[cfg(test)]
mod tests;
