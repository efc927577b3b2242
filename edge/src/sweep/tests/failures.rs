//! Failures of single operations during a sweep.

use crate::jobs::tests::scene::Scene;
use crate::sweep::sweep;
use crate::testing::fake_platform::Fault;
use futures_executor::block_on;
use serde::Deserialize;

#[derive(Deserialize)]
struct NextUpload {
    upload_uuid: String,
}

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
fn a_sweep_reports_the_failure_of_each_operation() {
    assert!(scenes_after_each_failure().len() > 6);
}

#[test]
fn an_upload_whose_objects_cannot_be_deleted_does_not_block_the_others() {
    let is_postponed = |scene: &Scene| {
        let left = scene.count("SELECT count(*) AS number FROM garbage");
        let next = "SELECT upload_uuid FROM garbage ORDER BY lease_ends_at_unix LIMIT 1";
        left == 2 && scene.read::<NextUpload>(next).upload_uuid == "second"
    };
    assert!(scenes_after_each_failure().iter().any(is_postponed));
}
