//! One elementary stream: its timestamps, and the picture size from its parameter sets.
//!
//! This module must not depend on how transport or program streams carry its packets.

use super::CLOCK;
use super::clock::WrappingClock;
use super::pes::PesTimestamps;
use crate::bytes::{head, wide};
use crate::picture::{self, PictureCounter};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::timeline::{TimedFrame, Timeline};
use crate::{Codec, MediaTrack, TrackKind};

/// The parameter sets with the picture size are at most this far from the start of a packet.
const PACKET_START: usize = 1024;
/// The search ends after this many packets without parameter sets.
const ATTEMPTS: u32 = 64;
/// Decoding times never decrease. If they go back by more than a second, the clock was restarted.
const JITTER: i64 = 90_000;
/// Without decoding times, presentation times go back by a few frames.
const REORDERING: i64 = 10 * 90_000;

#[derive(Debug)]
pub(super) struct ElementaryStream {
    /// The packet id or stream number.
    pub(super) id: u16,
    track: MediaTrack,
    times: Timeline,
    decoding_seen: bool,
    packet_start: Vec<u8>,
    attempts: u32,
    /// The time of the last packet. The next two fields count the payload bytes since that packet began, and before it.
    last: i64,
    bytes_since: u64,
    bytes_before: u64,
    first: Option<i64>,
    /// Nanoseconds per frame, if the stream declares it.
    frame_duration: Option<u64>,
    pictures: PictureCounter,
}

impl ElementaryStream {
    pub(super) fn new(id: u16, kind: TrackKind, codec: Codec) -> Self {
        Self {
            id,
            track: MediaTrack { kind, codec, ..MediaTrack::default() },
            times: Timeline::default(),
            decoding_seen: false,
            packet_start: Vec::new(),
            attempts: 0,
            last: 0,
            bytes_since: 0,
            bytes_before: 0,
            first: None,
            frame_duration: None,
            pictures: PictureCounter::default(),
        }
    }

    pub(super) fn kind(&self) -> TrackKind {
        self.track.kind
    }

    pub(super) fn timeline(&self) -> &Timeline {
        &self.times
    }

    /// Begins a packet.
    pub(super) fn begin(&mut self, timestamps: Option<PesTimestamps>, clock: &mut WrappingClock) {
        self.packet_start.clear();
        self.attempts = self.attempts.saturating_add(1);
        let (Some(timestamps), true) = (timestamps, self.kind() != TrackKind::Other) else {
            return;
        };
        let decoding = timestamps.decoding.map(|raw| clock.unwrap(raw));
        let at = clock.unwrap(timestamps.presentation);
        let order = decoding.unwrap_or(at);
        self.decoding_seen |= decoding.is_some() || self.kind() == TrackKind::Audio;
        let tolerance = if self.decoding_seen { JITTER } else { REORDERING };
        self.times.observe(TimedFrame { at, order, duration: None }, tolerance);
        self.bytes_before = self.bytes_before.saturating_add(std::mem::take(&mut self.bytes_since));
        self.last = at;
        self.first = self.first.or(Some(at));
    }

    /// Adds payload of the current packet.
    pub(super) fn absorb(&mut self, payload: &[u8]) {
        self.bytes_since = self.bytes_since.saturating_add(wide(payload.len()));
        if !self.wants_packet_start() {
            return;
        }
        let room = PACKET_START.saturating_sub(self.packet_start.len());
        self.packet_start.extend_from_slice(head(payload, room));
        self.read_packet_start();
    }

    /// Counts the pictures in the payload. Needed only if packets do not each begin with a picture.
    pub(super) fn count_pictures(&mut self, payload: &[u8]) {
        if self.kind() == TrackKind::Video {
            self.pictures.absorb(payload);
        }
    }

    /// Counts payload bytes that were not read.
    pub(super) fn pass(&mut self, length: u64) {
        self.bytes_since = self.bytes_since.saturating_add(length);
    }

    /// Whether the picture size is still being searched for.
    fn wants_packet_start(&self) -> bool {
        self.kind() == TrackKind::Video
            && self.track.width.is_none()
            && self.attempts <= ATTEMPTS
            && self.packet_start.len() < PACKET_START
    }

    /// Completes the stream after its last byte. The duration of the last audio packet is estimated from its bytes and
    /// the byte rate of the previous packets. It is at most the average packet duration.
    pub(super) fn finish(&mut self) {
        if let Some(frame) = self.frame_duration {
            let ticks = scaled(frame, CLOCK, NANOS_PER_SECOND).unwrap_or(0);
            self.times.fill_with_frames(ticks, self.pictures.pictures);
        }
        let elapsed = self.first.map_or(0, |first| self.last.abs_diff(first));
        let stays = scaled(self.bytes_since, elapsed, self.bytes_before);
        if let (TrackKind::Audio, Some(stays)) = (self.kind(), stays) {
            self.times.prolong(self.last, stays.min(self.times.average_frame()));
        }
    }

    pub(super) fn describe(&self, length: u64) -> MediaTrack {
        let mut track = self.track.clone();
        if track.kind == TrackKind::Video {
            track.frame_rate = match self.frame_duration {
                Some(nanos) => rate(1, nanos),
                // Each packet with a timestamp counts as a frame.
                None => rate(self.times.frames(), length),
            };
        }
        track
    }

    fn read_packet_start(&mut self) {
        let Some(parameters) = picture::in_stream(self.track.codec, &self.packet_start) else {
            return;
        };
        self.track.codec = parameters.codec;
        self.track.set_size(parameters.width, parameters.height);
        self.frame_duration = parameters.frame_duration;
        self.packet_start = Vec::new();
    }
}
