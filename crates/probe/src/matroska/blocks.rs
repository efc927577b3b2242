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
        self.block_in_group = Some((number, at));
        let frames = frames(block, length + 2);
        let duration = tracks.frame_duration(number).map(|nanos| nanos.saturating_mul(frames) / scale);
        let content = tail(block, length + 3);
        let opus = if frames == 1 { opus_nanos(content) } else { 0 };
        let bytes = size.saturating_sub(wide(length + 3));
        let packets = if bytes > 0 { frames } else { 0 };
        tracks.observe(number, TimedFrame { at, order: at, duration }, tolerance, SoundAmount { packets, bytes, opus });
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
