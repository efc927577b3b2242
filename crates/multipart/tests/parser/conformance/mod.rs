//! Runs the test bodies of other parsers' public test suites, and checks the page that reports the results.
//!
//! The suite is not part of the project. If it is not installed, these tests print a line and pass.

mod boundary_layer;
mod outcome;
mod policy;
mod report;

use crate::vectors::{self, FormVector, VectorClass};
use outcome::{ParseOutcome, VectorResult, run_vector};
use policy::CHOICES;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static RESULTS: LazyLock<Option<Vec<(FormVector, VectorResult)>>> = LazyLock::new(|| {
    let run = |vector: FormVector| {
        let result = run_vector(&vector);
        (vector, result)
    };
    vectors::load().map(|vectors| vectors.into_iter().map(run).collect())
});

/// Returns all vectors with their results; none if the suite is not installed.
fn results() -> impl Iterator<Item = &'static (FormVector, VectorResult)> {
    RESULTS.iter().flatten()
}

fn in_class(class: VectorClass) -> impl Iterator<Item = &'static (FormVector, VectorResult)> {
    results().filter(move |(vector, _)| vector.class == class)
}

#[test]
fn must_accept_vectors_are_accepted_byte_for_byte() {
    for (vector, result) in in_class(VectorClass::MustAccept) {
        assert_eq!(result.form, ParseOutcome::Accept, "{}", vector.id);
        let expected = vector.consensus_parts.as_ref().expect("must_accept lists its parts");
        let expected: Vec<_> =
            expected.iter().map(|part| (part.name.clone(), part.len, part.sha256_12.clone())).collect();
        assert_eq!(result.parts, expected, "{}", vector.id);
    }
}

#[test]
fn must_reject_and_harden_vectors_are_refused() {
    for (vector, result) in results() {
        if matches!(vector.class, VectorClass::MustReject | VectorClass::Harden) {
            assert_ne!(result.form, ParseOutcome::Accept, "{}", vector.id);
        }
    }
}

#[test]
fn each_policy_vector_has_the_outcome_chosen_for_it() {
    if RESULTS.is_none() {
        return;
    }
    let mut chosen = BTreeMap::new();
    for choice in CHOICES {
        for vector in choice.vectors {
            assert!(chosen.insert(*vector, choice.outcome).is_none(), "{vector} is chosen twice");
        }
    }
    for (vector, result) in in_class(VectorClass::Policy) {
        assert_eq!(chosen.remove(vector.id.as_str()), Some(result.form), "{}", vector.id);
    }
    assert!(chosen.is_empty(), "choices without a vector: {chosen:?}");
}

#[test]
fn mime_level_vectors_have_the_expected_outcome_in_the_boundary_layer() {
    if RESULTS.is_none() {
        return;
    }
    let mut expected: BTreeMap<_, _> =
        boundary_layer::EXPECTED.iter().map(|(vector, outcome, parts)| (*vector, (*outcome, *parts))).collect();
    for (vector, result) in results().filter(|(vector, _)| vector.is_mime_level()) {
        let actual = (result.scan, result.parts_begun);
        assert_eq!(expected.remove(vector.id.as_str()), Some(actual), "{}", vector.id);
    }
    assert!(expected.is_empty(), "expectations without a vector: {expected:?}");
}

#[test]
fn the_conformance_page_is_current() {
    let Some(results) = RESULTS.as_ref() else {
        return;
    };
    let page = report::write(results);
    let path = vectors::workspace().join("docs/multipart-conformance.md");
    if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
        std::fs::create_dir_all(path.parent().expect("the page is in a folder"))
            .and_then(|()| std::fs::write(&path, &page))
            .expect("the page can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/multipart-conformance.md is out of date: run with UPDATE_DOCS=1");
}
