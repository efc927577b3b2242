//! A token makes an upload happen once, and tells apart what is not the same.

use super::scene::{NOON, Scene, TOKEN, form, large_video, small_video};
use contract::ErrorCode;
use fixtures::Form;
use futures_util::StreamExt;

fn with_token() -> Form {
    Form::new()
        .text("upload_token", TOKEN)
        .file("file", "a.mp4", &small_video())
}

#[test]
fn a_repeated_token_answers_the_same_and_costs_nothing() {
    let scene = Scene::new(10);
    let first = scene
        .upload(&scene.world.process(None), 1, with_token())
        .unwrap()
        .unwrap();
    let token_last = form(&small_video()).text("upload_token", TOKEN);
    for (seed, again) in [(2, with_token()), (3, token_last)] {
        let again = scene
            .upload(&scene.world.process(None), seed, again)
            .unwrap()
            .unwrap();
        assert!(again.is_replay && !first.is_replay);
        assert_eq!(again.result, first.result);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
    assert_eq!(scene.faults_at_rest(), Vec::<String>::new());
}

#[test]
fn a_large_file_whose_token_comes_last_is_removed_again() {
    let scene = Scene::new(10);
    let upload = || form(&large_video()).text("upload_token", TOKEN);
    scene
        .upload(&scene.world.process(None), 1, upload())
        .unwrap()
        .unwrap();
    assert!(
        scene
            .upload(&scene.world.process(None), 2, upload())
            .unwrap()
            .unwrap()
            .is_replay
    );
    assert_eq!(scene.faults_at_rest(), Vec::<String>::new());
}

#[test]
fn other_bytes_or_other_fields_are_a_mismatch() {
    let scene = Scene::new(10);
    scene
        .upload(&scene.world.process(None), 1, with_token())
        .unwrap()
        .unwrap();
    let other_bytes = form(&fixtures::mp4(5_000, 8_000, 9)).text("upload_token", TOKEN);
    let other_fields = with_token().text("caption", "another");
    let other_picture = with_token().file("thumbnail_file", "a.jpg", b"\xff\xd8\xff");
    for (seed, other) in [(2, other_bytes), (3, other_fields), (4, other_picture)] {
        let error = scene
            .upload(&scene.world.process(None), seed, other)
            .unwrap()
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::UploadTokenMismatch);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
}

#[test]
fn a_token_works_again_at_the_limit_and_a_new_one_does_not() {
    let scene = Scene::new(1);
    let first = scene
        .upload(&scene.world.process(None), 1, with_token())
        .unwrap()
        .unwrap();
    assert!(first.result.limit.is_limit_activated);
    assert_eq!(
        first.result.limit.limit_reset_time_unix,
        Some(NOON + 43_200)
    );
    let again = scene
        .upload(&scene.world.process(None), 2, with_token())
        .unwrap()
        .unwrap();
    assert_eq!(again.result, first.result);
    let new = Form::new()
        .text("upload_token", &TOKEN.replace('0', "1"))
        .file("file", "a.mp4", &small_video());
    for (seed, refused) in [(3, new), (4, form(&small_video()))] {
        let error = scene
            .upload(&scene.world.process(None), seed, refused)
            .unwrap()
            .unwrap_err();
        assert_eq!(error.code, ErrorCode::ContentUploadLimitFailure);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
}

#[test]
fn a_refused_upload_frees_its_token() {
    let scene = Scene::new(10);
    let refused = Form::new().text("upload_token", TOKEN).file(
        "file",
        "a.mp4",
        b"not a video at all, but text",
    );
    scene
        .upload(&scene.world.process(None), 1, refused)
        .unwrap()
        .unwrap_err();
    assert!(
        !scene
            .upload(&scene.world.process(None), 2, with_token())
            .unwrap()
            .unwrap()
            .is_replay
    );
}

#[test]
fn an_upload_over_midnight_is_charged_to_the_day_it_began() {
    let scene = Scene::new(1);
    scene.world.now_unix.set(NOON + 43_200 - 1);
    let body = form(&small_video()).body();
    // The clock passes midnight at the upload's first operation after its admission.
    let process = scene.world.process(None);
    let chunks = vec![Ok(body)];
    let world = &scene.world;
    let late = futures_util::stream::iter(chunks).map(|chunk: Result<Vec<u8>, _>| {
        world.pass(2);
        chunk
    });
    let accepted = scene.receive(&process, 1, late).unwrap().unwrap();
    let day = NOON / 86_400;
    assert_eq!(scene.count("SELECT used AS number FROM daily_usage"), 1);
    assert_eq!(scene.count("SELECT day AS number FROM daily_usage"), day);
    // The new day is untouched: its limit is not active, and another upload is taken.
    assert!(!accepted.result.limit.is_limit_activated);
    assert!(
        scene
            .upload(&scene.world.process(None), 2, form(&small_video()))
            .unwrap()
            .is_ok()
    );
}
