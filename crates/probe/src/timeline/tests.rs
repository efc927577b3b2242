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
    assert!(empty.run.is_none());
}

#[test]
fn frames_may_be_reordered_within_the_tolerance() {
    let track = timeline(&[0, 120, 40, 80, 160]);
    assert_eq!((track.certain(), track.frames()), (160, 5));
    assert_eq!(timeline(&[0, 200, 100]).certain(), 200, "exactly the tolerance");
}

#[test]
fn a_clock_that_jumps_back_begins_a_run_and_all_runs_add_up() {
    let track = timeline(&[0, 50, 100, 150, 49, 89, 129]);
    assert_eq!(track.certain(), 200 + 80, "the first run includes its last frame");
    assert_eq!(span(&[track], u64::MAX).2 - span(&[track], u64::MAX).0, 200 + 120);
    assert_eq!(timeline(&[0, 50, 100, 150, 50]).certain(), 150, "within the tolerance");
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
fn counted_frames_do_not_extend_a_track_whose_clock_restarted() {
    let mut track = timeline(&[10_000, 13_600, 0, 3_600]);
    let before = track.length(u64::MAX);
    track.fill_with_frames(3_600, 10);
    assert_eq!(track.length(u64::MAX), before);
}

#[test]
fn declared_durations_count_in_every_run() {
    let mut track = timeline(&[1_000, 1_050, 1_100]);
    for (at, duration) in [(0, None), (40, Some(90))] {
        track.observe(TimedFrame { at, order: at, duration }, TOLERANCE);
    }
    let span = combined_span([track].iter(), u64::MAX, |ticks| ticks).expect("frames");
    assert_eq!((span.known, span.end), (150 + 130, 150 + 130));
    track.prolong_last(20);
    assert_eq!(track.known(), 150 + 130, "shorter than before");
    track.prolong_last(100);
    assert_eq!(track.known(), 150 + 140);
}
