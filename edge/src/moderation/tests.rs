//! Decisions, the queue and the blocklist on real SQLite.

use super::blocklist::{block, list, unblock};
use super::decide::{Ruled, Ruling, Verdict, decide};
use super::history;
use super::queue::{self, Place};
use super::screen::screen;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene};
use crate::sqlite::Sqlite;
use contract::ContentState::{Published, Rejected, Scheduled, TakenDown};
use contract::api::{ChangeHash, DecisionAction, WaitsFor};
use contract::job::JobOutcome;
use contract::moderation::Verdict::{Pass, Review, Wait};
use contract::moderation::{Check, FrameHash};
use futures_executor::block_on;

/// The hash of the frame of the scene's reports.
const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn reported(at: Option<u64>, outcome: JobOutcome) -> Scene {
    let scene = Scene::scheduled(at);
    scene.claim("a", 1, 1);
    scene.report("a", 1, outcome);
    scene
}

fn ruled(scene: &Scene, verdict: Verdict) -> Ruled {
    let ruling = Ruling {
        verdict,
        content_uuid: "c",
        reason: "because",
        by: "mara",
    };
    block_on(decide(&scene.world.database, &ruling, scene.now())).unwrap()
}

fn change(hash: &str) -> ChangeHash {
    let [hash, reason, by] = [hash, "because", "mara"].map(str::to_owned);
    ChangeHash { hash, reason, by }
}

fn actions(scene: &Scene) -> Vec<DecisionAction> {
    let recorded = block_on(history::list(&scene.world.database, None, None, 100)).unwrap();
    recorded
        .into_iter()
        .map(|one| one.decision.action)
        .collect()
}

#[test]
fn an_approval_publishes_what_waits_or_schedules_it() {
    for waits in [Review, Wait] {
        let scene = reported(None, processed(&[waits]));
        assert_eq!(ruled(&scene, Verdict::Approve), Ruled::Done(Published));
        let row = scene.row();
        assert_eq!((row.waits_for, row.published_at_unix), (None, Some(NOON)));
    }
    let scene = reported(Some(NOON + 500), processed(&[Review]));
    assert_eq!(ruled(&scene, Verdict::Approve), Ruled::Done(Scheduled));
    assert_eq!(scene.row().published_at_unix, None);
    let late = reported(Some(NOON + 500), processed(&[Review]));
    late.pass(600);
    assert_eq!(ruled(&late, Verdict::Approve), Ruled::Done(Published));
}

#[test]
fn a_rejection_blocks_the_frames_and_says_why() {
    let scene = reported(None, processed(&[Review]));
    assert_eq!(ruled(&scene, Verdict::Reject), Ruled::Done(Rejected));
    let row = scene.row();
    assert_eq!(
        row.error_code.as_deref(),
        Some("content_moderation_rejected")
    );
    let blocked = block_on(list(&scene.world.database, None, 10)).unwrap();
    assert_eq!(blocked.len(), 1);
    assert_eq!(
        (blocked[0].hash.as_str(), blocked[0].at_ms),
        (HASH, Some(40))
    );
    assert_eq!(blocked[0].content_uuid.as_deref(), Some("c"));
}

#[test]
fn what_nobody_has_to_decide_is_not_decided() {
    let expected = [
        (Verdict::Approve, [false, true, false, false]),
        (Verdict::Reject, [false, true, false, false]),
        (Verdict::TakeDown, [false, false, true, true]),
    ];
    for (verdict, allowed) in expected {
        let scenes = [
            Scene::new(),
            reported(None, processed(&[Review])),
            reported(Some(NOON + 500), processed(&[Pass])),
            reported(None, processed(&[Pass])),
        ];
        for (scene, is_allowed) in scenes.iter().zip(allowed) {
            let state = scene.row().state;
            let ruled = ruled(scene, verdict);
            assert_eq!(
                matches!(ruled, Ruled::Done(_)),
                is_allowed,
                "{verdict:?} {state:?}"
            );
            if !is_allowed {
                assert_eq!((ruled, scene.row().state), (Ruled::Conflict(state), state));
                assert_eq!(actions(scene), []);
            }
        }
    }
    let scene = Scene::new();
    let unknown = Ruling {
        verdict: Verdict::Approve,
        content_uuid: "x",
        reason: "r",
        by: "m",
    };
    assert_eq!(
        block_on(decide(&scene.world.database, &unknown, NOON)),
        Ok(Ruled::Unknown)
    );
}

#[test]
fn a_decision_that_comes_twice_is_made_and_recorded_once() {
    for (verdict, state) in [(Verdict::Approve, Published), (Verdict::Reject, Rejected)] {
        let scene = reported(None, processed(&[Review]));
        for _ in 0..3 {
            assert_eq!(ruled(&scene, verdict), Ruled::Done(state));
        }
        assert_eq!(actions(&scene).len(), 1);
    }
    let scene = reported(None, processed(&[Pass]));
    for _ in 0..3 {
        assert_eq!(ruled(&scene, Verdict::TakeDown), Ruled::Done(TakenDown));
    }
    assert_eq!(actions(&scene), [DecisionAction::TakeDown]);
    assert_eq!(ruled(&scene, Verdict::Approve), Ruled::Conflict(TakenDown));
}

#[test]
fn the_queue_holds_who_waits_with_the_evidence_in_its_order() {
    let scene = reported(None, processed(&[Pass, Review]));
    let database = &scene.world.database;
    let read = |waits_for, behind| {
        block_on(queue::list(database, waits_for, behind, 10, "https://s")).unwrap()
    };
    let waiting = read(None, Place::default());
    assert_eq!(waiting.len(), 1);
    let verdicts: Vec<_> = waiting[0]
        .findings
        .iter()
        .map(|finding| finding.verdict)
        .collect();
    assert_eq!(verdicts, [Pass, Review]);
    assert_eq!(waiting[0].findings[0].note.as_deref(), Some("a label"));
    assert_eq!(
        waiting[0].thumbnails[0].url,
        "https://s/media/m/thumbnail-320.jpg"
    );
    assert_eq!(waiting[0].waits_since_unix, NOON);
    assert_eq!(read(Some(WaitsFor::Person), Place::default()).len(), 1);
    assert_eq!(read(Some(WaitsFor::Check), Place::default()).len(), 0);
    assert_eq!(read(None, Place::of(&waiting[0])).len(), 0);
    ruled(&scene, Verdict::Approve);
    assert_eq!(read(None, Place::default()).len(), 0);
}

#[test]
fn a_hash_is_listed_once_and_its_changes_are_on_record() {
    let scene = Scene::new();
    let database = &scene.world.database;
    for _ in 0..2 {
        block_on(block(database, &change(HASH), NOON)).unwrap();
    }
    block_on(block(database, &change(&"f0".repeat(32)), NOON)).unwrap();
    let all = block_on(list(database, None, 10)).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(block_on(list(database, Some(HASH), 10)).unwrap().len(), 1);
    for _ in 0..2 {
        block_on(unblock(database, &change(HASH), NOON)).unwrap();
    }
    assert_eq!(block_on(list(database, None, 10)).unwrap().len(), 1);
    assert_eq!(
        actions(&scene),
        [
            DecisionAction::UnblockHash,
            DecisionAction::BlockHash,
            DecisionAction::BlockHash
        ]
    );
}

#[test]
fn the_next_copy_is_refused_before_anybody_looks() {
    let scene = Scene::new();
    block_on(block(
        &scene.world.database,
        &change(&HASH.replace("cdef", "cdee")),
        NOON,
    ))
    .unwrap();
    scene.claim("a", 1, 1);
    assert_eq!(
        scene.report("a", 1, processed(&[Pass])).state,
        Some(Rejected)
    );
    let finding =
        "SELECT count(*) AS number FROM findings WHERE check_name = 'blocklist' AND from_ms = 40";
    assert_eq!(scene.count(finding), 1);
    assert_eq!(scene.row().state, Rejected);
}

#[test]
fn a_long_list_is_compared_to_its_end() {
    let database = Sqlite::migrated();
    let fill = crate::database::Statement::new(
        "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12000)
         INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
         SELECT printf('%064x', n), 'r', 'm', 1 FROM numbers",
    );
    block_on(crate::database::Database::batch(&database, vec![fill])).unwrap();
    let frames = |hash: &str| {
        let hash = hash.parse().unwrap();
        [FrameHash { at_ms: 7, hash }]
    };
    let screening = block_on(screen(&database, &frames(&"fedcba9876543210".repeat(4)))).unwrap();
    assert_eq!((screening.version, screening.finding), (Some(12_001), None));
    block_on(block(
        &database,
        &change(&"fedcba9876543211".repeat(4)),
        NOON,
    ))
    .unwrap();
    let screening = block_on(screen(&database, &frames(&"fedcba9876543210".repeat(4)))).unwrap();
    assert_eq!(screening.version, Some(12_002));
    assert_eq!(screening.finding.unwrap().check, Check::Blocklist);
    let nothing = block_on(screen(&database, &[])).unwrap();
    assert_eq!(nothing.version, None);
}
