//! The tracks of a Matroska file: their descriptions, and the timestamps of their blocks.
//!
//! This module must not depend on where the elements lie in the file.

use super::element::{ElementId, float, unsigned};
use super::ids;
use super::text;
use crate::bytes::array;
use crate::codec;
use crate::ends::{LeastTime, least_time};
use crate::picture;
use crate::reconcile::ObservedSpan;
use crate::sound_bytes::{SoundAmount, SoundPace, outlasts};
use crate::time::rate;
use crate::timeline::{TimedFrame, Timeline, combined_span, proven};
use crate::{Codec, Container, FileRefusal, MediaTrack, TrackKind};

const MAX_TRACKS: usize = 64;
const PIXELS: u64 = 0;
/// The sample rate of sound that declares none.
const DEFAULT_SAMPLE_RATE: u32 = 8_000;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
struct TrackEntry {
    number: u64,
    kind: TrackKind,
    codec: Codec,
    /// Nanoseconds per frame.
    frame_duration: Option<u64>,
    coded_size: (u32, u32),
    display_size: (Option<u32>, Option<u32>),
    display_unit: u64,
    roll: f64,
    channels: Option<u16>,
    sample_rate: Option<f64>,
    encrypted: bool,
    /// The bits of an uncompressed sample of sound.
    bits: Option<u16>,
    /// The bounds of sound by the private data, if that is the configuration of AAC or Vorbis, or a format of AVI.
    configured: Option<SoundPace>,
    wave: SoundPace,
    /// The number of ways in which the container compresses or encrypts its frames.
    encodings: u64,
    timeline: Timeline,
    /// Whether its blocks came before its description.
    is_late: bool,
    is_stretched: bool,
}

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct MatroskaTracks {
    entries: Vec<TrackEntry>,
    /// The times of tracks that are not described yet.
    strays: Vec<(u64, Timeline)>,
    blocks_came_first: bool,
    has_blocks: bool,
    /// Whether the description of the first track follows the first block.
    are_late: bool,
}

impl MatroskaTracks {
    pub(super) fn begin(&mut self) -> Result<(), FileRefusal> {
        if self.entries.len() >= MAX_TRACKS {
            return Err(FileRefusal::MetadataTooLarge { what: "more than 64 tracks" });
        }
        self.blocks_came_first |= self.has_blocks;
        self.are_late |= self.has_blocks && self.entries.is_empty();
        self.entries.push(TrackEntry { number: u64::MAX, ..TrackEntry::default() });
        Ok(())
    }

    pub(super) fn are_described(&self) -> bool {
        !self.entries.is_empty()
    }

    pub(super) fn is_described(&self, number: u64) -> bool {
        self.entries.iter().any(|entry| entry.number == number)
    }

    /// Whether the description of the first track follows the first block.
    pub(super) fn are_late(&self) -> bool {
        self.are_late
    }

    /// Whether a track's times are stretched.
    pub(super) fn are_stretched(&self) -> bool {
        self.entries.iter().any(|entry| entry.is_stretched)
    }

    pub(super) fn precede_blocks(&self) -> bool {
        !self.blocks_came_first
    }

    pub(super) fn has(&self, kind: TrackKind) -> bool {
        self.entries.iter().any(|entry| entry.kind == kind)
    }

    pub(super) fn require_video(&self, container: Container) -> Result<(), FileRefusal> {
        if self.has(TrackKind::Video) {
            Ok(())
        } else if self.has(TrackKind::Audio) {
            Err(FileRefusal::AudioOnly { container })
        } else {
            Err(FileRefusal::NoTracks { container })
        }
    }

    /// Reads a value of the most recent track entry.
    pub(super) fn absorb(&mut self, id: ElementId, value: &[u8]) {
        let Some(entry) = self.entries.last_mut() else {
            return;
        };
        let number = unsigned(value);
        let short = u32::try_from(number).unwrap_or(0);
        match id {
            ids::TRACK_NUMBER => {
                entry.number = number;
                if let Some(at) = self.strays.iter().position(|(stray, _)| *stray == number) {
                    (entry.timeline, entry.is_late) = (self.strays.swap_remove(at).1, true);
                }
            }
            ids::TRACK_TIMESTAMP_SCALE => entry.is_stretched |= float(value) != Some(1.0),
            ids::TRACK_TYPE => entry.kind = kind(number),
            ids::CODEC_ID => entry.codec = codec_of(text(value)),
            ids::CODEC_PRIVATE => {
                entry.refine_codec(value);
                entry.configured = SoundPace::of_vorbis(value).or_else(|| SoundPace::of_aac(value));
                entry.wave = SoundPace::of_wave(value);
            }
            ids::DEFAULT_DURATION => entry.frame_duration = Some(number).filter(|nanos| *nanos > 0),
            ids::PIXEL_WIDTH => entry.coded_size.0 = short,
            ids::PIXEL_HEIGHT => entry.coded_size.1 = short,
            ids::DISPLAY_WIDTH => entry.display_size.0 = Some(short),
            ids::DISPLAY_HEIGHT => entry.display_size.1 = Some(short),
            ids::DISPLAY_UNIT => entry.display_unit = number,
            ids::PROJECTION_ROLL => entry.roll = float(value).unwrap_or(0.0),
            ids::CHANNELS => entry.channels = u16::try_from(number).ok(),
            ids::SAMPLE_RATE => entry.sample_rate = float(value),
            ids::BIT_DEPTH => entry.bits = u16::try_from(number).ok(),
            ids::CONTENT_ENCRYPTION => entry.encrypted = true,
            _ => {}
        }
    }

    /// Notes whether a frame of `size` bytes that starts like this holds no picture.
    pub(super) fn note_content(&mut self, number: u64, start: &[u8], size: u64) {
        let entry = self.entries.iter_mut().find(|entry| entry.number == number);
        if let Some(entry) = entry.filter(|entry| picture::is_empty(entry.codec, start, size)) {
            entry.timeline.note_empty();
        }
    }

    /// Returns how long the frames without a picture last together in one track, at most, in ticks.
    pub(super) fn empty_span(&self) -> u64 {
        self.entries.iter().map(|entry| entry.timeline.empty_span()).max().unwrap_or(0)
    }

    pub(super) fn observe(&mut self, number: u64, frame: TimedFrame, tolerance: i64, sound: SoundAmount) {
        self.has_blocks = true;
        if let Some(timeline) = self.timeline(number) {
            timeline.observe(frame, tolerance);
            timeline.sound.add(sound);
        } else if !self.has_too_many_strays() {
            let mut timeline = Timeline::default();
            timeline.observe(frame, tolerance);
            timeline.sound.add(sound);
            self.strays.push((number, timeline));
        }
    }

    pub(super) fn prolong(&mut self, number: u64, at: i64, ticks: u64) {
        if let Some(timeline) = self.timeline(number) {
            timeline.prolong(at, ticks);
        }
    }

    /// Returns the nanoseconds per frame of a track, if its entry declares them.
    pub(super) fn frame_duration(&self, number: u64) -> Option<u64> {
        self.entries.iter().find(|entry| entry.number == number)?.frame_duration
    }

    /// Completes tracks whose description came after their blocks. `scale` is in nanoseconds per tick.
    pub(super) fn finish(&mut self, scale: u64) {
        for entry in self.entries.iter_mut().filter(|entry| entry.is_late) {
            let ticks = entry.frame_duration.map_or(0, |nanos| nanos / scale.max(1));
            entry.timeline.prolong_last(ticks);
        }
    }

    pub(super) fn proven(&self, nanos: impl Fn(u64) -> u64) -> u64 {
        proven(self.played(), nanos)
    }

    /// Returns the span that picture and sound cover.
    pub(super) fn observed(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<ObservedSpan> {
        combined_span(self.played(), guess, nanos)
    }

    /// Returns the playing time without the last picture and the last frame of sound.
    pub(super) fn least(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<LeastTime> {
        let ends = |entry: &TrackEntry| entry.timeline.ends(&entry.describe(0), guess, &nanos);
        let played = self.entries.iter().filter(|entry| entry.kind != TrackKind::Other && entry.timeline.frames() > 0);
        let ends: Option<Vec<_>> = played.map(ends).collect();
        least_time(ends?.into_iter())
    }

    /// Returns the span that all described tracks cover, including subtitles.
    pub(super) fn observed_with_others(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<ObservedSpan> {
        combined_span(self.entries.iter().map(|entry| &entry.timeline), guess, nanos)
    }

    /// Returns the span of blocks that belong to no track.
    /// Whether there are more undescribed tracks than a file may have tracks. Not all of them are counted.
    pub(super) fn has_too_many_strays(&self) -> bool {
        self.strays.len() > MAX_TRACKS
    }

    pub(super) fn observed_strays(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> Option<ObservedSpan> {
        combined_span(self.strays.iter().map(|(_, timeline)| timeline), guess, nanos)
    }

    fn played(&self) -> impl Iterator<Item = &Timeline> + Clone {
        self.entries.iter().filter(|entry| entry.kind != TrackKind::Other).map(|entry| &entry.timeline)
    }

    /// Notes that the container compresses or encrypts the frames of the most recent track.
    pub(super) fn begin_encoding(&mut self) {
        if let Some(entry) = self.entries.last_mut() {
            entry.encodings = entry.encodings.saturating_add(1);
        }
    }

    /// Whether the sound of a track plays for longer than its timestamps say.
    pub(super) fn have_hidden_sound(&self, guess: u64, nanos: impl Fn(u64) -> u64) -> bool {
        let mut sound = self.entries.iter().filter(|entry| entry.kind == TrackKind::Audio);
        sound.any(|entry| outlasts(entry.least_sound(), nanos(entry.timeline.length(guess))))
    }

    /// Whether the times of a track jump back.
    pub(super) fn go_back(&self) -> bool {
        self.played().any(|times| times.jumps_back() > 0)
    }

    /// Returns the longest step back of a sound track's time.
    pub(super) fn sound_goes_back(&self) -> u64 {
        let sound = self.entries.iter().filter(|entry| entry.kind == TrackKind::Audio);
        sound.map(|entry| entry.timeline.farthest_back()).max().unwrap_or_default()
    }

    pub(super) fn describe(&self, length: u64) -> Vec<MediaTrack> {
        self.entries.iter().map(|entry| entry.describe(length)).collect()
    }

    fn timeline(&mut self, number: u64) -> Option<&mut Timeline> {
        let described = self.entries.iter_mut().find(|entry| entry.number == number).map(|entry| &mut entry.timeline);
        described.or_else(|| self.strays.iter_mut().find(|(stray, _)| *stray == number).map(|(_, timeline)| timeline))
    }
}

impl TrackEntry {
    /// Two codec names only mean that a codec of another container is used, whose code is in the private data.
    fn refine_codec(&mut self, private: &[u8]) {
        if let (Codec::Unknown, TrackKind::Video, Some(code)) = (self.codec, self.kind, array(private, 16)) {
            self.codec = codec::from_video_fourcc(code);
        }
    }

    /// Returns the least time in nanoseconds for which the sound plays.
    fn least_sound(&self) -> u64 {
        let sound = self.timeline.sound;
        // Packets of other codecs have their own rate.
        let default = Some(DEFAULT_SAMPLE_RATE).filter(|_| self.codec == Codec::Pcm);
        let rate = self.sample_rate.and_then(whole).or(default);
        let pace = match (self.codec, self.configured) {
            (Codec::Aac | Codec::Vorbis, Some(pace)) => pace,
            // `A_MS/ACM`, whose packets may hold parts of frames. The private data of other unknown codecs does not
            // begin with the number of a known one.
            (Codec::Unknown, _) => return self.wave.least(SoundAmount { packets: 0, opus: 0, ..sound }),
            // Without a depth, samples have 16 bits, or 32 if they are fractions.
            (codec, _) => SoundPace::of(codec, self.channels.or(Some(1)), rate, self.bits.unwrap_or(32)),
        };
        match self.codec {
            // Compressed once more, a few bytes play for any time.
            Codec::Pcm if self.encodings > 0 && !self.encrypted && sound.bytes > 0 => u64::MAX,
            _ if self.encodings > 0 => pace.least(SoundAmount { opus: 0, ..sound }),
            _ => pace.least(sound),
        }
    }

    fn describe(&self, length: u64) -> MediaTrack {
        let mut track = MediaTrack {
            kind: self.kind,
            codec: self.codec,
            channels: self.channels,
            encrypted: self.encrypted,
            ..MediaTrack::default()
        };
        match self.kind {
            TrackKind::Video => self.describe_picture(&mut track, length),
            TrackKind::Audio => track.sample_rate = self.sample_rate.and_then(whole),
            TrackKind::Other => {}
        }
        track
    }

    fn describe_picture(&self, track: &mut MediaTrack, length: u64) {
        track.set_size(self.coded_size.0, self.coded_size.1);
        if self.display_unit == PIXELS {
            track.width = self.display_size.0.filter(|width| *width > 0).or(track.width);
            track.height = self.display_size.1.filter(|height| *height > 0).or(track.height);
        }
        track.apply_rotation(quarter_turn(self.roll));
        track.frame_rate = match self.frame_duration {
            Some(nanos) => rate(1, nanos),
            None => rate(self.timeline.frames(), length),
        };
    }
}

/// Converts a roll angle, which is counter-clockwise.
#[expect(clippy::cast_possible_truncation, reason = "no angle is that large, and 0 is returned for it")]
fn quarter_turn(roll: f64) -> u16 {
    match (roll.round_ties_even() as i64).rem_euclid(360) {
        89..=91 => 270,
        179..=181 => 180,
        269..=271 => 90,
        _ => 0,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the range is checked first")]
fn whole(rate: f64) -> Option<u32> {
    (1.0..4e9).contains(&rate).then_some(rate as u32)
}

fn kind(number: u64) -> TrackKind {
    match number {
        1 => TrackKind::Video,
        2 => TrackKind::Audio,
        _ => TrackKind::Other,
    }
}

fn codec_of(id: &[u8]) -> Codec {
    match id {
        b"V_MPEG4/ISO/AVC" => Codec::H264,
        b"V_MPEGH/ISO/HEVC" => Codec::Hevc,
        b"V_MPEGI/ISO/VVC" => Codec::Vvc,
        b"V_AV1" => Codec::Av1,
        b"V_VP8" => Codec::Vp8,
        b"V_VP9" => Codec::Vp9,
        b"V_MPEG1" => Codec::Mpeg1video,
        b"V_MPEG2" => Codec::Mpeg2video,
        b"V_MPEG4/MS/V3" => Codec::Msmpeg4,
        b"V_MPEG4/ISO/SP" | b"V_MPEG4/ISO/ASP" | b"V_MPEG4/ISO/AP" => Codec::Mpeg4,
        b"V_THEORA" => Codec::Theora,
        b"V_PRORES" => Codec::Prores,
        b"V_MJPEG" => Codec::Mjpeg,
        b"V_UNCOMPRESSED" => Codec::Rawvideo,
        b"A_OPUS" => Codec::Opus,
        b"A_VORBIS" => Codec::Vorbis,
        b"A_FLAC" => Codec::Flac,
        b"A_ALAC" => Codec::Alac,
        b"A_EAC3" => Codec::Eac3,
        b"A_MPEG/L3" => Codec::Mp3,
        b"A_MPEG/L2" | b"A_MPEG/L1" => Codec::Mp2,
        _ if id.starts_with(b"A_AAC") => Codec::Aac,
        _ if id.starts_with(b"A_AC3") => Codec::Ac3,
        _ if id.starts_with(b"A_DTS") => Codec::Dts,
        _ if id.starts_with(b"A_TRUEHD") => Codec::Truehd,
        _ if id.starts_with(b"A_PCM") => Codec::Pcm,
        _ => Codec::Unknown,
    }
}

#[cfg(test)]
mod tests;
