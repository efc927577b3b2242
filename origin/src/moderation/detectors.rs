//! What ffmpeg's detectors saw, as findings. Pure: the media part reads ffmpeg, this only judges.

use contract::moderation::{Check, Finding, Verdict};

/// From this score on, flashes are dangerous: ffmpeg's `photosensitivity` reports the badness of a frame, and 1.0 is
/// the most that its rule of "no more than three flashes a second" lets pass.
pub const DANGEROUS_FLASHES: f64 = 1.0;

/// Of each kind, the longest spans are told; a video that turns black at every cut has hundreds.
const MOST_SPANS: usize = 8;

/// A part of the video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub from_ms: u64,
    pub until_ms: u64,
}

/// A part that flashes, and how badly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flashing {
    pub span: Span,
    pub score: f64,
}

/// Everything that the detectors saw.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    pub black: Vec<Span>,
    pub frozen: Vec<Span>,
    pub silent: Vec<Span>,
    pub flashing: Vec<Flashing>,
}

/// Black, frozen and silent parts are information for whoever looks at the video; dangerous flashes need a person.
pub fn findings(seen: &Seen) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(information(Check::Black, "black", &seen.black));
    findings.extend(information(Check::Frozen, "frozen", &seen.frozen));
    findings.extend(information(Check::Silent, "silent", &seen.silent));
    findings.extend(flashes(&seen.flashing));
    findings
}

fn information(check: Check, what: &str, spans: &[Span]) -> Vec<Finding> {
    let mut longest = spans.to_vec();
    longest.sort_by_key(|span| std::cmp::Reverse(span.until_ms.saturating_sub(span.from_ms)));
    longest.truncate(MOST_SPANS);
    longest.sort_by_key(|span| span.from_ms);
    let note = match spans.len() {
        all if all > MOST_SPANS => format!("{what}; one of the longest of {all} such parts"),
        _ => what.to_owned(),
    };
    let finding = |span| finding(check, Verdict::Pass, span, None, note.clone());
    longest.into_iter().map(finding).collect()
}

/// The worst part that is dangerous. A score that is no number is a detector that failed: it counts as dangerous.
fn flashes(flashing: &[Flashing]) -> Option<Finding> {
    let is_dangerous = |flash: &&Flashing| flash.score.is_nan() || flash.score >= DANGEROUS_FLASHES;
    let dangerous = flashing.iter().filter(is_dangerous);
    let worst = dangerous.max_by(|one, two| one.score.total_cmp(&two.score))?;
    // JSON has no infinity.
    let score = worst.score.is_finite().then_some(worst.score);
    let note = "flashes that can harm people with photosensitive epilepsy".to_owned();
    Some(finding(
        Check::Flashing,
        Verdict::Review,
        worst.span,
        score,
        note,
    ))
}

fn finding(
    check: Check,
    verdict: Verdict,
    span: Span,
    score: Option<f64>,
    note: String,
) -> Finding {
    Finding {
        check,
        verdict,
        from_ms: Some(span.from_ms),
        until_ms: Some(span.until_ms),
        score,
        note: Some(note),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::moderation::verdict;
    use proptest::prelude::*;

    fn span(from_ms: u64, until_ms: u64) -> Span {
        Span { from_ms, until_ms }
    }

    fn flash(score: f64) -> Flashing {
        let span = span(1000, 2000);
        Flashing { span, score }
    }

    fn flashing(scores: &[f64]) -> Vec<Finding> {
        findings(&Seen {
            flashing: scores.iter().copied().map(flash).collect(),
            ..Seen::default()
        })
    }

    #[test]
    fn nothing_seen_is_nothing_found() {
        assert_eq!(findings(&Seen::default()), []);
    }

    #[test]
    fn black_frozen_and_silent_parts_are_information() {
        let seen = Seen {
            black: vec![span(0, 500)],
            frozen: vec![span(100, 5000)],
            silent: vec![span(0, 5000)],
            flashing: vec![],
        };
        let found = findings(&seen);
        let checks: Vec<_> = found.iter().map(|finding| finding.check).collect();
        assert_eq!(checks, [Check::Black, Check::Frozen, Check::Silent]);
        assert_eq!(verdict(&found), Verdict::Pass);
        assert_eq!(
            (found[1].from_ms, found[1].until_ms),
            (Some(100), Some(5000))
        );
        assert_eq!(found[1].note.as_deref(), Some("frozen"));
    }

    #[test]
    fn dangerous_flashes_are_for_a_person_and_the_worst_is_told() {
        let found = flashing(&[0.2, 1.5, 4.0, 1.1]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].verdict, found[0].score),
            (Verdict::Review, Some(4.0))
        );
    }

    #[test]
    fn harmless_flashes_are_not_told() {
        assert_eq!(flashing(&[0.0, 0.99]), []);
        assert_eq!(flashing(&[DANGEROUS_FLASHES]).len(), 1);
    }

    #[test]
    fn a_score_that_is_no_number_is_for_a_person() {
        for score in [f64::NAN, f64::INFINITY] {
            let found = flashing(&[score]);
            assert_eq!((found[0].verdict, found[0].score), (Verdict::Review, None));
        }
    }

    proptest! {
        #[test]
        fn there_are_never_many_findings_and_the_longest_part_is_among_them(
            spans in prop::collection::vec((0_u64..100_000, 1_u64..10_000), 1..200)
        ) {
            let black: Vec<_> = spans.iter().map(|(from, length)| span(*from, from + length)).collect();
            let longest = black.iter().map(|span| span.until_ms - span.from_ms).max();
            let found = findings(&Seen { black, ..Seen::default() });
            prop_assert!(found.len() <= MOST_SPANS);
            let lengths = found.iter().map(|finding| finding.until_ms.unwrap() - finding.from_ms.unwrap());
            prop_assert_eq!(lengths.max(), longest);
        }
    }
}
