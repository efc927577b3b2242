//! Movie fragments: what one `traf` adds to its track.
//!
//! Times come from `tfdt` and the samples' durations. This module must not use the durations that headers declare for
//! the whole movie.

use super::table::{TableKind, TableLayout};
use crate::bytes::{i32_be, u32_be, u64_be};

/// `trex`: the defaults for values that a track's fragments omit.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct TrackDefaults {
    pub(super) track_id: u32,
    description: u32,
    sample_duration: u32,
    sample_size: u32,
}

impl TrackDefaults {
    pub(super) fn read(body: &[u8]) -> Option<Self> {
        Some(Self {
            track_id: u32_be(body, 4)?,
            description: u32_be(body, 8)?,
            sample_duration: u32_be(body, 12)?,
            sample_size: u32_be(body, 16).unwrap_or(0),
        })
    }
}

/// The optional fields of `tfhd`: the flag that announces each, and its length.
const HEADER_FIELDS: [(u32, usize); 5] = [(0x1, 8), (0x2, 4), (0x8, 4), (0x10, 4), (0x20, 4)];

/// One `traf` while its boxes are read.
#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Fragment {
    pub(super) track_id: u32,
    /// The number of the samples' description, from 1 on.
    pub(super) description: u32,
    sample_duration: u64,
    sample_size: u32,
    /// The size of the largest sample.
    pub(super) largest: u32,
    /// The size of all samples.
    pub(super) bytes: u64,
    /// The time of the samples without bytes, in track ticks.
    pub(super) empty_ticks: u64,
    /// `tfdt`, in track ticks. If absent, the fragment follows the previous one.
    pub(super) starts_at: Option<u64>,
    pub(super) ticks: u64,
    pub(super) samples: u64,
    /// The time at which the first sample is shown, and the end of the last one, in ticks since the fragment's start.
    pub(super) shown: Option<(i64, i64)>,
    /// The duration of the sample that ends last.
    pub(super) last_sample: u64,
    /// The longest time by which a sample is shown before it is decoded, in track ticks.
    pub(super) earliest: u64,
    /// The position from which its media offsets count, if not from the fragment.
    base: Option<u64>,
    /// Whether its header was read. Samples before it would belong to another track.
    pub(super) has_header: bool,
}

impl Fragment {
    /// Reads a `tfhd`. Returns false if it is shorter than its flags require.
    pub(super) fn read_header(&mut self, body: &[u8], defaults: &[TrackDefaults]) -> bool {
        let (Some(flags), Some(track_id)) = (u32_be(body, 0), u32_be(body, 4)) else {
            return false;
        };
        (self.track_id, self.has_header) = (track_id, true);
        self.base = if flags & 0x1 == 0 { None } else { u64_be(body, 8) };
        let inherited = defaults.iter().find(|entry| entry.track_id == track_id);
        self.sample_duration = inherited.map_or(0, |entry| u64::from(entry.sample_duration));
        self.sample_size = inherited.map_or(0, |entry| entry.sample_size);
        self.description = inherited.map_or(1, |entry| entry.description);
        let mut at = 8 + usize::from(flags & 0x1 != 0) * 8;
        if flags & 0x2 != 0 {
            self.description = u32_be(body, at).unwrap_or(self.description);
            at += 4;
        }
        if flags & 0x8 != 0 {
            self.sample_duration = u32_be(body, at).map_or(self.sample_duration, u64::from);
            at += 4;
        }
        if flags & 0x10 != 0 {
            self.sample_size = u32_be(body, at).unwrap_or(self.sample_size);
        }
        let fields: usize = HEADER_FIELDS.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, length)| length).sum();
        body.len() >= 8 + fields
    }

    /// Returns the position of a `trun`'s samples, if it declares one.
    pub(super) fn media_position(&self, body: &[u8], fragment_at: u64) -> Option<u64> {
        // A run of no samples may begin at the end of the file.
        u32_be(body, 4).filter(|count| *count > 0)?;
        let offset = if u32_be(body, 0)? & 0x1 == 0 { None } else { i32_be(body, 8) };
        Some(self.base.unwrap_or(fragment_at).saturating_add_signed(i64::from(offset?)))
    }

    /// Reads the fixed part of a `trun`. Its entries are read if it has any.
    pub(super) fn open_run(&mut self, body: &[u8]) -> Option<TableLayout> {
        let flags = u32_be(body, 0)?;
        let optional = (flags & 0x1) + ((flags & 0x4) >> 2);
        let count = u64::from(u32_be(body, 4)?);
        self.samples = self.samples.saturating_add(count);
        if count > 0 && flags & 0x200 == 0 {
            self.largest = self.largest.max(self.sample_size);
        }
        let fields = [0x100, 0x200, 0x400, 0x800].iter().filter(|bit| flags & *bit != 0).count();
        if fields == 0 {
            let ticks = count.saturating_mul(self.sample_duration);
            self.add(ticks);
            self.bytes = self.bytes.saturating_add(count.saturating_mul(u64::from(self.sample_size)));
            self.note_empty(self.sample_size, ticks);
            self.last_sample = self.sample_duration;
            return None;
        }
        Some(TableLayout {
            kind: TableKind::RunSamples { flags },
            preamble: 8 + u64::from(optional) * 4,
            entry_length: fields * 4,
            count,
        })
    }

    /// Adds a sample of a `trun`: its entry begins with the duration and ends with the composition offset.
    pub(super) fn add_sample(&mut self, flags: u32, entry: &[u8]) {
        let own = if flags & 0x100 == 0 { None } else { u32_be(entry, 0).map(u64::from) };
        let size_at = if flags & 0x100 == 0 { 0 } else { 4 };
        let size = if flags & 0x200 == 0 { None } else { u32_be(entry, size_at) };
        self.largest = self.largest.max(size.unwrap_or(0));
        self.bytes = self.bytes.saturating_add(u64::from(size.unwrap_or(self.sample_size)));
        self.note_empty(size.unwrap_or(self.sample_size), own.unwrap_or(self.sample_duration));
        let offset = if flags & 0x800 == 0 { None } else { i32_be(entry, entry.len().saturating_sub(4)) };
        let offset = offset.map_or(0, i64::from);
        self.earliest = self.earliest.max(offset.min(0).unsigned_abs());
        self.add_shown(own.unwrap_or(self.sample_duration), offset);
    }

    fn note_empty(&mut self, size: u32, ticks: u64) {
        if size == 0 {
            self.empty_ticks = self.empty_ticks.saturating_add(ticks);
        }
    }

    pub(super) fn add(&mut self, ticks: u64) {
        self.add_shown(ticks, 0);
    }

    fn add_shown(&mut self, ticks: u64, offset: i64) {
        let start = i64::try_from(self.ticks).unwrap_or(i64::MAX).saturating_add(offset);
        let end = start.saturating_add_unsigned(ticks);
        if self.shown.is_none_or(|(_, last)| end >= last) {
            self.last_sample = ticks;
        }
        self.shown = Some(self.shown.map_or((start, end), |(first, last)| (first.min(start), last.max(end))));
        self.ticks = self.ticks.saturating_add(ticks);
    }
}
