//! Who has a job, for how long, and what a repetition is worth.

use super::scene::{Scene, processed};
use crate::jobs::Heard;
use contract::Stage;
use contract::job::{CLAIM_SECONDS, ClaimAnswer, MAX_DELIVERIES};

fn is_work(answer: &ClaimAnswer) -> bool {
    matches!(answer, ClaimAnswer::Work(_))
}

fn retry_after(answer: &ClaimAnswer) -> u64 {
    let ClaimAnswer::Busy {
        retry_after_seconds,
    } = answer
    else {
        panic!("{answer:?}");
    };
    *retry_after_seconds
}

#[test]
fn who_claims_learns_all_that_the_work_needs() {
    let scene = Scene::new();
    let ClaimAnswer::Work(details) = scene.claim("a", 1, 1) else {
        panic!();
    };
    assert_eq!(details.source_key, "sources/u/video");
    assert_eq!(details.picture_key.as_deref(), Some("sources/u/thumbnail"));
    assert_eq!((details.duration_ms, details.size_bytes), (5_000, 7));
    assert!(!details.is_last_attempt);
}

#[test]
fn another_waits_while_the_claim_is_alive_and_takes_it_when_it_is_over() {
    let scene = Scene::new();
    assert!(is_work(&scene.claim("a", 1, 1)));
    assert_eq!(retry_after(&scene.claim("b", 1, 2)), CLAIM_SECONDS);
    scene.pass(CLAIM_SECONDS - 1);
    assert_eq!(retry_after(&scene.claim("b", 1, 2)), 1);
    scene.pass(1);
    assert!(is_work(&scene.claim("b", 1, 2)));
    assert_eq!(retry_after(&scene.claim("a", 1, 1)), CLAIM_SECONDS);
    assert!(!scene.progress("a", 1, Stage::Store, 100));
}

#[test]
fn who_asks_again_still_has_it() {
    let scene = Scene::new();
    for _ in 0..3 {
        assert!(is_work(&scene.claim("a", 1, 1)));
        scene.pass(20);
    }
}

#[test]
fn an_origin_that_is_back_within_the_same_second_has_its_delivery_counted() {
    let scene = Scene::new();
    let last = |answer: ClaimAnswer| {
        let ClaimAnswer::Work(details) = answer else {
            panic!();
        };
        details.is_last_attempt
    };
    assert!(!last(scene.claim("a", 1, 1)));
    assert!(last(scene.claim("a", 1, MAX_DELIVERIES)));
    // What was recorded before says nothing new.
    assert!(last(scene.claim("a", 1, 1)));
}

#[test]
fn a_sign_of_life_renews_the_claim() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    for _ in 0..10 {
        scene.pass(CLAIM_SECONDS - 1);
        assert!(scene.progress("a", 1, Stage::Transcode, 50));
        assert!(!is_work(&scene.claim("b", 1, 2)));
    }
}

#[test]
fn what_is_over_overtaken_or_unknown_is_over() {
    let scene = Scene::new();
    assert_eq!(scene.claim("a", 2, 1), ClaimAnswer::Over);
    scene.requeue();
    assert_eq!(scene.claim("a", 1, 1), ClaimAnswer::Over);
    assert!(!scene.progress("a", 1, Stage::Download, 1));
    scene.claim("a", 2, 1);
    scene.report("a", 2, processed(&[]));
    assert_eq!(scene.claim("a", 2, 2), ClaimAnswer::Over);
    assert!(!scene.progress("a", 2, Stage::Store, 100));
    scene.attempt("UPDATE contents SET uuid = 'other'").unwrap();
    assert_eq!(scene.claim("a", 2, 1), ClaimAnswer::Over);
}

#[test]
fn the_last_delivery_is_the_last_attempt() {
    let scene = Scene::new();
    for delivery in 1..=MAX_DELIVERIES {
        let ClaimAnswer::Work(details) = scene.claim("a", 1, delivery) else {
            panic!();
        };
        assert_eq!(details.is_last_attempt, delivery == MAX_DELIVERIES);
        scene.pass(1);
    }
    scene.claim("a", 1, 1);
    assert_eq!(scene.row().delivery, MAX_DELIVERIES);
}

#[test]
fn progress_never_goes_back() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    let stages = [
        (Stage::Download, 100, Stage::Download, 5),
        (Stage::Inspect, 0, Stage::Inspect, 5),
        (Stage::Download, 100, Stage::Inspect, 5),
        (Stage::Transcode, 40, Stage::Transcode, 40),
        (Stage::Transcode, 20, Stage::Transcode, 40),
        (Stage::Inspect, 100, Stage::Transcode, 40),
        (Stage::Store, 100, Stage::Store, 99),
        (Stage::Moderate, 255, Stage::Store, 99),
    ];
    for (stage, percent, shown, overall) in stages {
        scene.pass(1);
        assert!(scene.progress("a", 1, stage, percent));
        let row = scene.row();
        assert_eq!((row.stage, row.progress_percent), (shown, overall));
    }
    scene.requeue();
    let row = scene.row();
    assert_eq!((row.stage, row.progress_percent), (Stage::Queued, 0));
}

#[test]
fn a_repetition_changes_nothing() {
    let scene = Scene::new();
    let first = scene.heard();
    scene.claim("a", 1, 1);
    scene.pass(10);
    let second = scene.heard();
    scene.progress("a", 1, Stage::Transcode, 50);
    let before = scene.row();
    // As late as a signature holds, also when the claim is over.
    for later in [0, 30, 30, 230] {
        scene.pass(later);
        let now_unix = scene.now();
        let again = |heard: Heard| Heard { now_unix, ..heard };
        scene.claim_signed("a", 1, 1, again(first));
        scene.progress_signed("a", 1, (Stage::Transcode, 50), again(second));
        assert_eq!(scene.row(), before);
    }
    assert!(is_work(&scene.claim("b", 1, 2)));
    let taken = scene.row();
    scene.pass(CLAIM_SECONDS);
    let now_unix = scene.now();
    let replayed = Heard { now_unix, ..first };
    assert!(!is_work(&scene.claim_signed("a", 1, 1, replayed)));
    assert_eq!(scene.row(), taken);
}

#[test]
fn what_is_given_back_is_the_next_ones_at_once() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    assert!(!scene.release("b", 1), "it is not theirs");
    assert!(!scene.release("a", 2), "nor that generation");
    assert!(scene.release("a", 1));
    assert!(!scene.release("a", 1), "it is given back already");
    scene.pass(1);
    assert!(is_work(&scene.claim("b", 1, 2)));
    assert!(!scene.progress("a", 1, Stage::Store, 100));
    assert!(!scene.release("a", 1));
    assert_eq!(retry_after(&scene.claim("a", 1, 3)), CLAIM_SECONDS);
}

#[test]
fn a_sign_of_life_that_comes_late_does_not_take_back_what_was_given_back() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    let late = scene.heard();
    scene.pass(1);
    assert!(scene.release("a", 1));
    scene.progress_signed("a", 1, (Stage::Download, 1), late);
    scene.pass(1);
    assert!(is_work(&scene.claim("b", 1, 2)));
}

#[test]
fn a_repeated_release_does_not_end_a_new_claim() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    let signed_at_unix = scene.now();
    assert!(scene.release("a", 1));
    scene.pass(1);
    assert!(is_work(&scene.claim("a", 1, 2)));
    let now_unix = scene.now();
    let repetition = Heard {
        now_unix,
        signed_at_unix,
    };
    assert!(!scene.release_signed("a", 1, repetition));
    assert_eq!(retry_after(&scene.claim("b", 1, 3)), CLAIM_SECONDS);
}

#[test]
fn what_is_over_cannot_be_given_back() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    scene.report("a", 1, processed(&[]));
    let before = scene.row();
    assert!(!scene.release("a", 1));
    assert_eq!(scene.row(), before);
}
