//! The beginning and the end of each track, and the playing time without the last frame of each.
//!
//! Encoders fill up the last frame of sound, and most containers begin with the sound that only starts the decoder.
//! So a film of exactly two minutes ends one or two frames of sound later, and with a rate like 29.97, one picture
//! does. That time counts as *overhang*, if the last frame is one frame of its codec. This module must not depend
//! on any container.

use crate::codec::Codec;
use crate::time::{NANOS_PER_MILLI, millis, scaled};
use crate::{Media, MediaTrack, TrackKind};

/// Times of coarse clocks are rounded by up to this.
const ROUNDING: u64 = NANOS_PER_MILLI;

/// One frame before the sound, which starts the decoder, and the last one, which is filled up.
const SOUND_FRAMES: u64 = 2;

/// Assumed if a container does not declare the rate of the sound.
const SLOW_SAMPLE_RATE: u32 = 16_000;

/// The beginning and the end of a track, in nanoseconds of the file's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrackEnds {
    kind: TrackKind,
    /// Whether it is a cover, or pictures of a codec of covers.
    is_still: bool,
    start: i64,
    end: i64,
    /// The time at either end that may be overhang.
    early: u64,
    late: u64,
}

/// The least playing time of a video in nanoseconds, its longest track, and its shortest one of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeastTime {
    pub(crate) nanos: u64,
    pub(crate) longest: TrackKind,
    /// The length of the shortest of several tracks of pictures, with its last one. A cover that is stored as a track
    /// is no choice.
    pub(crate) shortest_pictures: Option<u64>,
}

impl Media {
    /// Sets what is known without the last frames. Until the end of the file, that is nothing.
    pub(crate) fn with_least(mut self, least: Option<LeastTime>) -> Self {
        self.least_ms = least.map_or(self.duration_ms, |least| millis(least.nanos).min(self.duration_ms));
        self.longest_track = least.map(|least| least.longest).filter(|kind| *kind != TrackKind::Other);
        self.shortest_video_ms = least.and_then(|least| least.shortest_pictures).map(millis);
        self
    }
}

impl TrackEnds {
    /// A track of pictures of this codec, whose last one lasts for `last`, and usually each for `usual`. A last picture
    /// that lasts for longer than the others is no overhang.
    pub(crate) fn of_pictures(codec: Codec, (start, end): (i64, i64), last: u64, usual: u64) -> Self {
        let is_usual = usual > 0 && last <= usual.saturating_add(ROUNDING);
        // The last picture must begin before the limit, not at it.
        let late = if is_usual { last.saturating_sub(ROUNDING) } else { 0 };
        Self { kind: TrackKind::Video, is_still: codec.is_still_picture(), start, end, early: 0, late }
    }

    /// A track of sound. If the container declares how long the last packet lasts, a packet that is longer than a frame
    /// of its codec is no overhang.
    pub(crate) fn of_sound((start, end): (i64, i64), last: Option<u64>, track: &MediaTrack) -> Self {
        let frame = frame_of(track.codec, track.sample_rate);
        let is_one_frame = last.is_none_or(|last| last <= frame.saturating_add(ROUNDING));
        let overhang = if is_one_frame { frame.saturating_mul(SOUND_FRAMES) } else { 0 };
        Self { kind: TrackKind::Audio, is_still: false, start, end, early: overhang, late: overhang }
    }

    /// A track without overhang.
    pub(crate) fn of_other((start, end): (i64, i64)) -> Self {
        Self { kind: TrackKind::Other, is_still: false, start, end, early: 0, late: 0 }
    }

    pub(crate) fn span(&self) -> (i64, i64) {
        (self.start, self.end)
    }

    fn length(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// Returns the time in which the tracks play together, without their overhang.
pub(crate) fn least_time(tracks: impl Iterator<Item = TrackEnds> + Clone) -> Option<LeastTime> {
    let start = tracks.clone().map(|track| track.start.saturating_add_unsigned(track.early)).min()?;
    let end = tracks.clone().map(|track| track.end.saturating_sub_unsigned(track.late)).max()?;
    let positive = |length: i64| u64::try_from(length).unwrap_or(0);
    let choices = tracks.clone().filter(|track| track.kind == TrackKind::Video && !track.is_still);
    let shortest = choices.clone().map(|track| positive(track.length())).min();
    let shortest_pictures = shortest.filter(|_| choices.count() > 1);
    let longest = tracks.max_by_key(TrackEnds::length)?.kind;
    Some(LeastTime { nanos: positive(end.saturating_sub(start)), longest, shortest_pictures })
}

/// Returns the longest frame of a codec of sound in nanoseconds. An encoder may use shorter ones.
fn frame_of(codec: Codec, sample_rate: Option<u32>) -> u64 {
    let samples: u64 = match codec {
        // AAC has 1,024 samples, or 2,048 with spectral band replication.
        Codec::Aac | Codec::Wma | Codec::Vorbis => 2048,
        Codec::Mp2 | Codec::Mp3 => 1152,
        Codec::Ac3 | Codec::Eac3 => 1536,
        Codec::Flac | Codec::Alac => 4608,
        Codec::Opus => return 120 * NANOS_PER_MILLI,
        Codec::Amr | Codec::Speex => return 20 * NANOS_PER_MILLI,
        _ => 1024,
    };
    let rate = sample_rate.filter(|rate| *rate > 0).unwrap_or(SLOW_SAMPLE_RATE);
    scaled(samples, crate::time::NANOS_PER_SECOND, u64::from(rate)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn aac(start: i64, end: i64, last: u64) -> TrackEnds {
        let track = MediaTrack { codec: Codec::Aac, sample_rate: Some(48_000), ..MediaTrack::default() };
        TrackEnds::of_sound((start * MS, end * MS), Some(last * NANOS_PER_MILLI), &track)
    }

    fn pictures(start: i64, end: i64, last: u64, usual: u64) -> TrackEnds {
        TrackEnds::of_pictures(Codec::H264, (start * MS, end * MS), last * NANOS_PER_MILLI, usual * NANOS_PER_MILLI)
    }

    fn least_ms(tracks: &[TrackEnds]) -> u64 {
        millis(least_time(tracks.iter().copied()).expect("a track").nanos)
    }

    #[test]
    fn sound_around_the_pictures_is_overhang_by_two_frames_at_either_end() {
        assert_eq!(least_ms(&[pictures(21, 120_021, 40, 40), aac(0, 120_021, 21)]), 119_961);
        assert_eq!(least_ms(&[pictures(0, 100_000, 0, 0), aac(0, 120_043, 42)]), 119_958);
        assert_eq!(least_ms(&[pictures(500, 120_500, 0, 0), aac(0, 120_500, 21)]), 120_415, "a late beginning counts");
    }

    #[test]
    fn a_packet_that_claims_more_than_one_frame_of_its_codec_counts() {
        assert_eq!(least_ms(&[aac(0, 120_100, 43)]), 119_929);
        assert_eq!(least_ms(&[aac(0, 120_100, 45)]), 120_100);
    }

    #[test]
    fn the_last_picture_is_overhang_if_it_begins_in_time_and_lasts_as_long_as_the_others() {
        assert_eq!(least_ms(&[pictures(0, 120_020, 33, 33)]), 119_988);
        assert_eq!(least_ms(&[pictures(0, 120_040, 40, 40)]), 120_001, "it begins at 120 s");
        assert_eq!(least_ms(&[pictures(0, 120_020, 100, 33)]), 120_020);
        assert_eq!(least_ms(&[pictures(0, 120_001, 120_001, 0)]), 120_001, "one picture has no rate");
    }

    #[test]
    fn the_shortest_of_several_tracks_of_pictures_counts_but_no_cover() {
        let shortest =
            |tracks: &[TrackEnds]| least_time(tracks.iter().copied()).and_then(|least| least.shortest_pictures);
        let cover = TrackEnds::of_pictures(Codec::Mjpeg, (0, 40 * MS), 0, 0);
        let (long, short) = (pictures(0, 5_000, 40, 40), pictures(1_000, 4_000, 40, 40));
        assert_eq!([shortest(&[long]), shortest(&[long, cover, aac(0, 9, 9)])], [None; 2]);
        assert_eq!(shortest(&[long, cover, short]), Some(3_000_000_000));
    }

    #[test]
    fn the_longest_track_is_named() {
        let longest = |tracks: &[TrackEnds]| least_time(tracks.iter().copied()).map(|least| least.longest);
        assert_eq!(longest(&[pictures(0, 5_000, 40, 40), aac(0, 130_000, 21)]), Some(TrackKind::Audio));
        assert_eq!(longest(&[pictures(0, 130_000, 40, 40), aac(0, 5_000, 21)]), Some(TrackKind::Video));
        assert_eq!(longest(&[]), None);
    }

    #[test]
    fn each_codec_has_its_frame() {
        let frame = |codec, rate| frame_of(codec, rate) / 1000;
        assert_eq!(frame(Codec::Aac, Some(8_000)), 256_000);
        assert_eq!(frame(Codec::Mp3, Some(44_100)), 26_122);
        assert_eq!(frame(Codec::Ac3, Some(48_000)), 32_000);
        assert_eq!([frame(Codec::Mp2, None), frame(Codec::Mp2, Some(0))], [72_000; 2]);
        assert_eq!([frame(Codec::Opus, Some(1)), frame(Codec::Amr, None)], [120_000, 20_000]);
        assert_eq!(frame(Codec::Unknown, Some(48_000)), 21_333);
    }
}
