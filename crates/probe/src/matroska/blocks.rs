//! Clusters and blocks: which track a frame belongs to, when it is shown, and for how long.
//!
//! This module must not depend on how the tracks are described.

use super::element::track_number;
use super::tracks::MatroskaTracks;
use crate::bytes::{array, tail, u8_at, wide};
use crate::sound_bytes::{SoundAmount, opus_nanos};
use crate::timeline::TimedFrame;

/// Frames are stored in decoding order, so times go back by a few frames of up to a second each, but not by more than
/// this many nanoseconds.
const REORDERING: u64 = 10_000_000_000;
/// In nanoseconds. Players store times as signed numbers, and drop what begins before zero by more than a little.
const FARTHEST: u64 = 1 << 62;
const EARLIEST: u64 = 1_000_000_000;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Blocks {
    /// The cluster's timestamp, in ticks.
    cluster: i64,
    /// The time of the first block.
    first: Option<i64>,
    /// Whether the current cluster has a timestamp.
    is_timed: bool,
    /// The block of the current group, whose duration may still follow.
    block_in_group: Option<(u64, i64)>,
    /// A duration that precedes the block of its group.
    duration_in_group: Option<u64>,
}

impl Blocks {
    pub(super) fn begin_cluster(&mut self) {
        self.is_timed = false;
        self.begin_group();
    }

    pub(super) fn set_time(&mut self, ticks: u64) {
        self.cluster = i64::try_from(ticks).unwrap_or(i64::MAX);
        self.is_timed = true;
    }

    pub(super) fn is_timed(&self) -> bool {
        self.is_timed
    }

    pub(super) fn begin_group(&mut self) {
        (self.block_in_group, self.duration_in_group) = (None, None);
    }

    /// Reads the start of a block of `size` bytes. Returns its fault, if any: players that cannot read a block search
    /// it for clusters.
    pub(super) fn absorb(
        &mut self,
        block: &[u8],
        size: u64,
        scale: u64,
        tracks: &mut MatroskaTracks,
    ) -> Option<&'static str> {
        let Some((number, length)) = track_number(block) else {
            return Some("a block has no track number");
        };
        let Some(relative) = array(block, length).map(i16::from_be_bytes) else {
            return Some("a block has no time");
        };
        if tracks.are_described() && !tracks.is_described(number) && !tracks.are_late() {
            return Some("it holds media of a track that is not described");
        }
        let at = self.cluster.saturating_add(i64::from(relative));
        let tolerance = i64::try_from(REORDERING / scale).unwrap_or(0);
        if at.saturating_add(tolerance) < *self.first.get_or_insert(at) {
            return Some("its times go back before its beginning");
        }
        if at.unsigned_abs().saturating_mul(scale) > if at < 0 { EARLIEST } else { FARTHEST } {
            return Some("its times are before zero, or too large");
        }
        // Players ignore blocks without content.
        if size <= wide(length + 3) {
            self.begin_group();
            return None;
        }
        self.block_in_group = Some((number, at));
        let frames = frames(block, length + 2);
        let duration = tracks.frame_duration(number).map(|nanos| nanos.saturating_mul(frames) / scale);
        let content = tail(block, length + 3);
        let opus = if frames == 1 { opus_nanos(content) } else { 0 };
        let bytes = size.saturating_sub(wide(length + 3));
        let sound = SoundAmount { packets: frames, bytes, opus };
        tracks.observe(number, TimedFrame { at, order: at, duration }, tolerance, sound);
        tracks.note_content(number, content, bytes);
        if let Some(ticks) = self.duration_in_group.take() {
            tracks.prolong(number, at, ticks);
        }
        None
    }

    /// Applies a `BlockDuration` to the block of its group, which usually precedes it.
    pub(super) fn set_duration(&mut self, ticks: u64, tracks: &mut MatroskaTracks) {
        match self.block_in_group {
            Some((number, at)) => tracks.prolong(number, at, ticks),
            None => self.duration_in_group = Some(ticks),
        }
    }
}

/// Returns how many frames a block holds, from its flags and, if it is laced, from the byte after them.
fn frames(block: &[u8], flags_at: usize) -> u64 {
    match u8_at(block, flags_at) {
        Some(flags) if flags & 0x06 != 0 => u8_at(block, flags_at + 1).map_or(1, |others| u64::from(others) + 1),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matroska::ids;

    #[test]
    fn a_laced_block_says_how_many_frames_follow_the_first() {
        for (flags, expected) in [(0x80, 1), (0x02, 4), (0x04, 4), (0x06, 4), (0xF9, 1)] {
            assert_eq!(frames(&[0x81, 0, 0, flags, 3], 3), expected, "{flags:#x}");
        }
        assert_eq!([frames(&[0x81, 0, 0, 0x02], 3), frames(&[0x81, 0, 0], 3)], [1, 1], "a short block");
    }

    #[test]
    fn times_may_go_back_before_the_first_one_by_ten_seconds() {
        for (relative, is_accepted) in [(0, true), (-10_000, true), (-10_001, false)] {
            let mut blocks = Blocks::default();
            let mut tracks = MatroskaTracks::default();
            blocks.set_time(20_000);
            assert_eq!(blocks.absorb(&[0x81, 0, 0, 0x80], 4, 1_000_000, &mut tracks), None);
            let [high, low] = i16::to_be_bytes(relative);
            let fault = blocks.absorb(&[0x81, high, low, 0x80], 4, 1_000_000, &mut tracks);
            assert_eq!(fault.is_none(), is_accepted, "{relative} ms");
        }
    }

    /// Returns the fault of a block of this size with this time, and whether it was counted.
    fn added(cluster: u64, relative: i16, size: u64) -> (Option<&'static str>, bool) {
        let mut blocks = Blocks::default();
        let mut tracks = MatroskaTracks::default();
        tracks.begin().expect("a track");
        tracks.absorb(ids::TRACK_NUMBER, &[1]);
        tracks.absorb(ids::TRACK_TYPE, &[1]);
        blocks.set_time(cluster);
        let [high, low] = relative.to_be_bytes();
        let fault = blocks.absorb(&[0x81, high, low, 0x80, 9], size, 1_000_000, &mut tracks);
        (fault, tracks.observed(0, |ticks| ticks).is_some())
    }

    #[test]
    fn times_are_after_zero_and_as_large_as_players_can_count() {
        assert_eq!([added(0, -1_000, 5).0, added(1 << 42, 0, 5).0], [None; 2]);
        assert!(added(0, -1_001, 5).0.is_some());
        assert!(added(1 << 43, 0, 5).0.is_some());
        assert!(added(u64::MAX, i16::MAX, 5).0.is_some());
    }

    #[test]
    fn blocks_without_content_are_ignored() {
        assert_eq!([added(0, 0, 5), added(0, 0, 4), added(0, 0, 3)], [(None, true), (None, false), (None, false)]);
    }

    #[test]
    fn a_block_without_a_number_or_time_has_a_fault() {
        for block in [&[][..], &[0], &[0x81], &[0x81, 0]] {
            assert!(
                Blocks::default().absorb(block, 4, 1_000_000, &mut MatroskaTracks::default()).is_some(),
                "{block:?}"
            );
        }
    }
}
