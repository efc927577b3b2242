//! Reads the first sample description of a track: codec, picture size and channels.
//!
//! Reads only a prefix of `stsd`. A longer description loses its last optional fields, nothing else. This module must
//! not depend on the track that the description belongs to.

use crate::bytes::FourCc;
use crate::bytes::{array, head, narrow, tail, u8_at, u16_be, u32_be, u64_be, wide};
use crate::codec::{CodeTable, find_code, from_video_fourcc};
use crate::sound_bytes::SoundPace;
use crate::{Codec, TrackKind};

/// A sample description contains parameter sets, and sometimes a colour profile. The codec, size, channels and pixel
/// aspect ratio are in its first bytes.
pub(super) const LONGEST: u64 = 16 * 1024;
/// The first entry follows version, flags and the number of entries.
const FIRST_ENTRY: usize = 8;
const VIDEO_CHILDREN: usize = 86;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SampleEntry {
    /// The number of descriptions. The others are only compared with the first.
    pub(super) descriptions: u32,
    /// Whether the descriptions differ in what players keep for a whole track, or cannot be read.
    pub(super) formats_differ: bool,
    pub(super) codec: Codec,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) pixel_aspect: Option<(u32, u32)>,
    pub(super) channels: Option<u16>,
    pub(super) sample_rate: Option<u32>,
    /// The bounds of the sound by its bytes.
    pub(super) pace: SoundPace,
    /// The bytes of one uncompressed sample of all channels.
    pub(super) block: u32,
    /// The samples and the bytes of a compressed frame, if all frames have the same size.
    pub(super) packed: Option<(u32, u32)>,
    pub(super) encrypted: bool,
    /// The kind of content according to the format: picture, sound or neither.
    pub(super) content: TrackKind,
    /// Whether the format may be picture or sound: it is not known to be text, time codes or measurements.
    pub(super) may_be_media: bool,
    /// The 1-based data reference of the samples.
    pub(super) reference: u16,
}

impl SampleEntry {
    /// Whether the format is known to be neither picture nor sound.
    pub(super) fn is_data(&self) -> bool {
        self.descriptions > 0 && !self.may_be_media
    }

    /// Returns the values that must not change within a track: the codec, and the size of the pictures, or the
    /// channels, clock and sample size of the sound. Players keep what the first or the last description says.
    fn played_values(&self) -> (Codec, [Option<u32>; 3]) {
        let values = match self.content {
            TrackKind::Video => [Some(self.width), Some(self.height), None],
            TrackKind::Audio => [self.channels.map(u32::from), self.sample_rate, Some(self.block)],
            TrackKind::Other => [None; 3],
        };
        (self.codec, values)
    }
}

/// Reads the entry both as video and as audio. The track's handler decides which values are used.
pub(super) fn read(body: &[u8]) -> SampleEntry {
    let Some(first) = first_of(tail(body, FIRST_ENTRY)) else { return SampleEntry::default() };
    // If an entry declares more bytes than its table has, players read the bytes after the table. Such a description
    // is not used.
    let size = u32_be(body, FIRST_ENTRY).map_or(0, u64::from);
    let is_cut = size > wide(body.len() - FIRST_ENTRY) && wide(body.len()) < LONGEST;
    let descriptions = if is_cut { 0 } else { u32_be(body, 4).unwrap_or(0) };
    SampleEntry { descriptions, formats_differ: formats_differ(body, descriptions), ..first }
}

/// Reads the first of several entries.
fn first_of(entries: &[u8]) -> Option<SampleEntry> {
    let size = u32_be(entries, 0).map_or(0, |size| narrow(u64::from(size)));
    let entry = head(entries, size);
    let format = array(entry, 4)?;
    let children = children_at(entry, format).map_or(&[][..], |at| tail(entry, at));
    let protected = child(children, *b"sinf").and_then(|sinf| child(sinf, *b"frma"));
    let is_encrypted = protected.is_some() || matches!(&format, b"encv" | b"enca");
    let format = protected.and_then(|name| array(name, 0)).unwrap_or(format);
    let (channels, sample_rate) = sound(entry);
    let codec = codec(format, children);
    let bits = sample_bits(format, entry, children);
    // The field of the rate is too small for that of some lossless sound.
    let bound_rate = sample_rate.filter(|_| !matches!(codec, Codec::Flac | Codec::Alac));
    Some(SampleEntry {
        codec,
        width: u16_be(entry, 32).map_or(0, u32::from),
        height: u16_be(entry, 34).map_or(0, u32::from),
        pixel_aspect: child(children, *b"pasp").and_then(|pasp| u32_be(pasp, 0).zip(u32_be(pasp, 4))),
        channels,
        sample_rate,
        pace: pace(codec, children).unwrap_or_else(|| SoundPace::of(codec, channels, bound_rate, bits)),
        block: if is_uncompressed(codec) { u32::from(bits.div_ceil(8)) * channels.map_or(0, u32::from) } else { 0 },
        packed: packed(entry),
        encrypted: is_encrypted,
        content: content(format, children),
        may_be_media: !is_data(format),
        reference: u16_be(entry, 14).unwrap_or(1),
        ..SampleEntry::default()
    })
}

fn formats_differ(body: &[u8], descriptions: u32) -> bool {
    let mut entries = tail(body, FIRST_ENTRY);
    let first: Option<FourCc> = array(entries, 4);
    let values = |entries| first_of(entries).map(|entry| entry.played_values());
    let first_values = values(entries);
    for _ in 0..descriptions {
        let format: Option<FourCc> = array(entries, 4);
        let Some(size) = u32_be(entries, 0).filter(|_| format.is_some() && format == first) else { return true };
        if values(entries) != first_values {
            return true;
        }
        entries = tail(entries, narrow(u64::from(size.max(8))));
    }
    false
}

fn content(format: FourCc, children: &[u8]) -> TrackKind {
    match codec(format, children) {
        // Uncompressed picture or sound: the handler says which.
        _ if is_data(format) || &format == b"raw " => TrackKind::Other,
        _ if is_audio_format(format) => TrackKind::Audio,
        Codec::Unknown => TrackKind::Other,
        _ => TrackKind::Video,
    }
}

fn is_data(format: FourCc) -> bool {
    let kinds = b"\0\0\0\0 text tx3g c608 c708 stpp wvtt sbtt subp mp4s tmcd mebx mett metx urim gpmd camm rtmd fdsc djmd dbgi \
        rtp  rrtp srtp rsrp enct encm sdsm odsm hint data qtnt rtpr ";
    kinds.chunks_exact(5).any(|known| known.starts_with(&format))
}

/// Returns where the entry's child boxes begin, which depends on its format.
fn children_at(entry: &[u8], format: FourCc) -> Option<usize> {
    if !is_audio_format(format) {
        return Some(VIDEO_CHILDREN);
    }
    match u16_be(entry, 16)? {
        0 => Some(36),
        1 => Some(52),
        _ => Some(72),
    }
}

fn sound(entry: &[u8]) -> (Option<u16>, Option<u32>) {
    if u16_be(entry, 16) == Some(2) {
        let rate = u64_be(entry, 40).map(f64::from_bits);
        let channels = u32_be(entry, 48).and_then(|count| u16::try_from(count).ok());
        return (channels, rate.and_then(whole_hertz));
    }
    let rate = u32_be(entry, 32).map(|fixed| fixed >> 16);
    (u16_be(entry, 24).filter(|count| *count > 0), rate.filter(|rate| *rate > 0))
}

/// Returns the bits of an uncompressed sample.
fn sample_bits(format: FourCc, entry: &[u8], children: &[u8]) -> u16 {
    let declared = match u16_be(entry, 16) {
        Some(2) => u32_be(entry, 56).and_then(|bits| u16::try_from(bits).ok()),
        _ => u16_be(entry, 26),
    };
    match &format {
        b"ulaw" | b"alaw" => 8,
        b"in24" => 24,
        b"in32" | b"fl32" => 32,
        b"fl64" => 64,
        b"ipcm" | b"fpcm" => child(children, *b"pcmC").and_then(|pcm| u8_at(pcm, 5)).map_or(64, u16::from),
        _ => declared.unwrap_or(0),
    }
}

fn is_uncompressed(codec: Codec) -> bool {
    matches!(codec, Codec::Pcm | Codec::Rawvideo)
}

/// Returns the samples and the bytes of a frame of compressed sound, which version 1 of a description declares.
fn packed(entry: &[u8]) -> Option<(u32, u32)> {
    u16_be(entry, 16).filter(|version| *version == 1)?;
    u32_be(entry, 36).zip(u32_be(entry, 44)).filter(|(samples, _)| *samples > 1)
}

/// Returns the bounds of AAC by its configuration (tag 5) in the decoder configuration.
fn pace(codec: Codec, children: &[u8]) -> Option<SoundPace> {
    let configuration = decoder_configuration(tail(esds(children).filter(|_| codec == Codec::Aac)?, 4))?;
    SoundPace::of_aac(descriptor(tail(configuration, 13), 5)?)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
fn whole_hertz(rate: f64) -> Option<u32> {
    (1.0..4e9).contains(&rate).then_some(rate as u32)
}

/// Returns the body of the first child box of a kind.
fn child(mut boxes: &[u8], kind: FourCc) -> Option<&[u8]> {
    loop {
        let size = narrow(u64::from(u32_be(boxes, 0)?));
        if size < 8 {
            return None;
        }
        if array(boxes, 4)? == kind {
            return Some(tail(head(boxes, size), 8));
        }
        boxes = tail(boxes, size);
    }
}

const AUDIO_CODES: &CodeTable = &[
    (b"mp4a", Codec::Aac),
    (b"enca", Codec::Unknown),
    (b"ac-3", Codec::Ac3),
    (b"ec-3", Codec::Eac3),
    (b"Opus", Codec::Opus),
    (b"fLaC", Codec::Flac),
    (b"alac", Codec::Alac),
    (b"samrsawb", Codec::Amr),
    (b"sowttwoslpcmipcmfpcmin24in32fl32fl64ulawalaw", Codec::Pcm),
    (b"raw ", Codec::Rawvideo),
    (b"ima4", Codec::Adpcm),
    (b".mp3", Codec::Mp3),
    (b"dtscdtshdtsedtsl", Codec::Dts),
    (b"mlpa", Codec::Truehd),
];
const VIDEO_CODES: &CodeTable = &[
    (b"avc1avc2avc3avc4dva1dvav", Codec::H264),
    (b"hvc1hev1hvc2dvh1dvhe", Codec::Hevc),
    (b"vvc1vvi1", Codec::Vvc),
    (b"vp08", Codec::Vp8),
    (b"vp09", Codec::Vp9),
    (b"mp4v", Codec::Mpeg4),
    (b"jpegmjpamjpbmjpg", Codec::Mjpeg),
    (b"apcnapchapcsapcoap4hap4x", Codec::Prores),
    (b"AVdnAVdh", Codec::Dnxhd),
    (b"m2v1xdvbxdv2xdv3mx5p", Codec::Mpeg2video),
];

fn is_audio_format(format: FourCc) -> bool {
    find_code(AUDIO_CODES, format).is_some()
}

fn codec(format: FourCc, children: &[u8]) -> Codec {
    let plain = find_code(AUDIO_CODES, format).or_else(|| find_code(VIDEO_CODES, format));
    match plain.unwrap_or_else(|| from_video_fourcc(format)) {
        plain if matches!(&format, b"mp4a" | b"mp4v") => object_type(children, plain),
        plain => plain,
    }
}

/// Returns the elementary stream descriptor. `QuickTime` wraps it in a `wave` box.
fn esds(children: &[u8]) -> Option<&[u8]> {
    child(children, *b"esds").or_else(|| child(children, *b"wave").and_then(|wave| child(wave, *b"esds")))
}

/// Returns the codec that `esds` declares for `mp4a` and `mp4v`.
fn object_type(children: &[u8], plain: Codec) -> Codec {
    match esds(children).and_then(|body| decoder_configuration(tail(body, 4))).and_then(|body| u8_at(body, 0)) {
        Some(0x60..=0x65) => Codec::Mpeg2video,
        Some(0x6A) => Codec::Mpeg1video,
        Some(0x6C) => Codec::Mjpeg,
        Some(0x69 | 0x6B) => Codec::Mp3,
        Some(0xA5) => Codec::Ac3,
        Some(0xA6) => Codec::Eac3,
        Some(0xA9) => Codec::Dts,
        Some(0xDD) => Codec::Vorbis,
        _ => plain,
    }
}

/// Returns the decoder configuration (tag 4) in the elementary stream descriptor (tag 3).
fn decoder_configuration(descriptors: &[u8]) -> Option<&[u8]> {
    let outer = descriptor(descriptors, 3)?;
    let flags = u8_at(outer, 2)?;
    let depends = usize::from(flags & 0x80 != 0) * 2;
    let url = if flags & 0x40 == 0 { 0 } else { 1 + usize::from(u8_at(outer, 3 + depends)?) };
    let clock = usize::from(flags & 0x20 != 0) * 2;
    descriptor(tail(outer, 3 + depends + url + clock), 4)
}

/// Returns the body of a descriptor. Its length is encoded in up to four bytes of seven bits each.
fn descriptor(bytes: &[u8], tag: u8) -> Option<&[u8]> {
    if u8_at(bytes, 0)? != tag {
        return None;
    }
    let length = (1..=4).find(|at| u8_at(bytes, *at).is_some_and(|byte| byte & 0x80 == 0))?;
    Some(tail(bytes, length + 1))
}

#[cfg(test)]
mod tests;
