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
        streams.read_header(header);
        streams.read_format(format);
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
    let by_format = streams(&[(header(*b"iavs", *b"abcd", [1, 25, 50, 0]), picture(*b"MJPG"))]).describe().remove(0);
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
        streams.count(0, *b"00dc", size);
    }
    streams.count(1, *b"01wb", 28_000);
    streams.count(2, *b"02tx", 1);
    assert_eq!(streams.counted(), 4 * SECOND, "empty frames at the end repeat nothing");
    streams.count(1, *b"01wb", 8_000);
    assert_eq!(streams.counted(), 4_500_000_000);
}

#[test]
fn without_a_clock_the_main_header_gives_the_length_of_a_picture() {
    for clock in [[0, 25, 50, 0], [1, 0, 50, 0]] {
        let mut streams = streams(&[video(clock)]);
        assert_eq!(streams.declared(), Some(2 * SECOND), "{clock:?}: as players assume");
        streams.read_main_header(&80_000_u32.to_le_bytes());
        assert_eq!(streams.declared(), Some(4 * SECOND), "{clock:?}");
    }
    let mut sound = streams(&[(header(*b"auds", *b"\0\0\0\0", [0, 0, 50, 1]), vec![0; 16])]);
    sound.read_main_header(&40_000_u32.to_le_bytes());
    assert_eq!(sound.declared(), None, "a sound has no pictures");
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
        (b"00pc", MediaChunk::Skipped),
        (b"00ix", MediaChunk::Skipped),
        (b"ix01", MediaChunk::Skipped),
        (b"ix02", MediaChunk::Unknown),
        (b"idx1", MediaChunk::Index),
        (b"LIST", MediaChunk::List),
        (b"abcd", MediaChunk::Unknown),
    ] {
        assert_eq!(streams.media_chunk(*name, true), chunk, "{name:?}");
    }
    (0..7).for_each(|_| streams.count(0, *b"00dc", 1));
    let elsewhere = |name| streams.media_chunk(name, false);
    assert_eq!((elsewhere(*b"00dc"), elsewhere(*b"00AM")), (MediaChunk::Frame(0), MediaChunk::Unknown));
    assert_eq!(elsewhere(*b"01AM"), MediaChunk::Frame(1), "a stream without usual names");
}

#[test]
fn sound_without_a_unit_lasts_one_unit_per_block() {
    let format = [&[0x55, 0, 2, 0][..], &[0; 8], &[100, 0]].concat();
    let mut streams = streams(&[(header(*b"auds", *b"\0\0\0\0", [1, 10, 1, 0]), format)]);
    streams.count(0, *b"00wb", 950);
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
