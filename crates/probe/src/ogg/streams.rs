//! The logical streams of an Ogg file: their clocks, and the time that their pages cover.
//!
//! This module must not depend on where the pages lie in the file.

use super::page::OggPage;
use crate::bytes::{array, u8_at, u16_be, u16_le, u24_be, u32_be, u32_le, u64_le};
use crate::ends::{LeastTime, TrackEnds, least_time};
use crate::reconcile::ObservedSpan;
use crate::time::{NANOS_PER_SECOND, rate, scaled};
use crate::{Codec, Container, FileRefusal, MediaTrack, TrackKind};

const MAX_STREAMS: usize = 64;
/// The position of a page that has none.
const NO_TIME: i64 = -1;
/// The first bytes of streams that players play but the prober cannot read: CELT, Dirac, Daala, old FLAC, PCM, and all
/// OGM streams but texts. The prober cannot read a stream of a known kind either if its header declares no clock.
const UNREAD: [&[u8]; 9] =
    [b"CELT", b"BBCD", b"KW-DIRAC", b"\x80daala", b"fLaC", b"PCM     ", b"\x80theora", b"OVP80", b"\x01"];
const TEXT: &[u8] = b"\x01text";

/// The most by which the duration by frame count may exceed the duration by positions, in nanoseconds.
const MAX_EXTRA_FRAMES: u64 = NANOS_PER_SECOND / 4;

/// The conversion of granule positions to time.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct GranuleClock {
    /// Nanoseconds per unit, as the fraction `nanos / per`.
    nanos: u64,
    per: u64,
    /// The number of low bits, which count from the last key frame.
    shift: u32,
    /// A mask of the low bits that are added.
    low: u64,
    /// The maximum number of units that one packet can cover.
    packet: u64,
    /// Whether every packet covers exactly one unit.
    fixed: bool,
    /// The number of header packets, which cover no unit.
    headers: u64,
    /// Units at the start that are not played.
    skipped: u64,
}

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct OggStream {
    serial: u32,
    track: MediaTrack,
    clock: Option<GranuleClock>,
    /// In units: the start of the first page and the end of the latest page.
    start: Option<u64>,
    end: u64,
    packets: u64,
    /// The frames since the last page with a time.
    untimed: u64,
    /// In units: how much longer the frames on pages without a time may last than their positions say.
    surplus: u64,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OggStreams {
    list: Vec<OggStream>,
    /// Whether a page was seen that does not begin a stream.
    has_media: bool,
}

impl OggStreams {
    pub(super) fn begin(&mut self, serial: u32, packet: &[u8]) -> Result<(), FileRefusal> {
        if self.has_media || self.list.iter().any(|stream| stream.serial == serial) {
            let what = "a stream begins late, as if several files were copied into one; join them with an editor";
            return Err(FileRefusal::Ambiguous { container: Container::Ogg, what });
        }
        if self.list.len() >= MAX_STREAMS {
            return Err(FileRefusal::MetadataTooLarge { what: "more than 64 streams" });
        }
        let (track, clock) = identify(packet);
        if clock.is_none() && !packet.starts_with(TEXT) && UNREAD.iter().any(|magic| packet.starts_with(magic)) {
            let what = "it holds picture or sound in a format that is not read";
            return Err(FileRefusal::Unsupported { container: Container::Ogg, what });
        }
        self.list.push(OggStream { serial, track, clock, start: None, end: 0, packets: 1, untimed: 0, surplus: 0 });
        Ok(())
    }

    pub(super) fn absorb(&mut self, page: &OggPage) -> Result<(), FileRefusal> {
        if !self.has_media {
            self.require_video()?;
        }
        self.has_media = true;
        let ambiguous = |what| Err(FileRefusal::Ambiguous { container: Container::Ogg, what });
        match self.list.iter_mut().find(|stream| stream.serial == page.serial) {
            Some(stream) if stream.clock.is_some() && page.granule < NO_TIME && page.packets > 0 => {
                ambiguous("a page has a time before the beginning")
            }
            Some(stream) if page.granule > 0 && stream.is_within_headers(page) => {
                ambiguous("a page that holds only headers has a time")
            }
            // Players continue counting where the previous pages ended.
            Some(stream) if stream.end_of(page).is_some_and(|end| end < stream.end) => {
                ambiguous("its positions go back")
            }
            Some(stream) if page.packets > 1 && stream.end_of(page) == Some(stream.end) => {
                ambiguous("its positions stand still")
            }
            Some(stream) => {
                stream.absorb(page);
                Ok(())
            }
            None => ambiguous("a page belongs to no stream"),
        }
    }

    pub(super) fn require_video(&self) -> Result<(), FileRefusal> {
        let has = |kind| self.list.iter().any(|stream| stream.track.kind == kind);
        let container = Container::Ogg;
        match (has(TrackKind::Video), has(TrackKind::Audio)) {
            (true, _) => Ok(()),
            (false, true) => Err(FileRefusal::AudioOnly { container }),
            (false, false) => Err(FileRefusal::NoTracks { container }),
        }
    }

    pub(super) fn observed(&self) -> Option<ObservedSpan> {
        let length = self.length();
        (length > 0).then_some(ObservedSpan { start: 0, last: length, end: length, known: length, latest: length })
    }

    pub(super) fn describe(&self) -> Vec<MediaTrack> {
        self.list.iter().map(OggStream::describe).collect()
    }

    /// Returns the time without the last frames.
    pub(super) fn least(&self) -> Option<LeastTime> {
        let ends: Vec<_> = self.list.iter().filter_map(OggStream::ends).collect();
        least_time(ends.into_iter())
    }

    /// Returns the time that all streams cover together.
    fn length(&self) -> u64 {
        let spans = || self.list.iter().filter_map(OggStream::span);
        let start = spans().map(|(start, _)| start).min().unwrap_or(0);
        let end = spans().map(|(_, end)| end).max().unwrap_or(0);
        let packets = self.list.iter().filter_map(OggStream::length_by_packets).max();
        end.saturating_sub(start).max(packets.unwrap_or(0))
    }

    /// Completes the streams, and refuses them if they have more frames than their positions account for: some players
    /// time the frames by their number.
    pub(super) fn settle(&mut self) -> Result<(), FileRefusal> {
        self.list.iter_mut().for_each(OggStream::settle);
        self.check_frames()
    }

    fn check_frames(&self) -> Result<(), FileRefusal> {
        let has_too_many = |stream: &OggStream| {
            let length = stream.span().map(|(start, end)| end.saturating_sub(start).saturating_add(MAX_EXTRA_FRAMES));
            length.zip(stream.length_by_packets()).is_some_and(|(most, length)| length > most)
        };
        if self.list.iter().any(has_too_many) {
            let what = "it holds more frames than its positions say";
            return Err(FileRefusal::Ambiguous { container: Container::Ogg, what });
        }
        let is_uncertain =
            |stream: &OggStream| stream.clock.is_some_and(|clock| clock.nanos(stream.surplus) > MAX_EXTRA_FRAMES);
        if self.list.iter().any(is_uncertain) {
            let what = "pages on which frames end do not say when";
            return Err(FileRefusal::Ambiguous { container: Container::Ogg, what });
        }
        Ok(())
    }
}

impl OggStream {
    fn absorb(&mut self, page: &OggPage) {
        self.packets = self.packets.saturating_add(page.packets);
        let Some(clock) = self.clock else { return };
        let Some(end) = self.end_of(page) else {
            if page.granule == NO_TIME {
                let frames = page.packets.min(self.packets.saturating_sub(clock.headers));
                self.untimed = self.untimed.saturating_add(frames);
            }
            return;
        };
        let longest = self.untimed.saturating_add(page.packets).saturating_mul(clock.packet);
        if self.untimed > 0 {
            let advance = end.saturating_sub(self.end);
            self.surplus = self.surplus.saturating_add(longest.saturating_sub(advance));
            self.untimed = 0;
        }
        let before = end.saturating_sub(longest);
        self.start = Some(self.start.map_or(before, |start| start.min(before)));
        self.end = end;
    }

    /// Counts the frames after the last page with a time.
    fn settle(&mut self) {
        let Some(clock) = self.clock else { return };
        let longest = std::mem::take(&mut self.untimed).saturating_mul(clock.packet);
        let sum = if clock.fixed { &mut self.end } else { &mut self.surplus };
        *sum = sum.saturating_add(longest);
    }

    /// Returns the position at the end of the page in units, if it has one.
    fn end_of(&self, page: &OggPage) -> Option<u64> {
        let granule = u64::try_from(page.granule).ok().filter(|granule| *granule > 0 && page.packets > 0)?;
        Some(self.clock?.units(granule))
    }

    /// Whether the next page completes only header packets.
    fn is_within_headers(&self, page: &OggPage) -> bool {
        let packets = self.packets.saturating_add(page.packets);
        page.packets > 0 && self.clock.is_some_and(|clock| packets <= clock.headers)
    }

    /// Returns the start and end in nanoseconds.
    fn span(&self) -> Option<(u64, u64)> {
        let (clock, start) = (self.clock?, self.start?);
        let end = self.end.saturating_sub(clock.skipped);
        Some((clock.nanos(start), clock.nanos(end)))
    }

    fn ends(&self) -> Option<TrackEnds> {
        let (start, end) = self.span()?;
        let end = end.max(start.saturating_add(self.length_by_packets().unwrap_or(0)));
        let span = (i64::try_from(start).unwrap_or(i64::MAX), i64::try_from(end).unwrap_or(i64::MAX));
        Some(match self.track.kind {
            TrackKind::Video => {
                let frame = self.clock.map_or(0, |clock| clock.nanos(1));
                TrackEnds::of_pictures(self.track.codec, span, frame, frame)
            }
            TrackKind::Audio => TrackEnds::of_sound(span, None, &self.track),
            TrackKind::Other => TrackEnds::of_other(span),
        })
    }

    /// Returns the duration by the number of packets. If every packet is one frame, granule positions cannot hide
    /// frames.
    fn length_by_packets(&self) -> Option<u64> {
        let clock = self.clock.filter(|clock| clock.fixed)?;
        Some(clock.nanos(self.packets.saturating_sub(clock.headers)))
    }

    fn describe(&self) -> MediaTrack {
        let mut track = self.track.clone();
        if let (TrackKind::Video, Some(clock)) = (track.kind, self.clock) {
            track.frame_rate = rate(clock.per, clock.nanos);
        }
        track
    }
}

impl GranuleClock {
    fn of_samples(rate: u32, packet: u64, skipped: u64, headers: u64) -> Option<Self> {
        (rate > 0).then_some(Self {
            nanos: NANOS_PER_SECOND,
            per: u64::from(rate),
            shift: 0,
            low: 0,
            packet,
            fixed: false,
            headers,
            skipped,
        })
    }

    fn of_frames(nanos: u64, per: u64, shift: u32, headers: u64) -> Option<Self> {
        let low = (1 << shift) - 1;
        let clock = Self { nanos, per, shift, low, packet: 1, fixed: true, headers, skipped: 0 };
        (nanos > 0 && per > 0).then_some(clock)
    }

    fn units(&self, granule: u64) -> u64 {
        // A saved state may be damaged, so the shift can be any number.
        granule.checked_shr(self.shift).unwrap_or(0).saturating_add(granule & self.low)
    }

    fn nanos(&self, units: u64) -> u64 {
        scaled(units, self.nanos, self.per).unwrap_or(0)
    }
}

/// Identifies a stream by its first packet.
fn identify(packet: &[u8]) -> (MediaTrack, Option<GranuleClock>) {
    let video = identify_theora(packet).or_else(|| identify_vp8(packet)).or_else(|| identify_ogm(packet));
    video.or_else(|| identify_sound(packet)).unwrap_or_default()
}

fn video(codec: Codec, width: u32, height: u32) -> MediaTrack {
    let mut track = MediaTrack { kind: TrackKind::Video, codec, ..MediaTrack::default() };
    track.set_size(width, height);
    track
}

fn identify_theora(packet: &[u8]) -> Option<(MediaTrack, Option<GranuleClock>)> {
    // The versions in use are 3.2.0 and 3.2.1. Players expect another layout for others.
    if !packet.starts_with(b"\x80theora\x03\x02") {
        return None;
    }
    let mut track = video(Codec::Theora, u24_be(packet, 14)?, u24_be(packet, 17)?);
    let (horizontal, vertical) = (u24_be(packet, 30)?, u24_be(packet, 33)?);
    track.apply_pixel_aspect(horizontal, vertical);
    let shift = u32::from(u16_be(packet, 40)? >> 5 & 0x1F);
    let nanos = u64::from(u32_be(packet, 26)?).saturating_mul(NANOS_PER_SECOND);
    Some((track, GranuleClock::of_frames(nanos, u64::from(u32_be(packet, 22)?), shift, 3)))
}

fn identify_vp8(packet: &[u8]) -> Option<(MediaTrack, Option<GranuleClock>)> {
    if !packet.starts_with(b"OVP80\x01") {
        return None;
    }
    let size = (u32::from(u16_be(packet, 8)?), u32::from(u16_be(packet, 10)?));
    let nanos = u64::from(u32_be(packet, 22)?).saturating_mul(NANOS_PER_SECOND);
    let clock = GranuleClock::of_frames(nanos, u64::from(u32_be(packet, 18)?), 0, 2);
    // The position is in the upper half, and no low bits are added. Hidden frames also have packets.
    let clock = clock.map(|clock| GranuleClock { shift: 32, fixed: false, ..clock });
    Some((video(Codec::Vp8, size.0, size.1), clock))
}

fn identify_ogm(packet: &[u8]) -> Option<(MediaTrack, Option<GranuleClock>)> {
    if !packet.starts_with(b"\x01video\0\0\0") {
        return None;
    }
    let codec = crate::codec::from_video_fourcc(array(packet, 9)?);
    let nanos = u64_le(packet, 17)?.saturating_mul(100);
    let track = video(codec, u32_le(packet, 45)?, u32_le(packet, 49)?);
    Some((track, GranuleClock::of_frames(nanos, 1, 0, 2)))
}

fn identify_sound(packet: &[u8]) -> Option<(MediaTrack, Option<GranuleClock>)> {
    let (codec, channels, rate, clock) = match packet {
        [1, b'v', b'o', b'r', b'b', b'i', b's', ..] => {
            let rate = u32_le(packet, 12)?;
            let longest = 1_u64 << (u8_at(packet, 28)? >> 4);
            (Codec::Vorbis, u8_at(packet, 11)?, rate, GranuleClock::of_samples(rate, longest, 0, 3))
        }
        [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => {
            let skipped = u64::from(u16_le(packet, 10)?);
            (Codec::Opus, u8_at(packet, 9)?, 48_000, GranuleClock::of_samples(48_000, 5760, skipped, 2))
        }
        [b'S', b'p', b'e', b'e', b'x', ..] => {
            let rate = u32_le(packet, 36)?;
            let channels = u8_at(packet, 48)?;
            (Codec::Speex, channels, rate, GranuleClock::of_samples(rate, 6400, 0, 2))
        }
        [0x7F, b'F', b'L', b'A', b'C', ..] => {
            let rate = u32_be(packet, 27)? >> 12;
            let channels = u8_at(packet, 29)? >> 1 & 7;
            (Codec::Flac, channels + 1, rate, GranuleClock::of_samples(rate, 65_535, 0, 1))
        }
        _ => return None,
    };
    let track = MediaTrack {
        kind: TrackKind::Audio,
        codec,
        channels: Some(u16::from(channels)),
        sample_rate: Some(rate),
        ..MediaTrack::default()
    };
    Some((track, clock))
}

#[cfg(test)]
mod tests;
