//! Parameter sets written bit by bit, with every optional field that comes before the picture size.

use super::*;

/// Writes bits, most significant first.
#[derive(Default)]
struct BitWriter(Vec<bool>);

impl BitWriter {
    fn number(mut self, value: u64, count: u32) -> Self {
        self.0.extend((0..count).rev().map(|bit| value >> bit & 1 == 1));
        self
    }

    /// Writes an unsigned Exp-Golomb number.
    fn golomb(self, value: u64) -> Self {
        let length = (value + 1).ilog2();
        self.number(0, length).number(value + 1, length + 1)
    }

    fn golombs(self, values: &[u64]) -> Self {
        values.iter().fold(self, |bits, value| bits.golomb(*value))
    }

    /// Returns the bytes, with the emulation prevention bytes that an encoder inserts.
    fn unit(self) -> Vec<u8> {
        let mut unit = Vec::new();
        for bits in self.number(1, 1).0.chunks(8) {
            let byte = bits.iter().chain(&[false; 8]).take(8).fold(0, |byte, bit| byte << 1 | u8::from(*bit));
            if unit.ends_with(&[0, 0]) && byte <= 3 {
                unit.push(3);
            }
            unit.push(byte);
        }
        unit
    }
}

/// The optional fields of an H.264 sequence parameter set.
#[derive(Clone, Copy)]
struct H264 {
    profile: u64,
    chroma: u64,
    scaling: bool,
    order: u64,
    interlaced: bool,
    /// Samples cut off at the left, right, top and bottom, in units that depend on the chroma format.
    crop: Option<[u64; 4]>,
}

const PLAIN_H264: H264 = H264 { profile: 66, chroma: 1, scaling: false, order: 2, interlaced: false, crop: None };

impl H264 {
    /// Returns the unit of a picture of 40 by 30 macroblocks.
    fn unit(self) -> Vec<u8> {
        let mut bits = BitWriter::default().number(0x67, 8).number(self.profile, 8).number(30, 16).golomb(0);
        if self.profile == 100 {
            bits = self.chroma_fields(bits);
        }
        bits = match self.order {
            0 => bits.golomb(4).golombs(&[0, 4]),
            1 => bits.golomb(4).golomb(1).number(0, 1).golombs(&[3, 4, 3, 7, 8, 9]),
            other => bits.golomb(4).golomb(other),
        };
        let rows = if self.interlaced { 14 } else { 29 };
        bits = bits.golomb(2).number(0, 1).golombs(&[39, rows]).number(u64::from(!self.interlaced), 1);
        if self.interlaced {
            bits = bits.number(1, 1);
        }
        bits = bits.number(1, 1).number(u64::from(self.crop.is_some()), 1);
        bits.golombs(&self.crop.map_or(Vec::new(), Vec::from)).unit()
    }

    fn chroma_fields(self, bits: BitWriter) -> BitWriter {
        let mut bits = bits.golomb(self.chroma);
        if self.chroma == 3 {
            bits = bits.number(0, 1);
        }
        bits = bits.golombs(&[2, 2]).number(0, 1).number(u64::from(self.scaling), 1);
        if self.scaling {
            for index in 0..if self.chroma == 3 { 12 } else { 8 } {
                // The first list of each size is written out; a next scale of zero ends the second one early.
                bits = match index {
                    0 => bits.number(1, 1).golombs(&[1; 16]),
                    6 => bits.number(1, 1).golombs(&[1; 64]),
                    1 => bits.number(1, 1).golomb(16),
                    _ => bits.number(0, 1),
                };
            }
        }
        bits
    }
}

#[test]
fn an_h264_size_is_found_behind_every_combination_of_optional_fields() {
    for profile in [66, 100] {
        for chroma in 0..=3 {
            for (scaling, order, interlaced) in
                [(false, 0, false), (true, 0, false), (true, 1, true), (false, 1, false), (true, 2, true)]
            {
                let unit = H264 { profile, chroma, scaling, order, interlaced, crop: None }.unit();
                let what = format!("profile {profile}, chroma {chroma}, scaling {scaling}, order {order}");
                assert_eq!(h264::size(&unit), Some((640, 480)), "{what}");
            }
        }
    }
}

#[test]
fn h264_cropping_is_in_units_of_the_chroma_format_and_of_fields() {
    for (chroma, interlaced, size) in [
        (0, false, (640 - 3, 480 - 7)),
        (1, false, (640 - 6, 480 - 14)),
        (2, false, (640 - 6, 480 - 7)),
        (3, false, (640 - 3, 480 - 7)),
        (1, true, (640 - 6, 480 - 28)),
        (3, true, (640 - 3, 480 - 14)),
    ] {
        let set = H264 { profile: 100, chroma, interlaced, crop: Some([1, 2, 3, 4]), ..PLAIN_H264 };
        assert_eq!(h264::size(&set.unit()), Some(size), "chroma {chroma}, interlaced {interlaced}");
    }
    let everything = H264 { crop: Some([0, 400, 0, 0]), ..PLAIN_H264 };
    assert_eq!(h264::size(&everything.unit()), None);
}

#[test]
fn other_h264_units_and_truncated_ones_have_no_size() {
    let unit = PLAIN_H264.unit();
    assert_eq!(h264::size(&[&[0x68][..], &unit[1..]].concat()), None);
    for length in 0..unit.len() - 1 {
        assert_eq!(h264::size(&unit[..length]), None, "{length} bytes");
    }
    for (at, value) in [(0, 0x07), (1, 67), (2, 0x01), (2, 0x02)] {
        let mut other = unit.clone();
        other[at] = value;
        assert_eq!(h264::size(&other), None, "no encoder writes {value:#x} at {at}");
    }
    let mut constrained = unit.clone();
    (constrained[0], constrained[2]) = (0x27, 0xFC);
    assert_eq!(h264::size(&constrained), Some((640, 480)));
}

#[test]
fn an_avc_configuration_holds_the_parameter_set_after_its_length() {
    let unit = PLAIN_H264.unit();
    let length = u16::try_from(unit.len()).expect("a short unit").to_be_bytes();
    let record = [&[1, 66, 0, 30, 0xFF, 0xE1][..], &length, &unit].concat();
    assert_eq!(h264_configuration(&record), Some((640, 480)));
    assert_eq!(h264_configuration(&record[..7]), None);
    for crop in [[0, 320, 0, 0], [0, 0, 240, 0]] {
        let unit = H264 { crop: Some(crop), ..PLAIN_H264 }.unit();
        assert_eq!(h264_configuration(&[&record[..8], &unit].concat()), None, "nothing is left");
    }
}

/// Returns an HEVC sequence parameter set of 640x480 with this chroma format, these sub-layers and this cropping.
fn hevc(chroma: u64, layers: &[(u64, u64)], crop: Option<[u64; 4]>) -> Vec<u8> {
    let count = u64::try_from(layers.len()).expect("few layers");
    let mut bits = BitWriter::default().number(0x4201, 16).number(0, 4).number(count, 3).number(1, 1);
    bits = bits.number(0x5A, 8).number(0x1234_5678, 32).number(0, 48).number(93, 8);
    for (profile, level) in layers {
        bits = bits.number(*profile, 1).number(*level, 1);
    }
    if count > 0 {
        bits = bits.number(0, 2 * (8 - u32::try_from(count).expect("few layers")));
    }
    for (profile, level) in layers {
        bits = if *profile == 1 { bits.number(u64::MAX, 64).number(0x00AB_CDEF, 24) } else { bits };
        bits = if *level == 1 { bits.number(0x5D, 8) } else { bits };
    }
    bits = bits.golombs(&[0, chroma]);
    if chroma == 3 {
        bits = bits.number(0, 1);
    }
    bits = bits.golombs(&[640, 480]).number(u64::from(crop.is_some()), 1);
    bits.golombs(&crop.map_or(Vec::new(), Vec::from)).unit()
}

#[test]
fn an_hevc_size_is_found_behind_the_profiles_of_any_layers() {
    for layers in [&[][..], &[(0, 0)], &[(1, 0)], &[(0, 1)], &[(1, 1), (0, 1), (1, 0)], &[(1, 1); 7]] {
        for chroma in 0..=3 {
            assert_eq!(hevc::size(&hevc(chroma, layers, None)), Some((640, 480)), "{layers:?}, chroma {chroma}");
        }
    }
}

#[test]
fn hevc_cropping_is_in_units_of_the_chroma_format() {
    for (chroma, size) in [(0, (637, 473)), (1, (634, 466)), (2, (634, 473)), (3, (637, 473))] {
        assert_eq!(hevc::size(&hevc(chroma, &[], Some([1, 2, 3, 4]))), Some(size), "chroma {chroma}");
    }
    let other_unit = [&[0x44, 1][..], &hevc(1, &[], None)[2..]].concat();
    assert_eq!(hevc::size(&other_unit), None);
}

#[test]
fn an_mpeg_sequence_header_has_the_size_and_the_frame_rate() {
    let header = |rate: u8| [0xB3, 0x2D, 0x02, 0x40, 0x30 | rate, 0xFF];
    assert_eq!(mpeg::size(&header(3)), Some((720, 576)));
    for (code, nanos) in [
        (1, Some(41_708_333)),
        (2, Some(41_666_666)),
        (3, Some(40_000_000)),
        (4, Some(33_366_666)),
        (5, Some(33_333_333)),
        (6, Some(20_000_000)),
        (7, Some(16_683_333)),
        (8, Some(16_666_666)),
        (0, None),
        (9, None),
    ] {
        assert_eq!(mpeg::frame_duration(&header(code)), nanos, "{code}");
    }
    assert_eq!(mpeg::size(&[0xB8, 0x2D, 0x02, 0x40]), None);
}

#[test]
fn parameter_sets_are_found_behind_their_start_codes() {
    let stream = |unit: &[u8]| [&[0, 0, 1, 9, 16, 0, 0, 0, 1][..], unit].concat();
    let found = |codec, unit: &[u8]| in_stream(codec, &stream(unit)).map(|set| (set.codec, set.width, set.height));
    let (h264, hevc) = (PLAIN_H264.unit(), hevc(1, &[], None));
    assert_eq!(found(Codec::H264, &h264), Some((Codec::H264, 640, 480)));
    assert_eq!(found(Codec::Hevc, &hevc), Some((Codec::Hevc, 640, 480)));
    let mpeg = [0xB3, 0x2D, 0x02, 0x40, 0x33];
    assert_eq!(found(Codec::Mpeg2video, &mpeg), Some((Codec::Mpeg2video, 720, 576)));
    let frame_duration = in_stream(Codec::Mpeg2video, &stream(&mpeg)).and_then(|set| set.frame_duration);
    assert_eq!(frame_duration, Some(40_000_000));
    for (unit, codec) in [(&h264, Codec::H264), (&hevc, Codec::Hevc)] {
        assert_eq!(found(Codec::Mpeg2video, unit), Some((codec, 640, 480)), "an undeclared codec");
    }
    let slice = [&hevc[..1], &[0x09], &hevc[2..]].concat();
    assert_eq!(found(Codec::Mpeg2video, &slice), None, "the 66th row of a picture");
    assert_eq!(found(Codec::Vp9, &h264), None);
    for empty in [[0xB3, 0x2D, 0x00, 0x00, 0x33], [0xB3, 0x00, 0x02, 0x40, 0x33]] {
        assert_eq!(found(Codec::Mpeg1video, &empty), None);
    }
}

#[test]
fn pictures_are_counted_once_however_their_start_codes_are_split() {
    let stream = [&[0, 0, 1, 0xB3, 1, 2][..], &[0, 0, 1, 0, 7, 7, 7].repeat(5), &[0, 0, 1, 0]].concat();
    for size in 1..=stream.len() {
        let mut counter = PictureCounter::default();
        stream.chunks(size).for_each(|chunk| counter.absorb(Codec::Mpeg2video, chunk));
        assert_eq!(counter.pictures, 6, "chunks of {size}");
    }
}

#[test]
fn a_picture_begins_with_its_first_slice() {
    let units: [(Codec, bool, &[u8]); 25] = [
        (Codec::Mpeg1video, true, &[0x00]),
        (Codec::Mpeg2video, true, &[0x00]),
        (Codec::Mpeg2video, true, &[0xB6]),
        (Codec::Mpeg2video, false, &[0x01]),
        (Codec::Mpeg4, true, &[0xB6]),
        (Codec::Mpeg4, false, &[0x00]),
        (Codec::Vc1, true, &[0x0D]),
        (Codec::Vc1, false, &[0x0C]),
        (Codec::Vp9, false, &[0x00]),
        (Codec::H264, true, &[0x65, 0x88]),
        (Codec::H264, true, &[0x41, 0x80]),
        (Codec::H264, true, &[0x05, 0xFF]),
        (Codec::H264, true, &[0x74, 0x40]),
        (Codec::H264, false, &[0x65, 0x7F]),
        (Codec::H264, false, &[0x67, 0x80]),
        (Codec::H264, false, &[0x61 | 0x10, 0x80]),
        (Codec::Hevc, true, &[0x26, 1, 0x80]),
        (Codec::Hevc, true, &[0x02, 1, 0xFF]),
        (Codec::Hevc, true, &[0x3E, 1, 0x80]),
        (Codec::Hevc, true, &[0x3F, 1, 0x80]),
        (Codec::Hevc, true, &[0xA6, 1, 0x80]),
        (Codec::Hevc, false, &[0x26, 1, 0x7F]),
        (Codec::Hevc, false, &[0x26, 0x80, 0x00]),
        (Codec::Hevc, false, &[0x40, 1, 0x80]),
        (Codec::Hevc, false, &[0x42, 1, 0x80]),
    ];
    for (codec, begins, unit) in units {
        let stream = [&[7, 0, 0, 1], unit, &[9; 5], &[0, 0, 1], unit].concat();
        for size in 1..=stream.len() {
            let mut counter = PictureCounter::default();
            stream.chunks(size).for_each(|chunk| counter.absorb(codec, chunk));
            assert_eq!(counter.pictures, if begins { 2 } else { 0 }, "{codec:?} {unit:x?}, chunks of {size}");
        }
    }
}

#[test]
fn a_frame_without_a_slice_is_empty() {
    let unit = |header: u8, length: usize| {
        let prefix = u32::try_from(length).expect("short").to_be_bytes();
        [&prefix[..], &[header; 1][..length.min(1)], &vec![0xFF; length.saturating_sub(1)]].concat()
    };
    let (delimiter, filling, slice) = (unit(0x09, 2), unit(0x0C, 90), unit(0x65, 9));
    for (frame, expected) in [
        (delimiter.clone(), true),
        ([&delimiter[..], &filling].concat(), true),
        ([&delimiter[..], &slice].concat(), false),
        ([unit(0, 0), unit(0x41, 2)].concat(), false),
        ([&delimiter[..], &[0]].concat(), false),
        (vec![], false),
    ] {
        let (size, start) = (crate::bytes::wide(frame.len()), &frame[..frame.len().min(11)]);
        assert_eq!(is_empty(Codec::H264, &frame, size), expected, "{frame:x?}");
        assert_eq!(is_empty(Codec::H264, start, size), expected, "the start of {frame:x?}");
        assert!(!is_empty(Codec::H264, &frame, size + 1) && !is_empty(Codec::Vp9, &frame, size));
    }
    let parameters = [unit(0x67, 8), unit(0x68, 4), unit(0x06, 20), unit(0, 0)].concat();
    assert!(is_empty(Codec::H264, &parameters, 48));
    assert!(is_empty(Codec::Hevc, &[unit(0x46, 3), unit(0x4C, 9)].concat(), 20));
    assert!(is_empty(Codec::Hevc, &unit(0x40, 9), 13));
    for slice in [0x26, 0x3E] {
        assert!(!is_empty(Codec::Hevc, &unit(slice, 9), 13));
    }
}

#[test]
fn exp_golomb_numbers_are_decoded_with_and_without_a_sign() {
    for (code, signed) in (0..).zip([0, 1, -1, 2, -2, 3, -3, 4, -4]) {
        let unit = BitWriter::default().golombs(&[code, code]).unit();
        let mut bits = bits::Bits::new(&unit);
        assert_eq!(bits.golomb().map(u64::from), Some(code));
        assert_eq!(bits.signed_golomb(), Some(signed), "{code}");
    }
    assert_eq!(bits::Bits::new(&[0; 9]).golomb(), None, "a number of more than 31 bits");
    for largest in [(1 << 31) - 1, (1 << 32) - 2] {
        let unit = BitWriter::default().golomb(largest).unit();
        assert_eq!(bits::Bits::new(&unit).golomb().map(u64::from), Some(largest));
    }
}
