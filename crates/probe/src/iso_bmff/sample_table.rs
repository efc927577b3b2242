//! The sample table of a track, reduced to the values that its duration and its size in the file depend on.
//!
//! `stts` gives durations, and `stsz` gives the real number of samples. If `stts` covers fewer samples, players repeat
//! its last duration, so a shortened `stts` does not shorten the movie. This module must not depend on the other boxes
//! of the track.

use super::composition::{RunTail, presentation_end};
use super::contradiction::Contradiction;
use super::table::{TableKind, TableLayout};
use crate::bytes::FourCc;
use crate::bytes::{i32_be, u8_at, u32_be, u64_be};
use crate::sound_bytes::SoundAmount;

#[derive(Debug, Default)]
#[cfg_attr(feature = "state", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct SampleTable {
    durations: RunTail,
    offsets: RunTail,
    ticks: u64,
    last_duration: u64,
    /// Whether a sample's duration is negative as a signed number, as which some players read it.
    has_negative_duration: bool,
    sized_samples: u64,
    chunks: u64,
    /// The samples in chunks of all runs of `stsc` but the last, and the first chunk and chunk size of the last run.
    chunked_before: u64,
    last_chunk_run: Option<(u64, u64)>,
    /// Whether the runs of `stsc` are out of order: the first one does not begin with chunk 1, a run begins before the
    /// previous one, or a run other than the last has no samples.
    has_disordered_chunks: bool,
    /// The number of runs of `stts`.
    time_runs: u64,
    /// Whether `stts` has a run of no samples.
    has_empty_run: bool,
    /// The lowest and the highest description number in `stsc`.
    descriptions: Option<(u32, u32)>,
    /// The number of samples without bytes.
    empty: u64,
    /// The total size of all samples in bytes.
    pub(super) bytes: u64,
    uniform_size: u32,
    /// The position of the farthest chunk in the file but the final one, and that of the final one.
    farthest_chunk: u64,
    final_chunk: u64,
    /// The number of chunks that begin among the boxes that describe the movie.
    chunks_in_header: u64,
    /// The time at which the first sample is shown, and the end of the last one, once all tables have been read.
    shown: Option<(i64, i64)>,
}

impl SampleTable {
    pub(super) fn samples(&self) -> u64 {
        self.durations.samples.max(self.sized_samples)
    }

    /// Returns the duration of the media in track ticks.
    pub(super) fn duration(&self) -> u64 {
        let untimed = self.sized_samples.saturating_sub(self.durations.samples);
        self.ticks.saturating_add(untimed.saturating_mul(self.last_duration))
    }

    /// Returns the duration of the last sample in track ticks.
    pub(super) fn last_duration(&self) -> u64 {
        self.last_duration
    }

    /// Returns the average duration of the samples before the last in track ticks. One sample has none.
    pub(super) fn usual_duration(&self) -> u64 {
        let others = self.samples().saturating_sub(1);
        self.duration().saturating_sub(self.last_duration).checked_div(others).unwrap_or(0)
    }

    /// Whether all samples have the same size.
    pub(super) fn have_one_size(&self) -> bool {
        self.uniform_size > 0
    }

    /// Returns the number of samples in the chunks if each lasts for one tick. Some players ignore the sizes of such
    /// samples, and how many there are.
    pub(super) fn ticking_samples(&self) -> Option<u64> {
        (self.time_runs == 1 && self.last_duration == 1).then(|| self.chunked_samples())
    }

    /// Returns the sound of the samples in these descriptions: the bytes of an uncompressed sample, and the samples and
    /// bytes of a compressed frame.
    pub(super) fn sound(&self, block: u32, packed: Option<(u32, u32)>) -> SoundAmount {
        let (packets, bytes) = match (self.ticking_samples(), packed) {
            // The sizes are those of sound that is not compressed.
            (Some(samples), Some((each, size))) => {
                let frames = samples / u64::from(each.max(1));
                (frames, frames.saturating_mul(u64::from(size)))
            }
            (Some(samples), None) => {
                let bytes = samples.saturating_mul(u64::from(block.max(self.uniform_size)));
                (samples.max(self.samples()), bytes.max(self.bytes))
            }
            (None, _) => (self.samples(), self.bytes),
        };
        SoundAmount { packets, bytes, opus: 0 }
    }

    /// Returns the longest time that the samples without bytes may last, in track ticks.
    pub(super) fn empty_ticks(&self) -> u64 {
        self.empty.saturating_mul(self.durations.most.unsigned_abs())
    }

    /// Returns when the first sample is shown and when the last one ends, in track ticks.
    pub(super) fn presentation(&self) -> (i64, i64) {
        self.shown.unwrap_or_else(|| self.presentation_by_tables())
    }

    /// Reduces the tables to the time that they cover.
    pub(super) fn settle(&mut self) {
        self.shown = Some(self.presentation_by_tables());
        self.durations.forget_runs();
        self.offsets.forget_runs();
    }

    fn presentation_by_tables(&self) -> (i64, i64) {
        let end = presentation_end(&self.durations, &self.offsets, self.samples(), self.duration());
        (self.offsets.first.unwrap_or(0), end)
    }

    /// Returns the time by which the earliest sample is shown before the first one, in track ticks.
    pub(super) fn earliest_shift(&self) -> u64 {
        self.offsets.first.unwrap_or(0).abs_diff(self.offsets.least)
    }

    /// Returns the longest time by which a sample is shown before it is decoded, in track ticks.
    pub(super) fn earliest(&self) -> u64 {
        self.offsets.least.min(0).unsigned_abs()
    }

    /// Returns what is wrong if the tables disagree on the number of samples.
    pub(super) fn contradiction(&self) -> Option<Contradiction> {
        if self.durations.samples > self.sized_samples || self.offsets.samples > self.sized_samples {
            return Some(Contradiction::SamplesThatDoNotExist);
        }
        if self.sized_samples > self.chunked_samples() {
            return Some(Contradiction::SamplesInNoChunk);
        }
        if self.has_empty_run && self.sized_samples > 0 {
            return Some(Contradiction::EmptyRun);
        }
        if self.chunks_in_header > 0 && self.sized_samples > 0 {
            return Some(Contradiction::SamplesInHeader);
        }
        // Players ignore a last run without samples, so it must not cover any chunk. Any other last run must cover one.
        let names_missing_chunks = self.last_chunk_run.is_some_and(|(first, each)| (first > self.chunks) == (each > 0));
        let is_disordered = self.sized_samples > 0 && (self.has_disordered_chunks || names_missing_chunks);
        is_disordered.then_some(Contradiction::DisorderedChunks)
    }

    /// Whether the description numbers of all samples are from 1 to `descriptions`.
    pub(super) fn are_described_by(&self, descriptions: u32) -> bool {
        self.descriptions.is_none_or(|(lowest, highest)| lowest > 0 && highest <= descriptions)
    }

    /// Whether some players take the duration of a sample for negative.
    pub(super) fn has_negative_duration(&self) -> bool {
        self.has_negative_duration
    }

    /// Whether samples have another description than the first.
    pub(super) fn have_other_descriptions(&self) -> bool {
        self.descriptions.is_some_and(|(_, highest)| highest > 1)
    }

    /// Returns the position of the farthest chunk in the file. Some writers list a final chunk without samples.
    pub(super) fn farthest_chunk(&self) -> u64 {
        let each = self.last_chunk_run.map_or(0, |(_, each)| each);
        let is_spare = self.chunked_samples().saturating_sub(each) >= self.sized_samples;
        let final_chunk = if is_spare && self.ticking_samples().is_none() { 0 } else { self.final_chunk };
        self.farthest_chunk.max(final_chunk)
    }

    /// Whether the chunks hold more samples than the sizes list. Some players then ignore the edits of the track.
    pub(super) fn has_surplus_in_chunks(&self) -> bool {
        self.sized_samples > 0 && self.chunked_samples() > self.sized_samples
    }

    fn chunked_samples(&self) -> u64 {
        let (first, each) = self.last_chunk_run.unwrap_or((1, 0));
        let last = self.chunks.saturating_add(1).saturating_sub(first).saturating_mul(each);
        self.chunked_before.saturating_add(last)
    }

    pub(super) fn absorb(&mut self, kind: TableKind, entry: &[u8]) {
        match kind {
            TableKind::TimeToSample => self.absorb_times(entry),
            TableKind::CompositionOffsets => {
                let offset = i32_be(entry, 4).map_or(0, i64::from);
                self.offsets.push(u32_be(entry, 0).map_or(0, u64::from), offset);
            }
            TableKind::SampleSizes => self.absorb_size(u32_be(entry, 0).unwrap_or(0)),
            TableKind::CompactSizes { bits: 4 } => {
                let both = u8_at(entry, 0).unwrap_or(0);
                self.absorb_size(u32::from(both >> 4));
                self.absorb_size(u32::from(both & 0x0F));
            }
            TableKind::CompactSizes { .. } => {
                self.absorb_size(entry.iter().fold(0, |size, byte| size << 8 | u32::from(*byte)));
            }
            TableKind::ChunkSamples => self.absorb_chunk_samples(entry),
            _ => {}
        }
    }

    /// Adds a chunk, whose position may be in the header of the file.
    pub(super) fn absorb_chunk(&mut self, entry: &[u8], is_header: impl Fn(u64) -> bool) {
        let at = u32_be(entry, 0).map_or(0, u64::from);
        // Entries of `co64` have eight bytes.
        let at = if entry.len() < 8 { at } else { u64_be(entry, 0).unwrap_or(0) };
        self.farthest_chunk = self.farthest_chunk.max(self.final_chunk);
        self.final_chunk = at;
        self.chunks_in_header += u64::from(is_header(at));
    }

    fn absorb_size(&mut self, size: u32) {
        self.bytes = self.bytes.saturating_add(u64::from(size));
        self.empty = self.empty.saturating_add(u64::from(size == 0));
    }

    fn absorb_chunk_samples(&mut self, entry: &[u8]) {
        let (Some(first), Some(each)) = (u32_be(entry, 0), u32_be(entry, 4)) else {
            return;
        };
        let earliest = self.last_chunk_run.map_or(1, |(begun, _)| begun.saturating_add(1));
        self.has_disordered_chunks |= u64::from(first) < earliest || (self.last_chunk_run.is_none() && first != 1);
        if let Some((begun, size)) = self.last_chunk_run {
            // Players ignore a run without samples only if it is the last.
            self.has_disordered_chunks |= size == 0;
            let chunks = u64::from(first).saturating_sub(begun);
            self.chunked_before = self.chunked_before.saturating_add(chunks.saturating_mul(size));
        }
        self.last_chunk_run = Some((u64::from(first), u64::from(each)));
        let number = u32_be(entry, 8).unwrap_or(0);
        let (lowest, highest) = self.descriptions.unwrap_or((number, number));
        self.descriptions = Some((lowest.min(number), highest.max(number)));
    }

    fn absorb_times(&mut self, entry: &[u8]) {
        let (Some(count), Some(duration)) = (u32_be(entry, 0), u32_be(entry, 4)) else {
            return;
        };
        self.has_empty_run |= count == 0;
        self.time_runs = self.time_runs.saturating_add(1);
        let (count, duration) = (u64::from(count), u64::from(duration));
        self.durations.push(count, i64::try_from(duration).unwrap_or(i64::MAX));
        self.ticks = self.ticks.saturating_add(count.saturating_mul(duration));
        self.last_duration = duration;
        self.has_negative_duration |= duration > u64::from(i32::MAX.unsigned_abs());
    }
}

/// Reads the fixed part of a table. Returns the layout of its entries if they are needed.
pub(super) fn open(samples: &mut SampleTable, kind: FourCc, body: &[u8]) -> Option<TableLayout> {
    match &kind {
        b"stts" => counted(TableKind::TimeToSample, 8, body),
        b"ctts" => counted(TableKind::CompositionOffsets, 8, body),
        b"stsc" => counted(TableKind::ChunkSamples, 12, body),
        b"stco" | b"co64" => {
            samples.chunks = u64::from(u32_be(body, 4)?);
            counted(TableKind::ChunkOffsets, if kind == *b"stco" { 4 } else { 8 }, body)
        }
        b"stsz" => open_sizes(samples, body),
        b"stz2" => open_compact_sizes(samples, body),
        _ => None,
    }
}

fn counted(kind: TableKind, entry_length: usize, body: &[u8]) -> Option<TableLayout> {
    let count = u64::from(u32_be(body, 4)?);
    Some(TableLayout { kind, preamble: 8, entry_length, count })
}

fn open_compact_sizes(samples: &mut SampleTable, body: &[u8]) -> Option<TableLayout> {
    let bits = u8_at(body, 7)?;
    samples.sized_samples = u64::from(u32_be(body, 8)?);
    let count = if bits == 4 { samples.sized_samples.div_ceil(2) } else { samples.sized_samples };
    let entry_length = usize::from(bits / 8).max(1);
    Some(TableLayout { kind: TableKind::CompactSizes { bits }, preamble: 12, entry_length, count })
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
