//! Clusters and blocks: whose frame it is, when it is shown, and how long.

use super::element::track_number;
use super::tracks::Tracks;
use crate::bytes::{array, u8_at};
use crate::timeline::Frame;

/// Frames come in decoding order, so their times go back by a few frames, which may be a second each.
/// Going back by more nanoseconds than this is a clock that started anew.
const REORDERING: u64 = 10_000_000_000;

#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// The cluster's time, in ticks.
    cluster: i64,
    /// Added to all times once a second segment follows the first.
    offset: i64,
    farthest: i64,
    /// The block of the group that is being read, which a duration may still follow.
    grouped: Option<(u64, i64)>,
}

impl Blocks {
    /// A further file behind the first one: its times begin where the other's ended.
    pub(super) fn start_over(&mut self) {
        self.offset = self.farthest;
        self.cluster = 0;
    }

    pub(super) fn begin_cluster(&mut self, ticks: u64) {
        self.cluster = i64::try_from(ticks).unwrap_or(i64::MAX);
        self.grouped = None;
    }

    pub(super) fn begin_group(&mut self) {
        self.grouped = None;
    }

    pub(super) fn absorb(&mut self, block: &[u8], scale: u64, tracks: &mut Tracks) {
        let Some((number, length)) = track_number(block) else {
            return;
        };
        let Some(relative) = array(block, length).map(i16::from_be_bytes) else {
            return;
        };
        let own = self.cluster.saturating_add(i64::from(relative));
        let at = own.saturating_add(self.offset);
        self.farthest = self.farthest.max(at);
        self.grouped = Some((number, at));
        let laced = u8_at(block, length + 2).is_some_and(|flags| flags & 0x06 != 0);
        // A block of several frames stays longer than its track's frame does.
        let stays = if laced {
            None
        } else {
            tracks.frame(number).map(|frame| frame / scale)
        };
        let tolerance = i64::try_from(REORDERING / scale).unwrap_or(0);
        tracks.observe(
            number,
            Frame {
                at,
                order: at,
                stays,
            },
            tolerance,
        );
    }

    /// `BlockDuration`, which follows its block.
    pub(super) fn lasts(&mut self, ticks: u64, tracks: &mut Tracks) {
        if let Some((number, at)) = self.grouped {
            tracks.prolong(number, at, ticks);
        }
    }
}
