//! One elementary stream: its timestamps, and the picture size from its parameter sets.
//!
//! This module must not depend on how transport or program streams carry its packets.

use super::CLOCK;
use super::clock::WrappingClock;
use super::pes::PesTimestamps;
use crate::bytes::{head, wide};
use crate::ends::TrackEnds;
use crate::picture::{self, PictureCounter};
use crate::sound_bytes::{SoundAmount, SoundPace, outlasts};
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::timeline::{TimedFrame, Timeline};
use crate::{Codec, MediaTrack, TrackKind};

/// The parameter sets with the picture size are at most this far from the start of a packet.
const PACKET_START: usize = 1024;
/// The most searches of one stream for parameter sets. The start of a packet is searched again when more of it arrives.
const SEARCHES: u32 = 512;
/// Decoding times never decrease. If they go back by more than a tenth of a second, some players restart their clock. A
/// packet without a decoding time is decoded when it is shown.
const JITTER: i64 = 9_000;
/// The longest time by which a clock may jump back in total.
const LONGEST_JUMPS: u64 = 90_000;

/// Parameter sets are searched for in this many streams of a file, because the starts of their packets are kept. Only
/// recordings of several programs have more.
pub(super) const SEARCHED_STREAMS: usize = 16;

const UNTIMED: &str = "a part of it has no timestamps";
/// Timestamps are at most 0.7 s apart. Players interpolate the times between them.
const TIMESTAMP_GAP: u64 = 90_000;
/// The shortest plausible frame. Timestamps that imply more than 250 pictures per second are wrong.
const SHORTEST_FRAME: u64 = CLOCK / 250;
/// Assumed for pictures before the second timestamp.
const DEFAULT_FRAME_RATE: u64 = 25;
/// A packet of sound is not longer than this.
const LONGEST_PACKET: u64 = 65_536;

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ElementaryStream {
    /// The packet id or stream number.
    pub(super) id: u16,
    track: MediaTrack,
    times: Timeline,
    packet_start: Vec<u8>,
    searches: u32,
    /// The time of the last packet. The next two fields count the payload bytes since that packet began, and before it.
    last: i64,
    bytes_since: u64,
    bytes_before: u64,
    first: Option<i64>,
    /// Nanoseconds per frame, if the stream declares it.
    frame_duration: Option<u64>,
    pictures: PictureCounter,
    /// The number of pictures before the last timestamp.
    pictures_before: u64,
    /// The time of the last packet in which a picture began, and the longest time of packets without any after one.
    pictured: i64,
    without_pictures: u64,
    /// Whether its kind is known only from the numbers of its packets.
    is_guessed: bool,
    /// Whether the header of a packet ends before its time.
    pub(super) has_short_header: bool,
    /// Whether a packet begins with the parameters of pictures, although a table says sound. Some players then play
    /// pictures.
    has_pictured_sound: bool,
    /// Whether all tables that describe it say that it is subtitles or data.
    is_data: Option<bool>,
    /// The header of the current packet, while it is not complete.
    pub(super) header: Vec<u8>,
}

impl ElementaryStream {
    pub(super) fn new(id: u16, kind: TrackKind, codec: Codec) -> Self {
        Self {
            id,
            track: MediaTrack { kind, codec, ..MediaTrack::default() },
            times: Timeline::default(),
            packet_start: Vec::new(),
            searches: 0,
            last: 0,
            bytes_since: 0,
            bytes_before: 0,
            first: None,
            frame_duration: None,
            pictures: PictureCounter::default(),
            pictures_before: 0,
            pictured: 0,
            without_pictures: 0,
            is_guessed: false,
            has_short_header: false,
            has_pictured_sound: false,
            is_data: None,
            header: Vec::new(),
        }
    }

    /// Gives up the search for parameter sets.
    pub(super) fn without_search(self) -> Self {
        Self { searches: SEARCHES, ..self }
    }

    /// Whether its kind is known from a table, from the container or from its content.
    pub(super) fn is_certain(&self) -> bool {
        !self.is_guessed || self.track.width.is_some()
    }

    /// Sets the kind and codec from the first program table that describes the stream.
    pub(super) fn describe_as(&mut self, kind: TrackKind, codec: Codec) {
        if kind != TrackKind::Other && (self.is_guessed || !self.is_played()) {
            (self.track.kind, self.track.codec) = (kind, codec);
            self.is_guessed = false;
        }
    }

    /// Notes whether a table says that the stream is subtitles or data.
    pub(super) fn describe_as_data(&mut self, is_data: bool) {
        self.is_data = Some(is_data && self.is_data != Some(false));
    }

    /// Whether players play the stream, and whether some of them might.
    pub(super) fn is_played(&self) -> bool {
        self.kind() != TrackKind::Other
    }

    pub(super) fn may_be_played(&self) -> bool {
        self.is_played() || self.is_data != Some(true)
    }

    /// Returns the time that its timestamps cover, in ticks.
    pub(super) fn length(&self) -> u64 {
        self.times.length(u64::MAX)
    }

    /// Returns what is wrong if a noticeable part of the stream has no timestamps.
    pub(super) fn contradiction(&self) -> Option<&'static str> {
        if self.has_short_header && self.may_be_played() {
            return Some("the header of a packet ends before its time");
        }
        if self.times.jumps_back() > LONGEST_JUMPS && self.is_played() {
            return Some(
                "its clock restarts, as if several recordings were copied into one file; join them with an editor",
            );
        }
        match self.kind() {
            TrackKind::Video => self.contradiction_of_pictures(),
            TrackKind::Audio => self.contradiction_of_sound(),
            TrackKind::Other => None,
        }
    }

    fn contradiction_of_pictures(&self) -> Option<&'static str> {
        let is_mpeg = matches!(self.track.codec, Codec::Mpeg1video | Codec::Mpeg2video);
        if is_mpeg && self.pictures.pictures == 0 && self.times.frames() > 0 {
            return Some("no pictures are found in it");
        }
        if self.without_pictures > TIMESTAMP_GAP {
            return Some("some of its frames hold no picture");
        }
        (!self.are_pictures_timed()).then_some(UNTIMED)
    }

    fn contradiction_of_sound(&self) -> Option<&'static str> {
        if self.has_pictured_sound {
            return Some("a stream of sound holds pictures");
        }
        if self.has_hidden_sound() {
            return Some("its sound plays for longer than its times say");
        }
        (!self.is_sound_timed()).then_some(UNTIMED)
    }

    fn are_pictures_timed(&self) -> bool {
        let (pictures, span) = (self.pictures.pictures, self.times.span());
        let untimed = pictures.saturating_sub(self.pictures_before).saturating_sub(1);
        let frame = match self.pictures_before {
            0 => self.frame_ticks().unwrap_or(CLOCK / DEFAULT_FRAME_RATE),
            before => span / before,
        };
        // Two fields may be two pictures.
        let shortest = self.frame_ticks().map_or(SHORTEST_FRAME, |frame| frame / 2);
        let is_dense = pictures.saturating_mul(shortest) > span.saturating_add(TIMESTAMP_GAP);
        untimed.saturating_mul(frame) <= TIMESTAMP_GAP && !is_dense
    }

    fn is_sound_timed(&self) -> bool {
        match self.bytes_before {
            0 => self.bytes_since <= LONGEST_PACKET,
            before => scaled(self.bytes_since, self.elapsed(), before).is_none_or(|ticks| ticks <= TIMESTAMP_GAP),
        }
    }

    /// Whether the bytes of sound are too many for its times. The codec is certain only if a table names it.
    fn has_hidden_sound(&self) -> bool {
        let bytes = self.bytes_before.saturating_add(self.bytes_since);
        let pace = SoundPace::of(self.track.codec, None, None, 0);
        let least = pace.least(SoundAmount { packets: 0, bytes, opus: 0 });
        !self.is_guessed && outlasts(least, super::ticks_to_nanos(self.length()))
    }

    fn elapsed(&self) -> u64 {
        self.first.map_or(0, |first| self.last.abs_diff(first))
    }

    fn frame_ticks(&self) -> Option<u64> {
        scaled(self.frame_duration?, CLOCK, NANOS_PER_SECOND)
    }

    pub(super) fn kind(&self) -> TrackKind {
        self.track.kind
    }

    /// Recognises picture or sound in a stream that no table describes, by its packet's number or its first bytes, as
    /// players do.
    pub(super) fn recognise(&mut self, number: u8, start: &[u8]) {
        let is_sound = self.kind() == TrackKind::Audio && !self.is_guessed;
        self.has_pictured_sound |= is_sound && begins_pictures(start);
        if self.kind() != TrackKind::Other {
            return;
        }
        let (kind, codec) = match (number, start) {
            (0xE0..=0xEF, _) => (TrackKind::Video, Codec::Mpeg2video),
            (0x00..=0xBB | 0xBD | 0xF3..=0xFE, _) if begins_pictures(start) => (TrackKind::Video, Codec::Mpeg2video),
            (0xC0..=0xDF, _) => (TrackKind::Audio, Codec::Unknown),
            (0xBD | 0xFD, [0x0B, 0x77, ..]) => (TrackKind::Audio, Codec::Ac3),
            (0xBD | 0xFD, [0x7F, 0xFE, 0x80, 0x01, ..]) => (TrackKind::Audio, Codec::Dts),
            (0xBD | 0xFD, [0xFF, 0xE0..=0xFF, ..]) => (TrackKind::Audio, Codec::Mp2),
            _ => return,
        };
        self.describe_as(kind, codec);
        self.is_guessed = true;
    }

    pub(super) fn timeline(&self) -> &Timeline {
        &self.times
    }

    /// Begins a packet.
    pub(super) fn begin(&mut self, timestamps: Option<PesTimestamps>, clock: &mut WrappingClock) {
        self.packet_start.clear();
        let (Some(timestamps), true) = (timestamps, self.may_be_played()) else {
            return;
        };
        // The times of a stream that players may ignore must not move those of the others.
        let mut own = *clock;
        let clock = if self.is_played() { clock } else { &mut own };
        let decoding = timestamps.decoding.map(|raw| clock.unwrap(raw));
        let at = clock.unwrap(timestamps.presentation);
        let order = decoding.unwrap_or(at);
        self.times.observe(TimedFrame { at, order, duration: None }, JITTER);
        self.note_pictures(at);
        self.pictures_before = self.pictures.pictures;
        self.bytes_before = self.bytes_before.saturating_add(std::mem::take(&mut self.bytes_since));
        self.last = at;
        self.first = self.first.or(Some(at));
    }

    /// Notes whether a picture began in the previous packet. Delimiters and filling play nothing. Only the units of
    /// H.264 and HEVC are known well enough. The last packet may be cut, so it does not count.
    fn note_pictures(&mut self, next: i64) {
        let previous = self.first.map_or(next, |_| self.last);
        let is_known = matches!(self.track.codec, Codec::H264 | Codec::Hevc);
        if self.first.is_none() || !is_known || self.pictures.pictures > self.pictures_before {
            self.pictured = previous;
        }
        self.without_pictures = self.without_pictures.max(previous.abs_diff(self.pictured));
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

    /// Counts the pictures in the payload, because packets may hold several pictures.
    pub(super) fn count_pictures(&mut self, payload: &[u8]) {
        if self.kind() == TrackKind::Video {
            self.pictures.absorb(self.track.codec, payload);
        }
    }

    /// Counts payload bytes that were not read.
    pub(super) fn pass(&mut self, length: u64) {
        self.bytes_since = self.bytes_since.saturating_add(length);
    }

    /// Whether the picture size is still being searched for.
    pub(super) fn wants_packet_start(&self) -> bool {
        self.kind() == TrackKind::Video
            && self.track.width.is_none()
            && self.searches < SEARCHES
            && self.packet_start.len() < PACKET_START
    }

    /// Completes the stream after its last byte. The duration of the last audio packet is estimated from its bytes and
    /// the byte rate of the previous packets. It is at most the average packet duration.
    pub(super) fn finish(&mut self) {
        if let Some(ticks) = self.frame_ticks() {
            self.times.fill_with_frames(ticks, self.pictures.pictures);
        }
        let stays = scaled(self.bytes_since, self.elapsed(), self.bytes_before);
        if let (TrackKind::Audio, Some(stays)) = (self.kind(), stays) {
            self.times.prolong(self.last, stays.min(self.times.average_frame()));
        }
    }

    /// Returns where the stream begins and ends, or `None` if it has no frames. Only pictures declare a duration; the
    /// end of sound is an estimate.
    pub(super) fn ends(&self) -> Option<TrackEnds> {
        let ends = self.times.ends(&self.track, u64::MAX, super::ticks_to_nanos)?;
        Some(match self.kind() {
            TrackKind::Video => match self.frame_duration {
                Some(frame) => TrackEnds::of_pictures(self.track.codec, ends.span(), frame, frame),
                None => ends,
            },
            TrackKind::Audio => TrackEnds::of_sound(ends.span(), None, &self.track),
            TrackKind::Other => ends,
        })
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
        self.searches = self.searches.saturating_add(1);
        let Some(parameters) = picture::in_stream(self.track.codec, &self.packet_start) else {
            return;
        };
        self.track.codec = parameters.codec;
        self.track.set_size(parameters.width, parameters.height);
        self.frame_duration = parameters.frame_duration;
        self.packet_start = Vec::new();
    }
}

/// Whether a packet begins with the parameters of pictures. Counters and silent sound may begin like a picture too.
fn begins_pictures(start: &[u8]) -> bool {
    matches!(start, [0, 0, 1, ..] | [0, 0, 0, 1, ..]) && picture::in_stream(Codec::Mpeg2video, start).is_some()
}

#[cfg(test)]
mod tests;
