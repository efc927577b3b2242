//! What each wish does in each state, and the clock's minute.

use crate::database::{Database, Statement};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene};
use crate::publication::{
    Changed, Owned, delete, is_schedule, publish_due, publish_now, reschedule,
};
use contract::ContentState::{self, Deleted, Processing, Published, Scheduled};
use contract::moderation::Verdict::{Pass, Review};
use contract::{ErrorCode, Event};
use futures_executor::block_on;

const OWN: Owned<'static> = Owned {
    channel_id: 1,
    content_uuid: "c",
};

/// A content in that state, on the way that leads there.
fn scene_in(state: ContentState) -> Scene {
    let scene = Scene::scheduled(Some(NOON + 1_000));
    scene.claim("a", 1, 1);
    match state {
        Processing => {}
        ContentState::Failed => {
            let detail = String::new();
            scene.report("a", 1, contract::job::JobOutcome::Failed { detail });
        }
        ContentState::Rejected => {
            let (code, detail) = (ErrorCode::ContentFileInvalidFormat, String::new());
            scene.report("a", 1, contract::job::JobOutcome::Refused { code, detail });
        }
        _ => {
            scene.report("a", 1, processed(&[Pass]));
        }
    }
    if !matches!(state, Scheduled | Processing) && scene.row().state == Scheduled {
        scene.set_state(state).unwrap();
    }
    assert_eq!(scene.row().state, state);
    scene
}

fn done(changed: Changed) -> bool {
    matches!(changed, Changed::Done(_))
}

#[test]
fn every_content_can_be_deleted_and_deleting_it_again_is_no_failure() {
    for state in ContentState::ALL {
        let scene = scene_in(*state);
        for _ in 0..2 {
            let deleted = block_on(delete(&scene.world.database, OWN, scene.now())).unwrap();
            assert!(done(deleted), "{state:?}: {deleted:?}");
            assert_eq!(scene.row().state, Deleted);
        }
        assert!(!scene.report("a", 1, processed(&[Pass])).accepted || *state != Processing);
        assert_eq!(scene.row().state, Deleted);
    }
}

#[test]
fn what_was_written_goes_with_the_deletion() {
    let scene = scene_in(Scheduled);
    let write = "UPDATE contents SET caption = 'private', ai_summary_of_content = 'private'";
    scene.attempt(write).unwrap();
    block_on(delete(&scene.world.database, OWN, NOON)).unwrap();
    let left = "SELECT count(*) AS number FROM contents WHERE caption IS NOT NULL OR ai_summary_of_content IS NOT NULL";
    assert_eq!(scene.count(left), 0);
}

#[test]
fn another_channels_content_is_unknown() {
    let scene = scene_in(Scheduled);
    let database = &scene.world.database;
    for owned in [
        Owned {
            channel_id: 2,
            ..OWN
        },
        Owned {
            content_uuid: "other",
            ..OWN
        },
    ] {
        assert_eq!(
            block_on(delete(database, owned, NOON)),
            Ok(Changed::Unknown)
        );
        assert_eq!(
            block_on(reschedule(database, owned, NOON + 900)),
            Ok(Changed::Unknown)
        );
        assert_eq!(
            block_on(publish_now(database, owned, NOON)),
            Ok(Changed::Unknown)
        );
    }
    assert_eq!(scene.row().state, Scheduled);
}

#[test]
fn only_what_is_not_public_yet_gets_another_time() {
    for state in ContentState::ALL {
        let scene = scene_in(*state);
        let changed = block_on(reschedule(&scene.world.database, OWN, NOON + 5_000)).unwrap();
        assert_eq!(
            done(changed),
            state.after(Event::Rescheduled).is_some(),
            "{state:?}"
        );
        assert_eq!(scene.row().state, *state);
    }
}

#[test]
fn publishing_now_publishes_what_is_approved_and_takes_the_time_off_the_rest() {
    let scene = scene_in(Scheduled);
    for _ in 0..2 {
        let Changed::Done(standing) =
            block_on(publish_now(&scene.world.database, OWN, NOON + 7)).unwrap()
        else {
            panic!("refused");
        };
        assert_eq!(
            (standing.state, standing.published_at_unix),
            (Published, Some(NOON + 7))
        );
    }
    let scene = scene_in(Processing);
    block_on(publish_now(&scene.world.database, OWN, NOON)).unwrap();
    assert_eq!(scene.row().state, Processing);
    scene.report("a", 1, processed(&[Pass]));
    assert_eq!(scene.row().state, Published);
    for state in [
        ContentState::Rejected,
        ContentState::Failed,
        ContentState::TakenDown,
        Deleted,
    ] {
        let scene = scene_in(state);
        let changed = block_on(publish_now(&scene.world.database, OWN, NOON)).unwrap();
        assert_eq!(changed, Changed::Conflict(state));
    }
}

#[test]
fn the_clock_publishes_at_the_time_and_not_a_second_before() {
    let scene = scene_in(Scheduled);
    scene.pass(999);
    assert_eq!(scene.sweep().published_contents, 0);
    scene.pass(1);
    assert_eq!(scene.sweep().published_contents, 1);
    assert_eq!(scene.row().published_at_unix, Some(NOON + 1_000));
    assert_eq!(scene.sweep().published_contents, 0);
}

#[test]
fn what_is_not_approved_is_not_published_by_any_clock() {
    let scene = Scene::scheduled(Some(NOON + 400));
    scene.claim("a", 1, 1);
    scene.report("a", 1, processed(&[Review]));
    scene.pass(500);
    assert_eq!(scene.sweep().published_contents, 0);
    assert_eq!(scene.row().state, Processing);
}

#[test]
fn a_run_publishes_all_that_is_due_however_many_there_are() {
    const CONTENTS: u64 = 1_203;
    let scene = Scene::new();
    let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1204) ";
    let uploads = format!(
        "{numbers} INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT n, 'u' || n, 1, 1, 'committed', 0 FROM numbers"
    );
    let contents = format!(
        "{numbers} INSERT INTO contents (id, uuid, upload_id, channel_id, state, slug_url, media_name,
             has_thumbnail_file, scheduled_publish_at_unix, container, duration_ms, size_bytes, file_sha256,
             created_at_unix, enqueued_at_unix, media, media_generation)
         SELECT n, 'c' || n, n, 1, 'processing', 's' || n, n || '.mp4', 0, {NOON}, 'mp4', 1, 1, 'h', 1, {NOON}, '{{}}', 1
         FROM numbers"
    );
    let approve = "UPDATE contents SET state = 'scheduled' WHERE id > 1".to_owned();
    for sql in [uploads, contents, approve] {
        let statement = Statement::new(Box::leak(sql.into_boxed_str()));
        block_on(scene.world.database.batch(vec![statement])).unwrap();
    }
    assert_eq!(
        block_on(publish_due(&scene.world.database, NOON - 1)),
        Ok(0)
    );
    assert_eq!(
        block_on(publish_due(&scene.world.database, NOON)),
        Ok(CONTENTS)
    );
}

#[test]
fn a_schedule_is_five_minutes_to_180_days_ahead() {
    for (ahead, fits) in [
        (299, false),
        (300, true),
        (15_552_000, true),
        (15_552_001, false),
    ] {
        assert_eq!(is_schedule(NOON + ahead, NOON), fits, "{ahead}");
    }
    assert!(!is_schedule(0, NOON));
}
