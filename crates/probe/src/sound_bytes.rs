//! The least time for which coded sound plays, by the number and the bytes of its packets.
//!
//! Players decode packets as a whole, whatever the container says about their times. So sound whose times are squeezed,
//! or that has many frames in a packet, plays for longer than declared. A packet holds at least one frame of its codec,
//! and a second of sound takes only so many bytes. This module must not depend on any container.

use crate::Codec;
use crate::bytes::{tail, u8_at, u16_be, u16_le, u32_be, u32_le};
use crate::codec::from_wave_format;
use crate::time::{NANOS_PER_MILLI, NANOS_PER_SECOND, nanos, scaled};

/// Sound may play for longer than its times say, because of its last packet and of packets that only start the decoder.
const SURPLUS: u64 = NANOS_PER_SECOND;
/// Recorders' clocks drift. Sound may play for longer by one part in this many, besides [`SURPLUS`].
const DRIFT: u64 = 32;
/// The highest sample rate of AAC, assumed if its configuration is missing.
const FASTEST_AAC: u32 = 96_000;
/// Announces a larger number of a kind of AAC, which moves all other values.
const LARGER_KIND: u16 = 31;
/// More channels than AAC is used with, assumed if its configuration does not give their number.
const MOST_CHANNELS: u64 = 16;
/// The shortest packet of Opus.
const SHORTEST_OPUS: u64 = NANOS_PER_MILLI * 5 / 2;
const LONGEST_OPUS: u64 = 120 * NANOS_PER_MILLI;

/// The coded sound of a track.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SoundAmount {
    pub(crate) packets: u64,
    pub(crate) bytes: u64,
    /// The playing time of the packets if they are of Opus, as far as it is known, in nanoseconds.
    pub(crate) opus: u64,
}

impl SoundAmount {
    pub(crate) fn add(&mut self, other: Self) {
        self.packets = self.packets.saturating_add(other.packets);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.opus = self.opus.saturating_add(other.opus);
    }
}

/// The bounds of a codec at a sample rate.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct SoundPace {
    /// The shortest packet in nanoseconds.
    packet: u64,
    /// The most bytes of a second. Zero means that they are unknown.
    bytes_per_second: u64,
    is_opus: bool,
}

impl SoundPace {
    /// Returns the bounds of a codec. `bits` is the size of an uncompressed sample. The frames of MP3, AC-3 and the
    /// like have their own rate, which the container need not know, so the shortest frame at the highest rate counts.
    pub(crate) fn of(codec: Codec, channels: Option<u16>, rate: Option<u32>, bits: u16) -> Self {
        let samples_per_second = u64::from(rate.unwrap_or(0)).saturating_mul(channels.map_or(0, u64::from));
        let frame = |samples, fastest| nanos(samples, fastest).unwrap_or(0);
        let (packet, bytes_per_second) = match codec {
            // Uncompressed sound in QuickTime has the name of uncompressed pictures. Samples are whole bytes.
            Codec::Pcm | Codec::Rawvideo => (0, samples_per_second.saturating_mul(u64::from(bits.div_ceil(8)))),
            // A sample has at most five bits. Six allow for the headers of short blocks.
            Codec::Adpcm => (0, samples_per_second.saturating_mul(3) / 4),
            // A sample has at most 32 bits. Forty allow for the headers of short frames.
            Codec::Flac | Codec::Alac | Codec::Wma => (0, samples_per_second.saturating_mul(5)),
            // Frames of 1,152 samples, or 576 below 32 kHz. Layer I has 448 kbit/s.
            Codec::Mp3 => (frame(1152, 48_000), 56_000),
            // May be of layer I.
            Codec::Mp2 => (frame(384, 48_000), 56_000),
            // 640 kbit/s, in frames of whole words.
            Codec::Ac3 => (frame(1536, 48_000), 81_000),
            // A frame may have one block of 256 samples instead of six.
            Codec::Eac3 => (frame(256, 48_000), 768_000),
            Codec::Dts => (frame(192, 192_000), 0),
            // 1,275 bytes for each frame of two channels.
            Codec::Opus => (SHORTEST_OPUS, 510_000 * channels.map_or(2, u64::from)),
            Codec::Amr => (20 * NANOS_PER_MILLI, 3_100),
            Codec::Speex => (20 * NANOS_PER_MILLI, 6_000),
            // Shorter frames need a configuration.
            Codec::Aac => return Self::of_aac_frames(1024, FASTEST_AAC, MOST_CHANNELS),
            // A twelve-hundredth of a second, of at most 4,095 words.
            Codec::Truehd => (frame(40, 48_000), 1_200 * 8_190),
            _ => (0, 0),
        };
        Self { packet, bytes_per_second, is_opus: codec == Codec::Opus }
    }

    /// Returns the bounds of AAC from its `AudioSpecificConfig`, or `None` if the configuration is invalid.
    pub(crate) fn of_aac(config: &[u8]) -> Option<Self> {
        let start = u16_be(config, 0)?;
        let kind = start >> 11;
        if kind == LARGER_KIND {
            return Some(Self::of_aac_frames(480, FASTEST_AAC, MOST_CHANNELS));
        }
        let (rate, rest) = match start >> 7 & 0xF {
            // The rate is given in 24 bits.
            15 => (u32_be(config, 1)? >> 7 & 0xFF_FFFF, u32::from(u8_at(config, 4)?) >> 2 & 0x1F),
            index => (*AAC_RATES.get(usize::from(index))?, u32::from(start) >> 2 & 0x1F),
        };
        let samples = match kind {
            // The last of these bits says that frames have 960 samples.
            2 if rest & 1 == 0 => 1024,
            1..=5 | 29 => 960,
            _ => 480,
        };
        let channels = match rest >> 1 {
            count @ 1..=6 => u64::from(count),
            7 => 8,
            _ => MOST_CHANNELS,
        };
        (kind > 0 && rate > 0).then(|| Self::of_aac_frames(samples, rate, channels))
    }

    /// A frame has at most 6,144 bits for each channel.
    fn of_aac_frames(samples: u64, rate: u32, channels: u64) -> Self {
        let bytes_per_second = scaled(u64::from(rate), 768 * channels, samples).unwrap_or(0);
        Self { packet: nanos(samples, u64::from(rate)).unwrap_or(0), bytes_per_second, is_opus: false }
    }

    /// Returns the bounds of Vorbis from the private data of Matroska, which begins with the number and the lengths of
    /// the headers, and the first header. A packet completes at least half of a short block.
    pub(crate) fn of_vorbis(private: &[u8]) -> Option<Self> {
        let longer = tail(private, 2).iter().take_while(|length| **length == 255).count();
        let header = tail(private, 3 + longer);
        let rate = u32_le(header, 12).filter(|rate| *rate > 0 && header.starts_with(b"\x01vorbis"))?;
        let block = 1_u64 << (u8_at(header, 28)? & 0xF);
        let channels = u8_at(header, 11).map(u16::from);
        Some(Self { packet: nanos(block / 2, u64::from(rate))?, ..Self::of(Codec::Flac, channels, Some(rate), 0) })
    }

    /// Returns the bounds by a `WAVEFORMATEX`.
    pub(crate) fn of_wave(format: &[u8]) -> Self {
        let number = |at| u16_le(format, at).unwrap_or(0);
        // The long form has the codec at the end.
        let tag = u16_le(format, 24).filter(|_| number(0) == 0xFFFE).unwrap_or(number(0));
        let (codec, rate) = (from_wave_format(tag), u32_le(format, 4));
        // The short form and G.711 have bytes.
        let bits = u16_le(format, 14).filter(|_| !matches!(tag, 6 | 7)).unwrap_or(8);
        let by_header = Self::of(codec, Some(number(2)), rate, bits);
        match tag {
            // The first two versions of WMA decode a block at a time. It holds at least one frame.
            0x0160 | 0x0161 => {
                let frame = match rate.unwrap_or(0) {
                    0..=16_000 => 512,
                    16_001..=32_000 => 1024,
                    _ => 2048,
                };
                let bytes_per_second = scaled(u64::from(number(12)), u64::from(rate.unwrap_or(0)), frame).unwrap_or(0);
                Self { bytes_per_second, ..by_header }
            }
            _ => Self::of_aac(tail(format, 18)).filter(|_| codec == Codec::Aac).unwrap_or(by_header),
        }
    }

    /// Returns the least time in nanoseconds for which sound plays.
    pub(crate) fn least(self, sound: SoundAmount) -> u64 {
        let by_packets = sound.packets.saturating_mul(self.packet);
        let by_bytes = nanos(sound.bytes, self.bytes_per_second).unwrap_or(0);
        by_packets.max(by_bytes).max(if self.is_opus { sound.opus } else { 0 })
    }
}

/// Whether sound that plays for at least `least` nanoseconds is longer than its times allow.
pub(crate) fn outlasts(least: u64, declared: u64) -> bool {
    least > declared.saturating_add(declared / DRIFT).saturating_add(SURPLUS)
}

/// Returns how long a packet of Opus plays, from its first bytes.
pub(crate) fn opus_nanos(packet: &[u8]) -> u64 {
    let Some(head) = u8_at(packet, 0) else { return 0 };
    let frame = match head >> 3 {
        kind @ 0..12 => [4, 8, 16, 24].get(usize::from(kind & 3)),
        kind @ 12..16 => [4, 8].get(usize::from(kind & 1)),
        kind => [1, 2, 4, 8].get(usize::from(kind & 3)),
    };
    let frames = match head & 3 {
        0 => 1,
        3 => u8_at(packet, 1).unwrap_or(0) & 0x3F,
        _ => 2,
    };
    (frame.unwrap_or(&0) * u64::from(frames) * SHORTEST_OPUS).min(LONGEST_OPUS)
}

const AAC_RATES: [u32; 13] =
    [96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350];

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(pace: SoundPace, packets: u64, bytes: u64) -> u64 {
        pace.least(SoundAmount { packets, bytes, opus: 0 }) / NANOS_PER_SECOND
    }

    #[test]
    fn a_packet_holds_at_least_one_frame() {
        let of = |codec, rate| seconds(SoundPace::of(codec, Some(2), rate, 16), 1_000, 0);
        assert_eq!([of(Codec::Mp3, Some(44_100)), of(Codec::Mp3, Some(8_000)), of(Codec::Mp3, None)], [24; 3]);
        assert_eq!([of(Codec::Ac3, Some(32_000)), of(Codec::Eac3, Some(48_000)), of(Codec::Dts, None)], [32, 5, 1]);
        assert_eq!([of(Codec::Amr, Some(8_000)), of(Codec::Speex, None), of(Codec::Opus, None)], [20, 20, 2]);
        assert_eq!([of(Codec::Aac, Some(8_000)), of(Codec::Mp2, Some(48_000)), of(Codec::Vorbis, None)], [10, 8, 0]);
        assert_eq!(seconds(SoundPace::of(Codec::Truehd, None, None, 0), 12_000, 0), 9);
    }

    #[test]
    fn a_second_has_at_most_the_bytes_of_the_highest_bit_rate() {
        let of = |codec| seconds(SoundPace::of(codec, Some(2), Some(48_000), 16), 1, 19_200_000);
        assert_eq!([of(Codec::Pcm), of(Codec::Rawvideo), of(Codec::Flac), of(Codec::Adpcm)], [100, 100, 40, 266]);
        assert_eq!([of(Codec::Mp3), of(Codec::Ac3), of(Codec::Eac3), of(Codec::Opus)], [342, 237, 25, 18]);
        assert_eq!([of(Codec::Vorbis), of(Codec::Dts), of(Codec::Aac)], [0, 0, 16]);
        assert_eq!([of(Codec::Wma), of(Codec::Truehd)], [40, 1]);
        let of = |bits| seconds(SoundPace::of(Codec::Pcm, Some(2), Some(48_000), bits), 1, 57_600_000);
        assert_eq!([of(24), of(20), of(0)], [200, 200, 0], "samples of whole bytes");
        assert_eq!(seconds(SoundPace::of(Codec::Pcm, None, Some(48_000), 16), 1, 19_200_000), 0, "no channels");
        assert_eq!(seconds(SoundPace::of(Codec::Pcm, Some(2), None, 16), 1, 19_200_000), 0, "no rate");
    }

    #[test]
    fn the_configuration_of_aac_gives_its_frames() {
        let of = |config: &[u8]| SoundPace::of_aac(config).map(|pace| (pace.packet / 1000, pace.bytes_per_second));
        assert_eq!(of(&[0x12, 0x10]), Some((23_219, 66_150)), "LC at 44,100 Hz with two channels");
        assert_eq!(of(&[0x12, 0x14]), Some((21_768, 70_560)), "frames of 960 samples");
        assert_eq!(of(&[0x2B, 0x92, 0x08, 0x00]), Some((43_537, 35_280)), "spectral band replication of 22,050 Hz");
        assert_eq!(of(&[0xBB, 0x08]), Some((20_000, 38_400)), "low delay at 24,000 Hz with one channel");
        assert_eq!(of(&[0x17, 0x80, 0x0F, 0xA0, 0x38]), Some((128_000, 48_000)), "8,000 Hz with eight channels");
        assert_eq!(of(&[0x12, 0x00]), Some((23_219, 16 * 33_075)), "channels in an element");
        assert_eq!(of(&[0xF8, 0xEC, 0x20]), Some((5_000, 16 * 153_600)), "a kind with a larger number");
        assert_eq!([of(&[0x12]), of(&[0, 0]), of(&[0x16, 0x90])], [None; 3]);
    }

    #[test]
    fn the_first_header_of_vorbis_gives_its_shortest_packets() {
        let header = [&b"\x01vorbis\0\0\0\0\x02"[..], &48_000_u32.to_le_bytes(), &[0; 12], &[0xB8, 1]].concat();
        let of = |lengths: &[u8]| SoundPace::of_vorbis(&[&[2, 30], lengths, &header].concat());
        let pace = SoundPace { packet: 2_666_666, bytes_per_second: 480_000, is_opus: false };
        assert_eq!([of(&[9]), of(&[255, 255, 0]), of(&[]), of(&[255])], [Some(pace), Some(pace), None, None]);
    }

    #[test]
    fn a_block_of_wma_holds_a_frame() {
        let bytes = |tag: u8, rate: u32| {
            let format = [&[tag, 1, 2, 0][..], &rate.to_le_bytes(), &[0; 4], &[0, 4, 16, 0]].concat();
            SoundPace::of_wave(&format).bytes_per_second
        };
        assert_eq!([bytes(0x60, 16_000), bytes(0x61, 32_000), bytes(0x61, 48_000)], [32_000, 32_000, 24_000]);
        assert_eq!([bytes(0x62, 48_000), bytes(0x63, 48_000)], [480_000; 2], "other versions");
    }

    #[test]
    fn packets_of_opus_say_how_long_they_play() {
        let tenths = |packet: &[u8]| opus_nanos(packet) / (NANOS_PER_MILLI / 10);
        assert_eq!([tenths(&[0x18]), tenths(&[0x19]), tenths(&[0x63, 3]), tenths(&[0x6B, 2])], [600, 1200, 300, 400]);
        assert_eq!(
            [tenths(&[0x80]), tenths(&[0x9A]), tenths(&[0x83, 0xC8]), tenths(&[0x9B, 63])],
            [25, 400, 200, 1200]
        );
        assert_eq!([tenths(&[]), tenths(&[0x03])], [0, 0]);
        let amount = SoundAmount { packets: 1, bytes: 1, opus: 5 * NANOS_PER_SECOND };
        let least = |codec| SoundPace::of(codec, Some(2), Some(48_000), 16).least(amount) / NANOS_PER_SECOND;
        assert_eq!([least(Codec::Opus), least(Codec::Aac)], [5, 0]);
    }

    #[test]
    fn sound_may_last_a_second_longer_than_declared_and_drift() {
        let outlasts = |least, declared| outlasts(least * NANOS_PER_SECOND, declared * NANOS_PER_SECOND);
        assert!(!outlasts(3, 2) && outlasts(4, 2) && !outlasts(67, 64) && outlasts(68, 64));
    }

    #[test]
    fn amounts_add_up_and_saturate() {
        let mut sum = SoundAmount { packets: 1, bytes: 2, opus: u64::MAX };
        sum.add(SoundAmount { packets: 3, bytes: 4, opus: 5 });
        assert_eq!(sum, SoundAmount { packets: 4, bytes: 6, opus: u64::MAX });
    }

    #[test]
    fn wave_formats_have_a_rate_and_a_size() {
        let format = |tag: u8, extra: &[u8]| {
            [&[tag, 0, 2, 0, 0x80, 0xBB, 0, 0, 0, 0, 0, 0, 4, 0, 16, 0, 2, 0][..], extra].concat()
        };
        assert_eq!(SoundPace::of_wave(&format(1, &[])).bytes_per_second, 192_000);
        assert_eq!(Some(SoundPace::of_wave(&format(0xFF, &[0x12, 0x10]))), SoundPace::of_aac(&[0x12, 0x10]));
        assert_eq!(SoundPace::of_wave(&format(0x55, &[0x12, 0x10])).packet, 24 * NANOS_PER_MILLI);
        assert_eq!(SoundPace::of_wave(&[]), SoundPace::default());
    }
}
