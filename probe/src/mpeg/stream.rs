//! One elementary stream: its times, and what its first bytes tell of the picture.

use super::CLOCK;
use super::clock::Clock;
use super::pes::Stamps;
use crate::bytes::{head, wide};
use crate::picture::{self, PictureCounter};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::timeline::{Frame, Timeline};
use crate::{Codec, Track, TrackKind};

/// The parameter sets that tell a picture's size stand this close behind the start of a packet.
const OPENING: usize = 1024;
/// After so many packets without parameter sets there are none to be found.
const ATTEMPTS: u32 = 64;
/// Decoding times only grow; going back by more than a second is a clock that started anew.
const JITTER: i64 = 90_000;
/// Presentation times go back by a few frames where decoding times are missing.
const REORDERING: i64 = 10 * 90_000;

#[derive(Debug)]
pub(super) struct Stream {
    /// Packet identifier or stream number.
    pub(super) id: u16,
    track: Track,
    times: Timeline,
    decoding_seen: bool,
    opening: Vec<u8>,
    attempts: u32,
    /// The start of the last packet, and the bytes since then and before.
    last: i64,
    bytes_since: u64,
    bytes_before: u64,
    first: Option<i64>,
    /// Nanoseconds of a frame, where the stream tells.
    frame: Option<u64>,
    pictures: PictureCounter,
}

impl Stream {
    pub(super) fn new(id: u16, kind: TrackKind, codec: Codec) -> Self {
        Self {
            id,
            track: Track {
                kind,
                codec,
                ..Track::default()
            },
            times: Timeline::default(),
            decoding_seen: false,
            opening: Vec::new(),
            attempts: 0,
            last: 0,
            bytes_since: 0,
            bytes_before: 0,
            first: None,
            frame: None,
            pictures: PictureCounter::default(),
        }
    }

    pub(super) fn kind(&self) -> TrackKind {
        self.track.kind
    }

    pub(super) fn timeline(&self) -> &Timeline {
        &self.times
    }

    /// A packet begins.
    pub(super) fn begin(&mut self, stamps: Option<Stamps>, clock: &mut Clock) {
        self.opening.clear();
        self.attempts = self.attempts.saturating_add(1);
        let (Some(stamps), true) = (stamps, self.kind() != TrackKind::Other) else {
            return;
        };
        let decoding = stamps.decoding.map(|raw| clock.unwrap(raw));
        let at = clock.unwrap(stamps.presentation);
        let order = decoding.unwrap_or(at);
        self.decoding_seen |= decoding.is_some() || self.kind() == TrackKind::Audio;
        let tolerance = if self.decoding_seen {
            JITTER
        } else {
            REORDERING
        };
        self.times.observe(
            Frame {
                at,
                order,
                stays: None,
            },
            tolerance,
        );
        self.bytes_before = self
            .bytes_before
            .saturating_add(std::mem::take(&mut self.bytes_since));
        self.last = at;
        self.first = self.first.or(Some(at));
    }

    /// Payload of the packet that began last.
    pub(super) fn absorb(&mut self, payload: &[u8]) {
        self.bytes_since = self.bytes_since.saturating_add(wide(payload.len()));
        if !self.wants_opening() {
            return;
        }
        let room = OPENING.saturating_sub(self.opening.len());
        self.opening.extend_from_slice(head(payload, room));
        self.read_opening();
    }

    /// Pictures in the payload; counted only where packets do not each begin with one.
    pub(super) fn count_pictures(&mut self, payload: &[u8]) {
        if self.kind() == TrackKind::Video {
            self.pictures.absorb(payload);
        }
    }

    /// Payload that was not looked at.
    pub(super) fn pass(&mut self, length: u64) {
        self.bytes_since = self.bytes_since.saturating_add(length);
    }

    /// Whether the payload is still looked at.
    fn wants_opening(&self) -> bool {
        self.kind() == TrackKind::Video
            && self.track.width.is_none()
            && self.attempts <= ATTEMPTS
            && self.opening.len() < OPENING
    }

    /// After the last byte. A packet of sound stays as long as its bytes take at the rate of those before,
    /// but no longer than packets did on average.
    pub(super) fn finish(&mut self) {
        if let Some(frame) = self.frame {
            let ticks = scaled(frame, CLOCK, NANOS_PER_SECOND).unwrap_or(0);
            self.times.fill_with_frames(ticks, self.pictures.pictures);
        }
        let elapsed = self.first.map_or(0, |first| self.last.abs_diff(first));
        let stays = scaled(self.bytes_since, elapsed, self.bytes_before);
        if let (TrackKind::Audio, Some(stays)) = (self.kind(), stays) {
            self.times.prolong(self.last, stays.min(self.times.pace()));
        }
    }

    pub(super) fn describe(&self, length: u64) -> Track {
        let mut track = self.track.clone();
        if track.kind == TrackKind::Video {
            track.frame_rate = rate(self.times.frames(), length);
        }
        track
    }

    fn read_opening(&mut self) {
        let Some(told) = picture::in_stream(self.track.codec, &self.opening) else {
            return;
        };
        self.track.codec = told.codec;
        self.track.set_size(told.width, told.height);
        self.frame = told.frame;
        self.opening = Vec::new();
    }
}
