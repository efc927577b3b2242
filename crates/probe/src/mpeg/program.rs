//! MPEG program streams: packs of packets, each with a start code and its own length.
//!
//! This module must not depend on how transport streams carry packets.

use super::clock::WrappingClock;
use super::pes::{self, HeaderForm};
use super::stream::{ElementaryStream, SEARCHED_STREAMS};
use crate::bytes::{array, start_codes, tail, u8_at, u16_be, wide};
use crate::driver::{FileEnd, Walk, WalkStep};
use crate::structures::StructureCount;
use crate::{Codec, Container, FileRefusal, Media, TrackKind};

/// The length of a start code and a packet length.
const HEADER: usize = 6;
/// Room for the longest packet header and the byte that identifies a private stream.
const PACKET_START: usize = pes::LONGEST + 8;
/// More of a video packet is read at once, because it is searched for parameter sets.
const PICTURES_START: usize = pes::LONGEST + 1024;
/// The rest of a video packet is read in pieces of this length.
const PIECE: usize = 4096;
/// The bytes of a stream map before its description and its entries, and of an entry before its description.
const MAP_FIELDS: usize = 12;
const MAP_ENTRY: usize = 4;
const CHECKSUM: usize = 4;
/// The number of streams whose names are in the extensions of their headers.
const EXTENDED: u8 = 0xFD;
const MAX_STREAMS: usize = 64;
const CONTAINER: Container = Container::MpegPs;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct ProgramStream {
    streams: Vec<ElementaryStream>,
    clock: WrappingClock,
    structures: StructureCount,
    has_too_many_streams: bool,
    /// Whether players read the header of a packet, or the stream map, in different ways.
    is_disputed: bool,
    /// The stream of the current packet, and the number of its unread bytes.
    unread: Option<(usize, usize)>,
}

impl ProgramStream {
    fn step_packet(&mut self, code: u8, window: &[u8]) -> WalkStep {
        let Some(length) = u16_be(window, 4) else {
            return WalkStep::Need(HEADER);
        };
        let whole = HEADER + usize::from(length);
        let wanted = match code {
            0xE0..=0xEF => whole.min(PICTURES_START),
            0xBD | 0xC0..=0xDF | EXTENDED => whole.min(PACKET_START),
            0xBC => return self.step_map(whole, window),
            // Padding and navigation. Players search everything else for packets.
            0xBE | 0xBF => return WalkStep::Skip(wide(whole)),
            _ => return WalkStep::Skip(4),
        };
        match window.get(..wanted).map(|packet| (packet, pes::header_form(packet, whole))) {
            Some((_, HeaderForm::Invalid { after })) => WalkStep::Skip(wide(after)),
            Some((packet, form)) => {
                let extension = self.extension(code, form);
                let index = self.absorb(code, extension, packet);
                let unread = whole.saturating_sub(wanted);
                // Pictures are counted, so video packets are read completely.
                self.unread = index.filter(|_| matches!(code, 0xE0..=0xEF) && unread > 0).map(|index| (index, unread));
                if self.unread.is_some() {
                    return WalkStep::Skip(wide(wanted));
                }
                if let Some(stream) = index.and_then(|index| self.streams.get_mut(index)) {
                    stream.pass(wide(unread));
                }
                WalkStep::Skip(wide(whole))
            }
            None => WalkStep::Need(wanted),
        }
    }

    /// Passes over a stream map as players do: entry by entry, as far as the map's length says. A checksum follows the
    /// last entry, and behind the checksum players search for the next packet.
    fn step_map(&mut self, whole: usize, window: &[u8]) -> WalkStep {
        let Some(description) = u16_be(window, 8).map(usize::from) else {
            return WalkStep::Need(MAP_FIELDS);
        };
        let mut at = MAP_FIELDS + description;
        let mut left = whole.saturating_sub(at + CHECKSUM);
        while left >= MAP_ENTRY {
            let (Some(number), Some(length)) = (u8_at(window, at + 1), u16_be(window, at + 2).map(usize::from)) else {
                return WalkStep::Need(at + MAP_ENTRY);
            };
            // These are numbers of parts of a stream, which only some players know.
            self.is_disputed |= matches!(number, 0x01..=0xB7);
            left = left.saturating_sub(MAP_ENTRY + length);
            at += MAP_ENTRY + length;
        }
        WalkStep::Skip(wide(at + CHECKSUM))
    }

    /// Returns the stream that the extension of a header names. Players know only the names of VC-1.
    fn extension(&mut self, code: u8, form: HeaderForm) -> Option<u8> {
        let extension = if let HeaderForm::Valid { extension } = form { extension } else { None };
        self.is_disputed |= form == HeaderForm::Disputed || extension.is_some() && code != EXTENDED;
        extension
    }

    /// Reads the next piece of a video packet. Its length does not depend on how the file is split.
    fn step_piece(&mut self, index: usize, left: usize, window: &[u8]) -> WalkStep {
        let length = left.min(PIECE);
        let Some(piece) = window.get(..length) else {
            return WalkStep::Need(length);
        };
        if let Some(stream) = self.streams.get_mut(index) {
            stream.absorb(piece);
            stream.count_pictures(piece);
        }
        self.unread = left.checked_sub(length).filter(|left| *left > 0).map(|left| (index, left));
        WalkStep::Skip(wide(length))
    }

    /// Reads the start of a packet. Returns the index of its stream.
    fn absorb(&mut self, code: u8, extension: Option<u8>, packet: &[u8]) -> Option<usize> {
        let header = pes::read(packet)?;
        let payload = tail(packet, header.length);
        let (id, kind, codec) = meaning(code, extension, payload);
        let index = self.index_of(id, kind, codec)?;
        let stream = self.streams.get_mut(index)?;
        stream.describe_as_data(is_data(id));
        stream.has_short_header |= header.is_short;
        if header.timestamps.is_some() {
            stream.begin(header.timestamps, &mut self.clock);
        }
        stream.absorb(payload);
        stream.count_pictures(payload);
        Some(index)
    }

    fn index_of(&mut self, id: u16, kind: TrackKind, codec: Codec) -> Option<usize> {
        let known = self.streams.iter().position(|stream| stream.id == id);
        if known.is_none() && self.streams.len() < MAX_STREAMS {
            let is_searched = self.streams.len() < SEARCHED_STREAMS;
            let stream = ElementaryStream::new(id, kind, codec);
            self.streams.push(if is_searched { stream } else { stream.without_search() });
            return self.streams.len().checked_sub(1);
        }
        self.has_too_many_streams |= known.is_none();
        known
    }
}

/// Whether a private stream is teletext, subtitles of a disc, or lines above the picture.
fn is_data(id: u16) -> bool {
    matches!(id, 0xBD10..=0xBD3F | 0xBD70..=0xBD7F)
}

/// Identifies the stream of a packet. Private packets carry audio and subtitles, identified by their first payload
/// byte. All packets with an unknown byte are one stream.
fn meaning(code: u8, extension: Option<u8>, payload: &[u8]) -> (u16, TrackKind, Codec) {
    let id = u16::from(code);
    match code {
        0xC0..=0xDF => (id, TrackKind::Audio, Codec::Mp2),
        0xE0..=0xEF => (id, TrackKind::Video, Codec::Mpeg2video),
        EXTENDED => match extension {
            Some(0x55..=0x5F) => (id, TrackKind::Video, Codec::Vc1),
            _ => (id << 8, TrackKind::Other, Codec::Unknown),
        },
        _ => {
            let part = u8_at(payload, 0).unwrap_or(0);
            // Recorders of broadcasts put AC-3 there without a byte before it.
            let part = if payload.starts_with(&[0x0B, 0x77]) { 0x80 } else { part };
            let (kind, codec) = match part {
                0x80..=0x87 | 0xC0..=0xCF => (TrackKind::Audio, Codec::Ac3),
                0x88..=0x8F | 0x98..=0x9F => (TrackKind::Audio, Codec::Dts),
                0xA0..=0xAF => (TrackKind::Audio, Codec::Pcm),
                0xB0..=0xBF => (TrackKind::Audio, Codec::Truehd),
                _ => (TrackKind::Other, Codec::Unknown),
            };
            let private = id << 8 | u16::from(part);
            (if kind == TrackKind::Other && !is_data(private) { id << 8 } else { private }, kind, codec)
        }
    }
}

/// Returns the step to the next start code.
fn resynchronise(window: &[u8]) -> WalkStep {
    let ahead = tail(window, 1);
    match start_codes(ahead).next() {
        Some(offset) => WalkStep::Skip(wide(offset).saturating_add(1)),
        // The last two bytes may be the beginning of a start code.
        None => WalkStep::Skip(wide(window.len().saturating_sub(2).max(1))),
    }
}

impl Walk for ProgramStream {
    fn step(&mut self, _at: u64, window: &[u8]) -> Result<WalkStep, FileRefusal> {
        if let Some((index, left)) = self.unread {
            return Ok(self.step_piece(index, left, window));
        }
        let step = match array::<4>(window, 0) {
            None => WalkStep::Need(4),
            Some([0, 0, 1, code @ 0xBC..=0xFF]) => self.step_packet(code, window),
            Some([0, 0, 1, _]) => WalkStep::Skip(4),
            Some(_) => return Ok(resynchronise(window)),
        };
        if !matches!(step, WalkStep::Need(_)) {
            self.structures.add()?;
        }
        Ok(step)
    }

    fn proven(&self) -> u64 {
        super::proven(&self.streams)
    }

    fn finish(&mut self, end: FileEnd<'_>) -> Result<Media, FileRefusal> {
        if end.missing > 0 || end.tail.len() >= HEADER || self.unread.is_some() {
            return Err(FileRefusal::Truncated {
                container: CONTAINER,
                what: "a packet ends beyond the end of the file",
            });
        }
        if self.has_too_many_streams {
            return Err(FileRefusal::MetadataTooLarge { what: "more than 64 streams" });
        }
        if self.is_disputed {
            let what = "players find different packets behind one of its headers";
            return Err(FileRefusal::Ambiguous { container: CONTAINER, what });
        }
        super::final_media(CONTAINER, &mut self.streams)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(window: &[u8]) -> WalkStep {
        ProgramStream::default().step(0, window).expect("a step")
    }

    #[test]
    fn each_stream_number_has_its_kind_and_ffprobes_codec_name() {
        for (codes, kind, name) in
            [([0xC0, 0xDF], TrackKind::Audio, "mp2"), ([0xE0, 0xEF], TrackKind::Video, "mpeg2video")]
        {
            for code in codes {
                let (id, found, codec) = meaning(code, None, &[0x80]);
                assert_eq!((id, found, codec.name()), (u16::from(code), kind, name), "{code:#04x}");
            }
        }
        let extended = |name| meaning(EXTENDED, name, &[0x80]).2;
        assert_eq!([extended(Some(0x55)), extended(Some(0x5F))], [Codec::Vc1; 2]);
        assert_eq!([extended(Some(0x54)), extended(Some(0x60)), extended(None)], [Codec::Unknown; 3]);
        for (parts, kind, name) in [
            ([0x80, 0x87], TrackKind::Audio, "ac3"),
            ([0xC0, 0xCF], TrackKind::Audio, "ac3"),
            ([0x88, 0x8F], TrackKind::Audio, "dts"),
            ([0x98, 0x9F], TrackKind::Audio, "dts"),
            ([0xA0, 0xAF], TrackKind::Audio, "pcm"),
            ([0xB0, 0xBF], TrackKind::Audio, "truehd"),
            ([0x20, 0x3F], TrackKind::Other, "unknown"),
        ] {
            for part in parts {
                let (id, found, codec) = meaning(0xBD, None, &[part]);
                assert_eq!((id, found, codec.name()), (0xBD00 | u16::from(part), kind, name), "{part:#04x}");
            }
        }
    }

    #[test]
    fn a_file_may_have_64_streams_and_parameter_sets_are_searched_for_in_the_first_16() {
        let mut file = ProgramStream::default();
        for id in 0..64 {
            assert_eq!(file.index_of(id, TrackKind::Video, Codec::H264), Some(usize::from(id)));
        }
        let searched: Vec<bool> = file.streams.iter().map(ElementaryStream::wants_packet_start).collect();
        assert_eq!(searched, [[true; 16].as_slice(), &[false; 48]].concat());
        assert_eq!(file.index_of(63, TrackKind::Video, Codec::H264), Some(63));
        assert!(!file.has_too_many_streams);
        assert_eq!(file.index_of(64, TrackKind::Video, Codec::H264), None);
        let refused = file.finish(FileEnd { length: 0, missing: 0, tail: &[] });
        assert!(matches!(refused, Err(FileRefusal::MetadataTooLarge { .. })));
    }

    #[test]
    fn only_the_start_of_a_packet_is_needed_in_one_piece() {
        let packet = |code| [0, 0, 1, code, 0x20, 0];
        assert!(matches!(step(&packet(0xC0)), WalkStep::Need(272)));
        assert!(matches!(step(&packet(0xE0)), WalkStep::Need(1_288)));
        assert!(matches!(step(&packet(0xBE)), WalkStep::Skip(8_198)), "padding");
        assert!(matches!(step(&[0, 0, 1, 0xC0, 0, 5]), WalkStep::Need(11)), "a short packet");
        assert!(matches!(step(&packet(0xC0)[..5]), WalkStep::Need(6)));
    }

    /// Returns a stream map that declares these lengths of its description and of its entries. `rest` is what follows.
    fn map(description: u8, entries: u8, rest: &[u8]) -> Vec<u8> {
        let length = u8::try_from(rest.len() + 6).expect("a short map");
        [&[0, 0, 1, 0xBC, 0, length, 0xE0, 0xFF, 0, description, 0, entries][..], rest].concat()
    }

    #[test]
    fn packets_are_searched_for_in_the_headers_of_packs() {
        assert!(matches!(step(&[0, 0, 1, 0xBA, 0x44]), WalkStep::Skip(4)));
        assert!(matches!(step(&[0, 0, 1, 0xBB, 0x44]), WalkStep::Skip(4)));
    }

    #[test]
    fn a_stream_map_ends_behind_its_entries() {
        let read = |map: &[u8]| {
            let mut file = ProgramStream::default();
            let step = format!("{:?}", file.step(0, map).expect("a step"));
            (step, file.is_disputed)
        };
        let skip = |length, is_disputed| (format!("Skip({length})"), is_disputed);
        assert_eq!(read(&map(0, 4, &[0x1B, 0xE0, 0, 0, 1, 2, 3, 4])), skip(20, false));
        assert_eq!(read(&map(0, 5, &[0x1B, 0xE0, 0, 1, 9, 1, 2, 3, 4])), skip(21, false), "with a descriptor");
        assert_eq!(read(&map(0, 99, &[0x1B, 0xE0, 0, 0, 1, 2, 3, 4])), skip(20, false), "another number of bytes");
        assert_eq!(read(&map(0, 0, &[1, 2, 3, 4, 5, 6])), skip(16, false), "bytes behind the checksum");
        assert_eq!(read(&map(0, 4, &[0x1B, 0xE0, 0, 9, 1, 2, 3, 4])), skip(29, false), "an entry that does not fit");
        assert_eq!(read(&map(0, 4, &[0x1B, 0x20, 0, 0, 1, 2, 3, 4])), skip(20, true), "a part of a stream");
        assert_eq!(read(&map(0, 4, &[0, 0, 0, 0, 1, 2, 3, 4])), skip(20, false), "padding");
        assert_eq!(read(&map(2, 4, &[7, 7, 0x1B, 0xE0, 0, 0, 1, 2, 3, 4])), skip(22, false), "with a description");
        assert_eq!(read(&[0, 0, 1, 0xBC, 0, 0, 9, 9, 0, 1, 9, 9]), skip(17, false), "shorter than its fields");
        assert_eq!(read(&[0, 0, 1, 0xBC, 0, 14]).0, "Need(12)");
        assert_eq!(read(&map(0, 4, &[0x1B, 0xE0, 0, 0, 1, 2, 3, 4])[..15]).0, "Need(16)");
    }

    #[test]
    fn a_disputed_header_makes_the_file_ambiguous() {
        for (code, start, is_disputed) in [
            (0xE0, &[0x80, 0, 0][..], false),
            (0xE0, &[0x80, 0, 200], false),
            (0xE0, &[0xFF, 0x80, 0, 0], true),
            (0xE0, &[0x80, 1, 3, 0x01, 0x81, 0x55], true),
            (EXTENDED, &[0x80, 1, 3, 0x01, 0x81, 0x55], false),
        ] {
            let mut file = ProgramStream::default();
            file.step(0, &[&[0, 0, 1, code, 0, 20][..], start, &[0; 20]].concat()).expect("a step");
            let refusal =
                file.finish(FileEnd { length: 0, missing: 0, tail: &[] }).map(drop).map_err(|why| why.kind().name());
            assert_eq!(refusal == Err("ambiguous"), is_disputed, "{code:#x} {start:?}: {refusal:?}");
        }
    }

    #[test]
    fn the_next_start_code_is_searched_for() {
        assert!(matches!(step(&[9, 9, 0, 0, 1, 0xE0]), WalkStep::Skip(2)));
        assert!(matches!(step(&[9; 10]), WalkStep::Skip(8)), "the last two bytes may begin a start code");
        assert!(matches!(step(&[0, 0, 1, 0xB9]), WalkStep::Skip(4)), "the end of the stream");
    }

    #[test]
    fn a_packet_is_read_in_pieces_until_nothing_is_left() {
        let mut file = ProgramStream::default();
        file.step_piece(0, PIECE + 1, &[0; PIECE]);
        assert_eq!(file.unread, Some((0, 1)));
        file.step_piece(0, 1, &[0]);
        assert_eq!(file.unread, None);
    }

    #[test]
    fn only_steps_over_bytes_count_as_structures() {
        let counted = |window: &[u8]| {
            let mut file = ProgramStream::default();
            file.step(0, window).expect("a step");
            file.structures
        };
        assert_eq!(counted(&[0, 0, 1, 0xB9]), StructureCount::of(1));
        assert_eq!(counted(&[0, 0, 1]), StructureCount::of(0));
    }

    #[test]
    fn a_file_is_truncated_within_a_packet() {
        let finish = |unread, missing, tail: &[u8]| {
            let mut file = ProgramStream { unread, ..ProgramStream::default() };
            file.finish(FileEnd { length: 100, missing, tail }).map(drop).map_err(|refusal| refusal.kind().name())
        };
        assert_eq!([finish(None, 0, &[]), finish(None, 0, &[0; 5])], [Err("no_tracks"); 2]);
        let cut = [finish(None, 1, &[]), finish(None, 0, &[0; 6]), finish(Some((0, 1)), 0, &[])];
        assert_eq!(cut, [Err("truncated"); 3]);
    }
}
