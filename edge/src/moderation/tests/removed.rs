//! Tests that removed content stays removed, unless the decision is reversed.

use super::{HASH, actions, change, decide_about, decide_on, decide_with, reported};
use crate::base::ids::ContentUuid;
use crate::jobs::fingerprint;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, job, uuid};
use crate::moderation::blocked_files::is_blocked_file;
use crate::moderation::blocklist::{block, list, unblock};
use crate::moderation::decisions::{DecisionKind, DecisionOutcome};
use crate::moderation::kept_frames::{read_kept_frames, store_frames};
use contract::ContentState::{Published, Rejected, Scheduled, TakenDown};
use contract::api::DecisionAction;
use contract::job::JobReport;
use contract::limits::REVERSIBLE_SECONDS;
use contract::moderation::FrameHash;
use contract::moderation::Recommendation::{Pass, Reject, Review};
use futures_executor::block_on;

/// Returns the hashes that are blocked.
pub(super) fn blocked(scene: &Scene) -> Vec<String> {
    let listed = block_on(list(&scene.world.database, None, 10)).unwrap();
    listed.into_iter().map(|blocked| blocked.hash).collect()
}

pub(super) fn is_file_blocked(scene: &Scene) -> bool {
    block_on(is_blocked_file(&scene.world.database, "h")).unwrap()
}

pub(super) fn kept(hash: &str) -> FrameHash {
    FrameHash { at_ms: 40, hash: hash.parse().unwrap() }
}

#[test]
fn the_kept_frames_and_the_file_of_a_taken_down_content_are_blocked() {
    let scene = reported(None, processed(&[Pass]));
    let outcome = decide_with(&scene, DecisionKind::TakeDown, &[kept(HASH), kept(HASH)]);
    assert_eq!(outcome, DecisionOutcome::Done(TakenDown));
    assert_eq!(blocked(&scene), [HASH]);
    assert!(is_file_blocked(&scene));
}

#[test]
fn a_decision_that_is_not_possible_blocks_nothing() {
    let scene = reported(None, processed(&[Review]));
    assert!(matches!(decide_with(&scene, DecisionKind::TakeDown, &[kept(HASH)]), DecisionOutcome::Conflict(_)));
    assert_eq!((blocked(&scene).len(), is_file_blocked(&scene)), (0, false));
}

#[test]
fn the_file_of_a_rejected_content_is_blocked() {
    let scene = reported(None, processed(&[Review]));
    decide_about(&scene, DecisionKind::Reject);
    assert!(is_file_blocked(&scene));
    let automatic = reported(None, processed(&[Reject]));
    assert!(!is_file_blocked(&automatic));
}

#[test]
fn the_frames_of_a_report_are_kept_until_its_content_is_taken_down() {
    let scene = reported(None, processed(&[Pass]));
    let process = scene.world.process(None);
    let report = JobReport { id: job("a", 1), outcome: processed(&[Pass]) };
    let read = || block_on(read_kept_frames(&scene.world.database, &process, &uuid())).unwrap();
    assert_eq!(read(), []);
    block_on(store_frames(&process, &process, &report, &fingerprint(&report).unwrap())).unwrap();
    block_on(store_frames(&process, &process, &report, "the-fingerprint-of-another-report")).unwrap();
    assert_eq!(read(), [kept(HASH)]);
}

#[test]
fn a_restored_content_is_published_and_nothing_of_it_stays_blocked() {
    // A content that was public keeps the time of its first publication.
    let cases = [(DecisionKind::TakeDown, Pass, NOON), (DecisionKind::Reject, Review, NOON + 60)];
    for (kind, recommendation, published_at) in cases {
        let scene = reported(None, processed(&[recommendation]));
        decide_with(&scene, kind, &[kept(HASH)]);
        assert_eq!((blocked(&scene).len(), is_file_blocked(&scene)), (1, true));
        scene.pass(60);
        for _ in 0..2 {
            assert_eq!(decide_about(&scene, DecisionKind::Restore), DecisionOutcome::Done(Published));
        }
        assert_eq!((blocked(&scene).len(), is_file_blocked(&scene)), (0, false));
        let row = scene.row();
        assert_eq!((row.error_code, row.error_detail, row.published_at_unix), (None, None, Some(published_at)));
        assert_eq!(actions(&scene), [DecisionAction::Restore, kind.action()]);
    }
}

/// Adds a second published content with the same file.
fn add_twin(scene: &Scene) -> ContentUuid {
    for sql in [
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         VALUES (2, 'v', 1, 20000, 'committed', 0)",
        "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix, media, media_generation)
         SELECT 2, 'd', 1, 'processing', 't', 'n.mp4', source, duration_ms, file_sha256, created_at_unix, media, 1
         FROM contents WHERE id = 1",
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix)
         VALUES (2, 1, 'video', 'done', 1, 1)",
        "UPDATE contents SET state = 'published', finished_at_unix = 1, published_at_unix = 1 WHERE id = 2",
    ] {
        scene.attempt(sql).unwrap();
    }
    ContentUuid::new("d")
}

/// Returns the version of the blocklist, which increases with every change.
fn version(scene: &Scene) -> u64 {
    scene.count("SELECT version AS number FROM blocklist_version")
}

#[test]
fn a_frame_and_a_file_stay_blocked_until_the_last_removed_content_with_them_is_restored() {
    let frames = [kept(HASH)];
    for (kind, recommendation) in [(DecisionKind::TakeDown, Pass), (DecisionKind::Reject, Review)] {
        for first_is_restored_first in [true, false] {
            let scene = reported(None, processed(&[recommendation]));
            let twin = add_twin(&scene);
            decide_with(&scene, kind, &frames);
            let blocked_at = version(&scene);
            assert_eq!(decide_on(&scene, &twin, DecisionKind::TakeDown, &frames), DecisionOutcome::Done(TakenDown));
            let (mut order, restore) = ([ContentUuid::new("c"), twin], DecisionKind::Restore);
            order.sort_by_key(|uuid| (uuid.as_str() == "c") != first_is_restored_first);
            assert_eq!(decide_on(&scene, &order[0], restore, &[]), DecisionOutcome::Done(Published));
            let listed = block_on(list(&scene.world.database, None, 10)).unwrap();
            let behind: Vec<_> = listed.iter().map(|one| (one.hash.as_str(), one.content_uuid.as_deref())).collect();
            assert_eq!(behind, [(HASH, Some(order[1].as_str()))], "{kind:?}");
            assert!(is_file_blocked(&scene), "{kind:?}");
            assert_eq!(version(&scene), blocked_at, "the list is the same");
            decide_on(&scene, &order[1], restore, &[]);
            assert_eq!((blocked(&scene).len(), is_file_blocked(&scene)), (0, false), "{kind:?}");
            assert_eq!(version(&scene), blocked_at + 1);
        }
    }
}

#[test]
fn a_hash_that_a_moderator_added_stays_blocked_when_a_content_with_it_is_restored() {
    for is_added_first in [true, false] {
        let scene = reported(None, processed(&[Pass]));
        let add = || block_on(block(&scene.world.database, change(&[HASH]), scene.now())).unwrap();
        if is_added_first {
            assert_eq!(add(), 1);
        }
        decide_with(&scene, DecisionKind::TakeDown, &[kept(HASH)]);
        if !is_added_first {
            assert_eq!(add(), 1);
        }
        decide_about(&scene, DecisionKind::Restore);
        assert_eq!(blocked(&scene), [HASH]);
        assert!(!is_file_blocked(&scene));
    }
}

#[test]
fn unblocking_a_hash_removes_it_for_every_content() {
    let scene = reported(None, processed(&[Pass]));
    let twin = add_twin(&scene);
    decide_with(&scene, DecisionKind::TakeDown, &[kept(HASH)]);
    decide_on(&scene, &twin, DecisionKind::TakeDown, &[kept(HASH)]);
    block_on(block(&scene.world.database, change(&[HASH]), scene.now())).unwrap();
    let before = version(&scene);
    block_on(unblock(&scene.world.database, change(&[HASH]), scene.now())).unwrap();
    assert_eq!((blocked(&scene).len(), version(&scene)), (0, before + 1));
    let unblocked = actions(&scene).into_iter().filter(|action| *action == DecisionAction::UnblockHash);
    assert_eq!(unblocked.count(), 1);
}

#[test]
fn a_restored_content_keeps_its_schedule() {
    let scene = reported(Some(NOON + 500), processed(&[Pass]));
    decide_about(&scene, DecisionKind::TakeDown);
    assert_eq!(decide_about(&scene, DecisionKind::Restore), DecisionOutcome::Done(Scheduled));
    assert_eq!(scene.row().published_at_unix, None);
}

#[test]
fn only_what_a_moderator_removed_can_be_restored_and_only_for_a_while() {
    let automatic = reported(None, processed(&[Reject]));
    assert_eq!(decide_about(&automatic, DecisionKind::Restore), DecisionOutcome::Conflict(Rejected));
    let published = reported(None, processed(&[Pass]));
    assert_eq!(decide_about(&published, DecisionKind::Restore), DecisionOutcome::Conflict(Published));
    let limit = 44 * 86_400;
    for (seconds, is_possible) in [(limit - 1, true), (limit, false)] {
        let scene = reported(None, processed(&[Pass]));
        decide_about(&scene, DecisionKind::TakeDown);
        scene.pass(seconds);
        let outcome = decide_about(&scene, DecisionKind::Restore);
        assert_eq!(matches!(outcome, DecisionOutcome::Done(_)), is_possible, "{seconds}");
        assert_eq!(is_file_blocked(&scene), !is_possible);
    }
}

#[test]
fn the_files_of_a_removed_content_rest_for_as_long_as_it_can_be_restored() {
    let scene = reported(None, processed(&[Pass]));
    scene.store("media/c/1/video.mp4");
    let has_file = || scene.objects().contains(&"media/c/1/video.mp4".to_owned());
    decide_about(&scene, DecisionKind::TakeDown);
    scene.sweep();
    scene.pass(REVERSIBLE_SECONDS);
    scene.sweep();
    assert!(has_file());
    scene.pass(3_600);
    scene.sweep();
    assert!(!has_file());
}
