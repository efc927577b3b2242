//! Failures of single operations during a sweep.

use crate::jobs::tests::scene::Scene;
use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::Fault;
use crate::testing::sweep;
use crate::upkeep::sweep::cleanup::REST_SECONDS;
use futures_executor::block_on;

fn scene_with_garbage() -> Scene {
    let scene = Scene::new();
    let garbage = "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES ('first', 1), ('second', 2)";
    scene.attempt(garbage).unwrap();
    scene
}

/// Lets each operation of a sweep fail in turn. Returns the scenes afterwards.
fn scenes_after_each_failure() -> Vec<Scene> {
    let mut scenes = Vec::new();
    for operation in 0.. {
        let scene = scene_with_garbage();
        let process = scene.world.process(Some((operation, Fault::Fail)));
        let result = block_on(sweep(&process));
        let has_failed = process.operations() > operation;
        assert_eq!(result.is_err(), has_failed, "operation {operation}");
        if !has_failed {
            break;
        }
        scenes.push(scene);
    }
    scenes
}

#[test]
fn garbage_that_fits_into_a_batch_is_read_once() {
    let operations = |scene: &Scene| {
        let process = scene.world.process(None);
        block_on(sweep(&process)).unwrap();
        process.operations()
    };
    // One operation deletes the objects, and another one deletes the rows.
    assert_eq!(operations(&scene_with_garbage()) - operations(&Scene::new()), 2);
}

#[test]
fn a_sweep_reports_the_failure_of_each_operation() {
    assert!(scenes_after_each_failure().len() > 6);
}

#[test]
fn an_upload_whose_objects_cannot_be_deleted_does_not_keep_the_others() {
    let scene = scene_with_garbage();
    for number in 0..700_u32 {
        let insert = Statement::new(
            "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES ('u' || CAST(?1 AS INTEGER), 3)",
        );
        block_on(scene.world.database.execute(insert.bind(number))).unwrap();
        scene.store(&format!("sources/u{number}/video"));
    }
    let broken = ["sources/u7/", "sources/u650/"].map(str::to_owned);
    scene.world.broken_prefixes.borrow_mut().extend(broken);
    assert!(block_on(sweep(&scene.world.process(None))).is_err());
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 2);
    let left = scene
        .world
        .objects
        .borrow()
        .keys()
        .filter(|key| key.starts_with("sources/u") && !key.starts_with("sources/u/"))
        .count();
    assert_eq!(left, 2);
    // They are retried after uploads that are waiting for their first try.
    scene.world.broken_prefixes.borrow_mut().clear();
    scene.pass(61);
    scene.sweep();
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0);
}

#[test]
fn a_content_whose_files_cannot_be_listed_does_not_keep_the_others() {
    let scene = Scene::new();
    scene.attempt(
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix) VALUES (2, 'u2', 1, 20000, 'committed', 0)",
    ).unwrap();
    scene
        .attempt(
            "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         VALUES (2, 'e', 1, 'processing', 's2', 'm2.mp4', '{\"size_bytes\":7}', 5000, 'h', 1);",
        )
        .unwrap();
    scene.store("media/c/1/video.mp4");
    scene.store("media/e/1/video.mp4");
    scene.rule("UPDATE contents SET state = 'deleted'").unwrap();
    scene.sweep();
    scene.pass(REST_SECONDS);
    scene.world.broken_prefixes.borrow_mut().insert("media/c/".to_owned());
    assert!(block_on(sweep(&scene.world.process(None))).is_err());
    let is_stored = |key: &str| scene.world.objects.borrow().contains_key(key);
    assert!(is_stored("media/c/1/video.mp4") && !is_stored("media/e/1/video.mp4"));
    scene.world.broken_prefixes.borrow_mut().clear();
    assert_eq!(scene.sweep().cleaned_contents, 1);
    assert!(!is_stored("media/c/1/video.mp4"));
}

#[test]
fn a_run_works_through_a_backlog_of_thousands() {
    let scene = scene_with_garbage();
    for sql in [
        "INSERT INTO garbage (upload_uuid, lease_ends_at_unix)
         SELECT 'g' || value, 5 FROM (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 2400)
             SELECT value FROM n)",
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT 'r' || value, 1, 20000, 'reserved', 5 FROM (WITH RECURSIVE n (value) AS
             (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 1300) SELECT value FROM n)",
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT 10000 + value, 'c' || value, 1, 20000, 'committed', 5 FROM (WITH RECURSIVE n (value) AS
             (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 1200) SELECT value FROM n)",
        "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         SELECT id, 'c' || id, 1, 'processing', 's' || id, 'm' || id, '{\"size_bytes\":7}', 5000, 'h', 1
         FROM uploads WHERE id > 10000 AND state = 'committed'",
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix, due_at_unix)
         SELECT id, 1, 'video', 'due', 1, 1, 1 FROM contents WHERE id > 10000",
    ] {
        scene.attempt(sql).unwrap();
    }
    let process = scene.world.process(None);
    let report = block_on(sweep(&process)).unwrap();
    let (resent, removed, expired) = (report.resent_jobs, report.removed_uploads, report.expired_reservations);
    // The objects of the expired uploads are deleted in the same run.
    assert_eq!((resent, removed, expired), (1_200, 2_402 + 1_300, 1_300));
    assert_eq!(scene.world.queue.borrow().len(), 1_200);
    assert!(process.operations() <= 92, "{} operations", process.operations());
}
