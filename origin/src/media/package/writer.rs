//! Writes the one file that holds all segments of a rendition, and notes where each part of it is.

use super::error::invalid;
use super::fragment::{file_header, fragment_header};
use super::playlist::{ByteRange, Keyframe, Segment, SegmentList};
use super::segmenting::{SegmentLayout, seconds};
use super::track::{Sample, Track};
use crate::media::MediaError;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Copies the samples of a track into a file with these segments.
pub(super) fn write_segments(
    source: &Path,
    track: &Track,
    layout: &[SegmentLayout],
    target: &Path,
) -> Result<SegmentList, MediaError> {
    let io_error = |error: io::Error| MediaError::io("writing the segments", &error);
    let source_file = File::open(source).map_err(io_error)?;
    let target_file = BufWriter::new(File::create(target).map_err(io_error)?);
    let mut writer = Writer { source: source_file, target: target_file, position: 0, fragments: 0 };
    let header = file_header(track).map_err(|error| invalid(source, &error))?;
    let header = writer.append(&header).map_err(io_error)?;
    let mut list = SegmentList { header, segments: Vec::new(), keyframes: Vec::new() };
    for segment in layout {
        let start = writer.position;
        for range in segment {
            let samples = track.samples.get(range.clone()).unwrap_or_default();
            writer.fragments += 1;
            let header = fragment_header(writer.fragments, samples, track.is_video());
            let header = header.map_err(|error| invalid(source, &error))?;
            let keyframe = writer.append_fragment(&header, samples).map_err(io_error)?;
            list.keyframes.push(Keyframe { range: keyframe, seconds: length(track, samples) });
        }
        let samples = samples_of(track, segment);
        let range = ByteRange { offset: start, length: writer.position - start };
        list.segments.push(Segment { range, seconds: length(track, samples) });
    }
    writer.target.flush().map_err(io_error)?;
    Ok(list)
}

fn samples_of<'a>(track: &'a Track, segment: &SegmentLayout) -> &'a [Sample] {
    let start = segment.first().map_or(0, |range| range.start);
    let end = segment.last().map_or(0, |range| range.end);
    track.samples.get(start..end).unwrap_or_default()
}

fn length(track: &Track, samples: &[Sample]) -> f64 {
    let start = samples.iter().map(|sample| sample.time).min().unwrap_or(0);
    let end = samples.iter().map(Sample::end).max().unwrap_or(0);
    seconds(end - start, track.timescale)
}

struct Writer {
    source: File,
    target: BufWriter<File>,
    position: u64,
    fragments: u32,
}

impl Writer {
    fn append(&mut self, bytes: &[u8]) -> io::Result<ByteRange> {
        let range = ByteRange { offset: self.position, length: bytes.len() as u64 };
        self.target.write_all(bytes)?;
        self.position += range.length;
        Ok(range)
    }

    /// Returns the range from the start of the fragment to the end of its first sample.
    fn append_fragment(&mut self, header: &[u8], samples: &[Sample]) -> io::Result<ByteRange> {
        let ByteRange { offset, mut length } = self.append(header)?;
        for (index, sample) in samples.iter().enumerate() {
            self.copy(sample)?;
            if index == 0 {
                length = self.position - offset;
            }
        }
        Ok(ByteRange { offset, length })
    }

    fn copy(&mut self, sample: &Sample) -> io::Result<()> {
        self.source.seek(SeekFrom::Start(sample.offset))?;
        let mut bytes = Read::by_ref(&mut self.source).take(u64::from(sample.size));
        let copied = io::copy(&mut bytes, &mut self.target)?;
        if copied < u64::from(sample.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.position += copied;
        Ok(())
    }
}
