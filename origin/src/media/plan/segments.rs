//! Chooses the frames at which the segments of all renditions begin. Pure.
//!
//! A player changes the rendition between two segments, so all rungs begin theirs with a keyframe at the same frame.

use crate::media::FrameRate;

/// Seconds between keyframes. A seek or a change of rendition waits half of this on average.
const GOP_SECONDS: f64 = 2.0;

/// Two groups of pictures per segment: half the requests, and players can still change the rendition within seconds.
const GOPS_PER_SEGMENT: u64 = 2;

/// The longest segment of a copy, in groups of pictures. A source with rarer keyframes is encoded.
const MAX_GOPS_PER_COPIED_SEGMENT: u64 = 3;

/// The segments of a video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    /// The first frame of each segment.
    pub starts: Vec<u64>,
    /// The most frames between two keyframes, half a segment.
    pub gop: u64,
}

impl Segments {
    /// Returns segments of equal length, for videos whose keyframes can be chosen.
    pub(super) fn regular(rate: FrameRate, frame_count: u64) -> Self {
        let gop = gop(rate);
        let step = usize::try_from(gop * GOPS_PER_SEGMENT).unwrap_or(usize::MAX);
        let segments = Self { starts: (0..frame_count.max(1)).step_by(step).collect(), gop };
        segments.without_short_end(frame_count)
    }

    /// Returns segments that begin with some of these keyframes, or `None` if a segment would be too long.
    pub(super) fn at_keyframes(keyframes: &[u64], rate: FrameRate, frame_count: u64) -> Option<Self> {
        let gop = gop(rate);
        let (mut starts, mut start) = (vec![0], 0);
        while frame_count > start + gop * GOPS_PER_SEGMENT {
            let Some(next) = next_start(keyframes, start, gop) else {
                break;
            };
            start = next;
            starts.push(start);
        }
        let is_divided = keyframes.first() == Some(&0) && frame_count <= start + gop * MAX_GOPS_PER_COPIED_SEGMENT;
        is_divided.then(|| Self { starts, gop }.without_short_end(frame_count))
    }

    /// Returns the starts of the segments of a file with this many frames, which may be fewer than planned.
    pub(crate) fn starts_in(&self, frame_count: usize) -> Vec<usize> {
        let segments = self.clone().without_short_end(frame_count as u64);
        segments.starts.into_iter().filter_map(|start| usize::try_from(start).ok()).collect()
    }

    /// Merges the last segment with the one before if it is shorter than half a segment: players that wait for a
    /// segment's later frames never see the end of one that has only a few.
    fn without_short_end(mut self, frame_count: u64) -> Self {
        let gop = self.gop;
        let mut number = 0;
        self.starts.retain(|start| {
            number += 1;
            number == 1 || start + gop <= frame_count
        });
        self
    }
}

/// The last keyframe within a usual segment, or the first one after that.
fn next_start(keyframes: &[u64], start: u64, gop: u64) -> Option<u64> {
    let usual = start + gop..=start + gop * GOPS_PER_SEGMENT;
    let late = start + gop..=start + gop * MAX_GOPS_PER_COPIED_SEGMENT;
    let in_time = keyframes.iter().rev().find(|keyframe| usual.contains(keyframe));
    in_time.or_else(|| keyframes.iter().find(|keyframe| late.contains(keyframe))).copied()
}

fn gop(rate: FrameRate) -> u64 {
    rate.frames_in(GOP_SECONDS).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate() -> FrameRate {
        FrameRate::new(30, 1).unwrap()
    }

    fn at_keyframes(keyframes: &[u64], frame_count: u64) -> Option<Vec<u64>> {
        Segments::at_keyframes(keyframes, rate(), frame_count).map(|segments| segments.starts)
    }

    proptest! {
        #[test]
        fn no_segment_but_the_only_one_is_shorter_than_half(frames in 1_u64..7200, step in 1_u64..200) {
            let keyframes: Vec<u64> = (0..frames).step_by(usize::try_from(step).unwrap()).collect();
            let regular = Some(Segments::regular(rate(), frames));
            for segments in [regular, Segments::at_keyframes(&keyframes, rate(), frames)].into_iter().flatten() {
                let ends = segments.starts.iter().skip(1).copied().chain([frames]);
                for (start, end) in segments.starts.iter().zip(ends) {
                    prop_assert!(segments.starts.len() == 1 || end - start >= segments.gop, "{segments:?}");
                    prop_assert!(end - start < 4 * segments.gop, "{segments:?}");
                }
            }
        }
    }

    #[test]
    fn a_segment_lasts_four_seconds_and_a_short_end_joins_the_one_before() {
        assert_eq!(Segments::regular(rate(), 300).starts, [0, 120, 240]);
        assert_eq!(Segments::regular(rate(), 299).starts, [0, 120]);
        assert_eq!(Segments::regular(rate(), 3).starts, [0]);
    }

    #[test]
    fn segments_of_a_copy_begin_with_keyframes_of_the_source() {
        let every_frame: Vec<u64> = (0..400).collect();
        assert_eq!(at_keyframes(&every_frame, 400), Some(vec![0, 120, 240]));
        assert_eq!(at_keyframes(&[0, 50, 110, 170, 250], 300), Some(vec![0, 110, 170]));
        assert_eq!(at_keyframes(&[0, 170], 300), Some(vec![0, 170]));
    }

    #[test]
    fn a_source_with_too_few_keyframes_has_no_segments() {
        assert_eq!(at_keyframes(&[0, 200], 400), None);
        assert_eq!(at_keyframes(&[0], 181), None);
        assert_eq!(at_keyframes(&[0], 180), Some(vec![0]));
        assert_eq!(at_keyframes(&[], 100), None);
    }

    #[test]
    fn a_file_with_fewer_frames_than_planned_has_no_short_segment_either() {
        assert_eq!(Segments::regular(rate(), 300).starts_in(299), [0, 120]);
    }
}
