//! Stream headers and formats, byte by byte, and the chunks that are counted.

use super::*;
use crate::Codec;

/// Returns a stream header with a clock of `scale / rate` seconds.
fn header(kind: FourCc, code: FourCc, [scale, rate, units, unit]: [u32; 4]) -> Vec<u8> {
    let mut body = [&kind[..], &code, &[0; 48]].concat();
    for (at, value) in [(20, scale), (24, rate), (32, units), (44, unit)] {
        body[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    body
}

/// Returns the format of a picture of 64x36, stored top down.
fn picture(code: FourCc) -> Vec<u8> {
    [&[40, 0, 0, 0][..], &64_i32.to_le_bytes(), &(-36_i32).to_le_bytes(), &[1, 0, 24, 0], &code].concat()
}

fn streams(headers: &[(Vec<u8>, Vec<u8>)]) -> AviStreams {
    let mut streams = AviStreams::default();
    for (header, format) in headers {
        streams.read_header(header).expect("a header");
        streams.read_format(format, 40).ok();
    }
    streams
}

fn video(clock: [u32; 4]) -> (Vec<u8>, Vec<u8>) {
    (header(*b"vids", *b"XVID", clock), picture(*b"\xFF\xFF\xFF\xFF"))
}

const SECOND: u64 = NANOS_PER_SECOND;

#[test]
fn a_picture_has_its_size_codec_and_frame_rate() {
    let track = streams(&[video([1, 25, 50, 0])]).describe().remove(0);
    assert_eq!((track.kind, track.codec, track.frame_rate), (TrackKind::Video, Codec::Mpeg4, Some(25.0)));
    assert_eq!((track.width, track.height), (Some(64), Some(36)));
    let by_format = streams(&[(header(*b"vids", *b"abcd", [1, 25, 50, 0]), picture(*b"MJPG"))]).describe().remove(0);
    assert_eq!((by_format.kind, by_format.codec), (TrackKind::Video, Codec::Mjpeg));
}

#[test]
fn a_sound_has_its_codec_channels_and_rate() {
    let format = [&[0x55, 0, 2, 0][..], &44_100_u32.to_le_bytes()].concat();
    let track = streams(&[(header(*b"auds", *b"\0\0\0\0", [1, 1, 1, 1]), format)]).describe().remove(0);
    assert_eq!((track.kind, track.codec, track.channels), (TrackKind::Audio, Codec::Mp3, Some(2)));
    assert_eq!((track.sample_rate, track.frame_rate), (Some(44_100), None));
    let empty = streams(&[(header(*b"auds", *b"\0\0\0\0", [1, 1, 1, 1]), vec![0; 8])]).describe().remove(0);
    assert_eq!((empty.channels, empty.sample_rate), (None, None));
}

#[test]
fn the_longest_stream_decides_and_subtitles_do_not_count() {
    let sound = (header(*b"auds", *b"\0\0\0\0", [1, 8_000, 24_000, 1]), vec![0; 16]);
    let subtitles = (header(*b"txts", *b"\0\0\0\0", [1, 1, 900, 0]), Vec::new());
    let mut streams = streams(&[video([1, 25, 50, 0]), sound, subtitles]);
    assert_eq!((streams.declared(), streams.counted()), (Some(3 * SECOND), 0));
    for size in [0; 99].into_iter().chain([1, 0, 0]) {
        streams.count(0, *b"00dc", 0, size);
    }
    streams.count(1, *b"01wb", 0, 28_000);
    streams.count(2, *b"02tx", 0, 1);
    assert_eq!(streams.counted(), 4 * SECOND, "empty frames at the end repeat nothing");
    streams.count(1, *b"01wb", 0, 8_000);
    assert_eq!(streams.counted(), 4_500_000_000);
}

#[test]
fn each_chunk_of_flac_is_a_frame_whatever_the_length_of_its_blocks() {
    let format = |tag: u16| [&tag.to_le_bytes()[..], &[1, 0], &44_100_u32.to_le_bytes(), &[0; 4], &[2, 0]].concat();
    let counted = |tag| {
        let header = header(*b"auds", *b"\0\0\0\0", [4_608, 46_080, 30, 0]);
        let mut streams = streams(&[(header, format(tag))]);
        (0..30).for_each(|_| streams.count(0, *b"00wb", 0, 1_242));
        streams.counted()
    };
    assert_eq!(counted(0xF1AC), 3 * SECOND);
    assert_eq!(counted(0x0055), 621 * 3 * SECOND, "blocks of two bytes");
}

/// Players divide other blocks, even of FLAC.
#[test]
fn blocks_of_up_to_four_bytes_say_nothing_about_flac_and_mp2() {
    let counted = |tag: u16, block: u8| {
        let format = [&tag.to_le_bytes()[..], &[1, 0], &44_100_u32.to_le_bytes(), &[0; 4], &[block, 0]].concat();
        let mut streams = streams(&[(header(*b"auds", *b"\0\0\0\0", [1, 10, 30, 0]), format)]);
        (0..30).for_each(|_| streams.count(0, *b"00wb", 0, 40));
        streams.counted()
    };
    for tag in [0xF1AC, 0x0050] {
        assert_eq!([counted(tag, 4), counted(tag, 5)], [3 * SECOND, 24 * SECOND], "{tag:#x}");
    }
}

/// Players count the chunks of some codecs instead of their blocks.
#[test]
fn empty_chunks_of_sound_count_if_sound_follows() {
    let format = [&[0x55, 0, 1, 0][..], &44_100_u32.to_le_bytes(), &[0; 4], &[100, 0]].concat();
    let mut streams = streams(&[(header(*b"auds", *b"\0\0\0\0", [1, 10, 30, 0]), format)]);
    for size in [100].into_iter().chain([0; 28]).chain([100, 0]) {
        streams.count(0, *b"00wb", 0, size);
    }
    assert_eq!(streams.counted(), 3 * SECOND);
}

#[test]
fn without_a_clock_the_main_header_gives_the_length_of_a_unit() {
    for clock in [[0, 25, 50, 0], [1, 0, 50, 0]] {
        assert_eq!(streams(&[video(clock)]).declared(), Some(2 * SECOND), "{clock:?}: as players assume");
        let mut streams = AviStreams::default();
        streams.read_main_header(&80_000_u32.to_le_bytes()).expect("the first header");
        streams.read_header(&video(clock).0).expect("a header");
        assert_eq!(streams.declared(), Some(4 * SECOND), "{clock:?}");
        streams.read_main_header(&80_000_u32.to_le_bytes()).expect_err("too late");
    }
    let sound = streams(&[(header(*b"auds", *b"\0\0\0\0", [0, 0, 50, 1]), vec![0; 16])]);
    assert_eq!(sound.declared(), Some(2 * SECOND), "sound plays at the rate of the pictures");
}

#[test]
fn a_chunk_belongs_to_the_stream_that_its_digits_name() {
    let mut streams = streams(&[video([1, 25, 50, 0]), video([1, 25, 50, 0])]);
    for (name, chunk) in [
        (b"00dc", MediaChunk::Frame(0)),
        (b"01wb", MediaChunk::Frame(1)),
        (b"01~~", MediaChunk::Frame(1)),
        (b"02dc", MediaChunk::Unknown),
        (b"0:dc", MediaChunk::Unknown),
        (b"a0dc", MediaChunk::Unknown),
        (b"00d\xFF", MediaChunk::Unknown),
        (b"00pc", MediaChunk::Palette),
        (b"00wc", MediaChunk::Fixed),
        (b"00ix", MediaChunk::Skipped),
        (b"ix01", MediaChunk::Skipped),
        (b"ix02", MediaChunk::Unknown),
        (b"idx1", MediaChunk::Index),
        (b"LIST", MediaChunk::List),
        (b"RIFF", MediaChunk::File),
        (b"abcd", MediaChunk::Unknown),
    ] {
        assert_eq!(streams.media_chunk(&[&name[..], &[0; 5]].concat(), 0, true), chunk, "{name:?}");
    }
    (0..7).for_each(|_| streams.count(0, *b"00dc", 0, 1));
    let elsewhere = |name: [u8; 4]| streams.media_chunk(&[&name[..], &[0; 5]].concat(), 0, false);
    assert_eq!((elsewhere(*b"00dc"), elsewhere(*b"00AM")), (MediaChunk::Frame(0), MediaChunk::Unknown));
    assert_eq!(elsewhere(*b"01AM"), MediaChunk::Frame(1), "a stream without usual names");
}

#[test]
fn sound_without_a_unit_lasts_one_unit_per_block() {
    let format = [&[0x55, 0, 2, 0, 0x44, 0xAC, 0, 0][..], &[0; 4], &[100, 0]].concat();
    let mut streams = streams(&[(header(*b"auds", *b"\0\0\0\0", [1, 10, 1, 0]), format)]);
    streams.count(0, *b"00wb", 0, 950);
    assert_eq!(streams.counted(), SECOND);
}

#[test]
fn a_file_needs_a_video_stream() {
    let container = Container::Avi;
    let with = |kind| streams(&[(header(kind, *b"\0\0\0\0", [1, 1, 1, 0]), Vec::new())]).require_video();
    assert_eq!(with(*b"vids"), Ok(()));
    assert_eq!(with(*b"auds"), Err(FileRefusal::AudioOnly { container }));
    assert_eq!(with(*b"txts"), Err(FileRefusal::NoTracks { container }));
}

/// Returns a file of 200 bytes whose two streams take turns: four chunks of ten bytes at the positions 20, 40, 60 and
/// 80.
fn interleaved() -> AviStreams {
    let mut streams = streams(&[video([1, 25, 50, 0]), video([1, 25, 50, 0])]);
    for (stream, position) in [(0, 20), (1, 40), (0, 60), (1, 80)] {
        streams.count(stream, *b"00dc", position, 10);
    }
    streams
}

/// Whether the file is accepted with an index of these entries at its end.
fn is_index_accepted(entries: &[(&[u8; 4], u8, u8)]) -> bool {
    let mut streams = interleaved();
    for (name, position, size) in entries {
        let entry = [&name[..], &[0; 4], &[*position, 0, 0, 0], &[*size, 0, 0, 0]].concat();
        streams.read_index_entry(&IndexReader::of_old(16), &entry);
    }
    streams.check_index().is_ok()
}

const A: &[u8; 4] = b"00dc";
const B: &[u8; 4] = b"01dc";

#[test]
fn an_index_lists_all_chunks_with_the_streams_in_any_order_from_any_position_on() {
    assert!(is_index_accepted(&[(A, 20, 10), (B, 40, 10), (A, 60, 10), (B, 80, 10)]));
    assert!(is_index_accepted(&[(A, 4, 10), (B, 24, 10), (A, 44, 10), (B, 64, 10)]), "counted from the media");
    assert!(is_index_accepted(&[(A, 20, 10), (A, 60, 10), (B, 40, 10), (B, 80, 10)]), "sorted");
    assert!(is_index_accepted(&[(b"02dc", 201, 10), (b"rec ", 201, 10), (b"00pc", 20, 10)]), "entries of no stream");
    assert!(is_index_accepted(&[]), "no index");
    for (what, entries) in [
        ("a part", &[(A, 20, 10), (B, 40, 10), (A, 60, 10)][..]),
        ("one stream", &[(A, 20, 10), (A, 60, 10)]),
        ("too many", &[(A, 20, 10), (B, 40, 10), (A, 60, 10), (B, 80, 10), (A, 80, 10)]),
        ("a position twice", &[(A, 20, 10), (A, 20, 10), (B, 40, 10), (B, 80, 10)]),
        ("another size", &[(A, 20, 10), (B, 40, 10), (A, 60, 11), (B, 80, 10)]),
        ("another order", &[(B, 40, 10), (A, 60, 10), (A, 20, 10), (B, 80, 10)]),
        ("strange names", &[(A, 20, 10), (B, 40, 10), (A, 60, 10), (B, 80, 10), (b"/:dc", 80, 10)]),
    ] {
        assert!(!is_index_accepted(entries), "{what}");
    }
}

#[test]
fn an_index_may_omit_empty_chunks_for_a_second_and_streams_without_pictures_or_sound() {
    let accepted = |empty: usize, indexed: &[u8]| {
        let text = (header(*b"txts", *b"\0\0\0\0", [1, 25, 1, 0]), Vec::new());
        let mut streams = streams(&[video([1, 25, 50, 0]), text]);
        streams.count(0, *b"00dc", 20, 10);
        (0..empty).for_each(|_| streams.count(0, *b"00dc", 40, 0));
        streams.count(1, *b"01tx", 50, 10);
        streams.count(0, *b"00dc", 60, 10);
        for position in indexed {
            let size = if *position == 40 { 0 } else { 10 };
            let entry = [&A[..], &[0; 4], &[*position, 0, 0, 0], &[size, 0, 0, 0]].concat();
            streams.read_index_entry(&IndexReader::of_old(16), &entry);
        }
        streams.check_index().is_ok()
    };
    assert!(accepted(25, &[20, 60]) && !accepted(26, &[20, 60]));
    assert!(accepted(2, &[20, 40, 40, 60]) && !accepted(2, &[20, 40, 60]) && !accepted(2, &[20, 60, 40, 40]));
}

/// Players read only some of them.
#[test]
fn an_index_in_two_parts_is_refused() {
    for (indexes, is_accepted) in [(1, true), (2, false)] {
        let mut streams = interleaved();
        (0..indexes).for_each(|_| streams.begin_old_index());
        assert_eq!(streams.check_index().is_ok(), is_accepted, "{indexes} indexes");
    }
}

#[test]
fn the_index_at_the_end_does_not_matter_if_others_list_everything() {
    let accepted = |stride: u8| {
        let mut streams = interleaved();
        // The first stream before the second: players would play by this index.
        (0..2).for_each(|_| streams.begin_old_index());
        for (name, position) in [(A, 20), (B, 40)] {
            let entry = [&name[..], &[0; 4], &[position, 0, 0, 0], &[10, 0, 0, 0]].concat();
            streams.read_index_entry(&IndexReader::of_old(16), &entry);
        }
        for (stream, from) in [(0, 28), (1, 48)] {
            let reader = IndexReader { open: Some((stream, 0)), ..IndexReader::of_old(16) };
            for position in [from, from + stride] {
                streams.read_index_entry(&reader, &[position, 0, 0, 0, 10, 0, 0, 0x80]);
            }
        }
        streams.check_index().is_ok()
    };
    assert!(accepted(40) && !accepted(39));
    let mut streams = interleaved();
    let reader = IndexReader { open: Some((0, 0)), ..IndexReader::of_old(16) };
    streams.read_index_entry(&reader, &[28, 0, 0, 0, 10, 0, 0, 0x80]);
    assert!(streams.check_index().is_err(), "the only one, and of a part");
}

#[test]
fn only_the_kinds_of_sound_that_every_player_knows_count_for_all_players() {
    for (format, unit, units) in [(0x55, 1, 4), (0x55, 4, 4), (0x1234, 1, 2)] {
        let sound = (header(*b"auds", *b"\0\0\0\0", [1, 1, 1, unit]), {
            let mut body = vec![0; 16];
            body[..2].copy_from_slice(&u16::to_le_bytes(format));
            body[4..8].copy_from_slice(&u32::to_le_bytes(44_100));
            body[12] = 4;
            body
        });
        let mut streams = streams(&[video([1, 1, 1, 0]), sound]);
        (0..2).for_each(|_| streams.count(0, *b"00dc", 0, 1));
        streams.count(1, *b"01wb", 0, 16);
        assert_eq!(streams.counted_for_all_players(), units * SECOND, "{format:#x}, units of {unit}");
    }
}

#[test]
fn clocks_have_31_bits_and_a_file_100_streams() {
    for (scale, rate, is_plain) in [(0x7FFF_FFFF, 0x7FFF_FFFF, true), (1 << 31, 1, false), (1, 1 << 31, false)] {
        assert_eq!(streams(&[video([scale, rate, 1, 0])]).require_plain_streams().is_ok(), is_plain, "{scale}, {rate}");
    }
    let mut streams = streams(&vec![video([1, 1, 1, 0]); 100]);
    assert!(streams.read_header(&video([1, 1, 1, 0]).0).is_err());
}

#[test]
fn the_time_before_a_late_stream_counts_but_not_before_the_first() {
    let starting = |at: u8, clock| {
        let (mut header, format) = video(clock);
        header[28] = at;
        (header, format)
    };
    let declared = |first, second| streams(&[starting(first, [1, 1, 5, 0]), starting(second, [1, 1, 3, 0])]).declared();
    assert_eq!(
        [declared(0, 4), declared(2, 4), declared(4, 0)],
        [Some(7 * SECOND), Some(5 * SECOND), Some(9 * SECOND)]
    );
}

#[test]
fn a_name_is_usual_after_five_repetitions() {
    for (chunks, expected) in [(5, MediaChunk::Frame(0)), (6, MediaChunk::Unknown)] {
        let mut streams = streams(&[video([1, 25, 50, 0])]);
        (0..chunks).for_each(|_| streams.count(0, *b"00dc", 0, 1));
        assert_eq!(streams.media_chunk(b"00AM\0\0\0\0\0", 0, false), expected, "{chunks} chunks");
    }
}

#[test]
fn the_first_two_bytes_of_a_name_tell_whether_it_may_be_one_of_a_chunk() {
    let pairs = (0..=u16::MAX).map(u16::to_be_bytes).filter(|pair| may_begin_chunk(pair));
    let (digits, names): (Vec<_>, Vec<_>) = pairs.partition(|pair| pair.iter().all(u8::is_ascii_digit));
    assert_eq!(digits.len(), 100);
    assert_eq!(names, [*b"JU", *b"LI", *b"RI", *b"id", *b"in", *b"ix"]);
}

#[test]
fn a_streams_number_has_two_digits() {
    let number = |name: &[u8; 2]| stream_index(name[0], name[1]);
    assert_eq!([number(b"07"), number(b"34"), number(b"99")], [7, 34, 99]);
    assert_eq!([number(b"/:"), number(b"/9"), number(b"\0\0")], [0, usize::MAX, usize::MAX], "as players calculate");
}
