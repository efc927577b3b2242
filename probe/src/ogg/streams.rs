//! The logical streams of an Ogg file: their clocks and what these have shown.

use super::page::Page;
use crate::bytes::{array, u8_at, u16_be, u16_le, u24_be, u32_be, u32_le, u64_le};
use crate::reconcile::Observed;
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::{Codec, Container, Refusal, Track, TrackKind};

const MAX_STREAMS: usize = 64;

/// How granule positions count.
#[derive(Debug, Clone, Copy)]
struct Clock {
    /// Nanoseconds of a unit, as a fraction.
    nanos: u64,
    per: u64,
    /// Low bits that count from the last key frame on.
    shift: u32,
    /// Which of the low bits are added.
    low: u64,
    /// The most units that a packet can be worth.
    packet: u64,
    /// Whether every packet is worth exactly one unit.
    fixed: bool,
    /// Header packets, which are worth none.
    headers: u64,
    /// Units at the start that are never heard.
    skipped: u64,
}

#[derive(Debug)]
struct Stream {
    serial: u32,
    track: Track,
    clock: Option<Clock>,
    /// In units: the first page's start and the latest page's end.
    start: Option<u64>,
    end: u64,
    packets: u64,
}

#[derive(Debug, Default)]
pub(super) struct Streams {
    list: Vec<Stream>,
    /// Whether a page without a beginning has been seen, so that a further beginning is a new link.
    running: bool,
    /// Length of the links before this one.
    settled: u64,
    /// The tracks of the first link, once another one follows.
    described: Vec<Track>,
}

impl Streams {
    pub(super) fn begin(&mut self, serial: u32, packet: &[u8]) -> Result<(), Refusal> {
        if self.running {
            self.settle();
        }
        if self.list.len() >= MAX_STREAMS {
            return Err(Refusal::MetadataTooLarge {
                what: "more than 64 streams",
            });
        }
        let (track, clock) = identify(packet);
        self.list.push(Stream {
            serial,
            track,
            clock,
            start: None,
            end: 0,
            packets: 1,
        });
        Ok(())
    }

    pub(super) fn absorb(&mut self, page: &Page) -> Result<(), Refusal> {
        if !self.running && self.described.is_empty() {
            self.judge()?;
        }
        self.running = true;
        if let Some(stream) = self
            .list
            .iter_mut()
            .find(|stream| stream.serial == page.serial)
        {
            stream.absorb(page);
        }
        Ok(())
    }

    pub(super) fn judge(&self) -> Result<(), Refusal> {
        let tracks = || {
            self.list
                .iter()
                .map(|stream| &stream.track)
                .chain(&self.described)
        };
        let has = |kind| tracks().any(|track| track.kind == kind);
        let container = Container::Ogg;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(Refusal::AudioOnly { container }),
            (false, false) => Err(Refusal::NoTracks { container }),
        }
    }

    pub(super) fn observed(&self) -> Option<Observed> {
        let length = self.settled.saturating_add(self.link());
        (length > 0).then_some(Observed {
            start: 0,
            last: length,
            end: length,
            latest: length,
        })
    }

    pub(super) fn describe(&self) -> Vec<Track> {
        if self.described.is_empty() {
            self.list.iter().map(Stream::describe).collect()
        } else {
            self.described.clone()
        }
    }

    /// The length of the streams that run at present.
    fn link(&self) -> u64 {
        let spans = || self.list.iter().filter_map(Stream::span);
        let start = spans().map(|(start, _)| start).min().unwrap_or(0);
        let end = spans().map(|(_, end)| end).max().unwrap_or(0);
        let packets = self.list.iter().filter_map(Stream::by_packets).max();
        end.saturating_sub(start).max(packets.unwrap_or(0))
    }

    fn settle(&mut self) {
        self.settled = self.settled.saturating_add(self.link());
        if self.described.is_empty() {
            self.described = self.list.iter().map(Stream::describe).collect();
        }
        self.list.clear();
        self.running = false;
    }
}

impl Stream {
    fn absorb(&mut self, page: &Page) {
        self.packets = self.packets.saturating_add(page.packets);
        let (Some(clock), Ok(granule)) = (self.clock, u64::try_from(page.granule)) else {
            return;
        };
        if granule == 0 || page.packets == 0 {
            return;
        }
        let units = clock.units(granule);
        let before = units.saturating_sub(page.packets.saturating_mul(clock.packet));
        self.start = Some(self.start.map_or(before, |start| start.min(before)));
        self.end = self.end.max(units);
    }

    /// Start and end in nanoseconds.
    fn span(&self) -> Option<(u64, u64)> {
        let (clock, start) = (self.clock?, self.start?);
        let end = self.end.saturating_sub(clock.skipped);
        Some((clock.nanos(start), clock.nanos(end)))
    }

    /// Where every packet is one frame, no granule position can hide any.
    fn by_packets(&self) -> Option<u64> {
        let clock = self.clock.filter(|clock| clock.fixed)?;
        Some(clock.nanos(self.packets.saturating_sub(clock.headers)))
    }

    fn describe(&self) -> Track {
        let mut track = self.track.clone();
        if let (TrackKind::Video, Some(clock)) = (track.kind, self.clock) {
            track.frame_rate = rate(clock.per, clock.nanos);
        }
        track
    }
}

impl Clock {
    fn of_samples(rate: u32, packet: u64, skipped: u64) -> Option<Self> {
        (rate > 0).then_some(Self {
            nanos: NANOS_PER_SECOND,
            per: u64::from(rate),
            shift: 0,
            low: 0,
            packet,
            fixed: false,
            headers: 0,
            skipped,
        })
    }

    fn of_frames(nanos: u64, per: u64, shift: u32, headers: u64) -> Option<Self> {
        let low = (1 << shift) - 1;
        let clock = Self {
            nanos,
            per,
            shift,
            low,
            packet: 1,
            fixed: true,
            headers,
            skipped: 0,
        };
        (nanos > 0 && per > 0).then_some(clock)
    }

    fn units(&self, granule: u64) -> u64 {
        (granule >> self.shift).saturating_add(granule & self.low)
    }

    fn nanos(&self, units: u64) -> u64 {
        scaled(units, self.nanos, self.per).unwrap_or(0)
    }
}

/// What a stream is, by its first packet.
fn identify(packet: &[u8]) -> (Track, Option<Clock>) {
    let video = identify_theora(packet)
        .or_else(|| identify_vp8(packet))
        .or_else(|| identify_ogm(packet));
    video.or_else(|| identify_sound(packet)).unwrap_or_default()
}

fn video(codec: Codec, width: u32, height: u32) -> Track {
    let mut track = Track {
        kind: TrackKind::Video,
        codec,
        ..Track::default()
    };
    track.set_size(width, height);
    track
}

fn identify_theora(packet: &[u8]) -> Option<(Track, Option<Clock>)> {
    if !packet.starts_with(b"\x80theora") {
        return None;
    }
    let mut track = video(Codec::Theora, u24_be(packet, 14)?, u24_be(packet, 17)?);
    let (horizontal, vertical) = (u24_be(packet, 30)?, u24_be(packet, 33)?);
    if horizontal > 0 && vertical > 0 {
        track.apply_pixel_aspect(horizontal, vertical);
    }
    let shift = u32::from(u16_be(packet, 40)? >> 5 & 0x1F);
    let nanos = u64::from(u32_be(packet, 26)?).saturating_mul(NANOS_PER_SECOND);
    Some((
        track,
        Clock::of_frames(nanos, u64::from(u32_be(packet, 22)?), shift, 3),
    ))
}

fn identify_vp8(packet: &[u8]) -> Option<(Track, Option<Clock>)> {
    if !packet.starts_with(b"OVP80\x01") {
        return None;
    }
    let size = (
        u32::from(u16_be(packet, 8)?),
        u32::from(u16_be(packet, 10)?),
    );
    let nanos = u64::from(u32_be(packet, 22)?).saturating_mul(NANOS_PER_SECOND);
    let clock = Clock::of_frames(nanos, u64::from(u32_be(packet, 18)?), 0, 2);
    // Its position is in the upper half; frames that are not shown make packets too.
    let clock = clock.map(|clock| Clock {
        shift: 32,
        low: 0,
        fixed: false,
        ..clock
    });
    Some((video(Codec::Vp8, size.0, size.1), clock))
}

fn identify_ogm(packet: &[u8]) -> Option<(Track, Option<Clock>)> {
    if !packet.starts_with(b"\x01video\0\0\0") {
        return None;
    }
    let codec = crate::codec::from_video_fourcc(array(packet, 9)?);
    let nanos = u64_le(packet, 17)?.saturating_mul(100);
    let track = video(codec, u32_le(packet, 45)?, u32_le(packet, 49)?);
    Some((track, Clock::of_frames(nanos, 1, 0, 2)))
}

fn identify_sound(packet: &[u8]) -> Option<(Track, Option<Clock>)> {
    let (codec, channels, rate, clock) = match packet {
        [1, b'v', b'o', b'r', b'b', b'i', b's', ..] => {
            let rate = u32_le(packet, 12)?;
            let longest = 1_u64 << (u8_at(packet, 28)? >> 4);
            (
                Codec::Vorbis,
                u8_at(packet, 11)?,
                rate,
                Clock::of_samples(rate, longest, 0),
            )
        }
        [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => {
            let skipped = u64::from(u16_le(packet, 10)?);
            (
                Codec::Opus,
                u8_at(packet, 9)?,
                48_000,
                Clock::of_samples(48_000, 5760, skipped),
            )
        }
        [b'S', b'p', b'e', b'e', b'x', ..] => {
            let rate = u32_le(packet, 36)?;
            let channels = u8_at(packet, 48)?;
            (
                Codec::Speex,
                channels,
                rate,
                Clock::of_samples(rate, 6400, 0),
            )
        }
        [0x7F, b'F', b'L', b'A', b'C', ..] => {
            let rate = u32_be(packet, 27)? >> 12;
            let channels = u8_at(packet, 29)? >> 1 & 7;
            (
                Codec::Flac,
                channels + 1,
                rate,
                Clock::of_samples(rate, 65_535, 0),
            )
        }
        _ => return None,
    };
    let track = Track {
        kind: TrackKind::Audio,
        codec,
        channels: Some(u16::from(channels)),
        sample_rate: Some(rate),
        ..Track::default()
    };
    Some((track, clock))
}
