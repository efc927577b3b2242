//! Movie fragments: what one `traf` adds to its track.
//!
//! Times come from `tfdt` and the samples' durations. This module must not use the durations that headers declare for
//! the whole movie.

use super::table::{TableKind, TableLayout};
use crate::bytes::u32_be;

/// `trex`: the defaults for values that a track's fragments omit.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrackDefaults {
    track_id: u32,
    sample_duration: u32,
}

impl TrackDefaults {
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        Some(Self { track_id: u32_be(body, 4)?, sample_duration: u32_be(body, 12)? })
    }
}

/// One `traf` while its boxes are read.
#[derive(Debug, Default)]
pub(super) struct Fragment {
    pub(super) track_id: u32,
    sample_duration: u64,
    /// `tfdt`, in track ticks. If absent, the fragment follows the previous one.
    pub(super) starts_at: Option<u64>,
    pub(super) ticks: u64,
    pub(super) samples: u64,
}

impl Fragment {
    pub(super) fn read_header(&mut self, body: &[u8], defaults: &[TrackDefaults]) {
        let (Some(flags), Some(track_id)) = (u32_be(body, 0), u32_be(body, 4)) else {
            return;
        };
        self.track_id = track_id;
        let inherited = defaults.iter().find(|entry| entry.track_id == track_id);
        self.sample_duration = inherited.map_or(0, |entry| u64::from(entry.sample_duration));
        if flags & 0x8 != 0 {
            let before = usize::from(flags & 0x1 != 0) * 8 + usize::from(flags & 0x2 != 0) * 4;
            let own = u32_be(body, 8 + before);
            self.sample_duration = own.map_or(self.sample_duration, u64::from);
        }
    }

    /// Reads the fixed part of a `trun`. Its entries are read only if they contain durations.
    pub(super) fn open_run(&mut self, body: &[u8]) -> Option<TableLayout> {
        let flags = u32_be(body, 0)?;
        let count = u64::from(u32_be(body, 4)?);
        self.samples = self.samples.saturating_add(count);
        if flags & 0x100 == 0 {
            self.add(count.saturating_mul(self.sample_duration));
            return None;
        }
        let optional = (flags & 0x1) + ((flags & 0x4) >> 2);
        let fields = [0x100, 0x200, 0x400, 0x800].iter().filter(|bit| flags & *bit != 0);
        Some(TableLayout {
            kind: TableKind::RunDurations,
            preamble: 8 + u64::from(optional) * 4,
            entry_length: fields.count() * 4,
            count,
        })
    }

    pub(super) fn add(&mut self, ticks: u64) {
        self.ticks = self.ticks.saturating_add(ticks);
    }
}
