//! Claims, heartbeats and releases: which origin holds a job, for how long, and that a replay changes nothing.

use super::scene::{Scene, processed};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::job::SILENCES_WITHOUT_PAUSE;
use crate::jobs::{RequestTimes, RequeueOutcome};
use contract::Stage;
use contract::job::{CLAIM_SECONDS, ClaimAnswer, JobOutcome};

fn is_granted(answer: &ClaimAnswer) -> bool {
    matches!(answer, ClaimAnswer::Granted(_))
}

fn retry_after(answer: &ClaimAnswer) -> u64 {
    let ClaimAnswer::Busy { retry_after_seconds } = answer else {
        panic!("{answer:?}");
    };
    *retry_after_seconds
}

#[test]
fn a_claim_returns_everything_that_the_work_needs() {
    let scene = Scene::new();
    let ClaimAnswer::Granted(details) = scene.claim("a", 1) else {
        panic!();
    };
    assert_eq!(details.source_key, "sources/u/video");
    assert_eq!(details.thumbnail_key.as_deref(), Some("sources/u/thumbnail"));
    assert_eq!((details.duration_ms, details.size_bytes), (5_000, 7));
    assert!(!details.is_suspect);
}

#[test]
fn another_origin_waits_until_the_claim_expires() {
    let scene = Scene::new();
    assert!(is_granted(&scene.claim("a", 1)));
    assert_eq!(retry_after(&scene.claim("b", 1)), CLAIM_SECONDS);
    scene.pass(CLAIM_SECONDS - 1);
    assert_eq!(retry_after(&scene.claim("b", 1)), 1);
    scene.pass(1);
    assert!(is_granted(&scene.claim("b", 1)));
    assert_eq!(retry_after(&scene.claim("a", 1)), CLAIM_SECONDS);
    assert!(!scene.progress("a", 1, Stage::Store, 100));
}

#[test]
fn the_holder_may_claim_again() {
    let scene = Scene::new();
    for _ in 0..3 {
        assert!(is_granted(&scene.claim("a", 1)));
        scene.pass(20);
    }
}

#[test]
fn an_origin_that_claims_again_within_the_same_second_waits_for_the_next() {
    let scene = Scene::new();
    assert!(is_granted(&scene.claim("a", 1)));
    assert_eq!(retry_after(&scene.claim("a", 1)), 1);
    scene.pass(1);
    assert!(is_granted(&scene.claim("a", 1)));
}

#[test]
fn an_origin_that_keeps_dying_on_a_job_gets_it_at_once_only_a_few_times() {
    let scene = Scene::new();
    scene.claim("a", 1);
    for silences in 1..=SILENCES_WITHOUT_PAUSE {
        scene.pass(1);
        assert!(is_granted(&scene.claim("a", 1)));
        assert_eq!(scene.row().silences, silences);
    }
    scene.pass(1);
    assert_eq!(retry_after(&scene.claim("a", 1)), CLAIM_SECONDS - 1);
    scene.pass(CLAIM_SECONDS);
    assert!(!is_granted(&scene.claim("b", 1)), "the sweep decides when there is another attempt");
}

#[test]
fn a_job_passes_between_origins_whose_clocks_differ_by_ten_minutes() {
    const SKEW: u64 = 290;
    for (first, second) in [(SKEW, -290), (0, 290)] {
        let scene = Scene::new();
        let ahead = RequestTimes { signed_at: scene.now() + first, ..scene.times() };
        assert!(is_granted(&scene.claim_signed("a", 1, ahead)));
        scene.pass(1);
        let ahead = RequestTimes { signed_at: scene.now() + first, ..scene.times() };
        assert!(scene.release_signed("a", 1, ahead));
        let signed_at = UnixSeconds(scene.now().0.saturating_add_signed(second));
        assert!(is_granted(&scene.claim_signed("b", 1, scene.signed_at(signed_at))), "{first} {second}");
        scene.pass(10);
        let signed_at = UnixSeconds(scene.now().0.saturating_add_signed(second));
        assert!(scene.progress_signed("b", 1, (Stage::Transcode, 5), scene.signed_at(signed_at)));
        assert_eq!(
            scene.read::<Ends>("SELECT claim_ends_at_unix - 0 AS at FROM jobs").at,
            scene.now().0 + CLAIM_SECONDS
        );
    }
}

#[derive(serde::Deserialize)]
struct Ends {
    at: u64,
}

#[test]
fn only_a_job_that_failed_before_is_suspect() {
    let scene = Scene::new();
    let is_suspect = |answer| matches!(answer, ClaimAnswer::Granted(details) if details.is_suspect);
    assert!(!is_suspect(scene.claim("a", 1)));
    assert!(scene.report("a", 1, JobOutcome::Undecided { detail: "no disk".to_owned() }).accepted);
    scene.pass(60);
    scene.sweep();
    assert!(is_suspect(scene.claim("a", 2)));
}

#[test]
fn a_heartbeat_renews_the_claim() {
    let scene = Scene::new();
    scene.claim("a", 1);
    for _ in 0..10 {
        scene.pass(CLAIM_SECONDS - 1);
        assert!(scene.progress("a", 1, Stage::Transcode, 50));
        assert!(!is_granted(&scene.claim("b", 1)));
    }
}

#[test]
fn a_finished_outdated_or_unknown_job_is_obsolete() {
    let scene = Scene::new();
    assert_eq!(scene.claim("a", 2), ClaimAnswer::Obsolete);
    scene.requeue();
    assert_eq!(scene.claim("a", 1), ClaimAnswer::Obsolete);
    assert!(!scene.progress("a", 1, Stage::Download, 1));
    scene.claim("a", 2);
    scene.report("a", 2, processed(&[]));
    assert_eq!(scene.claim("a", 2), ClaimAnswer::Obsolete);
    assert!(!scene.progress("a", 2, Stage::Store, 100));
    scene.attempt("UPDATE contents SET uuid = 'other'").unwrap();
    assert_eq!(scene.claim("a", 2), ClaimAnswer::Obsolete);
}

#[test]
fn progress_never_decreases() {
    let scene = Scene::new();
    scene.claim("a", 1);
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
    for (stage, percent, expected, overall) in stages {
        scene.pass(1);
        assert!(scene.progress("a", 1, stage, percent));
        let row = scene.row();
        assert_eq!((row.stage, row.percent), (expected, overall));
    }
    scene.requeue();
    let row = scene.row();
    assert_eq!((row.stage, row.percent), (Stage::Queued, 0));
}

#[test]
fn a_replay_changes_nothing() {
    let scene = Scene::new();
    let first = scene.now();
    scene.claim("a", 1);
    scene.pass(10);
    let second = scene.now();
    scene.progress("a", 1, Stage::Transcode, 50);
    let before = scene.row();
    // For as long as a signature is accepted, even after the claim has expired.
    for later in [0, 30, 30, 230] {
        scene.pass(later);
        scene.claim_signed("a", 1, scene.signed_at(first));
        scene.progress_signed("a", 1, (Stage::Transcode, 50), scene.signed_at(second));
        assert_eq!(scene.row(), before);
    }
    let third = scene.now();
    assert!(is_granted(&scene.claim("b", 1)));
    let claimed = scene.row();
    scene.pass(CLAIM_SECONDS);
    // Once the claim has expired, its holder does not get the job with a replay.
    assert_eq!(retry_after(&scene.claim_signed("b", 1, scene.signed_at(third))), 1);
    assert_eq!(scene.row(), claimed);
}

#[test]
fn a_new_generation_of_a_job_that_an_origin_works_on_is_sent_at_once() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let RequeueOutcome::Requeued { messages, .. } = scene.requeue() else { panic!("not started again") };
    assert_eq!(messages.iter().map(|message| message.generation).collect::<Vec<_>>(), [2]);
    assert!(is_granted(&scene.claim("b", 2)), "the claim of the old generation is in the way");
    assert!(!scene.progress("a", 1, Stage::Store, 100));
}

#[test]
fn a_released_job_can_be_claimed_at_once() {
    let scene = Scene::new();
    scene.claim("a", 1);
    assert!(!scene.release("b", 1), "another origin holds the claim");
    assert!(!scene.release("a", 2), "there is no such generation");
    assert!(scene.release("a", 1));
    assert!(!scene.release("a", 1), "the claim is already released");
    assert_eq!(scene.queued(), [1], "the edge sends it to the next origin");
    scene.pass(1);
    assert!(is_granted(&scene.claim("b", 1)));
    assert!(!scene.progress("a", 1, Stage::Store, 100));
    assert!(!scene.release("a", 1));
    assert_eq!(retry_after(&scene.claim("a", 1)), CLAIM_SECONDS);
}

#[test]
fn a_late_heartbeat_does_not_renew_a_released_claim() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let late = scene.times();
    scene.pass(1);
    assert!(scene.release("a", 1));
    scene.progress_signed("a", 1, (Stage::Download, 1), late);
    scene.pass(1);
    assert!(is_granted(&scene.claim("b", 1)));
}

#[test]
fn a_replayed_release_does_not_end_a_new_claim() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let signed_at = scene.now();
    assert!(scene.release("a", 1));
    scene.pass(1);
    assert!(is_granted(&scene.claim("a", 1)));
    let replay = RequestTimes { now: scene.now(), signed_at };
    assert!(!scene.release_signed("a", 1, replay));
    assert_eq!(retry_after(&scene.claim("b", 1)), CLAIM_SECONDS);
}

#[test]
fn a_finished_job_cannot_be_released() {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[]));
    let before = scene.row();
    assert!(!scene.release("a", 1));
    assert_eq!(scene.row(), before);
}
