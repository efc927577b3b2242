//! The blocklist, and the comparison of reports with it.

use super::segments::fill;
use super::{HASH, actions, change};
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, blocklist_of};
use crate::moderation::blocklist::{block, list, unblock};
use crate::moderation::screening::{Comparison, Screening};
use crate::testing::fake_platform::World;
use contract::ContentState::Rejected;
use contract::PictureHash;
use contract::api::DecisionAction;
use contract::moderation::Recommendation::Pass;
use contract::moderation::{Check, FrameHash};
use futures_executor::block_on;
use std::rc::Rc;

#[test]
fn a_hash_is_listed_once_and_its_changes_are_recorded() {
    let scene = Scene::new();
    let (database, now) = (&scene.world.database, scene.now());
    for _ in 0..2 {
        block_on(block(database, change(&[HASH]), now)).unwrap();
    }
    block_on(block(database, change(&[&"f0".repeat(32)]), now)).unwrap();
    let all = block_on(list(database, None, 10)).unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!(block_on(list(database, Some(HASH), 10)).unwrap().len(), 1);
    for _ in 0..2 {
        block_on(unblock(database, change(&[HASH]), now)).unwrap();
    }
    assert_eq!(block_on(list(database, None, 10)).unwrap().len(), 1);
    assert_eq!(actions(&scene), [DecisionAction::UnblockHash, DecisionAction::BlockHash, DecisionAction::BlockHash]);
}

#[test]
fn many_hashes_are_added_at_once_and_each_is_recorded() {
    let scene = Scene::new();
    let (database, now) = (&scene.world.database, scene.now());
    let [one, two] = ["f0", "0e"].map(|digits| digits.repeat(32));
    assert_eq!(block_on(block(database, change(&[HASH]), now)).unwrap(), 1);
    for added in [2, 0] {
        assert_eq!(block_on(block(database, change(&[&one, HASH, &two, &one]), now)).unwrap(), added);
    }
    assert_eq!(block_on(list(database, None, 10)).unwrap().len(), 3);
    assert_eq!(actions(&scene), [DecisionAction::BlockHash; 3]);
}

#[test]
fn a_video_in_another_orientation_is_rejected() {
    for (turned, _) in HASH.parse::<PictureHash>().unwrap().appearances() {
        let scene = Scene::new();
        block_on(block(&scene.world.database, change(&[&turned.to_string()]), scene.now())).unwrap();
        scene.claim("a", 1);
        assert_eq!(scene.report("a", 1, processed(&[Pass])).state, Some(Rejected), "{turned}");
    }
}

#[test]
fn a_copy_of_a_blocked_video_is_rejected_without_a_moderator() {
    let scene = Scene::new();
    block_on(block(&scene.world.database, change(&[&HASH.replace("cdef", "cdee")]), scene.now())).unwrap();
    scene.claim("a", 1);
    assert_eq!(scene.report("a", 1, processed(&[Pass])).state, Some(Rejected));
    let finding = "SELECT count(*) AS number FROM findings WHERE check_name = 'blocklist' AND from_ms = 40";
    assert_eq!(scene.count(finding), 1);
    assert_eq!(scene.row().state, Rejected);
}

/// Returns the result of comparing the frames with the list, as a new isolate does it.
fn screen(world: &Rc<World>, frames: &[FrameHash]) -> Screening {
    let process = world.process(None);
    block_on(Comparison::new(frames).update(&blocklist_of(&process))).unwrap()
}

fn frame(hash: &str) -> FrameHash {
    FrameHash { at_ms: 7, hash: hash.parse().unwrap() }
}

#[test]
fn a_long_list_is_compared_completely() {
    let world = World::new(NOON);
    fill(&world, 0, 12_001);
    let frames = [frame(&"fedcba9876543210".repeat(4))];
    let screening = screen(&world, &frames);
    assert_eq!((screening.version, screening.finding), (Some(12_001), None));
    block_on(block(&world.database, change(&[&"fedcba9876543211".repeat(4)]), UnixSeconds(NOON))).unwrap();
    let screening = screen(&world, &frames);
    assert_eq!(screening.version, Some(12_002));
    assert_eq!(screening.finding.unwrap().check, Check::Blocklist);
    assert_eq!(screen(&world, &[]).version, None);
}

#[test]
fn hashes_that_moderators_added_directly_do_not_add_up_to_a_rejection() {
    let world = World::new(NOON);
    let hashes: Vec<_> = ["0f", "f0", "3c", "c3"].map(|byte| byte.repeat(32)).into();
    let mut frames = Vec::new();
    for (hash, at_ms) in hashes.iter().zip(0..) {
        block_on(block(&world.database, change(&[hash]), UnixSeconds(NOON))).unwrap();
        frames.push(FrameHash { at_ms, ..frame(hash) });
    }
    let finding = screen(&world, &frames).finding.unwrap();
    assert_eq!(finding.recommendation, contract::moderation::Recommendation::Review);
}
