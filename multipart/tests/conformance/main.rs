//! The public suite of other parsers' test bodies, and the page that tells how we do on it.
//!
//! The suite is not part of the project: where it is absent these tests say so and pass.

mod boundary_layer;
mod policy;
mod report;
#[path = "../support/splits.rs"]
mod splits;
#[path = "../support/transcript.rs"]
mod transcript;
#[path = "../support/vectors.rs"]
mod vectors;
mod verdict;

use policy::CHOICES;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use vectors::{Class, Vector};
use verdict::{Judged, Verdict, judge};

static RESULTS: LazyLock<Option<Vec<(Vector, Judged)>>> = LazyLock::new(|| {
    let judged = |vector: Vector| {
        let judged = judge(&vector);
        (vector, judged)
    };
    vectors::load().map(|vectors| vectors.into_iter().map(judged).collect())
});

/// All vectors and what the crate says about them; none where the suite is absent.
fn results() -> impl Iterator<Item = &'static (Vector, Judged)> {
    RESULTS.iter().flatten()
}

fn of_class(class: Class) -> impl Iterator<Item = &'static (Vector, Judged)> {
    results().filter(move |(vector, _)| vector.class == class)
}

#[test]
fn must_accept_is_accepted_byte_for_byte() {
    for (vector, judged) in of_class(Class::MustAccept) {
        assert_eq!(judged.form, Verdict::Accept, "{}", vector.id);
        let expected = vector
            .consensus_parts
            .as_ref()
            .expect("must_accept lists its parts");
        let expected: Vec<_> = expected
            .iter()
            .map(|part| (part.name.clone(), part.len, part.sha256_12.clone()))
            .collect();
        assert_eq!(judged.parts, expected, "{}", vector.id);
    }
}

#[test]
fn must_reject_and_harden_are_refused() {
    for (vector, judged) in results() {
        if matches!(vector.class, Class::MustReject | Class::Harden) {
            assert_ne!(judged.form, Verdict::Accept, "{}", vector.id);
        }
    }
}

#[test]
fn each_policy_vector_gets_exactly_the_verdict_chosen_for_it() {
    if RESULTS.is_none() {
        return;
    }
    let mut chosen = BTreeMap::new();
    for choice in CHOICES {
        for vector in choice.vectors {
            assert!(
                chosen.insert(*vector, choice.verdict).is_none(),
                "{vector} is chosen twice"
            );
        }
    }
    for (vector, judged) in of_class(Class::Policy) {
        assert_eq!(
            chosen.remove(vector.id.as_str()),
            Some(judged.form),
            "{}",
            vector.id
        );
    }
    assert!(chosen.is_empty(), "choices without a vector: {chosen:?}");
}

#[test]
fn mime_level_vectors_are_judged_in_the_boundary_layer() {
    if RESULTS.is_none() {
        return;
    }
    let mut expected: BTreeMap<_, _> = boundary_layer::EXPECTED
        .iter()
        .map(|(vector, verdict, parts)| (*vector, (*verdict, *parts)))
        .collect();
    for (vector, judged) in results().filter(|(vector, _)| vector.is_mime_level()) {
        let found = (judged.scan, judged.scanned_parts);
        assert_eq!(
            expected.remove(vector.id.as_str()),
            Some(found),
            "{}",
            vector.id
        );
    }
    assert!(
        expected.is_empty(),
        "expectations without a vector: {expected:?}"
    );
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
    assert!(
        written == page,
        "docs/multipart-conformance.md is out of date: run with UPDATE_DOCS=1"
    );
}
