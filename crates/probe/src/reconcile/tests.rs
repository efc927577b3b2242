//! Compares declared durations with ten seconds of frames. Each lasts 40 ms, and the first starts at two seconds.

use super::*;

const MS: u64 = 1_000_000;
const CONTAINER: Container = Container::Flv;
const SOURCE: DurationSource = DurationSource::Timestamps;

const SPAN: ObservedSpan =
    ObservedSpan { start: 2_000 * MS, last: 11_960 * MS, end: 12_000 * MS, known: 12_000 * MS, latest: 12_040 * MS };

fn decide(declared_ms: u64, span: ObservedSpan) -> Result<(u64, DurationSource), FileRefusal> {
    let declared = DeclaredLength::from_zero(declared_ms * MS);
    final_duration(Some(declared), Some(span), CONTAINER, SOURCE).map(|(length, source)| (length / MS, source))
}

#[test]
fn a_declaration_that_the_last_frame_allows_is_confirmed() {
    for declared in [9_960, 10_000, 10_040] {
        assert_eq!(decide(declared, SPAN), Ok((declared, DurationSource::Confirmed)), "{declared}");
    }
}

#[test]
fn a_second_before_the_first_frame_may_be_declared_but_is_not_played() {
    assert_eq!(decide(11_042, SPAN), Ok((10_042, DurationSource::Confirmed)));
}

#[test]
fn rounding_never_reduces_the_proven_duration() {
    assert_eq!(decide(9_958, SPAN), Ok((9_960, DurationSource::Confirmed)));
}

#[test]
fn any_other_declaration_is_overruled_by_the_timestamps() {
    for declared in [1, 9_957, 11_043, 13_000] {
        assert_eq!(decide(declared, SPAN), Ok((10_000, SOURCE)), "{declared}");
    }
}

#[test]
fn a_frame_that_declares_a_long_duration_is_shown_for_that_long() {
    let slow = ObservedSpan { end: 12_260 * MS, known: 12_260 * MS, latest: 12_300 * MS, ..SPAN };
    assert_eq!(decide(10_000, slow), Ok((10_260, SOURCE)));
    assert_eq!(decide(10_010, slow), Ok((10_010, DurationSource::Confirmed)));
}

#[test]
fn a_declaration_a_second_past_the_end_means_that_the_end_is_missing() {
    assert!(decide(13_000, SPAN).is_ok());
    assert!(matches!(decide(13_001, SPAN), Err(FileRefusal::Truncated { container: CONTAINER, .. })));
}

#[test]
fn a_single_frame_lasts_as_long_as_declared_within_a_second() {
    let frame = ObservedSpan { start: 0, last: 0, end: 0, known: 0, latest: 0 };
    assert_eq!(decide(900, frame), Ok((900, DurationSource::Confirmed)));
    assert!(decide(1_001, frame).is_err());
}

#[test]
fn without_a_declaration_the_timestamps_decide() {
    let decide = |span| final_duration(None, Some(span), CONTAINER, SOURCE);
    assert_eq!(decide(SPAN), Ok((10_000 * MS, SOURCE)));
    let still = ObservedSpan { start: 5, last: 5, end: 5, known: 5, latest: 5 };
    assert_eq!(decide(still), Err(FileRefusal::DurationUnknown { container: CONTAINER }));
}

#[test]
fn a_file_without_frames_is_truncated_if_it_declares_more_than_a_second() {
    let decide = |ms: Option<u64>| {
        let declared = ms.map(|ms| DeclaredLength::from_zero(ms * MS));
        final_duration(declared, None, CONTAINER, SOURCE)
    };
    assert_eq!(decide(None), Err(FileRefusal::DurationUnknown { container: CONTAINER }));
    assert_eq!(decide(Some(1_000)), Err(FileRefusal::DurationUnknown { container: CONTAINER }));
    assert!(matches!(decide(Some(1_001)), Err(FileRefusal::Truncated { .. })));
}
