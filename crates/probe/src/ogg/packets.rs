//! The packets of each kind of stream: which are headers, and how much time each of the others covers.
//!
//! Players stop reading the file at some broken packets. A second header of a stream replaces the first one for them.
//! This module must not depend on pages.

use crate::bytes::{head, tail, u8_at, u32_le, u64_le};
use crate::sound_bytes::opus_nanos;

/// Six units of Opus last 125,000 nanoseconds. The length of every packet is a multiple of that.
const OPUS_UNITS: (u64, u64) = (6, 125_000);
/// The number of bytes at the end of the last header of Vorbis that hold up to two modes.
const MODES: usize = 12;
/// The least length of the description of a stream in Skeleton.
const BONE: usize = 52;

/// The kind of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Form {
    Theora,
    Vp8,
    Ogm,
    Vorbis,
    Opus,
    Speex,
    Flac,
    Skeleton,
    /// Players ignore its packets.
    Unknown,
}

/// A packet, by its role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packet {
    Header,
    /// Players stop reading the file at this packet.
    Broken,
    /// A description of another stream, with the position at which players begin it.
    Bone {
        serial: u32,
        start: u64,
    },
    /// A packet that lasts for this many units of its stream's clock. If it shows nothing and no other packet follows,
    /// the film ends before it.
    Media {
        units: u64,
        is_shown: bool,
    },
}

/// Tells the packets of a stream apart.
#[derive(Debug)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Packets {
    pub(super) form: Form,
    /// The units of each packet, or of the longest ones if they differ.
    pub(super) longest: u64,
    /// Whether the units of every packet are known, and not only of the longest.
    pub(super) is_exact: bool,
    headers: u8,
    pub(super) has_media: bool,
    /// In samples: the block lengths of the two modes of Vorbis, and the length of the previous block.
    blocks: [u64; 2],
    previous: u64,
}

impl Packets {
    /// The packets after the first, which is a header.
    pub(super) fn new(form: Form, longest: u64, is_exact: bool) -> Self {
        Self { form, longest, is_exact, headers: 1, has_media: false, blocks: [0; 2], previous: 0 }
    }

    /// Vorbis with blocks of these two lengths.
    pub(super) fn of_vorbis(short: u64, long: u64) -> Self {
        Self { blocks: [short, long], previous: short, ..Self::new(Form::Vorbis, long / 2, false) }
    }

    /// Reads a packet. `first` has its first bytes, and `last` the part of it that lies on its last page.
    pub(super) fn read(&mut self, first: &[u8], last: &[u8]) -> Result<Packet, &'static str> {
        let lead = u8_at(first, 0).unwrap_or(0);
        let is_header = match self.form {
            Form::Theora => lead & 0x80 != 0,
            Form::Ogm | Form::Vorbis => lead & 1 != 0,
            Form::Vp8 => first.starts_with(b"OVP80"),
            Form::Opus | Form::Speex => self.headers < 2,
            Form::Flac => !self.has_media && lead != 0xFF,
            Form::Skeleton | Form::Unknown => true,
        };
        if is_header {
            return self.read_header(lead, first, last);
        }
        if self.headers < 3 && matches!(self.form, Form::Theora | Form::Vorbis) {
            return Err("a stream begins without its headers");
        }
        self.has_media = true;
        let media = self.measure(lead, first).map(|(units, is_shown)| Packet::Media { units, is_shown });
        Ok(media.unwrap_or(Packet::Broken))
    }

    fn read_header(&mut self, lead: u8, first: &[u8], last: &[u8]) -> Result<Packet, &'static str> {
        let number = self.headers;
        self.headers = number.saturating_add(1);
        let is_next = match self.form {
            Form::Theora => number < 3 && lead == 0x80 | number,
            Form::Vorbis => number < 3 && lead == 2 * number + 1,
            Form::Ogm => number < 2 && lead == 3,
            Form::Vp8 => number < 2 && u8_at(first, 5) == Some(2),
            Form::Opus => first.starts_with(b"OpusTags"),
            Form::Flac => lead & 0x7F != 0x7F,
            Form::Skeleton if first.starts_with(b"fisbone") => {
                let start = u64_le(last, 36).filter(|_| last.len() >= BONE);
                let bone = u32_le(last, 12).zip(start).map(|(serial, start)| Packet::Bone { serial, start });
                return Ok(bone.unwrap_or(Packet::Broken));
            }
            Form::Skeleton => first.is_empty() || first.len() >= 8,
            Form::Speex | Form::Unknown => true,
        };
        if self.has_media || !is_next {
            return Err("the headers of a stream are broken, doubled or late");
        }
        if self.form == Form::Vorbis
            && number == 2
            && let Some(modes) = modes_of_vorbis(last)
        {
            self.blocks = modes.map(|is_long| self.block(is_long));
            self.is_exact = true;
        }
        Ok(Packet::Header)
    }

    fn block(&self, is_second: bool) -> u64 {
        let [first, second] = self.blocks;
        if is_second { second } else { first }
    }

    /// Returns the units of a packet, and whether it shows something, or nothing if it is broken.
    fn measure(&mut self, lead: u8, first: &[u8]) -> Option<(u64, bool)> {
        Some(match self.form {
            Form::Theora => (1, !first.is_empty()),
            Form::Vp8 => (u64::from(lead >> 4 & 1), lead & 0x10 != 0),
            Form::Ogm => {
                let bytes = usize::from((lead & 2) << 1 | lead >> 6);
                if first.len() <= bytes {
                    return None;
                }
                let length = head(tail(first, 1), bytes).iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
                (if bytes == 0 { 1 } else { length }, true)
            }
            Form::Opus if first.is_empty() || first.len() < 2 && lead & 3 == 3 => return None,
            Form::Opus => (opus_nanos(first) / OPUS_UNITS.1 * OPUS_UNITS.0, true),
            Form::Vorbis if self.is_exact => {
                let block = self.block(lead & 2 != 0);
                (std::mem::replace(&mut self.previous, block).saturating_add(block) / 4, true)
            }
            _ => (self.longest, true),
        })
    }
}

/// Reads the modes of Vorbis, which are the last bits of its last header. Returns whether the blocks of mode 0 and of
/// mode 1 are long, or `None` if there are more than two modes. No encoder writes more.
fn modes_of_vorbis(header: &[u8]) -> Option<[bool; 2]> {
    let last = header.last_chunk::<MODES>()?;
    let bits = last.iter().rev().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte));
    // Before the modes, six bits have their number less one. Each mode has a bit that says whether its blocks are long,
    // 32 bits that are zero, and 8 other bits. A bit that is set follows the last mode.
    let end = (u128::BITS - 1).checked_sub(bits.leading_zeros())?;
    let field = |back: u32, count: u32| bits.checked_shr(end.checked_sub(back)?).map(|bits| bits & ((1 << count) - 1));
    let mode = |back: u32| field(back - 1, 32).filter(|zeros| *zeros == 0).and(field(back, 1)).map(|bit| bit == 1);
    let last = mode(41)?;
    match (mode(82), field(88, 6), field(47, 6)) {
        (Some(first), Some(1), _) => Some([first, last]),
        (_, _, Some(0)) => Some([last; 2]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads packets that lie on one page each, after the first header.
    fn read<const N: usize>(mut packets: Packets, list: [&[u8]; N]) -> [Result<Packet, &'static str>; N] {
        list.map(|packet| packets.read(packet, packet))
    }

    /// Returns the units of the packets that show something.
    fn shown<const N: usize>(packets: Packets, list: [&[u8]; N]) -> [Option<u64>; N] {
        read(packets, list).map(|packet| match packet {
            Ok(Packet::Media { units, is_shown: true }) => Some(units),
            _ => None,
        })
    }

    fn is_accepted(form: Form, list: &[&[u8]]) -> bool {
        let mut packets = Packets::new(form, 1, true);
        list.iter().all(|packet| packets.read(packet, packet).is_ok())
    }

    #[test]
    fn headers_have_an_order_and_come_before_the_media() {
        let comments = b"OVP80\x02 ".as_slice();
        for (form, headers, frame) in [
            (Form::Theora, vec![b"\x81".as_slice(), b"\x82"], b"\x00".as_slice()),
            (Form::Vorbis, vec![b"\x03", b"\x05"], b"\x00"),
            (Form::Ogm, vec![b"\x03"], b"\x00."),
            (Form::Vp8, vec![comments], b"\x10"),
            (Form::Opus, vec![b"OpusTags"], b"\x00"),
            (Form::Flac, vec![b"\x04", b"\x84"], b"\xFF"),
        ] {
            let read = |list: &[&[&[u8]]]| is_accepted(form, &list.concat());
            assert!(read(&[&headers, &[frame, frame]]), "{form:?}");
            let may_be_media = matches!(form, Form::Flac | Form::Opus);
            assert_eq!(read(&[&headers, &headers]), may_be_media, "{form:?}: doubled");
            assert_eq!(read(&[&headers, &[frame], &headers[..1]]), may_be_media, "{form:?}: late");
            let needs_none = matches!(form, Form::Ogm | Form::Vp8 | Form::Flac);
            assert_eq!(read(&[&[frame]]), needs_none, "{form:?}: none");
        }
        assert!(!is_accepted(Form::Theora, &[b"\x82", b"\x81"]) && !is_accepted(Form::Theora, &[b"\x80"]));
        assert!(!is_accepted(Form::Vorbis, &[b"\x05", b"\x03"]) && !is_accepted(Form::Ogm, &[b"\x01"]));
        assert!(!is_accepted(Form::Flac, &[b"\x7FFLAC"]), "a second description");
        assert!(!is_accepted(Form::Vp8, &[b"OVP80\x01\x01"]), "a second description");
    }

    #[test]
    fn pictures_last_one_unit_if_they_are_shown() {
        let theora = read(Packets::new(Form::Theora, 1, true), [b"\x81", b"\x82", b"\x40", b""]);
        assert_eq!(theora[2..], [true, false].map(|is_shown| Ok(Packet::Media { units: 1, is_shown })));
        let vp8 = read(Packets::new(Form::Vp8, 1, true), [b"\x10", b"\x00", b""]);
        let expected =
            [(1, true), (0, false), (0, false)].map(|(units, is_shown)| Ok(Packet::Media { units, is_shown }));
        assert_eq!(vp8, expected);
    }

    #[test]
    fn ogm_declares_lengths_in_its_packets() {
        let ogm = || Packets::new(Form::Ogm, 1, true);
        assert_eq!(shown(ogm(), [b"\x00.", b"\x40\x05.", b"\xC2\0\x01\0\0\0\0\0."]), [1, 5, 256].map(Some));
        for broken in [b"".as_slice(), b"\x40", b"\xC2\0\0\0\0\0\0"] {
            assert_eq!(read(ogm(), [broken]), [Ok(Packet::Broken)]);
        }
    }

    #[test]
    fn sound_lasts_as_long_as_its_packets_say() {
        let opus = || Packets::new(Form::Opus, 5_760, true);
        // Frames of 20 ms, alone and four times.
        assert_eq!(shown(opus(), [b"OpusTags", b"\x08.", b"\x0B\x04"])[1..], [960, 4 * 960].map(Some));
        for broken in [b"".as_slice(), b"\x0B"] {
            assert_eq!(read(opus(), [b"OpusTags", broken])[1], Ok(Packet::Broken));
        }
        assert_eq!(shown(Packets::new(Form::Speex, 320, true), [b"comments", b""])[1..], [Some(320)]);
        assert_eq!(shown(Packets::new(Form::Flac, 4_608, true), [b"\xFF"]), [Some(4_608)]);
    }

    /// Returns the end of the last header of Vorbis. Each mode has long blocks or short ones.
    fn modes(blocks: &[bool], padding: u32) -> Vec<u8> {
        let count = u128::try_from(blocks.len()).expect("few");
        let fields = blocks.iter().rev().fold(1_u128, |bits, is_long| bits << 41 | 0xAB << 33 | u128::from(*is_long));
        let bytes = ((fields << 6 | (count - 1)) << padding).to_le_bytes();
        let end = bytes.iter().rposition(|byte| *byte > 0).expect("a bit");
        [&[0x5A; 12][..], &bytes[..=end]].concat()
    }

    #[test]
    fn blocks_of_vorbis_overlap() {
        for padding in 0..8 {
            let of_modes = |blocks: &[bool]| {
                let setup = [b"\x05".as_slice(), &modes(blocks, padding)].concat();
                let list = [b"\x03.".as_slice(), &setup, b"\0", b"\x02", b"\x02", b"\0"];
                shown(Packets::of_vorbis(256, 2_048), list)[2..].to_vec()
            };
            assert_eq!(of_modes(&[false, true]), [128, 576, 1_024, 576].map(Some), "{padding}");
            assert_eq!(of_modes(&[true, false]), [576, 576, 128, 576].map(Some), "{padding}");
            assert_eq!(of_modes(&[true]), [576, 1_024, 1_024, 1_024].map(Some), "{padding}");
            assert_eq!(of_modes(&[true; 3]), [Some(1_024); 4], "{padding}: at most half of a block");
        }
        assert_eq!(modes_of_vorbis(&[0; 12]), None);
        assert_eq!(modes_of_vorbis(&[0xFF; 12]), None);
        assert_eq!(modes_of_vorbis(&[1; 11]), None);
    }

    #[test]
    fn skeletons_describe_other_streams() {
        let bone =
            [b"fisbone\0".as_slice(), &[0; 4], &[7, 0, 0, 0], &[0; 20], &[9, 0, 0, 0, 0, 0, 0, 0], &[0; 8]].concat();
        let read = |packet| read(Packets::new(Form::Skeleton, 0, false), [packet]);
        assert_eq!(read(&bone), [Ok(Packet::Bone { serial: 7, start: 9 })]);
        assert_eq!(read(&bone[..51]), [Ok(Packet::Broken)]);
        assert_eq!([read(b""), read(b"indexes.")], [[Ok(Packet::Header)]; 2]);
        assert!(read(b"short").iter().all(Result::is_err));
    }
}
