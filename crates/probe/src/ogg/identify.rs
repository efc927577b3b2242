//! Identifies a stream by its first packet: its kind, its picture or sound, and its clock.

use super::packets::{Form, Packets};
use crate::bytes::{array, u8_at, u16_be, u16_le, u24_be, u32_be, u32_le, u64_le};
use crate::time::{NANOS_PER_SECOND, scaled};
use crate::{Codec, MediaTrack, TrackKind};

/// The first bytes of streams that players play but the prober cannot read: CELT, Dirac, Daala, old FLAC, PCM, and all
/// OGM streams but texts. The prober cannot read a stream of a known kind either if its header declares no clock.
const UNREAD: [&[u8]; 11] = [
    b"CELT",
    b"BBCD",
    b"KW-DIRAC",
    b"\x80daala",
    b"fLaC",
    b"PCM     ",
    b"\x80theora",
    b"OVP80",
    b"Speex   ",
    b"\x7FFLAC",
    b"\x01",
];
const OGM_TEXT: &[u8] = b"\x01text";
/// The position of VP8 is in the upper half.
const VP8_SHIFT: u32 = 32;
/// In a position of VP8, at least one of these bits is set if the picture is shown.
const SHOWN: u64 = 3 << 30;
/// Players read 32-bit rates and times as signed numbers, so this number and higher ones are negative to them.
const NEGATIVE: u64 = 1 << 31;

/// The conversion of granule positions to time.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct GranuleClock {
    /// Nanoseconds per unit, as the fraction `nanos / per`.
    nanos: u64,
    per: u64,
    /// The number of low bits, which count from the last key frame.
    shift: u32,
    /// A mask of the low bits that are added.
    low: u64,
    /// The units from the position of a packet to its end.
    after: u64,
    /// Units at the start that are not played.
    pub(super) skipped: u64,
}

pub(super) struct Identity {
    pub(super) track: MediaTrack,
    pub(super) clock: Option<GranuleClock>,
    pub(super) packets: Packets,
}

impl GranuleClock {
    fn new(nanos: u64, per: u64) -> Option<Self> {
        let clock = Self { nanos, per, shift: 0, low: 0, after: 0, skipped: 0 };
        (nanos > 0 && per > 0 && per < NEGATIVE).then_some(clock)
    }

    fn of_samples(rate: u32) -> Option<Self> {
        Self::new(NANOS_PER_SECOND, u64::from(rate))
    }

    /// A clock whose unit is the fraction `nanos / per` of a nanosecond, with this many low bits.
    fn of_pictures(numerator: u32, denominator: u32, shift: u32) -> Option<Self> {
        let clock = Self::new(u64::from(denominator) * NANOS_PER_SECOND, u64::from(numerator))?;
        Some(Self { shift, ..clock })
    }

    pub(super) fn units(&self, granule: u64) -> u64 {
        // A saved state may be damaged, so the shift can be any number.
        let key_frame = granule.checked_shr(self.shift).unwrap_or(0);
        // The position of a hidden VP8 picture is that of the next one.
        let hidden = u64::from(self.shift == VP8_SHIFT && granule & SHOWN == 0);
        key_frame.saturating_add(granule & self.low).saturating_add(self.after).saturating_sub(hidden)
    }

    pub(super) fn nanos(&self, units: u64) -> u64 {
        scaled(units, self.nanos, self.per).unwrap_or(0)
    }

    /// Returns the pictures per second.
    pub(super) fn rate(&self) -> Option<f64> {
        crate::time::rate(self.per, self.nanos)
    }
}

/// Identifies a stream. Returns `None` for a stream that players play but the prober cannot read.
pub(super) fn identify(packet: &[u8]) -> Option<Identity> {
    let picture = theora(packet).or_else(|| vp8(packet)).or_else(|| ogm(packet));
    let known = picture.or_else(|| vorbis(packet)).or_else(|| sound(packet));
    known.or_else(|| {
        let form = match packet {
            _ if packet.starts_with(OGM_TEXT) => Form::Ogm,
            _ if UNREAD.iter().any(|magic| packet.starts_with(magic)) => return None,
            _ if packet.starts_with(b"fishead\0") => Form::Skeleton,
            _ => Form::Unknown,
        };
        Some(Identity { track: MediaTrack::default(), clock: None, packets: Packets::new(form, 0, false) })
    })
}

fn picture(codec: Codec, size: (u32, u32)) -> MediaTrack {
    let mut track = MediaTrack { kind: TrackKind::Video, codec, ..MediaTrack::default() };
    track.set_size(size.0, size.1);
    track
}

fn theora(packet: &[u8]) -> Option<Identity> {
    // The versions in use are 3.2.0 and 3.2.1. Players expect another layout for others.
    if !packet.starts_with(b"\x80theora\x03\x02") {
        return None;
    }
    let mut track = picture(Codec::Theora, (u24_be(packet, 14)?, u24_be(packet, 17)?));
    let (horizontal, vertical) = (u24_be(packet, 30)?, u24_be(packet, 33)?);
    track.apply_pixel_aspect(horizontal, vertical);
    let shift = u32::from(u16_be(packet, 40)? >> 5 & 0x1F);
    let clock = GranuleClock::of_pictures(u32_be(packet, 22)?, u32_be(packet, 26)?, shift)?;
    // Version 3.2.0 counts from zero.
    let after = u64::from(u8_at(packet, 9)? == 0);
    let clock = Some(GranuleClock { low: (1 << shift) - 1, after, ..clock });
    Some(Identity { track, clock, packets: Packets::new(Form::Theora, 1, true) })
}

fn vp8(packet: &[u8]) -> Option<Identity> {
    if !packet.starts_with(b"OVP80\x01") {
        return None;
    }
    let track = picture(Codec::Vp8, (u32::from(u16_be(packet, 8)?), u32::from(u16_be(packet, 10)?)));
    // No low bits are added.
    let clock = Some(GranuleClock::of_pictures(u32_be(packet, 18)?, u32_be(packet, 22)?, VP8_SHIFT)?);
    Some(Identity { track, clock, packets: Packets::new(Form::Vp8, 1, true) })
}

fn ogm(packet: &[u8]) -> Option<Identity> {
    // A unit of time is one picture.
    if !packet.starts_with(b"\x01video\0\0\0") || u64_le(packet, 25)? != 1 {
        return None;
    }
    let codec = crate::codec::from_video_fourcc(array(packet, 9)?);
    let track = picture(codec, (u32_le(packet, 45)?, u32_le(packet, 49)?));
    let unit = u64_le(packet, 17).filter(|unit| *unit < NEGATIVE)?;
    // A position is that of the beginning of a picture.
    let clock = Some(GranuleClock { after: 1, ..GranuleClock::new(unit * 100, 1)? });
    Some(Identity { track, clock, packets: Packets::new(Form::Ogm, 1, true) })
}

fn vorbis(packet: &[u8]) -> Option<Identity> {
    if !packet.starts_with(b"\x01vorbis\0\0\0\0") || packet.len() != 30 {
        return None;
    }
    let (rate, blocks) = (u32_le(packet, 12)?, u8_at(packet, 28)?);
    let [short, long] = [blocks & 15, blocks >> 4].map(|power| 1_u64 << power);
    let track = sound_track(Codec::Vorbis, u8_at(packet, 11)?, rate);
    Some(Identity { track, clock: Some(GranuleClock::of_samples(rate)?), packets: Packets::of_vorbis(short, long) })
}

fn sound(packet: &[u8]) -> Option<Identity> {
    let (codec, channels, rate, packets, skipped) = match packet {
        [b'O', b'p', b'u', b's', b'H', b'e', b'a', b'd', ..] => {
            let packets = Packets::new(Form::Opus, 5_760, true);
            (Codec::Opus, u8_at(packet, 9)?, 48_000, packets, u64::from(u16_le(packet, 10)?))
        }
        [b'S', b'p', b'e', b'e', b'x', b' ', b' ', b' ', ..] => {
            let frames = u32_le(packet, 64)?.max(1);
            let samples = u64::from(u32_le(packet, 56)?) * u64::from(frames);
            let packets = Packets::new(Form::Speex, samples, true);
            (Codec::Speex, u8_at(packet, 48)?, u32_le(packet, 36)?, packets, 0)
        }
        [0x7F, b'F', b'L', b'A', b'C', ..] => {
            let (least, most) = (u16_be(packet, 17)?, u16_be(packet, 19)?);
            let packets = Packets::new(Form::Flac, u64::from(most), least == most);
            (Codec::Flac, (u8_at(packet, 29)? >> 1 & 7) + 1, u32_be(packet, 27)? >> 12, packets, 0)
        }
        _ => return None,
    };
    let clock = Some(GranuleClock { skipped, ..GranuleClock::of_samples(rate)? });
    Some(Identity { track: sound_track(codec, channels, rate), clock, packets })
}

fn sound_track(codec: Codec, channels: u8, rate: u32) -> MediaTrack {
    MediaTrack {
        kind: TrackKind::Audio,
        codec,
        channels: Some(u16::from(channels)),
        sample_rate: Some(rate),
        ..MediaTrack::default()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a packet that begins with `magic`, with these bytes at these positions.
    pub(in crate::ogg) fn packet(magic: &[u8], length: usize, fields: &[(usize, &[u8])]) -> Vec<u8> {
        let mut packet = vec![0; length];
        packet[..magic.len()].copy_from_slice(magic);
        for (at, bytes) in fields {
            packet[*at..at + bytes.len()].copy_from_slice(bytes);
        }
        packet
    }

    /// Returns a Theora stream of 64x36 at 25 frames per second, whose granule positions count key frames above six
    /// bits.
    pub(in crate::ogg) fn theora_25(aspect: [u8; 6]) -> Vec<u8> {
        packet(
            b"\x80theora",
            42,
            &[
                (7, &[3, 2, 1]),
                (14, &[0, 0, 64, 0, 0, 36]),
                (22, &[0, 0, 0, 25, 0, 0, 0, 1]),
                (30, &aspect),
                (40, &(6_u16 << 5).to_be_bytes()),
            ],
        )
    }

    pub(in crate::ogg) fn vp8_25() -> Vec<u8> {
        packet(b"OVP80\x01", 26, &[(8, &[0, 64, 0, 36]), (18, &[0, 0, 0, 25, 0, 0, 0, 1])])
    }

    fn ogm(unit: u64, samples: u64) -> Vec<u8> {
        let fields: [(usize, &[u8]); 4] =
            [(9, b"XVID"), (17, &unit.to_le_bytes()), (25, &samples.to_le_bytes()), (45, &[64, 0, 0, 0, 36, 0, 0, 0])];
        packet(b"\x01video\0\0\0", 57, &fields)
    }

    pub(in crate::ogg) fn opus(skipped: u16) -> Vec<u8> {
        packet(b"OpusHead", 19, &[(9, &[2]), (10, &skipped.to_le_bytes())])
    }

    /// Returns the first header of Vorbis with blocks of 256 and 2,048 samples.
    pub(in crate::ogg) fn vorbis(rate: u32) -> Vec<u8> {
        packet(b"\x01vorbis", 30, &[(11, &[2]), (12, &rate.to_le_bytes()), (28, &[0xB8, 1])])
    }

    fn speex(rate: u32) -> Vec<u8> {
        let fields: [(usize, &[u8]); 4] = [(36, &rate.to_le_bytes()), (48, &[2]), (56, &[0x40, 1]), (64, &[2])];
        packet(b"Speex   ", 80, &fields)
    }

    fn flac(rate: u32, blocks: (u16, u16)) -> Vec<u8> {
        let blocks = [blocks.0.to_be_bytes(), blocks.1.to_be_bytes()].concat();
        let rate = (rate << 12).to_be_bytes();
        packet(b"\x7FFLAC", 51, &[(17, &blocks), (27, &rate), (29, &[rate[2] | 1 << 1])])
    }

    fn track(packet: &[u8]) -> MediaTrack {
        identify(packet).expect("a known stream").track
    }

    /// Returns the nanoseconds at a granule position.
    fn nanos(packet: &[u8], granule: u64) -> u64 {
        let clock = identify(packet).and_then(|identity| identity.clock).expect("a clock");
        clock.nanos(clock.units(granule))
    }

    #[test]
    fn theora_has_a_size_an_aspect_and_positions_of_key_frames() {
        let aspects = [([0; 6], 64), ([0, 0, 0, 0, 0, 1], 64), ([0, 0, 1, 0, 0, 0], 64), ([0, 0, 4, 0, 0, 3], 85)];
        for (aspect, width) in aspects {
            let track = track(&theora_25(aspect));
            assert_eq!((track.kind, track.codec), (TrackKind::Video, Codec::Theora));
            assert_eq!((track.width, track.height), (Some(width), Some(36)), "{aspect:?}");
        }
        let mut first = theora_25([0; 6]);
        assert_eq!(nanos(&first, 32 << 6 | 3), 35 * 40_000_000);
        first[9] = 0;
        assert_eq!(nanos(&first, 32 << 6 | 3), 36 * 40_000_000, "version 3.2.0");
    }

    #[test]
    fn a_damaged_shift_of_a_restored_clock_counts_no_key_frames() {
        let clock = GranuleClock { low: 63, ..GranuleClock::of_pictures(25, 1, 64).expect("a clock") };
        assert_eq!(clock.units(5 << 6 | 2), 2);
    }

    #[test]
    fn vp8_and_ogm_have_sizes_and_positions() {
        let (vp8, ogm) = (vp8_25(), ogm(400_000, 1));
        for (first, codec) in [(&vp8, Codec::Vp8), (&ogm, Codec::Mpeg4)] {
            let track = track(first);
            assert_eq!((track.kind, track.codec), (TrackKind::Video, codec));
            assert_eq!((track.width, track.height), (Some(64), Some(36)));
        }
        assert_eq!(nanos(&vp8, 50 << 32 | 3 << 30 | 7 << 3), 50 * 40_000_000, "in the upper half");
        assert_eq!(nanos(&vp8, 50 << 32 | 7 << 3), 49 * 40_000_000, "of a hidden picture");
        assert_eq!(nanos(&ogm, 49), 50 * 40_000_000, "the beginning of a picture");
    }

    #[test]
    fn each_sound_has_channels_and_a_rate() {
        for (codec, first, rate) in [
            (Codec::Vorbis, vorbis(32_000), 32_000),
            (Codec::Opus, opus(0x138), 48_000),
            (Codec::Speex, speex(32_000), 32_000),
            (Codec::Flac, flac(32_000, (4_096, 4_096)), 32_000),
        ] {
            let track = track(&first);
            assert_eq!((track.kind, track.codec), (TrackKind::Audio, codec));
            assert_eq!((track.channels, track.sample_rate), (Some(2), Some(rate)), "{codec:?}");
            assert_eq!(nanos(&first, u64::from(rate)), NANOS_PER_SECOND);
        }
    }

    #[test]
    fn packets_of_sound_may_differ_in_length() {
        let of = |first: &[u8]| identify(first).map(|known| (known.packets.longest, known.packets.is_exact));
        assert_eq!(of(&vorbis(8_000)), Some((1_024, false)), "until the modes are known");
        assert_eq!(of(&speex(8_000)), Some((640, true)));
        assert_eq!(of(&flac(8_000, (4_096, 4_096))), Some((4_096, true)));
        assert_eq!(of(&flac(8_000, (16, 4_096))), Some((4_096, false)));
    }

    #[test]
    fn streams_without_a_usable_clock_are_not_read() {
        let mut still = theora_25([0; 6]);
        still[22..26].fill(0);
        let mut negative = theora_25([0; 6]);
        negative[22] = 0x80;
        let mut newer = theora_25([0; 6]);
        newer[8] = 3;
        let mut odd = vorbis(8_000);
        odd.push(0);
        let unread = [
            still,
            negative,
            newer,
            odd,
            vorbis(0),
            vorbis(1 << 31),
            speex(0),
            flac(0, (1, 1)),
            ogm(0, 1),
            ogm(NEGATIVE, 1),
            ogm(400_000, 8),
            b"\x01audio".to_vec(),
            b"CELT".to_vec(),
        ];
        for first in unread {
            assert!(identify(&first).is_none(), "{first:?}");
        }
        for first in [b"\x01text".as_slice(), b"fishead\0", b"unknown", b""] {
            assert_eq!(track(first).kind, TrackKind::Other);
        }
    }
}
