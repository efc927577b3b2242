//! What a classifier may answer, and how it becomes findings. Pure.
//!
//! The classifier gives the verdict of each label itself: whoever knows the labels also knows from which score on they
//! matter. An origin that held thresholds by label would pass a misspelt or a new label without a word.

use contract::moderation::{Check, Finding, Verdict};
use serde::Deserialize;

/// No answer is longer.
pub const LONGEST_ANSWER: usize = 64 * 1024;
const MOST_LABELS: usize = 64;
const LONGEST_LABEL: usize = 100;

#[derive(Deserialize)]
struct Answer {
    labels: Vec<Label>,
}

#[derive(Deserialize)]
struct Label {
    #[serde(rename = "label")]
    name: String,
    score: f64,
    verdict: LabelVerdict,
    #[serde(default)]
    from_ms: Option<u64>,
    #[serde(default)]
    until_ms: Option<u64>,
}

/// A classifier that cannot tell answers with a status; it cannot make a content wait by a label.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum LabelVerdict {
    Pass,
    Review,
    Reject,
}

/// The findings of an answer, or what is wrong with it.
pub fn read(body: &[u8]) -> Result<Vec<Finding>, String> {
    let answer: Answer = serde_json::from_slice(body).map_err(|error| {
        // The error's own text may repeat parts of the answer; where it is wrong is enough.
        let (line, column) = (error.line(), error.column());
        format!("its answer is malformed at line {line}, column {column}")
    })?;
    if answer.labels.len() > MOST_LABELS {
        return Err(format!("its answer has more than {MOST_LABELS} labels"));
    }
    if answer.labels.is_empty() {
        return Ok(vec![nothing_found()]);
    }
    answer.labels.into_iter().map(finding).collect()
}

/// That it was asked, and found nothing, is evidence too.
fn nothing_found() -> Finding {
    Finding {
        check: Check::Classifier,
        verdict: Verdict::Pass,
        from_ms: None,
        until_ms: None,
        score: None,
        note: Some("no label".to_owned()),
    }
}

fn finding(label: Label) -> Result<Finding, String> {
    let is_text = !label.name.trim().is_empty()
        && label.name.chars().count() <= LONGEST_LABEL
        && !label.name.contains(char::is_control);
    if !is_text {
        let rule = format!("1 to {LONGEST_LABEL} printable characters");
        return Err(format!("its answer has a label that is not {rule}"));
    }
    if !(0.0..=1.0).contains(&label.score) {
        return Err("its answer has a score that is not within 0 and 1".to_owned());
    }
    if label
        .from_ms
        .zip(label.until_ms)
        .is_some_and(|(from, until)| from > until)
    {
        return Err("its answer has a part that ends before it begins".to_owned());
    }
    Ok(Finding {
        check: Check::Classifier,
        verdict: label.verdict.into(),
        from_ms: label.from_ms,
        until_ms: label.until_ms,
        score: Some(label.score),
        note: Some(label.name),
    })
}

impl From<LabelVerdict> for Verdict {
    fn from(verdict: LabelVerdict) -> Self {
        match verdict {
            LabelVerdict::Pass => Self::Pass,
            LabelVerdict::Review => Self::Review,
            LabelVerdict::Reject => Self::Reject,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::moderation::verdict;
    use proptest::prelude::*;
    use serde_json::json;

    fn labels(labels: &serde_json::Value) -> Result<Vec<Finding>, String> {
        read(json!({ "labels": labels }).to_string().as_bytes())
    }

    #[test]
    fn each_label_is_a_finding_with_its_evidence() {
        let found = labels(&json!([
            { "label": "violence", "score": 0.91, "verdict": "review", "from_ms": 4000, "until_ms": 6000 },
            { "label": "dog", "score": 1.0, "verdict": "pass", "colour": "unknown fields are ignored" },
        ]))
        .unwrap();
        assert_eq!(verdict(&found), Verdict::Review);
        assert_eq!(found[0].note.as_deref(), Some("violence"));
        assert_eq!(
            (found[0].from_ms, found[0].until_ms, found[0].score),
            (Some(4000), Some(6000), Some(0.91))
        );
        assert_eq!((found[1].from_ms, found[1].verdict), (None, Verdict::Pass));
    }

    #[test]
    fn no_label_is_a_pass_and_no_list_of_labels_is_malformed() {
        assert_eq!(verdict(&labels(&json!([])).unwrap()), Verdict::Pass);
        for body in [
            "",
            "{}",
            "[]",
            "null",
            "{\"labels\":null}",
            "<html>",
            "{\"labels\":[]} x",
        ] {
            assert!(read(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn a_label_that_is_not_in_order_spoils_the_answer() {
        for label in [
            json!({ "label": "a", "score": 0.5 }),
            json!({ "label": "a", "score": 0.5, "verdict": "block" }),
            json!({ "label": "a", "score": 0.5, "verdict": "wait" }),
            json!({ "label": "a", "verdict": "pass" }),
            json!({ "label": "a", "score": 1.5, "verdict": "pass" }),
            json!({ "label": "a", "score": -0.1, "verdict": "pass" }),
            json!({ "label": " ", "score": 0.5, "verdict": "pass" }),
            json!({ "label": "a\nb", "score": 0.5, "verdict": "pass" }),
            json!({ "label": "x".repeat(101), "score": 0.5, "verdict": "pass" }),
            json!({ "label": "a", "score": 0.5, "verdict": "pass", "from_ms": 2, "until_ms": 1 }),
        ] {
            assert!(labels(&json!([label])).is_err(), "{label}");
        }
        let one = json!({ "label": "a", "score": 0.5, "verdict": "pass" });
        assert!(labels(&json!(vec![one.clone(); 64])).is_ok());
        assert!(labels(&json!(vec![one; 65])).is_err());
    }

    #[test]
    fn what_is_wrong_is_told_without_the_answers_own_words() {
        let problem = read(br#"{"labels":[{"label":"a","score":"secret","verdict":"pass"}]}"#);
        assert!(!problem.unwrap_err().contains("secret"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(body in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(read(&body).is_err());
        }
    }
}
