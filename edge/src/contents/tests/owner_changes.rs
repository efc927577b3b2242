//! The effect of each owner change in each state, and scheduled publication.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, delete, publish_now, reschedule};
use crate::contents::schedule::publish_due;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::platform::database::{Database, Statement};
use contract::ContentState::{self, Deleted, Processing, Published, Scheduled};
use contract::job::JobOutcome;
use contract::moderation::Recommendation::{Pass, Review};
use contract::{ContentEvent, ErrorCode};
use futures_executor::block_on;

/// Returns a content in this state, reached by a path that leads there.
fn scene_in(state: ContentState) -> Scene {
    let scene = Scene::scheduled(Some(NOON + 1_000));
    scene.claim("a", 1);
    let detail = String::new();
    match state {
        Processing => {}
        ContentState::Failed => {
            scene.report("a", 1, JobOutcome::Failed { detail });
        }
        ContentState::Rejected => {
            scene.report("a", 1, JobOutcome::Refused { code: ErrorCode::ContentFileInvalidFormat, detail });
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

fn own(content_uuid: &ContentUuid) -> OwnedContent<'_> {
    OwnedContent { channel_id: ChannelId(1), content_uuid }
}

fn delete_own(scene: &Scene) -> ChangeOutcome {
    block_on(delete(&scene.world.database, own(&uuid()), scene.now(), scene.now())).unwrap()
}

fn reschedule_own(scene: &Scene, time: u64) -> ChangeOutcome {
    block_on(reschedule(&scene.world.database, own(&uuid()), UnixSeconds(time), scene.now())).unwrap().outcome
}

fn publish_own(scene: &Scene, now: u64) -> ChangeOutcome {
    block_on(publish_now(&scene.world.database, own(&uuid()), UnixSeconds(now))).unwrap().outcome
}

fn is_done(outcome: ChangeOutcome) -> bool {
    matches!(outcome, ChangeOutcome::Done(_))
}

#[test]
fn a_content_in_any_state_can_be_deleted_repeatedly() {
    for state in ContentState::ALL {
        let scene = scene_in(*state);
        for _ in 0..2 {
            let outcome = delete_own(&scene);
            assert!(is_done(outcome), "{state:?}: {outcome:?}");
            assert_eq!(scene.row().state, Deleted);
        }
        assert!(!scene.report("a", 1, processed(&[Pass])).accepted || *state != Processing);
        assert_eq!(scene.row().state, Deleted);
    }
}

#[test]
fn a_deletion_deletes_the_owners_texts() {
    let scene = scene_in(Scheduled);
    let write = "UPDATE contents SET caption = 'private', ai_summary_of_content = 'private'";
    scene.attempt(write).unwrap();
    delete_own(&scene);
    let left = "SELECT count(*) AS number FROM contents WHERE caption IS NOT NULL OR ai_summary_of_content IS NOT NULL";
    assert_eq!(scene.count(left), 0);
}

#[test]
fn another_channels_content_is_unknown() {
    let scene = scene_in(Scheduled);
    let database = &scene.world.database;
    let (uuid, other) = (uuid(), ContentUuid::new("other"));
    for content in [OwnedContent { channel_id: ChannelId(2), ..own(&uuid) }, own(&other)] {
        let now = scene.now();
        assert_eq!(block_on(delete(database, content, now, now)).unwrap(), ChangeOutcome::UnknownContent);
        assert_eq!(
            block_on(reschedule(database, content, now + 900, now)).unwrap().outcome,
            ChangeOutcome::UnknownContent
        );
        assert_eq!(block_on(publish_now(database, content, now)).unwrap().outcome, ChangeOutcome::UnknownContent);
    }
    assert_eq!(scene.row().state, Scheduled);
}

#[test]
fn only_a_content_that_is_not_public_yet_can_be_rescheduled() {
    for state in ContentState::ALL {
        let scene = scene_in(*state);
        let outcome = reschedule_own(&scene, NOON + 5_000);
        assert_eq!(is_done(outcome), state.next(ContentEvent::Rescheduled).is_some(), "{state:?}");
        assert_eq!(scene.row().state, *state);
    }
}

#[test]
fn publishing_now_publishes_an_approved_content_and_removes_the_schedule_of_a_processing_one() {
    let scene = scene_in(Scheduled);
    for _ in 0..2 {
        let ChangeOutcome::Done(status) = publish_own(&scene, NOON + 7) else {
            panic!("not done");
        };
        assert_eq!((status.state, status.published_at_unix), (Published, Some(UnixSeconds(NOON + 7))));
    }
    let scene = scene_in(Processing);
    publish_own(&scene, NOON);
    assert_eq!(scene.row().state, Processing);
    scene.report("a", 1, processed(&[Pass]));
    assert_eq!(scene.row().state, Published);
    for state in [ContentState::Rejected, ContentState::Failed, ContentState::TakenDown, Deleted] {
        let scene = scene_in(state);
        assert_eq!(publish_own(&scene, NOON), ChangeOutcome::Conflict(state));
    }
}

#[test]
fn the_sweep_publishes_at_the_scheduled_time_and_not_a_second_earlier() {
    let scene = scene_in(Scheduled);
    scene.pass(999);
    assert_eq!(scene.sweep().published_contents, 0);
    scene.pass(1);
    assert_eq!(scene.sweep().published_contents, 1);
    assert_eq!(scene.row().published_at_unix, Some(NOON + 1_000));
    assert_eq!(scene.sweep().published_contents, 0);
}

#[test]
fn the_sweep_does_not_publish_an_unapproved_content() {
    let scene = Scene::scheduled(Some(NOON + 400));
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Review]));
    scene.pass(500);
    assert_eq!(scene.sweep().published_contents, 0);
    assert_eq!(scene.row().state, Processing);
}

#[test]
fn one_run_publishes_everything_that_is_due() {
    const CONTENTS: u64 = 1_203;
    let scene = Scene::new();
    let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1204) ";
    let uploads = format!(
        "{numbers} INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT n, 'u' || n, 1, 1, 'committed', 0 FROM numbers"
    );
    let contents = format!(
        "{numbers} INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name,
             scheduled_publish_at_unix, source, duration_ms, file_sha256, created_at_unix, media, media_generation)
         SELECT n, 'c' || n, 1, 'processing', 's' || n, n || '.mp4', {NOON}, '{{\"size_bytes\":1}}', 1, 'h', 1, '{{}}', 1
         FROM numbers"
    );
    let approve = "UPDATE contents SET state = 'scheduled' WHERE id > 1".to_owned();
    for sql in [uploads, contents, approve] {
        let statement = Statement::new(sql);
        block_on(scene.world.database.execute(statement)).unwrap();
    }
    assert_eq!(block_on(publish_due(&scene.world.database, UnixSeconds(NOON - 1))), Ok(0));
    assert_eq!(block_on(publish_due(&scene.world.database, UnixSeconds(NOON))), Ok(CONTENTS));
}

#[test]
fn a_deleted_content_leaves_no_words_in_whatever_state_it_was() {
    let paths: [&[ContentState]; 6] = [
        &[],
        &[Scheduled],
        &[Scheduled, Published],
        &[Scheduled, ContentState::TakenDown],
        &[ContentState::Rejected],
        &[ContentState::Failed],
    ];
    for path in paths {
        let scene = Scene::new();
        scene.attempt("INSERT INTO webhooks (uuid, channel_id, url, created_at_unix) VALUES ('w', 1, 'u', 1)").unwrap();
        for sql in [
            "UPDATE contents SET slug_url = 'a-quokka-a1B2c3D4e5', caption = 'a quokka', external_id = 'x',
                 ai_summary_of_content = 'quokka', metadata = '{\"a\":\"quokka\"}', media = '{}', media_generation = 1",
            "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, received_at_unix)
             VALUES (1, 1, 'a', replace(hex(zeroblob(32)), '0', 'a'), 'processed', 1)",
            "INSERT INTO findings (content_id, generation, number, check_name, recommendation, note)
             VALUES (1, 1, 1, 'classifier', 'pass', 'it shows a quokka')",
        ] {
            scene.attempt(sql).unwrap();
        }
        for state in path {
            scene.set_state(*state).unwrap();
        }
        scene.attempt("UPDATE webhook_deliveries SET body_start = 'thanks for a-quokka'").unwrap();
        let before = scene.world.database.columns_with("quokka");
        assert_eq!(before.len(), if path.is_empty() { 5 } else { 7 }, "{before:?}");
        assert!(is_done(delete_own(&scene)), "{path:?}");
        assert_eq!(scene.world.database.columns_with("quokka"), [""; 0], "{path:?}");
        assert_eq!(scene.count("SELECT slug_url = 'a1B2c3D4e5' AS number FROM contents"), 1);
        let events = "SELECT count(*) AS number FROM events WHERE json_extract(data, '$.slug_url') = 'a1B2c3D4e5'";
        assert_eq!(scene.count(events), path.len() as u64 + 1, "{path:?}");
    }
}
