//! Reads the times of a rendition's segments and its sample entry from the boxes of its file, and checks that its
//! playlist has the same times.
//!
//! Players use both: a player that seeks chooses a segment by the playlist, and shows its frames at the times of the
//! boxes.

use super::byte_range::ByteRange;
use super::media_playlist::MediaPlaylist;
use super::mismatch::{mismatch, not_written};
use crate::media::MediaError;
use crate::media::files::output;
use contract::MediaFile;
use mp4_atom::{Atom, Codec, Header, Moof, Moov, ReadAtom, ReadFrom, Traf};
use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::Path;

/// The largest difference between a time in a playlist and that in the boxes, in seconds: the rounding of a copied
/// source's clock at both ends.
const ROUNDING_SECONDS: f64 = 0.004;

/// A rendition starts at most this many seconds after zero. Sound may start 0.05 s late without silence before it.
const MAX_START_SECONDS: f64 = 0.06;

/// The flag of a sample that is not a keyframe.
const IS_NOT_KEYFRAME: u32 = 0x1_0000;

/// The segments of a rendition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::media) struct SegmentIndex {
    /// The units of time per second.
    pub(in crate::media) timescale: u32,
    pub(in crate::media) header: ByteRange,
    pub(in crate::media) segments: Vec<IndexedSegment>,
    /// The codec, with its settings.
    pub(in crate::media) sample_entry: Option<Codec>,
}

/// One segment, with its times in the units of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::media) struct IndexedSegment {
    pub(in crate::media) range: ByteRange,
    pub(in crate::media) start: u64,
    pub(in crate::media) duration: u64,
}

impl SegmentIndex {
    /// Returns the end of the last segment, in seconds.
    pub(in crate::media) fn end_seconds(&self) -> f64 {
        self.segments.last().map_or(0.0, |last| seconds(last.start + last.duration, self.timescale))
    }

    /// Returns the duration of the longest segment, in seconds.
    pub(in crate::media) fn longest_seconds(&self) -> f64 {
        let longest = self.segments.iter().map(|segment| segment.duration).max();
        seconds(longest.unwrap_or(0), self.timescale)
    }

    /// Whether two renditions begin their segments at the same times, to the rounding of their clocks.
    pub(in crate::media) fn is_nearly_aligned_with(&self, other: &Self) -> bool {
        let starts = |index: &Self| {
            let start = |segment: &IndexedSegment| seconds(segment.start, index.timescale);
            index.segments.iter().map(start).collect::<Vec<_>>()
        };
        let (own, other) = (starts(self), starts(other));
        let differ = |(one, other): (&f64, &f64)| (one - other).abs() > ROUNDING_SECONDS;
        own.len() == other.len() && !own.iter().zip(&other).any(differ)
    }

    /// Whether two renditions begin their segments at the same times.
    pub(in crate::media) fn is_aligned_with(&self, other: &Self) -> bool {
        let times = |index: &Self| index.segments.iter().map(|segment| segment.start).collect::<Vec<_>>();
        self.timescale == other.timescale && times(self) == times(other)
    }
}

/// Checks the segments that a playlist lists.
pub(super) fn check(folder: &Path, name: MediaFile, playlist: &MediaPlaylist) -> Result<SegmentIndex, MediaError> {
    let file = File::open(output(folder, name)).map_err(|error| not_written(name, &error))?;
    let boxes = read_boxes(BufReader::new(file)).map_err(|error| mismatch(name, &format!("its boxes: {error}")))?;
    boxes.index(playlist).map_err(|problem| mismatch(name, &problem))
}

/// The times in the boxes of a file, and its sample entry.
#[derive(Debug, Default)]
struct Boxes {
    timescale: u32,
    sample_entry: Option<Codec>,
    fragments: Vec<Fragment>,
}

#[derive(Clone, Copy, Debug)]
struct Fragment {
    offset: u64,
    start: u64,
    end: u64,
    starts_with_keyframe: bool,
}

/// Reads the headers of the file and of its fragments, and skips everything else.
fn read_boxes(mut reader: BufReader<impl Read + Seek>) -> mp4_atom::Result<Boxes> {
    let mut boxes = Boxes::default();
    loop {
        let offset = reader.stream_position()?;
        let Some(header) = Option::<Header>::read_from(&mut reader)? else {
            return Ok(boxes);
        };
        match header.kind {
            Moov::KIND => {
                let tracks = Moov::read_atom(&header, &mut reader)?.trak;
                let media = tracks.into_iter().next().map(|track| track.mdia).unwrap_or_default();
                boxes.timescale = media.mdhd.timescale;
                boxes.sample_entry = media.minf.stbl.stsd.codecs.into_iter().next();
            }
            Moof::KIND => {
                let tracks = Moof::read_atom(&header, &mut reader)?.traf;
                boxes.fragments.extend(tracks.first().and_then(|track| fragment(offset, track)));
            }
            _ => {
                let size = header.size.and_then(|size| i64::try_from(size).ok());
                reader.seek_relative(size.ok_or(mp4_atom::Error::InvalidSize)?)?;
            }
        }
    }
}

/// Returns `None` if the fragment does not say when it begins, or has no samples.
fn fragment(offset: u64, track: &Traf) -> Option<Fragment> {
    let start = track.tfdt.as_ref()?.base_media_decode_time;
    let samples = || track.trun.iter().flat_map(|run| run.samples.iter());
    let usual_duration = track.tfhd.default_sample_duration;
    let duration: u64 = samples().map(|sample| u64::from(sample.duration.or(usual_duration).unwrap_or(0))).sum();
    let first = samples().next()?;
    // The first sample of a segment is also the first that is shown.
    let start = start.checked_add_signed(first.cts.unwrap_or(0))?;
    let flags = first.flags.or(track.tfhd.default_sample_flags).unwrap_or(0);
    Some(Fragment { offset, start, end: start + duration, starts_with_keyframe: flags & IS_NOT_KEYFRAME == 0 })
}

impl Boxes {
    /// Returns the segments of the playlist with the times of the boxes, or how the two differ.
    fn index(&self, playlist: &MediaPlaylist) -> Result<SegmentIndex, String> {
        let timescale = self.timescale;
        self.check_continuity()?;
        let ends = playlist.segments.iter().skip(1).map(|(range, _)| self.starting_at(range.offset));
        let end = self.fragments.last().map(|last| last.end);
        let ends = ends.map(|next| next.map(|next| next.start)).chain([end]);
        let mut segments = Vec::new();
        for ((range, listed), end) in playlist.segments.iter().zip(ends) {
            let first = self.starting_at(range.offset);
            let segment = first.zip(end).filter(|(first, end)| *end > first.start && first.starts_with_keyframe);
            let (first, end) = segment.ok_or_else(|| format!("no segment begins at byte {}", range.offset))?;
            let duration = end - first.start;
            if (seconds(duration, timescale) - listed).abs() > ROUNDING_SECONDS {
                return Err(format!("a segment lasts {duration}/{timescale} s, and {listed} s in the playlist"));
            }
            segments.push(IndexedSegment { range: *range, start: first.start, duration });
        }
        let sample_entry = self.sample_entry.clone();
        Ok(SegmentIndex { timescale, header: playlist.header, segments, sample_entry })
    }

    /// Checks that the fragments follow each other from the start without a gap.
    fn check_continuity(&self) -> Result<(), String> {
        let start = self.fragments.first().map_or(u64::MAX, |first| first.start);
        if seconds(start, self.timescale) > MAX_START_SECONDS {
            return Err(format!("it begins at {start}/{}", self.timescale));
        }
        let gap = |(one, next): (&Fragment, &Fragment)| seconds(next.start.abs_diff(one.end), self.timescale);
        let gaps = self.fragments.iter().zip(self.fragments.iter().skip(1)).map(gap);
        let longest = gaps.fold(0.0, f64::max);
        if longest > ROUNDING_SECONDS { Err(format!("a gap of {longest} s between fragments")) } else { Ok(()) }
    }

    fn starting_at(&self, offset: u64) -> Option<Fragment> {
        self.fragments.iter().find(|fragment| fragment.offset == offset).copied()
    }
}

#[expect(clippy::cast_precision_loss, reason = "times of two minutes are far below 2^53")]
fn seconds(time: u64, timescale: u32) -> f64 {
    time as f64 / f64::from(timescale.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment(offset: u64, start: u64, end: u64) -> Fragment {
        Fragment { offset, start, end, starts_with_keyframe: true }
    }

    /// Two segments, the first of which consists of two fragments.
    fn boxes() -> Boxes {
        let fragments = vec![fragment(700, 0, 90), fragment(800, 90, 180), fragment(900, 180, 250)];
        Boxes { timescale: 90, fragments, sample_entry: None }
    }

    fn playlist(second: u64, durations: [f64; 2]) -> MediaPlaylist {
        let range = |offset, bytes| ByteRange { offset, bytes };
        let segments = vec![(range(700, 200), durations[0]), (range(second, 100), durations[1])];
        MediaPlaylist { header: range(0, 700), segments, ..MediaPlaylist::default() }
    }

    #[test]
    fn segments_get_the_times_of_their_boxes() {
        let index = boxes().index(&playlist(900, [2.0, 0.778])).unwrap();
        let times: Vec<_> = index.segments.iter().map(|segment| (segment.start, segment.duration)).collect();
        assert_eq!(times, [(0, 180), (180, 70)]);
        assert!((index.end_seconds() - 250.0 / 90.0).abs() < 1e-9 && (index.longest_seconds() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn a_playlist_that_differs_from_the_boxes_is_refused() {
        for (playlist, boxes) in [
            (playlist(899, [2.0, 0.778]), boxes()),
            (playlist(900, [1.9, 0.778]), boxes()),
            (playlist(900, [2.0, 0.9]), boxes()),
            (playlist(900, [2.0, 0.778]), Boxes::default()),
        ] {
            assert!(boxes.index(&playlist).is_err(), "{playlist:?} {boxes:?}");
        }
    }

    #[test]
    fn a_gap_a_late_start_and_a_segment_without_a_keyframe_are_refused() {
        let changes: [fn(&mut Boxes); 4] = [
            |boxes| boxes.fragments[1].end = 170,
            |boxes| boxes.fragments[1].start = 80,
            |boxes| boxes.fragments[0].start = 9,
            |boxes| boxes.fragments[2].starts_with_keyframe = false,
        ];
        for change in changes {
            let mut boxes = boxes();
            change(&mut boxes);
            assert!(boxes.index(&playlist(900, [2.0, 0.778])).is_err(), "{boxes:?}");
        }
    }

    #[test]
    fn renditions_are_aligned_if_their_segments_begin_together() {
        let index = boxes().index(&playlist(900, [2.0, 0.778])).unwrap();
        let mut other = index.clone();
        other.segments[1].duration = 60;
        assert!(index.is_aligned_with(&other));
        other.segments[1].start = 181;
        assert!(!index.is_aligned_with(&other));
    }
}
