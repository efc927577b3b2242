//! Parses a classifier's answer and turns its labels into findings. Pure.
//!
//! The classifier recommends what to do for each label itself, because only its operators know which scores matter for
//! which label. If origins held thresholds per label, a new or misspelt label would pass unnoticed.

use contract::moderation::{Check, Finding, Recommendation};
use serde::Deserialize;

pub(super) const MAX_ANSWER_BYTES: usize = 64 * 1024;
const MAX_LABELS: usize = 64;
const MAX_LABEL_CHARACTERS: usize = 100;

#[derive(Deserialize)]
struct ClassifierAnswer {
    labels: Vec<Label>,
}

#[derive(Deserialize)]
struct Label {
    #[serde(rename = "label")]
    name: String,
    score: f64,
    recommendation: LabelRecommendation,
    #[serde(default)]
    from_ms: Option<u64>,
    #[serde(default)]
    until_ms: Option<u64>,
}

/// The recommendation of a label. There is no `wait`: a classifier that cannot judge a video answers with an error
/// status.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LabelRecommendation {
    Pass,
    Review,
    Reject,
}

/// Returns the findings of an answer, or why the answer is invalid.
pub(super) fn parse(body: &[u8]) -> Result<Vec<Finding>, String> {
    let answer: ClassifierAnswer = serde_json::from_slice(body).map_err(|error| {
        // The error's own text may quote the answer, so only the position is reported.
        let (line, column) = (error.line(), error.column());
        format!("the answer is malformed at line {line}, column {column}")
    })?;
    if answer.labels.len() > MAX_LABELS {
        return Err(format!("the answer has more than {MAX_LABELS} labels"));
    }
    if answer.labels.is_empty() {
        return Ok(vec![no_label_finding()]);
    }
    answer.labels.into_iter().map(label_finding).collect()
}

/// Records that the classifier judged the video and found nothing, which is evidence too.
fn no_label_finding() -> Finding {
    Finding::of_whole_video(Check::Classifier, Recommendation::Pass, "no label")
}

fn label_finding(label: Label) -> Result<Finding, String> {
    let is_printable = !label.name.trim().is_empty()
        && label.name.chars().count() <= MAX_LABEL_CHARACTERS
        && !label.name.contains(char::is_control);
    if !is_printable {
        return Err(format!("the answer has a label that is not 1 to {MAX_LABEL_CHARACTERS} printable characters"));
    }
    if !(0.0..=1.0).contains(&label.score) {
        return Err("the answer has a score that is not between 0 and 1".to_owned());
    }
    if label.from_ms.zip(label.until_ms).is_some_and(|(from, until)| from > until) {
        return Err("the answer has a label whose until_ms is less than its from_ms".to_owned());
    }
    Ok(Finding {
        check: Check::Classifier,
        recommendation: label.recommendation.into(),
        from_ms: label.from_ms,
        until_ms: label.until_ms,
        score: Some(label.score),
        note: Some(label.name),
    })
}

impl From<LabelRecommendation> for Recommendation {
    fn from(recommendation: LabelRecommendation) -> Self {
        match recommendation {
            LabelRecommendation::Pass => Self::Pass,
            LabelRecommendation::Review => Self::Review,
            LabelRecommendation::Reject => Self::Reject,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::moderation::strictest_recommendation;
    use fixtures::cases;
    use proptest::prelude::*;
    use serde_json::json;

    fn parse_labels(labels: &serde_json::Value) -> Result<Vec<Finding>, String> {
        parse(json!({ "labels": labels }).to_string().as_bytes())
    }

    #[test]
    fn each_label_becomes_a_finding_with_its_evidence() {
        let findings = parse_labels(&json!([
            { "label": "violence", "score": 0.91, "recommendation": "review", "from_ms": 4000, "until_ms": 6000 },
            { "label": "dog", "score": 1.0, "recommendation": "pass", "colour": "unknown fields are ignored" },
        ]))
        .unwrap();
        assert_eq!(strictest_recommendation(&findings), Recommendation::Review);
        assert_eq!(findings[0].note.as_deref(), Some("violence"));
        let first = &findings[0];
        assert_eq!((first.from_ms, first.until_ms, first.score), (Some(4000), Some(6000), Some(0.91)));
        assert_eq!((findings[1].from_ms, findings[1].recommendation), (None, Recommendation::Pass));
    }

    #[test]
    fn an_empty_list_of_labels_passes_and_a_missing_list_is_malformed() {
        assert_eq!(strictest_recommendation(&parse_labels(&json!([])).unwrap()), Recommendation::Pass);
        for body in ["", "{}", "[]", "null", "{\"labels\":null}", "<html>", "{\"labels\":[]} x"] {
            assert!(parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn one_invalid_label_makes_the_whole_answer_invalid() {
        for label in [
            json!({ "label": "a", "score": 0.5 }),
            json!({ "label": "a", "score": 0.5, "recommendation": "block" }),
            json!({ "label": "a", "score": 0.5, "recommendation": "wait" }),
            json!({ "label": "a", "recommendation": "pass" }),
            json!({ "label": "a", "score": 1.5, "recommendation": "pass" }),
            json!({ "label": "a", "score": -0.1, "recommendation": "pass" }),
            json!({ "label": " ", "score": 0.5, "recommendation": "pass" }),
            json!({ "label": "a\nb", "score": 0.5, "recommendation": "pass" }),
            json!({ "label": "x".repeat(101), "score": 0.5, "recommendation": "pass" }),
            json!({ "label": "a", "score": 0.5, "recommendation": "pass", "from_ms": 2, "until_ms": 1 }),
        ] {
            assert!(parse_labels(&json!([label])).is_err(), "{label}");
        }
        let valid = json!({ "label": "a", "score": 0.5, "recommendation": "pass" });
        assert!(parse_labels(&json!(vec![valid.clone(); 64])).is_ok());
        assert!(parse_labels(&json!(vec![valid; 65])).is_err());
    }

    #[test]
    fn an_error_does_not_quote_the_answer() {
        let result = parse(br#"{"labels":[{"label":"a","score":"secret","recommendation":"pass"}]}"#);
        assert!(!result.unwrap_err().contains("secret"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(64, 1024)))]

        #[test]
        fn random_bytes_are_rejected_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(parse(&body).is_err());
        }
    }
}
