//! Clusters and blocks: which track a frame belongs to, when it is shown, and for how long.
//!
//! This module must not depend on how the tracks are described.

use super::element::track_number;
use super::tracks::MatroskaTracks;
use crate::bytes::{array, u8_at};
use crate::timeline::TimedFrame;

/// Frames are stored in decoding order, so times go back by a few frames of up to a second each. If they go back by
/// more than this many nanoseconds, the clock was restarted.
const REORDERING: u64 = 10_000_000_000;

#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The cluster's timestamp, in ticks.
    cluster: i64,
    /// Added to all times after the first of several concatenated files.
    offset: i64,
    farthest: i64,
    /// The block of the current group, whose duration may still follow.
    block_in_group: Option<(u64, i64)>,
}

impl Blocks {
    /// Begins a concatenated file. Its times continue where the previous file ended.
    pub(super) fn start_over(&mut self) {
        self.offset = self.farthest;
        self.cluster = 0;
    }

    pub(super) fn begin_cluster(&mut self, ticks: u64) {
        self.cluster = i64::try_from(ticks).unwrap_or(i64::MAX);
        self.block_in_group = None;
    }

    pub(super) fn begin_group(&mut self) {
        self.block_in_group = None;
    }

    pub(super) fn absorb(&mut self, block: &[u8], scale: u64, tracks: &mut MatroskaTracks) {
        let Some((number, length)) = track_number(block) else {
            return;
        };
        let Some(relative) = array(block, length).map(i16::from_be_bytes) else {
            return;
        };
        let own = self.cluster.saturating_add(i64::from(relative));
        let at = own.saturating_add(self.offset);
        self.farthest = self.farthest.max(at);
        self.block_in_group = Some((number, at));
        let laced = u8_at(block, length + 2).is_some_and(|flags| flags & 0x06 != 0);
        // A laced block holds several frames, so the duration of one frame is too short for it.
        let duration = if laced { None } else { tracks.frame_duration(number).map(|nanos| nanos / scale) };
        let tolerance = i64::try_from(REORDERING / scale).unwrap_or(0);
        tracks.observe(number, TimedFrame { at, order: at, duration }, tolerance);
    }

    /// Applies a `BlockDuration`, which follows its block.
    pub(super) fn set_duration(&mut self, ticks: u64, tracks: &mut MatroskaTracks) {
        if let Some((number, at)) = self.block_in_group {
            tracks.prolong(number, at, ticks);
        }
    }
}
