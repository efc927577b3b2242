//! The sample table of a track, reduced to the values that its duration and its size in the file depend on.
//!
//! `stts` gives durations, and `stsz` gives the real number of samples. If `stts` covers fewer samples, players repeat
//! its last duration, so a shortened `stts` does not shorten the movie. This module must not depend on the other boxes
//! of the track.

use super::table::{TableKind, TableLayout};
use crate::bytes::FourCc;
use crate::bytes::{u8_at, u32_be, u64_be};

#[derive(Debug, Default)]
pub(super) struct SampleTable {
    timed_samples: u64,
    ticks: u64,
    last_duration: u64,
    sized_samples: u64,
    /// The total size of all samples in bytes.
    pub(super) bytes: u64,
    uniform_size: u32,
    /// The largest chunk offset in the file.
    pub(super) last_chunk: u64,
}

impl SampleTable {
    pub(super) fn samples(&self) -> u64 {
        self.timed_samples.max(self.sized_samples)
    }

    /// Returns the duration of the media in track ticks.
    pub(super) fn duration(&self) -> u64 {
        let untimed = self.sized_samples.saturating_sub(self.timed_samples);
        self.ticks.saturating_add(untimed.saturating_mul(self.last_duration))
    }

    pub(super) fn absorb(&mut self, kind: TableKind, entry: &[u8]) {
        match kind {
            TableKind::TimeToSample => self.absorb_times(entry),
            TableKind::SampleSizes => {
                let size = u32_be(entry, 0).unwrap_or(0);
                self.bytes = self.bytes.saturating_add(u64::from(size));
            }
            TableKind::ChunkOffsets => {
                let offset = u64_be(entry, 0).or_else(|| u32_be(entry, 0).map(u64::from));
                self.last_chunk = self.last_chunk.max(offset.unwrap_or(0));
            }
            _ => {}
        }
    }

    fn absorb_times(&mut self, entry: &[u8]) {
        let (Some(count), Some(duration)) = (u32_be(entry, 0), u32_be(entry, 4)) else {
            return;
        };
        let (count, duration) = (u64::from(count), u64::from(duration));
        self.timed_samples = self.timed_samples.saturating_add(count);
        self.ticks = self.ticks.saturating_add(count.saturating_mul(duration));
        self.last_duration = duration;
    }
}

/// Reads the fixed part of a table. Returns the layout of its entries if they are needed.
pub(super) fn open(samples: &mut SampleTable, kind: FourCc, body: &[u8]) -> Option<TableLayout> {
    match &kind {
        b"stts" => counted(TableKind::TimeToSample, 8, body),
        b"stco" => counted(TableKind::ChunkOffsets, 4, body),
        b"co64" => counted(TableKind::ChunkOffsets, 8, body),
        b"stsz" => open_sizes(samples, body),
        b"stz2" => {
            samples.sized_samples = u64::from(u32_be(body, 8)?);
            None
        }
        _ => None,
    }
}

fn counted(kind: TableKind, entry_length: usize, body: &[u8]) -> Option<TableLayout> {
    let count = u64::from(u32_be(body, 4)?);
    Some(TableLayout { kind, preamble: 8, entry_length, count })
}

fn open_sizes(samples: &mut SampleTable, body: &[u8]) -> Option<TableLayout> {
    u8_at(body, 0)?;
    samples.uniform_size = u32_be(body, 4)?;
    samples.sized_samples = u64::from(u32_be(body, 8)?);
    if samples.uniform_size > 0 {
        let size = u64::from(samples.uniform_size);
        samples.bytes = samples.sized_samples.saturating_mul(size);
        return None;
    }
    Some(TableLayout { kind: TableKind::SampleSizes, preamble: 12, entry_length: 4, count: samples.sized_samples })
}
