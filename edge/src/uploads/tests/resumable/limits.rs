//! Slots, parked uploads, and how much a channel may leave unfinished.

use super::super::scene::{LONG_AFTER, Scene, form, large_video, small_video};
use super::client::{Client, code};
use crate::uploads::Isolate;
use contract::ErrorCode;
use contract::limits::MAX_UNFINISHED_UPLOADS;

const NONE: Vec<String> = Vec::new();

#[test]
fn a_silent_upload_is_parked_and_its_slot_is_free() {
    let scene = Scene::new(1);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, 300_000).unwrap();
    assert_eq!(scene.used(), 1);
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    assert_eq!((scene.used(), scene.open_uploads(), client.offset()), (0, 0, 300_000));
    // The next request takes a slot again, and nothing was lost.
    assert!(client.finish().unwrap().accepted.is_some() && client.is_stored());
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_refused_request_takes_no_slot() {
    let mut scene = Scene::new(1);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, 300_000).unwrap();
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    assert_eq!(code(client.append(0, 10)), Some(ErrorCode::UploadOffsetMismatch));
    assert_eq!((scene.used(), scene.open_uploads()), (0, 0));
    let location = client.location.clone();
    scene.isolate = Isolate::with_memory((0, 0), (0, 0));
    let client = Client { location, ..Client::new(&scene, &large_video()) };
    assert_eq!(code(client.append(300_000, 10)), Some(ErrorCode::ServiceOverloaded));
    assert_eq!((scene.used(), scene.open_uploads()), (0, 0));
}

#[test]
fn a_parked_upload_waits_for_a_slot_of_the_day() {
    let scene = Scene::new(1);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, 300_000).unwrap();
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    scene.upload(&scene.world.process(None), 9, form(&small_video())).unwrap().unwrap();
    assert_eq!(code(client.finish()), Some(ErrorCode::ContentUploadLimitFailure));
    scene.world.pass(12 * 3_600);
    assert!(client.finish().unwrap().accepted.is_some());
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_parked_upload_waits_for_others_to_end() {
    let scene = Scene { max_open_uploads: 1, ..Scene::new(10) };
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    let second = Client::with_seed(&scene, &large_video(), 2);
    assert_eq!(second.create().err().map(|refusal| refusal.code), Some(ErrorCode::TooManyUploads));
    scene.world.pass(200);
    second.create().unwrap();
    assert_eq!(code(client.append(0, 10)), Some(ErrorCode::TooManyUploads));
    second.append(0, usize::MAX).unwrap();
    client.append(0, usize::MAX).unwrap();
    assert_eq!(scene.contents(), 2);
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_channel_may_leave_only_so_many_uploads_unfinished() {
    let scene = Scene::new(100);
    let client = |seed| Client::with_seed(&scene, &small_video(), seed);
    for seed in 0..u64::from(MAX_UNFINISHED_UPLOADS) {
        client(seed).create().unwrap();
    }
    let used = scene.used();
    let refused = client(1_000).create();
    assert_eq!(refused.err().map(|refusal| refusal.code), Some(ErrorCode::TooManyUploads));
    assert_eq!(scene.used(), used);
    client(0).append(0, usize::MAX).unwrap();
    client(1_000).create().unwrap();
}

#[test]
fn an_unfinished_upload_ends_after_the_configured_time_and_leaves_nothing() {
    for hours in [24, 2, 100] {
        let scene = Scene { seconds_to_finish: hours * 3_600, ..Scene::new(10) };
        let client = Client::new(&scene, &large_video());
        client.create().unwrap();
        client.append(0, 300_000).unwrap();
        scene.world.pass(hours * 3_600 - 1);
        assert!(client.look().is_ok(), "{hours}");
        scene.world.pass(1);
        assert_eq!(client.look().map(drop).unwrap_err().code, ErrorCode::UploadNotFound, "{hours}");
        scene.sweep();
        assert_eq!(scene.violations_after_sweep(), NONE);
        assert_eq!(scene.count("SELECT count(*) AS number FROM resumable_uploads"), 0);
    }
}

#[test]
fn an_outcome_can_be_read_for_a_week() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, usize::MAX).unwrap();
    scene.world.pass(6 * 86_400);
    scene.sweep();
    assert_eq!(client.offset(), large_video().len() as u64);
    scene.world.pass(86_400);
    scene.sweep();
    assert_eq!(scene.count("SELECT count(*) AS number FROM resumable_uploads"), 0);
    assert_eq!(scene.violations_after_sweep(), NONE);
}
