//! Timelines of a few frames, in ticks.

use super::*;

const TOLERANCE: i64 = 100;

/// Returns the timeline of frames at these times, without declared durations.
fn timeline(times: &[i64]) -> Timeline {
    let mut timeline = Timeline::default();
    for at in times {
        timeline.observe(TimedFrame { at: *at, order: *at, duration: None }, TOLERANCE);
    }
    timeline
}

fn span(tracks: &[Timeline], guess: u64) -> (u64, u64, u64, u64) {
    let span = combined_span(tracks.iter(), guess, |ticks| ticks).expect("frames");
    (span.start, span.last, span.end, span.latest)
}

#[test]
fn the_last_frame_lasts_as_long_as_the_average_but_at_most_the_guess() {
    let track = timeline(&[1_000, 1_040, 1_080, 1_120]);
    assert_eq!((track.average_frame(), track.frames()), (40, 4));
    assert_eq!(span(&[track], u64::MAX), (1_000, 1_120, 1_160, 1_200));
    assert_eq!(span(&[track], 30), (1_000, 1_120, 1_150, 1_200));
    assert_eq!(span(&[timeline(&[7])], 30), (7, 7, 7, 7), "one frame has no average");
}

#[test]
fn a_declared_duration_decides_how_long_the_last_frame_lasts() {
    let mut track = timeline(&[0, 40]);
    track.observe(TimedFrame { at: 80, order: 80, duration: Some(25) }, TOLERANCE);
    assert_eq!(span(&[track], u64::MAX), (0, 80, 105, 145));
    track.prolong(80, 60);
    assert_eq!(span(&[track], u64::MAX), (0, 80, 140, 180));
    track.prolong(0, 10);
    assert_eq!(span(&[track], u64::MAX), (0, 80, 140, 180), "an earlier frame ends before");
    let mut empty = Timeline::default();
    empty.prolong(0, 10);
    assert!(empty.covered.is_none());
}

#[test]
fn frames_may_be_reordered_within_the_tolerance() {
    let track = timeline(&[0, 120, 40, 80, 160]);
    assert_eq!((track.span(), track.frames(), track.jumps_back()), (160, 5, 0));
}

#[test]
fn steps_back_of_more_than_the_tolerance_add_up() {
    assert_eq!(timeline(&[0, 50, 100, 150, 50, 100, 0]).jumps_back(), 0, "exactly the tolerance");
    assert_eq!(timeline(&[0, 50, 100, 150, 49, 89, 129, 7]).jumps_back(), 101 + 122);
}

#[test]
fn several_tracks_cover_the_time_from_the_earliest_start_to_the_latest_end() {
    let (early, late) = (timeline(&[0, 100]), timeline(&[50, 300, 550]));
    assert_eq!(span(&[early, late], u64::MAX), (0, 550, 800, 1_050));
    assert_eq!(proven([early, late].iter(), |ticks| ticks), 500, "the longest track by itself");
    assert!(combined_span([].iter(), 0, |ticks| ticks).is_none());
}

#[test]
fn a_negative_start_counts_as_zero_but_its_length_counts() {
    assert_eq!(span(&[timeline(&[-80, -40, 0, 40])], u64::MAX), (0, 120, 160, 200));
}

#[test]
fn a_start_near_the_largest_time_does_not_hide_the_length() {
    let span =
        combined_span([timeline(&[i64::MAX - 100, i64::MAX - 50])].iter(), u64::MAX, |ticks| ticks.saturating_mul(4));
    assert_eq!(span.map(|span| span.length()), Some(400));
}

#[test]
fn counted_frames_extend_a_track_by_a_little_only() {
    let filled = |count| {
        let mut track = timeline(&[0, 3_600, 7_200]);
        track.fill_with_frames(3_600, count);
        track.length(u64::MAX)
    };
    assert_eq!(filled(5), 5 * 3_600);
    assert_eq!(filled(20), 20 * 3_600, "62,000 ticks after the last timestamp ends");
    assert_eq!(filled(21), 3 * 3_600, "too far away");
    assert_eq!(filled(3), 3 * 3_600);
    assert_eq!(filled(1), 3 * 3_600, "fewer than have timestamps");
}

#[test]
fn a_frame_without_a_picture_lasts_until_the_next_frame() {
    let empty_span = |frames: &[(i64, bool)]| {
        let mut track = Timeline::default();
        for (at, is_empty) in frames {
            track.observe(TimedFrame { at: *at, order: *at, duration: None }, 0);
            if *is_empty {
                track.note_empty();
            }
        }
        track.empty_span()
    };
    assert_eq!(empty_span(&[(0, false), (10, true), (30, false), (40, false)]), 20);
    assert_eq!(empty_span(&[(0, false), (10, true), (10, false), (40, true), (40, false)]), 0, "parts of a picture");
    assert_eq!(empty_span(&[(0, true), (10, true), (20, true)]), 30, "the last one lasts as long as the others");
    assert_eq!(empty_span(&[(0, false), (30, true), (10, false)]), 0, "shown before");
}
