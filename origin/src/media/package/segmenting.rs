//! Divides the samples of a track into segments, and segments into fragments. Pure.

use super::track::{Sample, Track};
use std::ops::Range;

/// The shortest fragment of a video, in seconds. Each begins with a keyframe, which a player can show while it seeks.
const FRAGMENT_SECONDS: u32 = 1;

/// The ranges of samples in each fragment of one segment.
pub(super) type SegmentLayout = Vec<Range<usize>>;

/// Returns the segments of a video that starts them with these frames. Frames are in the order of decoding, which at a
/// keyframe is that of presentation, because no group of pictures depends on another.
pub(super) fn divide_video(track: &Track, starts: &[usize]) -> Option<Vec<SegmentLayout>> {
    let segments = ranges(starts, track.samples.len());
    segments.map(|segment| fragments(track, segment)).collect()
}

fn fragments(track: &Track, segment: Range<usize>) -> Option<SegmentLayout> {
    let first = track.samples.get(segment.start)?;
    if !first.is_keyframe {
        return None;
    }
    let (mut starts, mut last) = (vec![segment.start], first.time);
    for (index, sample) in track.samples.iter().enumerate().take(segment.end).skip(segment.start + 1) {
        if sample.is_keyframe && sample.time - last >= i64::from(track.timescale * FRAGMENT_SECONDS) {
            starts.push(index);
            last = sample.time;
        }
    }
    Some(ranges(&starts, segment.end).collect())
}

/// Returns the segments of the sound. Each begins with the packet that is closest to the beginning of a segment of the
/// video, in seconds.
pub(super) fn divide_sound(track: &Track, boundaries: &[f64]) -> Vec<SegmentLayout> {
    let middle = |sample: &Sample| seconds(sample.time + i64::from(sample.duration / 2), track.timescale);
    let start = |boundary: &f64| track.samples.partition_point(|sample| middle(sample) < *boundary);
    let starts: Vec<usize> = boundaries.iter().map(start).collect();
    let segments = ranges(&starts, track.samples.len()).filter(|segment| !segment.is_empty());
    segments.map(|segment| vec![segment]).collect()
}

/// Returns the ranges between these starts, the last of which lasts until `end`.
fn ranges(starts: &[usize], end: usize) -> impl Iterator<Item = Range<usize>> {
    let ends = starts.iter().skip(1).copied().chain(std::iter::once(end));
    starts.iter().copied().zip(ends).map(|(start, end)| start..end)
}

#[expect(clippy::cast_precision_loss, reason = "times of two minutes are far below 2^53")]
pub(super) fn seconds(time: i64, timescale: u32) -> f64 {
    time as f64 / f64::from(timescale.max(1))
}
