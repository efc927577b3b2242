//! Converts the detections of ffmpeg's filters to findings. Pure: `media` reads ffmpeg's output.

use contract::moderation::{Check, Finding, Recommendation};

/// Flashes with a higher score are dangerous. The score compares the flashes within a second with the three that ITU-R
/// BT.1702 and WCAG 2.3.1 tolerate.
pub const TOLERATED_FLASH_SCORE: f64 = 1.0;

/// Only the longest spans of each kind are reported: a video that fades to black at every cut has hundreds.
const MAX_SPANS: usize = 8;

/// A part of the video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MillisecondSpan {
    pub from_ms: u64,
    pub until_ms: u64,
}

/// A part of the video that flashes, and the highest score in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FlashingSpan {
    pub span: MillisecondSpan,
    pub score: f64,
}

/// The output of all detectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detections {
    pub black: Vec<MillisecondSpan>,
    pub frozen: Vec<MillisecondSpan>,
    pub silent: Vec<MillisecondSpan>,
    /// Much louder than the rest of the video.
    pub loud: Vec<MillisecondSpan>,
    pub flashing: Vec<FlashingSpan>,
}

/// Returns the findings of all detectors. Black, frozen, silent and suddenly loud parts are information for reviewers;
/// dangerous flashes require a review.
pub fn findings(detections: &Detections) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(informative_findings(Check::Black, "black", &detections.black));
    findings.extend(informative_findings(Check::Frozen, "frozen", &detections.frozen));
    findings.extend(informative_findings(Check::Silent, "silent", &detections.silent));
    findings.extend(informative_findings(Check::Loud, "much louder than the rest", &detections.loud));
    findings.extend(flashing_finding(&detections.flashing));
    findings
}

fn informative_findings(check: Check, kind: &str, spans: &[MillisecondSpan]) -> Vec<Finding> {
    let mut longest = spans.to_vec();
    longest.sort_by_key(|span| std::cmp::Reverse(span.until_ms.saturating_sub(span.from_ms)));
    longest.truncate(MAX_SPANS);
    longest.sort_by_key(|span| span.from_ms);
    let note = match spans.len() {
        total if total > MAX_SPANS => format!("{kind}; one of the longest of {total} such parts"),
        _ => kind.to_owned(),
    };
    let finding = |span| span_finding(check, Recommendation::Pass, span, None, note.clone());
    longest.into_iter().map(finding).collect()
}

/// Returns the worst of the dangerous spans. A NaN score means that the detector failed, and counts as dangerous.
fn flashing_finding(spans: &[FlashingSpan]) -> Option<Finding> {
    let is_dangerous = |flashing: &&FlashingSpan| flashing.score.is_nan() || flashing.score > TOLERATED_FLASH_SCORE;
    let worst = spans.iter().filter(is_dangerous).max_by(|one, other| one.score.total_cmp(&other.score))?;
    // JSON cannot express infinity.
    let score = worst.score.is_finite().then_some(worst.score);
    let note = "flashes that can harm people with photosensitive epilepsy".to_owned();
    Some(span_finding(Check::Flashing, Recommendation::Review, worst.span, score, note))
}

fn span_finding(
    check: Check,
    recommendation: Recommendation,
    span: MillisecondSpan,
    score: Option<f64>,
    note: String,
) -> Finding {
    Finding {
        check,
        recommendation,
        from_ms: Some(span.from_ms),
        until_ms: Some(span.until_ms),
        score,
        note: Some(note),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::moderation::strictest_recommendation;
    use fixtures::cases;
    use proptest::prelude::*;

    fn span(from_ms: u64, until_ms: u64) -> MillisecondSpan {
        MillisecondSpan { from_ms, until_ms }
    }

    fn flashing_span(score: f64) -> FlashingSpan {
        FlashingSpan { span: span(1000, 2000), score }
    }

    fn flashing_findings(scores: &[f64]) -> Vec<Finding> {
        let flashing = scores.iter().copied().map(flashing_span).collect();
        findings(&Detections { flashing, ..Detections::default() })
    }

    #[test]
    fn without_detections_there_are_no_findings() {
        assert_eq!(findings(&Detections::default()), []);
    }

    #[test]
    fn black_frozen_silent_and_loud_parts_are_information() {
        let detections = Detections {
            black: vec![span(0, 500)],
            frozen: vec![span(100, 5000)],
            silent: vec![span(0, 5000)],
            loud: vec![span(5000, 5100)],
            flashing: vec![],
        };
        let findings = findings(&detections);
        let checks: Vec<_> = findings.iter().map(|finding| finding.check).collect();
        assert_eq!(checks, [Check::Black, Check::Frozen, Check::Silent, Check::Loud]);
        assert_eq!(strictest_recommendation(&findings), Recommendation::Pass);
        assert_eq!((findings[1].from_ms, findings[1].until_ms), (Some(100), Some(5000)));
        assert_eq!(findings[1].note.as_deref(), Some("frozen"));
    }

    #[test]
    fn dangerous_flashes_require_a_review_and_the_worst_span_is_reported() {
        let findings = flashing_findings(&[0.2, 1.5, 4.0, 1.1]);
        assert_eq!(findings.len(), 1);
        assert_eq!((findings[0].recommendation, findings[0].score), (Recommendation::Review, Some(4.0)));
    }

    #[test]
    fn harmless_flashes_are_not_reported() {
        assert_eq!(flashing_findings(&[0.0, TOLERATED_FLASH_SCORE]), []);
        assert_eq!(flashing_findings(&[1.17]).len(), 1);
    }

    #[test]
    fn a_nan_or_infinite_score_requires_a_review() {
        for score in [f64::NAN, f64::INFINITY] {
            let findings = flashing_findings(&[score]);
            assert_eq!((findings[0].recommendation, findings[0].score), (Recommendation::Review, None));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(64, 1024)))]

        #[test]
        fn the_number_of_findings_is_limited_and_the_longest_span_is_among_them(
            spans in prop::collection::vec((0_u64..100_000, 1_u64..10_000), 1..200)
        ) {
            let black: Vec<_> = spans.iter().map(|(from, length)| span(*from, from + length)).collect();
            let longest = black.iter().map(|span| span.until_ms - span.from_ms).max();
            let findings = findings(&Detections { black, ..Detections::default() });
            prop_assert!(findings.len() <= MAX_SPANS);
            let lengths = findings.iter().map(|finding| finding.until_ms.unwrap() - finding.from_ms.unwrap());
            prop_assert_eq!(lengths.max(), longest);
        }
    }
}
