//! The logical streams of an Ogg file, and the time that their pages cover.
//!
//! This module must not depend on where the pages lie in the file.

use super::identify::{GranuleClock, Identity, identify};
use super::packets::{Form, Packet, Packets};
use super::page::OggPage;
use crate::ends::{LeastTime, TrackEnds, least_time};
use crate::reconcile::ObservedSpan;
use crate::time::NANOS_PER_SECOND;
use crate::{Container, FileRefusal, MediaTrack, TrackKind};

const MAX_STREAMS: usize = 64;
/// The position of a page that has none.
const NO_TIME: i64 = -1;

/// The maximum time by which packets may last longer than their positions say, in nanoseconds. The last packet is not
/// included, because its end may be cut.
const MAX_SURPLUS: u64 = NANOS_PER_SECOND / 4;
/// The maximum time by which the pages of a stream may begin before the position in its Skeleton, in nanoseconds.
const MAX_DELAY: u64 = NANOS_PER_SECOND;
/// In nanoseconds. Sound that begins before zero by at most this much only starts the decoder.
const CODEC_DELAY: u64 = NANOS_PER_SECOND / 5;

#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct OggStream {
    serial: u32,
    track: MediaTrack,
    clock: Option<GranuleClock>,
    packets: Packets,
    /// The first bytes of a packet that continues on the next page.
    begun: Option<[u8; 8]>,
    /// Whether a page said that it is the last.
    has_ended: bool,
    /// Whether it has a broken packet, at which players stop reading the file.
    is_broken: bool,
    /// In units: the start of the first page, which may be before zero, the end of the latest page with a time, and the
    /// end of the latest packet that shows something.
    start: Option<i64>,
    end: u64,
    reached: u64,
    /// In units: the packets since the latest page with a time, all of them and those to the last that shows something.
    since: u64,
    shown: u64,
    /// In units: the time by which the packets so far last longer than the positions say. A later page may reduce it,
    /// because positions may be rounded.
    surplus: u64,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct OggStreams {
    list: Vec<OggStream>,
    /// Serial numbers of streams, each with the position at which a Skeleton says that the stream begins.
    bones: Vec<(u32, u64)>,
    /// The playing time up to the first broken packet, at which players stop reading the file.
    broken_at: Option<u64>,
    /// Whether a page was seen that does not begin a stream.
    has_media: bool,
}

impl OggStreams {
    pub(super) fn absorb(&mut self, page: &OggPage<'_>) -> Result<(), FileRefusal> {
        if page.begins_stream {
            return self.begin(page);
        }
        if !self.has_media {
            self.require_video()?;
        }
        self.has_media = true;
        let stream = self.list.iter_mut().find(|stream| stream.serial == page.serial);
        let stream = stream.ok_or_else(|| ambiguous("a page belongs to no stream"))?;
        let room = MAX_STREAMS.saturating_sub(self.bones.len());
        let bones = stream.absorb(page).map_err(ambiguous)?;
        let is_broken = stream.is_broken;
        self.bones.extend(bones.into_iter().take(room));
        if is_broken && self.broken_at.is_none() {
            self.broken_at = Some(self.length());
        }
        Ok(())
    }

    fn begin(&mut self, page: &OggPage<'_>) -> Result<(), FileRefusal> {
        if self.has_media || self.list.iter().any(|stream| stream.serial == page.serial) {
            let what = "a stream begins late, as if several files were copied into one; join them with an editor";
            return Err(ambiguous(what));
        }
        if self.list.len() >= MAX_STREAMS {
            return Err(FileRefusal::MetadataTooLarge { what: "more than 64 streams" });
        }
        if page.continues || !page.packets().map(|(_, is_end)| is_end).eq([true]) {
            return Err(ambiguous("the first page of a stream holds more than its first packet"));
        }
        let Some(Identity { track, clock, packets }) = identify(page.body) else {
            let what = "it holds picture or sound in a format that is not read";
            return Err(FileRefusal::Unsupported { container: Container::Ogg, what });
        };
        self.list.push(OggStream {
            serial: page.serial,
            track,
            clock,
            packets,
            begun: None,
            has_ended: page.ends_stream,
            is_broken: false,
            start: None,
            end: 0,
            reached: 0,
            since: 0,
            shown: 0,
            surplus: 0,
        });
        Ok(())
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

    /// Returns the time that all streams cover together.
    fn length(&self) -> u64 {
        let spans = || self.list.iter().filter_map(OggStream::span);
        let start = spans().map(|(start, _)| start).min().unwrap_or(0);
        let end = spans().map(|(_, end)| end).max().unwrap_or(0);
        u64::try_from(end.saturating_sub(start)).unwrap_or(0)
    }

    pub(super) fn describe(&self) -> Vec<MediaTrack> {
        self.list.iter().map(OggStream::describe).collect()
    }

    /// Returns the time without the last frames.
    pub(super) fn least(&self) -> Option<LeastTime> {
        let ends: Vec<_> = self.list.iter().filter_map(OggStream::ends).collect();
        least_time(ends.into_iter())
    }

    /// Completes the streams. Refuses them if a Skeleton says that one begins later than its pages, or if they go on
    /// after a broken packet.
    pub(super) fn settle(&mut self) -> Result<(), FileRefusal> {
        self.list.iter_mut().for_each(OggStream::settle);
        for (serial, granule) in std::mem::take(&mut self.bones) {
            let stream = self.list.iter_mut().find(|stream| stream.serial == serial);
            if stream.is_some_and(|stream| stream.begins_after(granule)) {
                return Err(ambiguous("its Skeleton says that a stream begins later than its pages do"));
            }
        }
        if self.broken_at.is_some_and(|at| self.length() > at.saturating_add(MAX_SURPLUS)) {
            return Err(ambiguous("players stop at a broken packet in the middle of it"));
        }
        Ok(())
    }
}

fn signed(nanos: u64) -> i64 {
    i64::try_from(nanos).unwrap_or(i64::MAX)
}

fn ambiguous(what: &'static str) -> FileRefusal {
    FileRefusal::Ambiguous { container: Container::Ogg, what }
}

impl OggStream {
    /// Adds a page, and returns the streams and positions that it describes.
    fn absorb(&mut self, page: &OggPage<'_>) -> Result<Vec<(u32, u64)>, &'static str> {
        let mut bones = Vec::new();
        if self.is_broken {
            return Ok(bones);
        }
        // Players skip the rest of a packet whose beginning is not there.
        let lost = usize::from(page.continues && self.begun.is_none());
        let mut ended = false;
        for (part, is_end) in page.packets().skip(lost) {
            let begun = self.begun.take();
            if !is_end {
                self.begun = begun.or_else(|| part.first_chunk().copied());
                continue;
            }
            ended = true;
            let first = begun.as_ref().map_or(part, |first| first.as_slice());
            match self.packets.read(first, part)? {
                Packet::Header => {}
                Packet::Broken => {
                    self.is_broken = true;
                    break;
                }
                Packet::Bone { serial, start } => bones.push((serial, start)),
                Packet::Media { units, is_shown } => {
                    self.since = self.since.saturating_add(units);
                    self.shown = if is_shown { self.since } else { self.shown };
                }
            }
        }
        if ended && self.has_ended {
            return Err("a stream continues behind its end");
        }
        self.has_ended |= page.ends_stream;
        if ended {
            self.advance(page.granule)?;
        }
        Ok(bones)
    }

    /// Moves the end of the stream to the position of a page.
    fn advance(&mut self, granule: i64) -> Result<(), &'static str> {
        let Some(clock) = self.clock else { return Ok(()) };
        let position = match u64::try_from(granule) {
            Ok(0) if self.end > 0 => return Err("its positions go back"),
            Ok(0) => return Ok(()),
            Ok(position) => clock.units(position),
            Err(_) if granule == NO_TIME => return Ok(()),
            Err(_) => return Err("a page has a time before the beginning"),
        };
        if !self.packets.has_media {
            return Err("a page that holds only headers has a time");
        }
        // Players count on from the end of the previous page, and do not go back to a lower position.
        if position < self.end {
            return Err("its positions go back");
        }
        if self.start.is_none() {
            // If the packets of the first page last longer than its position, the first of them play before zero.
            let start = i64::try_from(position).ok().and_then(|end| end.checked_sub_unsigned(self.since));
            self.start = start.map(|start| if self.packets.is_exact { start } else { start.max(0) });
            self.end = position.saturating_sub(self.since);
            self.since = self.since.min(position);
            self.shown = self.shown.min(position);
        }
        if self.packets.is_exact {
            let advance = position.saturating_sub(self.end);
            self.surplus = self.surplus.saturating_add(self.since).saturating_sub(advance);
        }
        if clock.nanos(self.surplus.saturating_sub(self.packets.longest)) > MAX_SURPLUS {
            return Err("it holds more frames than its positions say");
        }
        self.reach(self.end, position);
        self.end = position;
        Ok(())
    }

    /// Notes where the packets that begin at the position `from` end. Sound ends at `most` at the latest.
    fn reach(&mut self, from: u64, most: u64) {
        let (shown, since) = (std::mem::take(&mut self.shown), std::mem::take(&mut self.since));
        if since > 0 && shown > 0 {
            self.reached = match (self.track.kind, self.packets.form) {
                (_, Form::Ogm) if !self.is_broken => most,
                (TrackKind::Video, _) => from.saturating_add(shown),
                _ => from.saturating_add(shown).min(most),
            };
        }
    }

    /// Counts the packets after the last page with a time.
    fn settle(&mut self) {
        if self.since > 0 && self.clock.is_some() {
            self.start.get_or_insert(0);
            let end = self.end.saturating_add(self.since);
            self.reach(self.end, end);
        }
    }

    /// Takes the position in a Skeleton as the start if it is earlier than the pages. Returns whether it is much later.
    fn begins_after(&mut self, granule: u64) -> bool {
        let (Some(clock), Some(start), Ok(_)) = (self.clock, self.start, i64::try_from(granule)) else { return false };
        let named = i64::try_from(clock.units(granule)).unwrap_or(i64::MAX);
        self.start = Some(start.min(named));
        clock.nanos(u64::try_from(named.saturating_sub(start)).unwrap_or(0)) > MAX_DELAY
    }

    /// Returns the start and end in nanoseconds.
    fn span(&self) -> Option<(i64, i64)> {
        let (clock, start) = (self.clock?, self.start?);
        let early = clock.nanos(start.min(0).unsigned_abs());
        let late = signed(clock.nanos(u64::try_from(start).unwrap_or(0)));
        let start = if early > CODEC_DELAY { -signed(early) } else { late };
        Some((start, signed(clock.nanos(self.reached.saturating_sub(clock.skipped)))))
    }

    fn ends(&self) -> Option<TrackEnds> {
        let span = self.span()?;
        Some(match self.track.kind {
            TrackKind::Video => {
                let frame = self.clock.map_or(0, |clock| clock.nanos(1));
                TrackEnds::of_pictures(self.track.codec, span, frame, frame)
            }
            TrackKind::Audio => TrackEnds::of_sound(span, None, &self.track),
            TrackKind::Other => TrackEnds::of_other(span),
        })
    }

    fn describe(&self) -> MediaTrack {
        let mut track = self.track.clone();
        if track.kind == TrackKind::Video {
            track.frame_rate = self.clock.and_then(|clock| clock.rate());
        }
        track
    }
}

#[cfg(test)]
mod tests;
