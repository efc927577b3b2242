//! Sample descriptions of every kind, built byte by byte.

use super::*;
use fixtures::boxes::{atom, list};

/// The start of the child boxes of the three kinds of audio entries and of a video entry.
const AUDIO_CHILDREN: [usize; 3] = [36, 52, 72];

/// Returns the body of an `stsd` with one entry: its fixed fields, changed by `edit`, and its child boxes.
fn description(format: FourCc, fixed: usize, edit: impl FnOnce(&mut [u8]), children: &[u8]) -> Vec<u8> {
    let mut entry = atom(format, &vec![0; fixed - 8]);
    edit(&mut entry);
    entry.extend_from_slice(children);
    let size = u32::try_from(entry.len()).expect("a short entry");
    entry[..4].copy_from_slice(&size.to_be_bytes());
    [&[0, 0, 0, 0, 0, 0, 0, 1][..], &entry].concat()
}

fn plain(format: FourCc) -> SampleEntry {
    let fixed = if is_audio_format(format) { 36 } else { VIDEO_CHILDREN };
    read(&description(format, fixed, |_| {}, &[]))
}

/// Returns a descriptor whose length is written in `length_bytes` bytes.
fn tagged(tag: u8, length_bytes: usize, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).expect("a short descriptor");
    let padding = vec![0x80; length_bytes - 1];
    [&[tag][..], &padding, &[length], body].concat()
}

/// Returns an `esds` box whose stream has these flags and optional fields, and whose decoder has this object type.
fn esds(length_bytes: usize, flags: u8, optional: &[u8], object: u8) -> Vec<u8> {
    let decoder = tagged(4, length_bytes, &[object, 0x15]);
    let stream = [&[0, 1, flags][..], optional, &decoder].concat();
    atom(*b"esds", &[&[0; 4][..], &tagged(3, length_bytes, &stream)].concat())
}

#[test]
fn each_format_has_ffprobes_codec_name() {
    for (name, formats) in [
        ("h264", "avc1 avc2 avc3 avc4 dva1 dvav"),
        ("hevc", "hvc1 hev1 hvc2 dvh1 dvhe"),
        ("vvc", "vvc1 vvi1"),
        ("av1", "av01"),
        ("vp8", "vp08"),
        ("vp9", "vp09"),
        ("h263", "s263 h263 H263"),
        ("mpeg4", "mp4v XVID"),
        ("mjpeg", "jpeg mjpa mjpb mjpg"),
        ("png", "png_"),
        ("prores", "apcn apch apcs apco ap4h ap4x"),
        ("dnxhd", "AVdn AVdh"),
        ("mpeg2video", "m2v1 xdvb xdv2 xdv3 mx5p"),
        ("aac", "mp4a"),
        ("opus", "Opus"),
        ("flac", "fLaC"),
        ("alac", "alac"),
        ("ac3", "ac-3"),
        ("eac3", "ec-3"),
        ("truehd", "mlpa"),
        ("dts", "dtsc dtsh dtse dtsl"),
        ("mp3", ".mp3"),
        ("amr", "samr sawb"),
        ("adpcm", "ima4"),
        ("pcm", "sowt twos lpcm ipcm fpcm in24 in32 fl32 fl64 ulaw alaw"),
        ("unknown", "zzzz"),
    ] {
        for format in formats.split(' ') {
            let bytes = format.replace('_', " ").as_bytes().try_into().expect("a format has four characters");
            assert_eq!(plain(bytes).codec.name(), name, "{format}");
        }
    }
}

#[test]
fn the_object_type_decides_the_codec_of_mp4v_and_mp4a() {
    for (object, name) in [
        (0x60, "mpeg2video"),
        (0x65, "mpeg2video"),
        (0x66, "mpeg4"),
        (0x6A, "mpeg1video"),
        (0x6C, "mjpeg"),
        (0x69, "mp3"),
        (0x6B, "mp3"),
        (0xA5, "ac3"),
        (0xA6, "eac3"),
        (0xA9, "dts"),
        (0xDD, "vorbis"),
    ] {
        let entry = description(*b"mp4v", VIDEO_CHILDREN, |_| {}, &esds(1, 0, &[], object));
        assert_eq!(read(&entry).codec.name(), name, "{object:#04x}");
    }
    let aac = description(*b"mp4a", 36, |_| {}, &esds(1, 0, &[], 0x40));
    assert_eq!(read(&aac).codec, Codec::Aac);
}

#[test]
fn optional_fields_and_long_lengths_of_the_descriptors_are_skipped() {
    for (flags, optional) in [
        (0x00, &[][..]),
        (0x80, &[0, 9]),
        (0x40, &[3, b'u', b'r', b'l']),
        (0x20, &[0, 7]),
        (0xE0, &[0, 9, 2, b'u', b'r', 0, 7]),
    ] {
        for length_bytes in 1..=4 {
            let entry = description(*b"mp4a", 36, |_| {}, &esds(length_bytes, flags, optional, 0xDD));
            assert_eq!(read(&entry).codec, Codec::Vorbis, "{flags:#04x}, {length_bytes} length bytes");
        }
    }
}

#[test]
fn quicktimes_wave_box_may_hold_the_descriptors() {
    let wave = list(*b"wave", &[atom(*b"frma", b"mp4a"), esds(4, 0, &[], 0xA5)]);
    assert_eq!(read(&description(*b"mp4a", 52, |entry| entry[17] = 1, &wave)).codec, Codec::Ac3);
}

#[test]
fn the_version_of_an_audio_entry_decides_where_its_fields_and_children_are() {
    for (version, children) in (0..).zip(AUDIO_CHILDREN) {
        let fields = |entry: &mut [u8]| {
            entry[17] = version;
            if version == 2 {
                entry[40..48].copy_from_slice(&44_100.0_f64.to_be_bytes());
                entry[51] = 6;
            } else {
                entry[25] = 6;
                entry[32..34].copy_from_slice(&44_100_u16.to_be_bytes());
            }
        };
        let entry = read(&description(*b"mp4a", children, fields, &esds(1, 0, &[], 0xA6)));
        assert_eq!((entry.codec, entry.channels), (Codec::Eac3, Some(6)), "version {version}");
        assert_eq!(entry.sample_rate, Some(44_100), "version {version}");
    }
}

#[test]
fn absent_channels_and_impossible_rates_are_unknown() {
    let entry = plain(*b"mp4a");
    assert_eq!((entry.channels, entry.sample_rate), (None, None));
    for rate in [0.5, -1.0, f64::NAN, 4e9] {
        let fields = |entry: &mut [u8]| {
            entry[17] = 2;
            entry[40..48].copy_from_slice(&rate.to_be_bytes());
        };
        assert_eq!(read(&description(*b"lpcm", 72, fields, &[])).sample_rate, None, "{rate}");
    }
}

#[test]
fn a_video_entry_has_its_size_and_pixel_aspect() {
    let fields = |entry: &mut [u8]| entry[32..36].copy_from_slice(&[7, 128, 4, 56]);
    let aspect = atom(*b"pasp", &[0, 0, 0, 4, 0, 0, 0, 3]);
    let entry = read(&description(*b"avc1", VIDEO_CHILDREN, fields, &aspect));
    assert_eq!((entry.width, entry.height, entry.pixel_aspect), (1920, 1080, Some((4, 3))));
    assert!(!entry.encrypted);
}

#[test]
fn an_encrypted_entry_names_its_original_format() {
    for (format, fixed, original) in [(*b"encv", VIDEO_CHILDREN, b"hvc1"), (*b"enca", 36, b"fLaC")] {
        let children = [atom(*b"free", b""), list(*b"sinf", &[atom(*b"frma", original)])].concat();
        let entry = read(&description(format, fixed, |_| {}, &children));
        assert!(entry.encrypted);
        assert!(matches!(entry.codec, Codec::Hevc | Codec::Flac), "{:?}", entry.codec);
    }
}

#[test]
fn a_child_box_that_is_too_small_ends_the_list() {
    let children = [&[0, 0, 0, 7][..], b"free", &atom(*b"pasp", &[0, 0, 0, 4, 0, 0, 0, 3])].concat();
    assert_eq!(read(&description(*b"avc1", VIDEO_CHILDREN, |_| {}, &children)).pixel_aspect, None);
}

#[test]
fn the_format_tells_picture_and_sound_from_data() {
    for (formats, content, may_be_media) in [
        ("avc1 mp4v apcn", TrackKind::Video, true),
        ("mp4a lpcm fLaC", TrackKind::Audio, true),
        ("zzzz", TrackKind::Other, true),
        ("text tx3g stpp wvtt mp4s tmcd mett gpmd encm hint data", TrackKind::Other, false),
    ] {
        for format in formats.split(' ') {
            let entry = plain(format.as_bytes().try_into().expect("a format has four characters"));
            assert_eq!((entry.content, entry.may_be_media), (content, may_be_media), "{format}");
        }
    }
}

#[test]
fn the_object_type_decides_nothing_about_other_formats() {
    let entry = description(*b"avc1", VIDEO_CHILDREN, |_| {}, &esds(1, 0, &[], 0x6C));
    assert_eq!(read(&entry).codec, Codec::H264);
}
