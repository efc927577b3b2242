//! The sample table of a track, reduced to what its length and its reach depend on.
//!
//! `stts` gives durations, `stsz` the number of samples that there really are: players go on with the last
//! duration when `stts` tells of fewer samples, so a shortened `stts` shortens nothing.

use super::boxes::Kind;
use super::table::{Opened, TableKind};
use crate::bytes::{u8_at, u32_be, u64_be};

#[derive(Debug, Default)]
pub(super) struct SampleTable {
    timed_samples: u64,
    ticks: u64,
    last_duration: u64,
    sized_samples: u64,
    /// Bytes of all samples together.
    pub(super) bytes: u64,
    uniform_size: u32,
    /// The farthest start of a chunk in the file.
    pub(super) last_chunk: u64,
}

impl SampleTable {
    pub(super) fn samples(&self) -> u64 {
        self.timed_samples.max(self.sized_samples)
    }

    /// The length of the media in ticks of the track.
    pub(super) fn duration(&self) -> u64 {
        let untimed = self.sized_samples.saturating_sub(self.timed_samples);
        self.ticks
            .saturating_add(untimed.saturating_mul(self.last_duration))
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

/// Reads a table's fixed part and says how its entries are to be read, where they matter.
pub(super) fn open(samples: &mut SampleTable, kind: Kind, body: &[u8]) -> Option<Opened> {
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

fn counted(kind: TableKind, entry_length: usize, body: &[u8]) -> Option<Opened> {
    let count = u64::from(u32_be(body, 4)?);
    Some(Opened {
        kind,
        preamble: 8,
        entry_length,
        count,
    })
}

fn open_sizes(samples: &mut SampleTable, body: &[u8]) -> Option<Opened> {
    u8_at(body, 0)?;
    samples.uniform_size = u32_be(body, 4)?;
    samples.sized_samples = u64::from(u32_be(body, 8)?);
    if samples.uniform_size > 0 {
        let size = u64::from(samples.uniform_size);
        samples.bytes = samples.sized_samples.saturating_mul(size);
        return None;
    }
    Some(Opened {
        kind: TableKind::SampleSizes,
        preamble: 12,
        entry_length: 4,
        count: samples.sized_samples,
    })
}
