//! The time that pages cover, and pages that are refused.

use super::*;
use crate::ogg::identify::tests::{opus, theora_25, vorbis, vp8_25};

const CONTINUED: u8 = 1;
const FIRST: u8 = 2;
const LAST: u8 = 4;

/// A page before it is read.
struct Sheet {
    serial: u32,
    flags: u8,
    granule: i64,
    lacing: Vec<u8>,
    body: Vec<u8>,
}

impl Sheet {
    fn page(&self) -> OggPage<'_> {
        OggPage {
            serial: self.serial,
            continues: self.flags & CONTINUED > 0,
            begins_stream: self.flags & FIRST > 0,
            ends_stream: self.flags & LAST > 0,
            granule: self.granule,
            lacing: &self.lacing,
            body: &self.body,
        }
    }
}

/// Returns a page with short packets.
fn sheet(serial: u32, flags: u8, granule: i64, packets: &[&[u8]]) -> Sheet {
    let lacing = packets.iter().map(|packet| u8::try_from(packet.len()).expect("a short packet")).collect();
    Sheet { serial, flags, granule, lacing, body: packets.concat() }
}

/// Returns a page with this many pictures, of which the last one has this number.
fn pictures(last: i64, count: usize) -> Sheet {
    sheet(1, 0, last << 6, &vec![&[0x40][..]; count])
}

/// Returns a page of packets of Opus of 20 ms.
fn sounds(granule: i64, count: usize) -> Sheet {
    sheet(2, 0, granule, &vec![&[8][..]; count])
}

/// Reads the first packets of Theora and of a second stream, the headers of Theora, and then these pages.
fn read(second: &[u8], pages: &[Sheet]) -> Result<OggStreams, FileRefusal> {
    let theora = theora_25([0; 6]);
    let starts = [sheet(1, FIRST, 0, &[&theora]), sheet(2, FIRST, 0, &[second])];
    let headers = sheet(1, 0, 0, &[&[0x81], &[0x82]]);
    let mut streams = OggStreams::default();
    for sheet in starts.iter().chain([&headers]).chain(pages) {
        streams.absorb(&sheet.page())?;
    }
    Ok(streams)
}

/// Returns the milliseconds at the end of the file, or the kind of the refusal.
fn played_with(second: &[u8], pages: &[Sheet]) -> Result<u64, &'static str> {
    let settled = read(second, pages).and_then(|mut streams| streams.settle().map(|()| streams));
    let length = settled.map(|streams| streams.observed().map_or(0, |span| span.length()));
    length.map(|length| length / 1_000_000).map_err(|refusal| refusal.kind().name())
}

fn played(pages: &[Sheet]) -> Result<u64, &'static str> {
    played_with(b"unknown", pages)
}

/// Plays Opus that skips these samples.
fn played_opus(skipped: u16, pages: Vec<Sheet>) -> Result<u64, &'static str> {
    let comments = sheet(2, 0, 0, &[b"OpusTags"]);
    let pages: Vec<Sheet> = std::iter::once(comments).chain(pages).collect();
    played_with(&opus(skipped), &pages)
}

#[test]
fn pictures_end_where_their_pages_say() {
    assert_eq!(played(&[pictures(20, 20), pictures(50, 30)]), Ok(2_000));
    assert_eq!(played(&[sheet(1, 0, 32 << 6 | 3, &[&[0x40][..]; 35])]), Ok(35 * 40), "key frame 32 and three others");
    let vp8 = |packets: &[&[u8]]| {
        played_with(
            &vp8_25(),
            &[
                pictures(1, 1),
                sheet(2, 0, 50 << 32 | 3 << 30, &[&[0x10][..]; 50]),
                sheet(2, 0, 75 << 32 | 3 << 30, packets),
            ],
        )
    };
    assert_eq!(vp8(&[&[0x10][..]; 25]), Ok(3_000));
    assert_eq!(vp8(&[&[0x00][..]; 25]), Ok(2_000), "hidden ones do not count");
}

#[test]
fn the_first_page_begins_before_its_position_by_the_length_of_its_packets() {
    assert_eq!(played(&[pictures(1_010, 10), pictures(1_060, 50)]), Ok(60 * 40));
    assert_eq!(played_opus(0, vec![sounds(480_000, 50), sounds(528_000, 50)]), Ok(2_000));
    assert_eq!(played_opus(0, vec![sounds(-1, 25), sounds(480_000, 25)]), Ok(1_000), "and of earlier ones");
}

/// Sound that was copied from the middle of a file begins before zero.
#[test]
fn what_the_first_page_has_too_much_is_played_before_zero() {
    assert_eq!(played(&[pictures(50, 100), pictures(75, 25)]), Ok(125 * 40));
    assert_eq!(played_opus(0, vec![sounds(24_000, 50), sounds(72_000, 50)]), Ok(2_000));
    assert_eq!(played_opus(0, vec![sounds(38_400, 50), sounds(86_400, 50)]), Ok(1_800), "a fifth starts the decoder");
}

#[test]
fn the_last_page_ends_with_its_packets_even_if_its_position_is_later() {
    assert_eq!(played(&[pictures(50, 50), pictures(500, 5)]), Ok(55 * 40));
    assert_eq!(played(&[pictures(50, 50), pictures(500, 5), pictures(505, 5)]), Ok(505 * 40), "but not earlier ones");
    assert_eq!(played_opus(0, vec![sounds(48_000, 50), sounds(480_000, 5)]), Ok(1_100));
    assert_eq!(played_opus(0, vec![sounds(48_000, 50), sounds(52_000, 5)]), Ok(1_083), "sound may be cut");
    let text = b"\x01text";
    assert_eq!(played_with(text, &[pictures(50, 50), sheet(2, 0, 9_000, &[b"\x00."])]), Ok(2_000), "texts");
}

#[test]
fn empty_packets_at_the_end_show_nothing() {
    let repeats = |granule: i64| sheet(1, 0, granule << 6, &[b"".as_slice(); 50]);
    assert_eq!(played(&[pictures(50, 50), repeats(100)]), Ok(2_000));
    assert_eq!(played(&[pictures(50, 50), repeats(100), pictures(101, 1)]), Ok(101 * 40));
    let last = sheet(1, 0, 53 << 6, &[b"", b"\x40", b""]);
    assert_eq!(played(&[pictures(50, 50), last]), Ok(52 * 40));
    assert_eq!(played(&[pictures(50, 50), sheet(1, 0, -1, &[b"\x40", b""])]), Ok(51 * 40), "without a time");
}

#[test]
fn samples_that_opus_skips_are_not_played() {
    assert_eq!(played_opus(312, vec![sounds(48_000, 50), sounds(96_000, 50)]), Ok(2_000 - 7));
}

#[test]
fn packets_may_last_a_quarter_of_a_second_longer_than_their_positions_say() {
    // The end of the last packet may also be cut. It lasts 40 ms for pictures, and at most 120 ms for sound.
    for (count, is_accepted) in [(50, true), (57, true), (58, false)] {
        assert_eq!(played(&[pictures(3, 3), pictures(53, count)]).is_ok(), is_accepted, "{count}");
    }
    for (count, is_accepted) in [(50, true), (68, true), (69, false)] {
        assert_eq!(played_opus(0, vec![sounds(960, 1), sounds(48_960, count)]).is_ok(), is_accepted, "{count}");
    }
    let crowded = vec![sounds(48_000, 50), sounds(96_000, 60), sounds(144_000, 60)];
    assert_eq!(played_opus(0, crowded), Err("ambiguous"), "the sum of all pages");
    let later = vec![sounds(48_000, 50), sounds(480_000, 5), sounds(528_000, 90)];
    assert_eq!(played_opus(0, later), Err("ambiguous"), "whatever earlier pages left out");
}

#[test]
fn positions_may_be_rounded() {
    let rounded = |sign: i64| (1..=1_000).map(move |page| sounds(page * 960 + sign * 24 * (page % 2), 1)).collect();
    assert_eq!([played_opus(0, rounded(1)), played_opus(0, rounded(-1))], [Ok(19_999); 2]);
}

/// The number of samples in a packet of Vorbis is known if the stream has one mode or two.
#[test]
fn vorbis_may_hold_shorter_packets_than_its_longest() {
    let sound = |setup: &[u8]| {
        let headers = sheet(2, 0, 0, &[&[3], &[&[5][..], setup].concat()]);
        let page = |granule| sheet(2, 0, granule, &[b"\x02".as_slice(); 100]);
        played_with(&vorbis(8_000), &[headers, page(100_000), page(120_000)])
    };
    assert_eq!(sound(&[0xFF; 12]), Ok(15_000), "of unknown modes, some packets may be short");
}

#[test]
fn pages_on_which_no_packet_ends_have_no_position() {
    let stray = |granule: i64| Sheet { serial: 1, flags: 0, granule, lacing: vec![255], body: vec![0x40; 255] };
    assert_eq!([played(&[stray(-1)]), played(&[stray(900 << 6)])], [Ok(0); 2]);
    assert_eq!(played(&[pictures(25, 25), stray(900 << 6)]), Ok(1_000));
}

#[test]
fn packets_continue_on_the_next_page() {
    let begun = |flags| Sheet { serial: 1, flags, granule: -1, lacing: vec![1, 255], body: vec![0x40; 256] };
    let rest = |flags| sheet(1, flags, 12 << 6, &[b"\xFF", b"\x40"]);
    for flags in [0, CONTINUED] {
        assert_eq!(played(&[pictures(9, 9), begun(0), rest(flags)]), Ok(480), "{flags}");
    }
    let continued = |count: usize| sheet(1, CONTINUED, 50 << 6, &vec![&[0x40][..]; count]);
    assert_eq!(played(&[pictures(9, 9), continued(2)]), Ok(400), "the beginning of the first packet is missing");
    let long = |length: usize| Sheet { lacing: vec![255], body: vec![0x40; length], ..continued(1) };
    assert_eq!(played(&[pictures(9, 9), long(255), continued(2)]), Ok(400), "of a long one too");
}

#[test]
fn headers_have_no_time() {
    let headers = |granule| played_with(&vorbis(8_000), &[pictures(50, 50), sheet(2, 0, granule, &[b"\x03"])]);
    assert_eq!([headers(0), headers(-1), headers(1)], [Ok(2_000), Ok(2_000), Err("ambiguous")]);
}

#[test]
fn positions_go_forward() {
    let next = |granule, count| played(&[pictures(50, 50), sheet(1, 0, granule, &vec![&[0x40][..]; count])]);
    assert_eq!([next(51 << 6, 1), next(50 << 6, 1)], [Ok(2_040); 2]);
    assert_eq!([next(49 << 6, 1), next(0, 1), next(-2, 1)], [Err("ambiguous"); 3]);
    assert_eq!(
        played(&[sheet(1, 0, 0, &[&[0x40][..]; 9]), pictures(50, 41)]),
        Ok(2_000),
        "a first page without a time"
    );
}

#[test]
fn packets_on_pages_without_a_time_count() {
    let untimed = |count: usize| sheet(1, 0, -1, &vec![&[0x40][..]; count]);
    assert_eq!(played(&[untimed(20), pictures(50, 30)]), Ok(2_000), "before a page with a time");
    assert_eq!(played(&[pictures(20, 20), untimed(30)]), Ok(2_000), "behind all others");
    assert_eq!(played(&[untimed(50)]), Ok(2_000), "alone");
    assert_eq!(played(&[untimed(50), pictures(40, 1)]), Ok(51 * 40), "more than the next page says");
    assert_eq!(played_opus(0, vec![sounds(48_000, 50), sounds(-1, 50)]), Ok(2_000));
}

#[test]
fn a_stream_begins_with_one_packet_on_a_page() {
    let begin = |sheet: &Sheet| OggStreams::default().absorb(&sheet.page()).map_err(|refusal| refusal.kind().name());
    let theora = theora_25([0; 6]);
    assert_eq!(begin(&sheet(1, FIRST, 0, &[&theora])), Ok(()));
    assert_eq!(begin(&sheet(1, FIRST, 0, &[&theora, &[0x81]])), Err("ambiguous"), "two");
    assert_eq!(begin(&sheet(1, FIRST | CONTINUED, 0, &[&theora])), Err("ambiguous"), "the rest of one");
    assert_eq!(begin(&sheet(1, FIRST, 0, &[])), Err("ambiguous"), "none");
    let long = Sheet { lacing: vec![255], body: vec![0; 255], ..sheet(1, FIRST, 0, &[]) };
    assert_eq!(begin(&long), Err("ambiguous"), "a part of one");
}

#[test]
fn streams_begin_at_the_beginning_and_once() {
    let late = |serial| played(&[sheet(serial, FIRST, 0, &[b"unknown"])]);
    assert_eq!([late(1), late(2), late(3)], [Err("ambiguous"); 3]);
    let mut streams = OggStreams::default();
    let theora = theora_25([0; 6]);
    for serial in 0..64 {
        streams.absorb(&sheet(serial, FIRST, 0, &[&theora]).page()).expect("few streams");
    }
    assert!(streams.absorb(&sheet(1, FIRST, 0, &[&theora]).page()).is_err(), "a known stream");
    let more = streams.absorb(&sheet(64, FIRST, 0, &[&theora]).page());
    assert!(matches!(more, Err(FileRefusal::MetadataTooLarge { .. })));
}

/// Players stop reading the file at a broken packet. Some programs write one at the end.
#[test]
fn a_packet_may_be_broken_at_the_end_of_the_file() {
    let end = || Sheet { flags: LAST, ..sheet(2, 0, 96_960, &[b"\x08", b""]) };
    let with =
        |more: Vec<Sheet>| played_opus(0, [vec![sounds(96_000, 100), end()], more].into_iter().flatten().collect());
    assert_eq!(
        [with(vec![]), with(vec![pictures(56, 56)]), with(vec![pictures(57, 57)])],
        [Ok(2_020), Ok(2_240), Err("ambiguous")]
    );
    let middle = sheet(2, 0, 144_000, &[&[b"\x08".as_slice(), b""][..], &[b"\x08".as_slice(); 49]].concat());
    assert_eq!(
        played_opus(0, vec![sounds(96_000, 100), middle, sounds(192_000, 50)]),
        Ok(2_020),
        "and nothing behind it"
    );
}

#[test]
fn streams_end_once() {
    let end = || Sheet { flags: LAST, ..pictures(50, 50) };
    assert_eq!(played(&[end()]), Ok(2_000));
    assert_eq!(played(&[end(), sheet(1, LAST, -1, &[])]), Ok(2_000), "nothing follows");
    assert_eq!(played(&[end(), pictures(51, 1)]), Err("ambiguous"));
}

#[test]
fn a_skeleton_may_begin_streams_earlier_than_their_pages() {
    let bone = |serial: u32, frame: i64| {
        let serial = serial.to_le_bytes();
        let start = (frame << 6 | frame >> 63).to_le_bytes();
        let bone = [b"fisbone\0".as_slice(), &[0; 4], &serial, &[0; 20], &start, &[0; 8]].concat();
        played_with(b"fishead\0", &[sheet(2, 0, 0, &[&bone]), pictures(150, 50)])
    };
    assert_eq!([bone(1, 100), bone(1, 125), bone(9, 0), bone(1, -1)], [Ok(2_000); 4]);
    assert_eq!([bone(1, 0), bone(1, 126)], [Ok(6_000), Err("ambiguous")], "earlier, and a second later");
}

#[test]
fn a_file_without_video_is_refused_at_its_first_media_page() {
    let refused = |first: &[u8]| {
        let mut streams = OggStreams::default();
        streams.absorb(&sheet(1, FIRST, 0, &[first]).page()).expect("a stream");
        (streams.require_video(), streams.absorb(&pictures(1, 1).page()))
    };
    let container = Container::Ogg;
    let audio = Err(FileRefusal::AudioOnly { container });
    assert_eq!(refused(&opus(0)), (audio, audio));
    let nothing = Err(FileRefusal::NoTracks { container });
    assert_eq!(refused(b"unknown"), (nothing, nothing));
}

#[test]
fn pages_of_no_stream_and_streams_that_are_not_read_are_refused() {
    assert_eq!(played(&[sheet(9, 0, 0, &[b"."])]), Err("ambiguous"));
    let unread = OggStreams::default().absorb(&sheet(1, FIRST, 0, &[b"CELT"]).page());
    assert!(matches!(unread, Err(FileRefusal::Unsupported { .. })));
}

#[test]
fn a_video_has_the_frame_rate_of_its_clock() {
    let tracks = read(b"unknown", &[]).map(|streams| streams.describe()).expect("streams");
    assert_eq!([tracks[0].frame_rate, tracks[1].frame_rate], [Some(25.0), None]);
}
