//! The blocklist, and the comparison of reports with it.

use super::{HASH, actions, change};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene};
use crate::moderation::blocklist::{block, list, unblock};
use crate::moderation::screening::screen_frames;
use crate::ports::database::{Database, Statement};
use crate::testing::sqlite::Sqlite;
use crate::unix_seconds::UnixSeconds;
use contract::ContentState::Rejected;
use contract::api::DecisionAction;
use contract::moderation::Recommendation::Pass;
use contract::moderation::{Check, FrameHash};
use futures_executor::block_on;

#[test]
fn a_hash_is_listed_once_and_its_changes_are_recorded() {
    let scene = Scene::new();
    let (database, now) = (&scene.world.database, scene.now());
    for _ in 0..2 {
        block_on(block(database, &change(HASH), now)).unwrap();
    }
    block_on(block(database, &change(&"f0".repeat(32)), now)).unwrap();
    let all = block_on(list(database, None, 10)).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(block_on(list(database, Some(HASH), 10)).unwrap().len(), 1);
    for _ in 0..2 {
        block_on(unblock(database, &change(HASH), now)).unwrap();
    }
    assert_eq!(block_on(list(database, None, 10)).unwrap().len(), 1);
    assert_eq!(actions(&scene), [DecisionAction::UnblockHash, DecisionAction::BlockHash, DecisionAction::BlockHash]);
}

#[test]
fn a_copy_of_a_blocked_video_is_rejected_without_a_moderator() {
    let scene = Scene::new();
    block_on(block(&scene.world.database, &change(&HASH.replace("cdef", "cdee")), scene.now())).unwrap();
    scene.claim("a", 1, 1);
    assert_eq!(scene.report("a", 1, processed(&[Pass])).state, Some(Rejected));
    let finding = "SELECT count(*) AS number FROM findings WHERE check_name = 'blocklist' AND from_ms = 40";
    assert_eq!(scene.count(finding), 1);
    assert_eq!(scene.row().state, Rejected);
}

#[test]
fn a_long_list_is_compared_completely() {
    let database = Sqlite::migrated();
    let fill = Statement::new(
        "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12000)
         INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
         SELECT printf('%064x', n), 'r', 'm', 1 FROM numbers",
    );
    block_on(database.execute(fill)).unwrap();
    let frames = [FrameHash { at_ms: 7, hash: "fedcba9876543210".repeat(4).parse().unwrap() }];
    let screening = block_on(screen_frames(&database, &frames)).unwrap();
    assert_eq!((screening.version, screening.finding), (Some(12_001), None));
    block_on(block(&database, &change(&"fedcba9876543211".repeat(4)), UnixSeconds(NOON))).unwrap();
    let screening = block_on(screen_frames(&database, &frames)).unwrap();
    assert_eq!(screening.version, Some(12_002));
    assert_eq!(screening.finding.unwrap().check, Check::Blocklist);
    let screening = block_on(screen_frames(&database, &[])).unwrap();
    assert_eq!(screening.version, None);
}

#[test]
fn hashes_that_moderators_added_directly_do_not_add_up_to_a_rejection() {
    let database = Sqlite::migrated();
    let hashes: Vec<_> = ["0f", "f0", "3c", "c3"].map(|byte| byte.repeat(32)).into();
    let mut frames = Vec::new();
    for (hash, at_ms) in hashes.iter().zip(0..) {
        block_on(block(&database, &change(hash), UnixSeconds(NOON))).unwrap();
        frames.push(FrameHash { at_ms, hash: hash.parse().unwrap() });
    }
    let finding = block_on(screen_frames(&database, &frames)).unwrap().finding.unwrap();
    assert_eq!(finding.recommendation, contract::moderation::Recommendation::Review);
}
