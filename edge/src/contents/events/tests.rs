//! Tests of events outside of a content's life, of the fields of events, and of reading the log.

use super::{EventsPart, delete_old, events_page, list_events};
use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::people::auth::hash::{KeyedHash, Pepper};
use crate::people::keys::key_store::{self, StoredKey};
use crate::people::owner::Owner;
use crate::platform::database::{Batch, Database, Statement};
use crate::uploads::commit::note_reached_limit;
use contract::ContentState;
use contract::api::{Event, EventData, EventType, Events};
use contract::moderation::Recommendation::{Pass, Review, Wait};
use futures_executor::block_on;

fn hash_of(number: u8) -> KeyedHash {
    Pepper::new("a pepper that is long enough to use").unwrap().hash(&[number])
}

fn key(number: u8) -> StoredKey {
    StoredKey { hash: hash_of(number), hint: format!("cgk_{number}…") }
}

fn run(scene: &Scene, sql: &'static str) {
    block_on(scene.world.database.batch(vec![Statement::new(sql)])).unwrap();
}

/// Returns a scene whose channel has key 1.
fn scene_with_key() -> Scene {
    let scene = Scene::new();
    block_on(key_store::create(&scene.world.database, ChannelId(1), &key(1), UnixSeconds(NOON))).unwrap();
    scene
}

fn read_page(scene: &Scene, after: u64, content: Option<&str>, length: u32) -> Events {
    let part = EventsPart { after, content_uuid: content.map(ContentUuid::new), at_most: length + 1 };
    let found = block_on(list_events(&scene.world.database, &Owner::Key(hash_of(1)), &part, scene.now())).unwrap();
    events_page(found.unwrap().events, after, length).unwrap()
}

fn events(scene: &Scene) -> Vec<Event> {
    read_page(scene, 0, None, 100).events
}

fn types(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.kind.as_str()).collect()
}

#[test]
fn each_state_is_logged_with_its_facts_and_under_a_known_type() {
    let known: Vec<String> =
        EventType::ALL.map(|kind| serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned()).to_vec();
    for state in ContentState::ALL.iter().filter(|state| **state != ContentState::Processing) {
        let scene = scene_with_key();
        run(
            &scene,
            "UPDATE contents SET external_id = '7', error_code = 'content_moderation_rejected', error_detail = 'd'",
        );
        match state {
            ContentState::TakenDown => {
                scene.claim("a", 1);
                scene.report("a", 1, processed(&[Pass]));
            }
            _ => run(&scene, "UPDATE contents SET media = '{}', media_generation = 1, published_at_unix = 5"),
        }
        scene.set_state(*state).unwrap();
        let event = events(&scene).pop().unwrap();
        assert_eq!(event.kind, format!("content.{}", state.as_str()));
        assert!(known.contains(&event.kind), "{}", event.kind);
        assert_eq!(event.data.external_id.as_deref(), Some("7"), "{state:?}");
        assert_eq!(event.data.content_uuid.as_deref(), Some("c"));
        let has_error = matches!(state, ContentState::Rejected | ContentState::Failed | ContentState::TakenDown);
        assert_eq!(event.data.error_message_code.is_some(), has_error, "{state:?}");
        assert_eq!(event.data.published_at_unix.is_some(), *state == ContentState::Published);
    }
}

#[test]
fn the_event_of_a_deletion_keeps_the_clients_id_and_no_texts() {
    let scene = scene_with_key();
    run(&scene, "UPDATE contents SET external_id = '7', caption = 'secret caption', metadata = '{\"a\":\"secret\"}'");
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    let events = events(&scene);
    assert_eq!(types(&events), ["content.deleted"]);
    assert_eq!(events[0].data.external_id.as_deref(), Some("7"));
    assert!(!serde_json::to_string(&events).unwrap().contains("secret"));
}

#[test]
fn a_key_event_has_the_hint_and_nothing_of_the_hash() {
    let scene = scene_with_key();
    let database = &scene.world.database;
    block_on(key_store::rotate(database, ChannelId(1), &key(2), 0, scene.now())).unwrap();
    block_on(key_store::delete(database, ChannelId(1))).unwrap();
    block_on(key_store::create(database, ChannelId(1), &key(1), scene.now())).unwrap();
    let events = events(&scene);
    assert_eq!(types(&events), ["key.rotated", "key.deleted"]);
    for event in &events {
        let data = EventData { key_hint: Some("cgk_2…".to_owned()), ..EventData::default() };
        assert_eq!((&event.data, event.content_sequence), (&data, None));
    }
    let text = serde_json::to_string(&events).unwrap();
    assert!(!text.contains(hash_of(1).as_str()) && !text.contains(hash_of(2).as_str()));
}

fn last_upload(scene: &Scene) -> u64 {
    scene.count("SELECT count(*) - 1 AS number FROM uploads")
}

#[test]
fn a_reached_limit_is_logged_once_a_day_by_the_upload_that_reaches_it() {
    let scene = scene_with_key();
    run(&scene, "UPDATE channels SET daily_upload_limit = 2");
    let reserve = "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
        VALUES ('r' || (SELECT count(*) FROM uploads), 1, 20001, 'reserved', 0)";
    let commit = "UPDATE uploads SET state = 'committed' WHERE state = 'reserved'";
    for (sql, count) in [
        (reserve, 0),
        (commit, 0),
        // The last slot is reserved, but the upload may still fail.
        (reserve, 0),
        ("DELETE FROM uploads WHERE state = 'reserved'", 0),
        (reserve, 0),
        (commit, 1),
        ("UPDATE channels SET daily_upload_limit = 3", 1),
        (reserve, 1),
        (commit, 1),
    ] {
        run(&scene, sql);
        let mut batch = Batch::default();
        note_reached_limit(&mut batch, &UploadUuid::new(format!("r{}", last_upload(&scene))));
        block_on(scene.world.database.run(batch)).unwrap();
        assert_eq!(events(&scene).len(), count, "{sql}");
    }
    let data = events(&scene).remove(0).data;
    assert_eq!((data.limit_amount, data.limit_reset_time_unix), (Some(2), Some(20_002 * 86_400)));
}

#[test]
fn repeated_checks_that_are_not_possible_are_one_event() {
    let scene = scene_with_key();
    for (generation, recommendation, count) in [(1, Wait, 1), (2, Wait, 1), (3, Review, 2)] {
        scene.claim("a", generation);
        assert!(scene.report("a", generation, processed(&[recommendation])).accepted);
        assert_eq!(events(&scene).len(), count, "{generation}");
        scene.pass(3_600);
        scene.sweep();
    }
    let waits: Vec<_> = events(&scene).into_iter().map(|event| event.data.waits_for.unwrap()).collect();
    assert_eq!(waits, ["check", "person"]);
}

#[test]
fn a_change_that_is_rolled_back_logs_nothing() {
    let scene = scene_with_key();
    // The database does not allow it.
    assert!(scene.set_state(ContentState::TakenDown).is_err());
    assert_eq!(events(&scene), []);
}

#[test]
fn the_pages_of_the_log_are_its_events_in_order_and_nothing_is_read_twice() {
    let scene = scene_with_key();
    for number in 2..9 {
        let next = if number == 8 { 1 } else { number };
        block_on(key_store::rotate(&scene.world.database, ChannelId(1), &key(next), 0, scene.now())).unwrap();
    }
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Review]));
    let (mut sequences, mut after) = (Vec::new(), 0);
    loop {
        let page = read_page(&scene, after, None, 3);
        sequences.extend(page.events.iter().map(|event| event.sequence));
        after = page.next_after;
        if !page.has_more {
            break;
        }
    }
    assert_eq!(sequences, (1..=8).collect::<Vec<_>>());
    let rest = read_page(&scene, after, None, 3);
    assert_eq!((rest.events.len(), rest.next_after), (0, 8));
    let of_content = read_page(&scene, 0, Some("c"), 3);
    assert_eq!(types(&of_content.events), ["content.waiting"]);
    assert_eq!((of_content.events[0].sequence, of_content.events[0].content_sequence), (8, Some(1)));
    assert_eq!(read_page(&scene, 0, Some("other"), 3).events, []);
}

#[test]
fn events_are_deleted_after_30_days_and_their_numbers_are_not_used_again() {
    let scene = scene_with_key();
    let rotate = |number| {
        block_on(key_store::rotate(&scene.world.database, ChannelId(1), &key(number), 0, scene.now())).unwrap();
    };
    rotate(2);
    rotate(1);
    run(&scene, "UPDATE events SET happened_at_unix = 1000 + sequence");
    let at = |seconds| block_on(delete_old(&scene.world.database, UnixSeconds(seconds))).unwrap();
    assert_eq!(at(1_001 + 30 * 86_400), 0);
    assert_eq!(at(1_002 + 30 * 86_400), 1);
    assert_eq!(at(1_003 + 30 * 86_400), 1);
    rotate(2);
    rotate(1);
    assert_eq!(events(&scene).first().map(|event| event.sequence), Some(3));
}

#[test]
fn one_run_deletes_more_events_than_one_statement_looks_at() {
    let scene = scene_with_key();
    run(
        &scene,
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 1000)
         INSERT INTO events (channel_id, sequence, type, data) SELECT 1, number, 'api_key.created', '{}' FROM numbers",
    );
    run(&scene, "UPDATE events SET happened_at_unix = 1000");
    let deleted = block_on(delete_old(&scene.world.database, UnixSeconds(1_001 + 30 * 86_400))).unwrap();
    assert_eq!(deleted, 1_000);
}

#[test]
fn an_event_has_the_time_at_which_it_was_logged_in_both_forms() {
    let scene = scene_with_key();
    block_on(key_store::rotate(&scene.world.database, ChannelId(1), &key(1), 0, scene.now())).unwrap();
    block_on(key_store::delete(&scene.world.database, ChannelId(1))).unwrap();
    block_on(key_store::create(&scene.world.database, ChannelId(1), &key(1), scene.now())).unwrap();
    run(&scene, "UPDATE events SET happened_at_unix = 1795207125");
    let event = events(&scene).remove(0);
    assert_eq!((event.timestamp.as_str(), event.happened_at_unix), ("2026-11-20T20:38:45Z", 1_795_207_125));
    assert!(event.id.starts_with("evt_") && event.id.len() == 36, "{}", event.id);
}
