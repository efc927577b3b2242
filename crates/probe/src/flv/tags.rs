//! The audio and video tags: codecs, picture size and timestamps.
//!
//! This module must not depend on the positions of the tags in the file.

use super::script::ScriptMetadata;
use crate::bytes::{array, narrow, tail, u8_at, u24_be, u32_be};
use crate::ends::{LeastTime, least_time};
use crate::picture;
use crate::sound_bytes::{SoundAmount, SoundPace, outlasts};
use crate::time::rate;
use crate::timeline::{TimedFrame, Timeline};
use crate::{Codec, Container, FileRefusal, MediaTrack, TrackKind};

pub(super) const AUDIO: u8 = 8;
pub(super) const VIDEO: u8 = 9;
pub(super) const SCRIPT: u8 = 18;
/// Players assume that the clock has wrapped around if a time is more than a minute before the first.
const BEFORE_BEGINNING_MS: i64 = 60_000;
/// Sound and pictures are interleaved within less than this. Encoders of slow pictures hold many of them back.
const FARTHEST_BACK_MS: i64 = 60_000;
/// A cut tag behind the last one may be later than it by this much.
const LONGEST_LATE_MS: i64 = 1000;
/// Tags carry decoding times, and are in decoding order within a track.
const JITTER_MS: i64 = 1000;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct MediaTags {
    sound: Option<MediaTrack>,
    picture: Option<MediaTrack>,
    sound_times: Timeline,
    picture_times: Timeline,
    /// The bounds of AAC by its configuration.
    aac: Option<SoundPace>,
    /// The least time for which the sound plays, in nanoseconds.
    sound_nanos: u64,
    /// The time of the first frame, and the earliest time relative to it.
    first: Option<i64>,
    earliest: i64,
    /// The numbers of the codecs.
    sound_format: Option<u8>,
    picture_format: Option<u32>,
    /// The first reason why the pictures or the sound cannot be judged.
    objection: Option<Objection>,
    /// Whether MPEG-4 pictures were configured.
    has_configuration: bool,
    /// The latest time of a frame so far, and the longest step back from it, in milliseconds.
    latest: i64,
    farthest_back: i64,
}

/// A reason why the pictures or the sound cannot be judged.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
enum Objection {
    /// A tag is too short for what its codec requires. Players stop reading the file there.
    ShortTag,
    /// The codec changes. Players decode each as a separate track, or only one of them.
    OtherPictures,
    OtherSound,
    /// Players have no decoder for it.
    UnknownCodec,
}

impl MediaTags {
    /// Reads a sound tag of `size` bytes, of which `body` has the first ones.
    pub(super) fn sound(&mut self, frame: TimedFrame, size: u32, body: &[u8]) {
        let Some(flags) = u8_at(body, 0) else { return };
        // The first AAC packet holds the configuration, not audio.
        let format = flags >> 4;
        let codec = sound_codec(format);
        // Some servers begin with a tag of a single byte, which holds no sound.
        if size > 1 {
            let is_other = *self.sound_format.get_or_insert(format) != format;
            self.object(is_other, Objection::OtherSound);
            self.object(matches!(format, 9 | 12 | 13 | 15), Objection::UnknownCodec);
        }
        if codec == Codec::Aac && u8_at(body, 1) == Some(0) {
            self.aac = SoundPace::of_aac(tail(body, 2));
        } else {
            let pace = self.aac.filter(|_| codec == Codec::Aac).unwrap_or_else(|| sound_pace(flags));
            let bytes = u64::from(size.saturating_sub(2));
            let least = pace.least(SoundAmount { packets: u64::from(bytes > 0), bytes, opus: 0 });
            self.sound_nanos = self.sound_nanos.saturating_add(least);
            if size > 1 + u32::from(codec == Codec::Aac) {
                self.sound_times.observe(frame, JITTER_MS);
                self.note_time(frame.order, frame.at);
            }
        }
        self.sound.get_or_insert_with(|| MediaTrack {
            kind: TrackKind::Audio,
            codec,
            channels: Some(1 + u16::from(flags & 1)),
            sample_rate: Some(44_100 >> (3 - ((flags >> 2) & 3))),
            ..MediaTrack::default()
        });
    }

    /// Reads a video tag of `size` bytes, of which `body` has the first ones.
    pub(super) fn picture(&mut self, frame: TimedFrame, size: u32, body: &[u8]) {
        let Some(flags) = u8_at(body, 0) else { return };
        let packet = VideoPacket::read(flags, size, body);
        self.object(packet.is_broken, Objection::ShortTag);
        if size > 1 && !is_command(flags) {
            self.object(!packet.is_known, Objection::UnknownCodec);
            let is_other = *self.picture_format.get_or_insert(packet.format) != packet.format;
            self.object(is_other, Objection::OtherPictures);
        }
        // Players take a second configuration of MPEG-4 for a frame.
        let configures = packet.codec == Codec::Mpeg4 && packet.configuration.is_some() && size > COMPOSED_HEADER;
        let is_second = configures && self.has_configuration;
        self.has_configuration |= configures;
        if packet.is_frame || is_second {
            let at = frame.at.saturating_add(packet.composition);
            self.picture_times.observe(TimedFrame { at, ..frame }, JITTER_MS);
            // A composition time may follow the name of the codec.
            let is_empty = |header: u32| {
                picture::is_empty(packet.codec, tail(body, narrow(header.into())), size.saturating_sub(header).into())
            };
            if [COMPOSED_HEADER, NAMED_HEADER].into_iter().any(is_empty) {
                self.picture_times.note_empty();
            }
            self.note_time(frame.order, at);
        }
        let track = self.picture.get_or_insert_with(|| MediaTrack {
            kind: TrackKind::Video,
            codec: packet.codec,
            ..MediaTrack::default()
        });
        if track.width.is_none()
            && let Some((width, height)) = packet.size(body)
        {
            track.set_size(width, height);
        }
    }

    /// Records the tag time and the presentation time of a frame. Some players interpret a negative tag time as 49
    /// days.
    fn note_time(&mut self, stored: i64, shown: i64) {
        let first = *self.first.get_or_insert(stored);
        let distance = if stored < 0 { i64::MIN } else { shown.min(stored).saturating_sub(first) };
        self.earliest = self.earliest.min(distance);
        self.latest = self.latest.max(stored);
        self.farthest_back = self.farthest_back.max(self.latest.saturating_sub(stored));
    }

    /// Whether a frame is stored long after a frame with a later time. Players do not begin a new clock there.
    pub(super) fn go_back(&self) -> bool {
        self.farthest_back > FARTHEST_BACK_MS || self.timelines().any(|times| times.jumps_back() > 0)
    }

    fn object(&mut self, objects: bool, objection: Objection) {
        self.objection = self.objection.or(objects.then_some(objection));
    }

    /// Returns why the pictures or the sound so far cannot be judged.
    pub(super) fn refusal(&self) -> Option<FileRefusal> {
        let container = Container::Flv;
        let what = match self.objection? {
            Objection::ShortTag => "players end at a picture that is too short",
            Objection::OtherPictures => "its pictures have several codecs",
            Objection::OtherSound => "its sound has several codecs",
            Objection::UnknownCodec => {
                let what = "it holds pictures or sound in a format that is not read";
                return Some(FileRefusal::Unsupported { container, what });
            }
        };
        Some(FileRefusal::Ambiguous { container, what })
    }

    /// Whether players add a tag with these flags and this time to the pictures or the sound, and play on to that time.
    pub(super) fn would_go_on(&self, kind: u8, flags: u8, time: i64) -> bool {
        let is_same = match kind {
            AUDIO => self.sound_format == Some(flags >> 4),
            _ => self.picture_format == Some(u32::from(flags & 0x0F)) && !is_command(flags),
        };
        is_same && time > self.latest.saturating_add(LONGEST_LATE_MS)
    }

    /// Whether the sound plays for longer than its times say.
    pub(super) fn have_hidden_sound(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> bool {
        outlasts(self.sound_nanos, nanos(self.sound_times.length(guess)))
    }

    /// Returns how long the frames without a picture last together, in milliseconds.
    pub(super) fn empty_span(&self) -> u64 {
        self.picture_times.empty_span()
    }

    /// Whether a frame has a time far before the first frame's.
    pub(super) fn go_back_before_beginning(&self) -> bool {
        self.earliest < -BEFORE_BEGINNING_MS
    }

    pub(super) fn has_picture(&self) -> bool {
        self.picture.is_some()
    }

    pub(super) fn timelines(&self) -> impl Iterator<Item = &Timeline> + Clone {
        [&self.picture_times, &self.sound_times].into_iter()
    }

    /// Returns the playing time without the last picture and the last frame of sound.
    pub(super) fn least(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<LeastTime> {
        let tracks = [(&self.picture, &self.picture_times), (&self.sound, &self.sound_times)];
        let played = tracks.into_iter().filter(|(_, times)| times.frames() > 0);
        let ends: Option<Vec<_>> = played.map(|(track, times)| times.ends(track.as_ref()?, guess, &nanos)).collect();
        least_time(ends?.into_iter())
    }

    pub(super) fn require_video(&self) -> Result<(), FileRefusal> {
        let container = Container::Flv;
        match (&self.picture, &self.sound) {
            (Some(_), _) => Ok(()),
            (None, Some(_)) => Err(FileRefusal::AudioOnly { container }),
            (None, None) => Err(FileRefusal::NoTracks { container }),
        }
    }

    pub(super) fn describe(&self, metadata: &ScriptMetadata, length: u64) -> Vec<MediaTrack> {
        let mut picture = self.picture.clone();
        if let Some(track) = &mut picture {
            if let (None, Some(size)) = (track.width, declared_size(metadata)) {
                track.set_size(size.0, size.1);
            }
            let counted = rate(self.picture_times.frames(), length);
            track.frame_rate = metadata.frame_rate.filter(|rate| *rate > 0.0).or(counted);
        }
        picture.into_iter().chain(self.sound.clone()).collect()
    }
}

/// The declarations in the first bytes of a video tag.
struct VideoPacket {
    codec: Codec,
    /// The number or the name of the codec, and whether players have a decoder for it.
    format: u32,
    is_known: bool,
    /// Whether the tag holds a frame, not a configuration or an end marker.
    is_frame: bool,
    /// Whether it is too short for the fields that its codec requires. Players stop reading the file there.
    is_broken: bool,
    /// The time from decoding the frame to showing it, in milliseconds.
    composition: i64,
    /// The start of the configuration record.
    configuration: Option<usize>,
}

impl VideoPacket {
    fn read(flags: u8, size: u32, body: &[u8]) -> Self {
        let plain = Self::read_plain(flags, size, body);
        if flags & 0x80 == 0 {
            return plain;
        }
        // Players that do not know the extension read the byte in the old way.
        let extended = Self::read_extended(flags & 0x0F, body);
        let is_frame = extended.is_frame || plain.is_frame;
        Self { is_frame, composition: extended.composition.max(plain.composition), ..extended }
    }

    fn read_plain(flags: u8, size: u32, body: &[u8]) -> Self {
        let codec = match flags & 0x0F {
            2 => Codec::Flv1,
            4 | 5 => Codec::Vp6,
            7 => Codec::H264,
            9 => Codec::Mpeg4,
            _ => Codec::Unknown,
        };
        let configured = matches!(codec, Codec::H264 | Codec::Mpeg4);
        // Players treat every type but 0 as a frame, if it is not empty.
        let holds_frame = u8_at(body, 1).is_some_and(|kind| kind != 0) && size > COMPOSED_HEADER;
        let is_command = is_command(flags);
        Self {
            codec,
            format: u32::from(flags & 0x0F),
            is_known: matches!(flags & 0x0F, 2..=9),
            is_frame: !is_command && if configured { holds_frame } else { size > 1 },
            is_broken: !is_command && configured && size < COMPOSED_HEADER,
            composition: if configured { composition(body, 2) } else { 0 },
            configuration: (configured && u8_at(body, 1) == Some(0)).then_some(5),
        }
    }

    /// Enhanced RTMP: the first byte holds the packet type, and a `FourCC` names the codec.
    fn read_extended(kind: u8, body: &[u8]) -> Self {
        let codec = crate::codec::from_video_fourcc(array(body, 1).unwrap_or_default());
        let is_composed = kind == 1 && matches!(codec, Codec::H264 | Codec::Hevc);
        Self {
            codec,
            format: u32_be(body, 1).unwrap_or(0),
            is_known: true,
            is_frame: matches!(kind, 1 | 3),
            is_broken: false,
            composition: if is_composed { composition(body, 5) } else { 0 },
            configuration: (kind == 0).then_some(5),
        }
    }

    fn size(&self, body: &[u8]) -> Option<(u32, u32)> {
        let record = tail(body, self.configuration?);
        match self.codec {
            Codec::H264 => picture::h264_configuration(record),
            _ => None,
        }
    }
}

/// Whether a picture tag is a command to the player.
fn is_command(flags: u8) -> bool {
    flags >> 4 == 5
}

/// The codec, the packet type and the composition time; or the packet type and the name of the codec.
const COMPOSED_HEADER: u32 = 5;
/// The packet type, the name of the codec and the composition time.
const NAMED_HEADER: u32 = 8;

/// Reads a signed time of 24 bits.
fn composition(body: &[u8], at: usize) -> i64 {
    u24_be(body, at).map_or(0, |time| i64::from((time << 8).cast_signed() >> 8))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
fn declared_size(metadata: &ScriptMetadata) -> Option<(u32, u32)> {
    let whole = |length: f64| (1.0..65_536.0).contains(&length).then_some(length as u32);
    whole(metadata.width?).zip(whole(metadata.height?))
}

/// Returns the bounds of sound with these flags.
fn sound_pace(flags: u8) -> SoundPace {
    let codec = sound_codec(flags >> 4);
    let (rate, bits) = match flags >> 4 {
        7 | 8 => (8_000, 8),
        _ => (44_100 >> (3 - (flags >> 2 & 3)), 8 << (flags >> 1 & 1)),
    };
    SoundPace::of(codec, Some(1 + u16::from(flags & 1)), Some(rate), bits)
}

fn sound_codec(format: u8) -> Codec {
    match format {
        0 | 3 | 7 | 8 => Codec::Pcm,
        1 => Codec::Adpcm,
        2 | 14 => Codec::Mp3,
        10 => Codec::Aac,
        11 => Codec::Speex,
        _ => Codec::Unknown,
    }
}

#[cfg(test)]
mod tests;
