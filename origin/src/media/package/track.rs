//! One track of an MP4 file, as a list of samples whose times start where the file starts to play.

use super::error::invalid;
use crate::media::MediaError;
use crate::media::limits::MAX_PACKETS;
use mp4_atom::{Decode, Moov, Stbl, StszSamples, Trak};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// A header of two minutes takes a few hundred kilobytes.
const MAX_HEADER_BYTES: u64 = 16 << 20;

/// One track.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) header: Trak,
    pub(super) timescale: u32,
    /// In the order of the file, which is that of decoding.
    pub(super) samples: Vec<Sample>,
}

/// A frame, or a packet of sound. Times are in the track's timescale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    pub(super) offset: u64,
    pub(super) size: u32,
    /// The presentation time.
    pub(super) time: i64,
    pub(super) duration: u32,
    pub(super) is_keyframe: bool,
}

impl Sample {
    pub(super) fn end(&self) -> i64 {
        self.time + i64::from(self.duration)
    }
}

/// Reads the tracks of an MP4 that is not fragmented.
pub(super) fn read_tracks(path: &Path) -> Result<Vec<Track>, MediaError> {
    let mut file = File::open(path).map_err(|error| MediaError::io("opening an output", &error))?;
    let header = read_header(&mut file).map_err(|error| MediaError::io("reading an output", &error))?;
    let moov = Moov::decode(&mut header.as_slice()).map_err(|error| invalid(path, &error))?;
    let timescale = moov.mvhd.timescale;
    let track = |trak| Track::new(trak, timescale).ok_or_else(|| invalid(path, &"its sample tables are inconsistent"));
    moov.trak.into_iter().map(track).collect()
}

/// Returns the bytes of the `moov` box.
fn read_header(file: &mut File) -> io::Result<Vec<u8>> {
    let mut position = 0;
    loop {
        file.seek(SeekFrom::Start(position))?;
        let mut start = [0; 16];
        file.read_exact(&mut start)?;
        let [a, b, c, d, name @ .., _, _, _, _, _, _, _, _] = start;
        let size = match u32::from_be_bytes([a, b, c, d]) {
            1 => start.last_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes)),
            size => u64::from(size),
        };
        if size < 8 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if name == *b"moov" {
            file.seek(SeekFrom::Start(position))?;
            let mut header = Vec::new();
            file.take(size.min(MAX_HEADER_BYTES)).read_to_end(&mut header)?;
            return Ok(header);
        }
        position += size;
    }
}

impl Track {
    /// Returns `None` if the tables of the track contradict each other.
    fn new(header: Trak, movie_timescale: u32) -> Option<Self> {
        let timescale = header.mdia.mdhd.timescale;
        let shift = edit_shift(&header, movie_timescale)?;
        let samples = samples(&header.mdia.minf.stbl, shift)?;
        Some(Self { header, timescale, samples })
    }

    pub(super) fn is_video(&self) -> bool {
        self.header.mdia.minf.vmhd.is_some()
    }
}

/// Returns by how much the edit list moves the samples.
fn edit_shift(trak: &Trak, movie_timescale: u32) -> Option<i64> {
    let (mut shift, timescale) = (0, i64::from(trak.mdia.mdhd.timescale));
    let edits = trak.edts.as_ref().and_then(|edits| edits.elst.as_ref());
    for edit in edits.iter().flat_map(|list| &list.entries) {
        if let Some(start) = edit.media_time {
            return Some(shift - i64::try_from(start).ok()?);
        }
        let empty = i64::try_from(edit.segment_duration).ok()?;
        shift += empty.checked_mul(timescale)?.checked_div(i64::from(movie_timescale))?;
    }
    Some(shift)
}

fn samples(tables: &Stbl, shift: i64) -> Option<Vec<Sample>> {
    let sizes = sizes(tables)?;
    let offsets = offsets(tables, &sizes)?;
    let mut durations = tables.stts.entries.iter().flat_map(|run| repeat(run.sample_delta, run.sample_count));
    let delays = tables.ctts.iter().flat_map(|table| &table.entries);
    let mut delays = delays.flat_map(|run| repeat(run.sample_offset, run.sample_count));
    let keyframes = tables.stss.as_ref().map(|table| &table.entries);
    let (mut decoded_at, mut samples) = (0_i64, Vec::with_capacity(sizes.len()));
    for ((number, size), offset) in (1_u32..).zip(sizes).zip(offsets) {
        let duration = durations.next()?;
        let time = decoded_at + delays.next().unwrap_or(0) + shift;
        let is_keyframe = keyframes.is_none_or(|numbers| numbers.binary_search(&number).is_ok());
        samples.push(Sample { offset, size, time, duration, is_keyframe });
        decoded_at += i64::from(duration);
    }
    Some(samples)
}

fn repeat<T: Clone>(value: T, count: u32) -> impl Iterator<Item = T> {
    std::iter::repeat_n(value, usize::try_from(count).unwrap_or(usize::MAX))
}

fn sizes(tables: &Stbl) -> Option<Vec<u32>> {
    match &tables.stsz.samples {
        StszSamples::Different { sizes } => Some(sizes.clone()),
        StszSamples::Identical { count, size } => {
            (u64::from(*count) <= MAX_PACKETS).then(|| repeat(*size, *count).collect())
        }
    }
}

/// Returns where each sample begins in the file. A chunk is a run of samples without a gap.
fn offsets(tables: &Stbl, sizes: &[u32]) -> Option<Vec<u64>> {
    let chunks: Vec<u64> = match (&tables.co64, &tables.stco) {
        (Some(long), _) => long.entries.clone(),
        (None, Some(short)) => short.entries.iter().map(|offset| u64::from(*offset)).collect(),
        (None, None) => Vec::new(),
    };
    let (mut runs, mut samples_per_chunk) = (tables.stsc.entries.iter().peekable(), 0);
    let mut rest = sizes.iter();
    let mut offsets = Vec::with_capacity(sizes.len());
    for (number, chunk) in (1_u32..).zip(chunks) {
        if let Some(run) = runs.next_if(|run| run.first_chunk == number) {
            samples_per_chunk = usize::try_from(run.samples_per_chunk).ok()?;
        }
        let mut offset = chunk;
        for size in rest.by_ref().take(samples_per_chunk) {
            offsets.push(offset);
            offset = offset.checked_add(u64::from(*size))?;
        }
    }
    (offsets.len() == sizes.len()).then_some(offsets)
}
