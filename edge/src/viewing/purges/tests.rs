//! Purges on real SQLite: which changes are written to the outbox, and that no failure loses one.

use super::{SETTLE_SECONDS, purge_all_due, purge_due};
use crate::base::ids::ChannelId;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::testing::fake_platform::Fault;
use crate::viewing::cache_rules::CacheTags;
use contract::moderation::Recommendation::Pass;
use contract::{ContentState, TRANSITIONS};
use futures_executor::block_on;

const TAG: &str = "content-c";

fn published() -> Scene {
    let scene = Scene::new();
    scene.claim("a", 1);
    assert!(scene.report("a", 1, processed(&[Pass])).accepted);
    scene
}

fn deleted() -> Scene {
    let scene = published();
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, content, scene.now(), scene.now())).unwrap();
    scene
}

fn waiting(scene: &Scene) -> u64 {
    scene.count("SELECT count(*) AS number FROM cache_purges")
}

fn purge(scene: &Scene) -> usize {
    block_on(purge_due(&scene.world.process(None))).unwrap()
}

fn purged(scene: &Scene) -> usize {
    scene.world.purges.borrow().iter().flatten().filter(|tag| *tag == TAG).count()
}

#[test]
fn every_transition_out_of_the_public_state_is_purged_and_no_other() {
    let mut checked = 0;
    for (from, _, to) in TRANSITIONS {
        if from == to {
            continue;
        }
        let scene = Scene::new();
        for state in path_to(*from) {
            scene.set_state(state).unwrap();
        }
        assert_eq!(waiting(&scene), 0, "before {from:?} → {to:?}");
        scene.set_state(*to).unwrap();
        assert_eq!(waiting(&scene), u64::from(from.is_public()), "{from:?} → {to:?}");
        checked += 1;
    }
    assert!(checked > 10);
}

/// Returns the states through which a content reaches this one without having been public, if that is possible.
fn path_to(state: ContentState) -> Vec<ContentState> {
    match state {
        ContentState::Processing => vec![],
        ContentState::TakenDown => vec![ContentState::Scheduled, ContentState::TakenDown],
        state => vec![state],
    }
}

#[test]
fn every_change_of_what_a_published_content_shows_is_purged() {
    for change in [
        "UPDATE contents SET caption = 'other'",
        "UPDATE contents SET slug_url = 'other'",
        "UPDATE contents SET media_name = 'other.mp4'",
        "UPDATE contents SET published_at_unix = 1",
        "UPDATE contents SET media = '{}'",
        "UPDATE contents SET media_generation = 7",
    ] {
        let (scene, hidden) = (published(), Scene::new());
        scene.rule(change).unwrap();
        hidden.rule(change).unwrap();
        assert_eq!((waiting(&scene), waiting(&hidden)), (1, 0), "{change}");
    }
    let scene = published();
    scene.rule("UPDATE contents SET duration_ms = 7").unwrap();
    assert_eq!(waiting(&scene), 0);
}

#[test]
fn a_change_of_the_state_alone_is_purged() {
    let scene = published();
    scene.rule("UPDATE contents SET state = 'taken_down'").unwrap();
    assert_eq!(waiting(&scene), 1);
}

#[test]
fn the_purged_tag_is_one_of_the_tags_of_every_answer() {
    let scene = deleted();
    purge(&scene);
    let tags = CacheTags::of(&uuid(), 1);
    assert!(tags.as_str().split(',').any(|tag| tag == scene.world.purges.borrow()[0][0]), "{tags:?}");
}

#[test]
fn a_content_is_purged_at_once_and_again_when_late_answers_have_arrived() {
    let scene = deleted();
    assert_eq!((purge(&scene), purged(&scene)), (1, 1));
    assert_eq!(purge(&scene), 0);
    scene.world.pass(SETTLE_SECONDS);
    assert_eq!((purge(&scene), purged(&scene), waiting(&scene)), (1, 2, 0));
}

#[test]
fn a_change_during_a_purge_is_purged_again() {
    let scene = deleted();
    purge(&scene);
    scene.world.pass(SETTLE_SECONDS);
    // The row is read before the second change and recorded after it.
    let due = block_on(super::outbox::take_due(&scene.world.database, scene.now(), 100)).unwrap();
    scene.attempt("UPDATE cache_purges SET changes = changes + 1, is_purged = 0, due_at_unix = 0").unwrap();
    block_on(super::outbox::record_accepted(&scene.world.database, &due, scene.now())).unwrap();
    assert_eq!((waiting(&scene), purge(&scene)), (1, 1));
}

#[test]
fn a_refused_purge_is_repeated_after_longer_and_longer_waits() {
    let scene = deleted();
    scene.world.refuses_purges.set(true);
    for wait in [15, 30, 60, 120, 240, 480, 600, 600] {
        assert!(block_on(purge_due(&scene.world.process(None))).is_err());
        scene.world.pass(wait - 1);
        assert_eq!(purge(&scene), 0, "before {wait} s are over");
        scene.world.pass(1);
    }
    scene.world.refuses_purges.set(false);
    assert_eq!((purge(&scene), purged(&scene)), (1, 1));
}

#[test]
fn the_sweep_purges_a_hundred_tags_a_call_and_stops_when_the_cache_refuses() {
    let scene = Scene::new();
    let many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 620)
        INSERT INTO cache_purges (tag) SELECT 'tag-' || i FROM n";
    scene.attempt(many).unwrap();
    assert_eq!(scene.sweep().purged_tags, 500);
    let sizes: Vec<usize> = scene.world.purges.borrow().iter().map(Vec::len).collect();
    assert_eq!(sizes, [100; 5]);
    scene.world.refuses_purges.set(true);
    assert!(block_on(purge_all_due(&scene.world.process(None))).is_err());
    assert_eq!(scene.count("SELECT count(*) AS number FROM cache_purges WHERE attempts > 0 AND is_purged = 0"), 100);
    scene.world.refuses_purges.set(false);
    scene.world.pass(3_600);
    while scene.sweep().purged_tags > 0 {
        scene.world.pass(60);
    }
    assert_eq!(waiting(&scene), 0);
}

#[test]
fn no_failure_of_an_operation_loses_a_purge() {
    for (operation, fault) in (0..6).flat_map(|operation| Fault::ALL.map(|fault| (operation, fault))) {
        let scene = deleted();
        let process = scene.world.process(Some((operation, fault)));
        // A process that dies never answers, so it is polled once.
        let _ = futures_util::FutureExt::now_or_never(purge_all_due(&process));
        for _ in 0..3 {
            scene.world.pass(3_600);
            block_on(purge_all_due(&scene.world.process(None))).unwrap();
        }
        assert!(purged(&scene) >= 2, "operation {operation}, {fault:?}");
        assert_eq!(waiting(&scene), 0, "operation {operation}, {fault:?}");
    }
}
