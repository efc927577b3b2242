//! Approved contents are compared with hashes that are added later, and collect viewers' reports.

use super::{HASH, change, decide_about, reported};
use crate::jobs::fingerprint;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, job, uuid};
use crate::moderation::blocklist::{block, unblock};
use crate::moderation::decisions::DecisionKind;
use crate::moderation::flags::{ViewerReport, dismiss, list, record_report};
use crate::moderation::kept_frames::store_frames;
use crate::moderation::recheck::recheck_page;
use crate::moderation::review_address::ReviewAddresses;
use crate::moderation::tests::review_pepper;
use contract::api::FlaggedContent;
use contract::job::JobReport;
use contract::moderation::Recommendation::Pass;
use futures_executor::block_on;

/// Returns a scene whose content is approved, with the hashes of its frames kept.
fn approved(schedule: Option<u64>) -> Scene {
    let scene = reported(schedule, processed(&[Pass]));
    let report = JobReport { id: job("a", 1), outcome: processed(&[Pass]) };
    let process = scene.world.process(None);
    block_on(store_frames(&process, &process, &report, &fingerprint(&report).unwrap())).unwrap();
    // The migration sets the time at which it is applied, which is later than the clock of these tests.
    scene.attempt("UPDATE recheck SET since_unix = 0").unwrap();
    scene.pass(60);
    scene
}

fn add(scene: &Scene, hash: &str) {
    block_on(block(&scene.world.database, change(&[hash]), scene.now())).unwrap();
}

pub(super) fn flagged(scene: &Scene) -> Vec<FlaggedContent> {
    let review = ReviewAddresses { base: "https://b", pepper: &review_pepper(), until: scene.now(), session: None };
    block_on(list(&scene.world.database, 10, review, scene.now())).unwrap()
}

/// Sweeps until a pass over all contents is certainly over.
fn sweep(scene: &Scene) {
    for _ in 0..3 {
        scene.sweep();
        scene.pass(60);
    }
}

fn report(scene: &Scene, slug_url: &str, reporter: &str, text: &str) -> bool {
    let report = ViewerReport { slug_url, reporter, reason: "spam", text };
    block_on(record_report(&scene.world.database, report, scene.now())).unwrap().is_some()
}

#[test]
fn an_approved_content_is_flagged_if_one_of_its_frames_is_blocked_later() {
    for schedule in [None, Some(crate::jobs::tests::scene::NOON + 50_000)] {
        let scene = approved(schedule);
        let state = scene.row().state;
        sweep(&scene);
        assert_eq!(flagged(&scene).len(), 0);
        add(&scene, &"f0".repeat(32));
        sweep(&scene);
        assert_eq!(flagged(&scene).len(), 0);
        add(&scene, HASH);
        sweep(&scene);
        let flags = flagged(&scene);
        assert_eq!((flags.len(), flags[0].hash.as_deref(), flags[0].state), (1, Some(HASH), state));
        // It stays unchanged until a moderator decides.
        assert_eq!(scene.row().state, state);
        decide_about(&scene, DecisionKind::TakeDown);
        assert_eq!(flagged(&scene).len(), 0);
    }
}

#[test]
fn the_contents_that_match_are_counted() {
    let scene = approved(None);
    add(&scene, HASH);
    scene.pass(60);
    let process = scene.world.process(None);
    let counts: Vec<_> = (0..3).map(|_| block_on(recheck_page(&process, &process, scene.now())).unwrap()).collect();
    assert_eq!(counts, [1, 0, 0]);
}

#[test]
fn a_dismissed_flag_comes_back_only_with_another_hash() {
    let scene = approved(None);
    add(&scene, HASH);
    sweep(&scene);
    for expected in [true, false] {
        assert_eq!(block_on(dismiss(&scene.world.database, &uuid(), "looks fine", "Ada")).unwrap(), expected);
    }
    sweep(&scene);
    add(&scene, &"f0".repeat(32));
    sweep(&scene);
    assert_eq!(flagged(&scene).len(), 0);
    add(&scene, &HASH.replace("cdef", "cdee"));
    sweep(&scene);
    assert_eq!(flagged(&scene).len(), 1);
    let dismissals = "SELECT count(*) AS number FROM trail WHERE action = 'flag_dismissed' AND actor = 'Ada'";
    assert_eq!(scene.count(dismissals), 1);
}

#[test]
fn a_hash_that_is_removed_before_the_pass_flags_nothing() {
    let scene = approved(None);
    add(&scene, HASH);
    block_on(unblock(&scene.world.database, change(&[HASH]), scene.now())).unwrap();
    sweep(&scene);
    assert_eq!(flagged(&scene).len(), 0);
}

#[test]
fn reports_of_viewers_gather_and_a_network_counts_once() {
    let scene = approved(None);
    for (reporter, text) in [("a", "first"), ("a", "second"), ("b", "third")] {
        assert!(report(&scene, "s", reporter, text));
        scene.pass(1);
    }
    assert!(!report(&scene, "another", "a", ""));
    let flags = flagged(&scene);
    let texts: Vec<_> = flags[0].latest_reports.iter().map(|report| report.text.as_str()).collect();
    assert_eq!((flags[0].reports, texts), (2, vec!["third", "second"]));
    block_on(dismiss(&scene.world.database, &uuid(), "fine", "Ada")).unwrap();
    assert_eq!(scene.count("SELECT count(*) AS number FROM abuse_reports"), 0);
}

#[test]
fn only_a_published_content_can_be_reported() {
    let scene = reported(None, processed(&[contract::moderation::Recommendation::Review]));
    assert!(!report(&scene, "s", "a", ""));
}
