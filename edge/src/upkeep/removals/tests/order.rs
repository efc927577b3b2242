//! The order in which removals are repeated, what happens after an interruption, and entries that cannot be read.

use super::{REMOVALS, Repeating, backup, compare, compare_log, look, restore};
use crate::jobs::tests::scene::{NOON, Scene, processed};
use crate::testing::fake_platform::Fault;
use crate::testing::sweep;
use contract::ContentState;
use contract::moderation::Recommendation;
use futures_executor::block_on;
use futures_util::FutureExt;
use serde_json::{Value, json};

const EPOCHS: &str = "SELECT count(*) AS number FROM removals WHERE kind = 'epoch'";
const VALID_CREDENTIALS: &str = "SELECT (SELECT count(*) FROM api_keys)
    + (SELECT count(*) FROM access_tokens WHERE ended_by IS NULL)
    + (SELECT count(*) FROM origin_keys WHERE ended_at_unix IS NULL) AS number";

/// Returns a restored database that lacks the ends of all keys and the deletion of the video.
fn restored_with_revoked_keys() -> Scene {
    let lost = backup();
    for (removal, _) in [REMOVALS[0], REMOVALS[3], REMOVALS[8], REMOVALS[9]] {
        lost.happen(removal).unwrap();
    }
    compare(&lost);
    restore(&lost)
}

fn try_compare(scene: &Scene) -> Result<(), String> {
    let compared = block_on(compare_log(&scene.world.process(None), Repeating::IfRestored));
    compared.map(drop).map_err(|error| error.to_string())
}

#[test]
fn keys_end_before_anything_else_is_repeated() {
    for operation in 0.. {
        let restored = restored_with_revoked_keys();
        let process = restored.world.process(Some((operation, Fault::Fail)));
        let _ = compare_log(&process, Repeating::IfRestored).now_or_never();
        let was_reached = process.operations() > operation;
        let valid = restored.count(VALID_CREDENTIALS);
        let has_begun = restored.count(EPOCHS) > 0 || restored.row().state == ContentState::Deleted;
        assert_eq!(valid, if has_begun { 0 } else { 3 }, "operation {operation}");
        if !was_reached {
            break;
        }
    }
}

#[test]
fn a_video_that_cannot_be_changed_neither_keeps_the_rest_nor_begins_an_epoch_every_minute() {
    let restored = restored_with_revoked_keys();
    restored.world.database.run_script(
        "CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents BEGIN SELECT raise(ABORT, 'not this one'); END",
    );
    assert!(try_compare(&restored).unwrap_err().contains("not this one"));
    assert_eq!(restored.count(VALID_CREDENTIALS), 0);
    // Since then, the owner has made a new key and begun an upload.
    for sql in [
        "INSERT INTO api_keys (channel_id, key_hash, key_hint, created_at_unix)
         VALUES (1, replace(hex(zeroblob(32)), '0', 'f'), 'new', unixepoch() + 1)",
        "INSERT INTO resumable_uploads (secret_sha256, channel_id, upload_uuid, tails_uuid, state, length, request,
             expires_at_unix) VALUES ('s1', 1, 'u1', 't1', 'open', 9, '{}', 9000000000)",
    ] {
        restored.happen(sql).unwrap();
    }
    let kept = "SELECT (SELECT count(*) FROM api_keys)
        + (SELECT count(*) FROM resumable_uploads WHERE state = 'open') AS number";
    for _ in 0..3 {
        assert!(try_compare(&restored).unwrap_err().contains("not this one"));
        assert_eq!([EPOCHS, kept].map(|sql| restored.count(sql)), [1, 2]);
    }
    restored.world.database.run_script("DROP TRIGGER refuse");
    assert_eq!(try_compare(&restored), Ok(()));
    assert_eq!(restored.row().state, ContentState::Deleted);
    assert_eq!([EPOCHS, kept].map(|sql| restored.count(sql)), [1, 2]);
    let recorded = "SELECT count(*) AS number FROM trail WHERE action = 'removal_repeated'";
    assert_eq!(restored.count(recorded), 4, "each removal once");
}

/// The sweep that follows an interrupted repetition must not erase the videos whose evidence is to be kept.
#[test]
fn an_account_is_erased_only_after_its_videos_are_removed_again() {
    let lost = backup();
    for (removal, _) in [REMOVALS[2], REMOVALS[7]] {
        lost.happen(removal).unwrap();
    }
    compare(&lost);
    let restored = restore(&lost);
    restored.world.database.run_script(
        "CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents BEGIN SELECT raise(ABORT, 'not this one'); END",
    );
    try_compare(&restored).unwrap_err();
    let closed = "SELECT (suspended_at_unix IS NOT NULL) + (erased_at_unix IS NOT NULL) * 10 AS number FROM channels";
    assert_eq!(restored.count(closed), 1, "suspended, not erased");
    restored.world.database.run_script("DROP TRIGGER refuse");
    assert_eq!(try_compare(&restored), Ok(()));
    assert_eq!(restored.count(closed), 11);
    assert_eq!(restored.row().state, ContentState::TakenDown);
}

/// Returns a restored database that lacks the removal of a scheduled video, and publishes it as soon as it may.
fn restored_with_a_due_video(removal: &'static str) -> Scene {
    let [lost, restored] = [(); 2].map(|()| Scene::scheduled(Some(NOON + 60)));
    for scene in [&lost, &restored] {
        scene.claim("a", 1);
        scene.report("a", 1, processed(&[Recommendation::Pass]));
        assert_eq!(scene.row().state, ContentState::Scheduled);
        compare(scene);
        scene.pass(60);
    }
    lost.happen(removal).unwrap();
    compare(&lost);
    restored.world.objects.replace(lost.world.objects.borrow().clone());
    restored
}

const REMOVALS_OF_DUE_VIDEOS: [&str; 3] = [
    "UPDATE contents SET state = 'deleted'",
    "UPDATE contents SET scheduled_publish_at_unix = 9000000000",
    "UPDATE channels SET suspended_at_unix = 7",
];

#[test]
fn a_sweep_publishes_nothing_that_was_removed_whatever_fails() {
    for removal in REMOVALS_OF_DUE_VIDEOS {
        for operation in 0.. {
            let restored = restored_with_a_due_video(removal);
            let process = restored.world.process(Some((operation, Fault::Fail)));
            let _ = block_on(sweep(&process));
            let is_suspended = restored.count("SELECT suspended_at_unix IS NOT NULL AS number FROM channels") == 1;
            assert!(is_suspended || restored.row().state != ContentState::Published, "{removal}: {operation}");
            if process.operations() <= operation {
                assert!(operation > 20, "the run has more operations");
                break;
            }
        }
    }
}

#[test]
fn a_video_that_cannot_be_removed_again_is_not_published_and_the_others_are() {
    let restored = restored_with_a_due_video(REMOVALS_OF_DUE_VIDEOS[0]);
    restored.world.database.run_script(
        "CREATE TRIGGER refuse BEFORE UPDATE OF state ON contents WHEN new.state = 'deleted'
             BEGIN SELECT raise(ABORT, 'not this one'); END;
         INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
             VALUES (2, 'u2', 1, 20000, 'committed', 0);
         INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix, scheduled_publish_at_unix)
             VALUES (2, 'e', 1, 'processing', 's2', 'm2.mp4', '{\"size_bytes\":7}', 5000, 'h', 1, 100);
         UPDATE contents SET (state, finished_at_unix, media, media_generation) =
             (SELECT state, finished_at_unix, media, media_generation FROM contents WHERE id = 1) WHERE id = 2",
    );
    for _ in 0..2 {
        block_on(sweep(&restored.world.process(None))).unwrap_err();
        let published = "SELECT count(*) AS number FROM contents WHERE state = 'published' AND uuid = ";
        assert_eq!(restored.count(&format!("{published}'c'")), 0);
        assert_eq!(restored.count(&format!("{published}'e'")), 1);
    }
}

/// Stores an object whose name is later than those of all other entries.
fn store_in_log(scene: &Scene, number: usize, body: &[u8]) {
    let key = format!("removals/09999999999{number}-000000000001-0123456789abcdef-1");
    scene.world.objects.borrow_mut().insert(key, body.to_vec());
}

fn entry(kind: &str, data: &Value) -> Vec<u8> {
    let entry = json!({"name": format!("099999999990-000000000001-{kind}"), "kind": kind, "subject": "1",
        "is_removed": 1, "data": data, "happened_at_unix": 1});
    json!([entry]).to_string().into_bytes()
}

#[test]
fn an_unreadable_entry_is_named_and_the_others_are_repeated() {
    let unreadable = [
        b"\xff".to_vec(),
        b"no json".to_vec(),
        b"{}".to_vec(),
        b"[7]".to_vec(),
        entry("of a later version", &json!({})),
        entry("content", &json!({"state": 7})),
        entry("evidence", &json!({})),
        entry("hash", &json!({"hash": "short", "reason": "r", "added_by": "m", "content_uuid": "c"})),
        entry("webhook_secret", &json!({"version": "x"})),
        entry("channel", &json!({"is_erased": 1, "evidence_until_unix": "x"})),
    ];
    for (number, body) in unreadable.iter().enumerate() {
        let restored = restored_with_revoked_keys();
        store_in_log(&restored, number, body);
        for _ in 0..3 {
            assert_eq!(try_compare(&restored), Ok(()), "{number}");
        }
        assert_eq!(restored.row().state, ContentState::Deleted, "{number}");
        assert_eq!([VALID_CREDENTIALS, EPOCHS].map(|sql| restored.count(sql)), [0, 1], "{number}");
        assert_eq!(look(&restored), (vec![], vec!["unreadable".to_owned()]), "{number}");
    }
}

#[test]
fn the_other_entries_of_an_object_are_repeated() {
    let restored = restored_with_revoked_keys();
    let block = json!({"name": "099999999990-000000000001-b", "kind": "file", "subject": "f/c", "is_removed": 1,
        "data": {"sha256": "f", "content_uuid": "c", "reason": "r", "added_by": "m"}, "happened_at_unix": 1});
    store_in_log(&restored, 0, json!([block, {"kind": "file"}]).to_string().as_bytes());
    assert_eq!(try_compare(&restored), Ok(()));
    assert_eq!(restored.count("SELECT count(*) AS number FROM blocked_files WHERE sha256 = 'f'"), 1);
    assert_eq!(look(&restored).1, ["unreadable"]);
}
