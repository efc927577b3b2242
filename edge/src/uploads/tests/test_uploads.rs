//! Uploads with the field `test`: whatever fails, there is one test video, no file, and no slot is used.

use super::resumable::client::Client;
use super::scene::{CHANNEL, LONG_AFTER, Scene, TOKEN, form, large_video, memory_to_hold, small_video, without_state};
use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent};
use crate::contents::test_videos::owner;
use crate::contents::test_videos::steps::{advance, advance_all};
use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::Fault;
use crate::uploads::AcceptedUpload;
use crate::uploads::resumable::Outcome;
use contract::api::{ContentStatus, UploadResult};
use contract::limits::{MAX_TEST_VIDEOS, TEST_VIDEO_SECONDS};
use contract::{ContentState, ErrorCode, TestOutcome};
use fixtures::Form;
use futures_executor::block_on;

fn test(outcome: &str) -> Form {
    Form::new().text("test", outcome).file("file", "a.mp4", &small_video())
}

fn accepted(scene: &Scene, seed: u64, form: Form) -> UploadResult {
    let AcceptedUpload { result, .. } = scene.upload(&scene.world.process(None), seed, form).unwrap().unwrap();
    assert!(result.is_test);
    result
}

fn uuid(result: &UploadResult) -> ContentUuid {
    ContentUuid::new(result.content_uuid.clone())
}

fn status(scene: &Scene, uuid: &ContentUuid) -> Option<ContentStatus> {
    let (now, content) =
        (UnixSeconds(scene.world.now_unix.get()), OwnedContent { channel_id: CHANNEL, content_uuid: uuid });
    let found = block_on(owner::find(&scene.world.database, content, now)).unwrap();
    found.map(|content| content.status("https://site.example", now))
}

fn events(scene: &Scene) -> String {
    scene.text(
        "SELECT coalesce(group_concat(type || ' ' || content_sequence || ' ' || (data ->> '$.is_test'), ', '), '') AS text
         FROM (SELECT * FROM events WHERE content_id IS NOT NULL ORDER BY sequence)",
    )
}

/// Returns what an upload with a test must not have left.
fn violations(scene: &Scene) -> Vec<String> {
    let checks = [
        ("one test video", scene.count("SELECT count(*) AS number FROM test_videos"), 1),
        ("one upload", scene.count("SELECT count(*) AS number FROM uploads"), 1),
        ("no content", scene.contents(), 0),
        ("no job", scene.count("SELECT count(*) AS number FROM jobs"), 0),
        ("no message", scene.world.queue.borrow().len() as u64, 0),
        ("no slot", scene.used(), 0),
        ("no object", scene.world.objects.borrow().len() as u64, 0),
        ("no part", scene.world.multiparts.borrow().values().filter(|parts| !parts.is_empty()).count() as u64, 0),
        ("no garbage", scene.count("SELECT count(*) AS number FROM garbage"), 0),
    ];
    let wrong = checks.into_iter().filter(|(_, found, expected)| found != expected);
    wrong.map(|(rule, found, _)| format!("{rule}, but {found}")).collect()
}

/// Small, in parts, and with a file that is held back: the objects differ.
fn variants() -> [(Form, usize); 3] {
    let with_token = || Form::new().text("test", "true").text("upload_token", TOKEN);
    let picture = b"\xff\xd8\xff\xe0 a picture";
    [
        (with_token().file("thumbnail_file", "a.jpg", picture).file("file", "a.mp4", &small_video()), usize::MAX / 4),
        (with_token().file("file", "a.mp4", &large_video()), usize::MAX / 4),
        (with_token().file("file", "a.mp4", &fixtures::mp4(5_000, 140_000, 2)), 0),
    ]
}

#[test]
fn a_test_leaves_one_test_video_whichever_operation_fails() {
    let mut cases = 0;
    for (form, memory) in variants() {
        let scene = || Scene { isolate: memory_to_hold(memory), ..Scene::new(10) };
        let whole = scene();
        let process = whole.world.process(None);
        whole.upload(&process, 1, form.clone()).unwrap().unwrap();
        for operation in 0..process.operations() {
            for fault in Fault::ALL {
                let scene = scene();
                let first = scene.upload(&scene.world.process(Some((operation, fault))), 1, form.clone());
                let answered = first.and_then(Result::ok).map(|accepted| accepted.result);
                let mut again = scene.upload(&scene.world.process(None), 2, form.clone()).unwrap();
                if matches!(&again, Err(error) if error.code == ErrorCode::UploadInProgress) {
                    scene.world.pass(LONG_AFTER);
                    again = scene.upload(&scene.world.process(None), 3, form.clone()).unwrap();
                }
                let again = again.unwrap().result;
                if let Some(first) = answered {
                    assert_eq!(without_state(&first), without_state(&again), "{fault:?} at {operation}");
                }
                scene.world.pass(LONG_AFTER);
                scene.sweep();
                scene.sweep();
                assert_eq!(violations(&scene), Vec::<String>::new(), "{fault:?} at operation {operation}");
                cases += 1;
            }
        }
    }
    println!("tests: {cases} cases, 0 violations");
    assert!(cases >= 80, "{cases} cases only");
}

#[test]
fn every_outcome_is_reached_with_its_events() {
    for (outcome, expected, state) in [
        ("true", "content.published 1 1, content.completed 2 1", ContentState::Published),
        ("slow", "content.published 1 1, content.completed 2 1", ContentState::Published),
        ("waiting", "content.waiting 1 1", ContentState::Processing),
        ("rejected", "content.rejected 1 1", ContentState::Rejected),
        ("invalid_file", "content.rejected 1 1", ContentState::Rejected),
        ("failed", "content.failed 1 1", ContentState::Failed),
        ("taken_down", "content.published 1 1, content.completed 2 1, content.taken_down 3 1", ContentState::TakenDown),
    ] {
        let scene = Scene::new(10);
        let uuid = uuid(&accepted(&scene, 1, test(outcome).text("caption", "Hello").text("external_id", "order-7")));
        let first = status(&scene, &uuid).unwrap();
        assert_eq!((first.state, first.is_test, first.urls), (ContentState::Processing, true, None), "{outcome}");
        assert_eq!(first.check_after_seconds, Some(2));
        scene.world.pass(100);
        let last = status(&scene, &uuid).unwrap();
        assert_eq!((last.state, last.urls.is_some()), (state, state.is_public()), "{outcome}");
        assert_eq!((last.caption.as_deref(), last.external_id.as_deref()), (Some("Hello"), Some("order-7")));
        assert_eq!(events(&scene), expected, "{outcome}");
        // The sweep finds nothing more to do.
        scene.sweep();
        assert_eq!(events(&scene), expected, "{outcome}");
    }
}

#[test]
fn the_sweep_takes_the_steps_that_nobody_asks_for() {
    let scene = Scene::new(10);
    let slow = uuid(&accepted(&scene, 1, test("slow")));
    scene.world.pass(59);
    scene.sweep();
    assert_eq!(events(&scene), "");
    scene.world.pass(1);
    scene.sweep();
    assert_eq!(events(&scene), "content.published 1 1");
    assert_eq!(status(&scene, &slow).unwrap().check_after_seconds, Some(5));
}

#[test]
fn steps_are_taken_once_although_many_take_them() {
    let scene = Scene::new(10);
    let uuid = uuid(&accepted(&scene, 1, test("taken_down")));
    scene.world.pass(100);
    let now = UnixSeconds(scene.world.now_unix.get());
    for _ in 0..3 {
        assert_eq!(block_on(advance(&scene.world.database, &uuid, now)).unwrap(), None);
        block_on(advance_all(&scene.world.database, now)).unwrap();
    }
    assert_eq!(scene.count("SELECT count(*) AS number FROM events WHERE content_id IS NOT NULL"), 3);
}

#[test]
fn a_test_with_a_publication_time_is_scheduled() {
    let scene = Scene::new(10);
    let time = (scene.world.now_unix.get() + 86_400).to_string();
    let uuid = uuid(&accepted(&scene, 1, test("published").text("scheduled_publish_at_unix", &time)));
    scene.world.pass(10);
    let status = status(&scene, &uuid).unwrap();
    assert_eq!((status.state, status.urls), (ContentState::Scheduled, None));
    assert_eq!(status.scheduled_publish_at_unix.map(|time| time.to_string()), Some(time));
    assert_eq!(events(&scene), "content.scheduled 1 1");
}

#[test]
fn a_rejection_names_a_rule_of_the_operator() {
    let scene = Scene::new(10);
    let uuid = uuid(&accepted(&scene, 1, test("rejected")));
    scene.world.pass(10);
    let status = status(&scene, &uuid).unwrap();
    assert_eq!(status.error_message_code, Some(ErrorCode::ContentModerationRejected));
    assert_eq!(status.policy_code.as_deref(), Some("other"));
    assert_eq!(status.detail.as_deref(), Some("The video breaks another rule of this site."));
}

#[test]
fn a_test_can_ask_for_a_refusal_which_leaves_nothing() {
    for code in TestOutcome::REFUSALS {
        let scene = Scene::new(10);
        let refused = scene.upload(&scene.world.process(None), 1, test(code.as_str())).unwrap().unwrap_err();
        assert_eq!(refused.code, code);
        assert!(refused.usage.is_some(), "{code:?}");
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    }
}

#[test]
fn a_test_is_a_test_only_if_its_field_says_so() {
    let scene = Scene::new(10);
    let ordinary = scene.upload(&scene.world.process(None), 1, test("false")).unwrap().unwrap();
    assert!(!ordinary.result.is_test);
    assert_eq!((scene.contents(), scene.used()), (1, 1));
    for wrong in ["TRUE", "1", "yes", "file_not_found"] {
        let refused = scene.upload(&scene.world.process(None), 2, test(wrong)).unwrap().unwrap_err();
        assert_eq!((refused.code, refused.field.as_deref()), (ErrorCode::ContentTestInvalid, Some("test")), "{wrong}");
        assert!(refused.detail.unwrap().contains("The test outcomes are `true`, `published`, "), "{wrong}");
    }
}

#[test]
fn a_token_is_replayed_and_its_fields_are_compared() {
    let scene = Scene::new(10);
    let with_token = |outcome: &str| test(outcome).text("upload_token", TOKEN);
    let first = accepted(&scene, 1, with_token("true"));
    let again = scene.upload(&scene.world.process(None), 2, with_token("published")).unwrap().unwrap();
    assert!(again.is_replay);
    assert_eq!(without_state(&again.result), first);
    for other in ["rejected", "false"] {
        let refused = scene.upload(&scene.world.process(None), 3, with_token(other)).unwrap().unwrap_err();
        assert_eq!(refused.code, ErrorCode::UploadTokenMismatch, "{other}");
    }
    assert_eq!(violations(&scene), Vec::<String>::new());
}

#[test]
fn a_channel_has_a_bounded_number_of_test_videos_which_are_gone_after_a_day() {
    let scene = Scene::new(10);
    for seed in 0..u64::from(MAX_TEST_VIDEOS) {
        accepted(&scene, seed, test("true"));
    }
    let refused = scene.upload(&scene.world.process(None), 1_000, test("true")).unwrap().unwrap_err();
    assert_eq!(refused.code, ErrorCode::TooManyUploads);
    assert!(refused.detail.unwrap().contains("100 test videos"));
    assert_eq!((scene.used(), scene.open_uploads()), (0, 0));
    // An upload that is no test is still possible.
    scene.upload(&scene.world.process(None), 1_001, form(&small_video())).unwrap().unwrap();
    scene.world.pass(TEST_VIDEO_SECONDS);
    scene.sweep();
    assert_eq!(scene.count("SELECT count(*) AS number FROM test_videos"), 0);
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    accepted(&scene, 2_000, test("true"));
}

#[test]
fn a_deleted_test_video_is_told_once_and_loses_its_words() {
    let scene = Scene::new(10);
    let uuid = uuid(&accepted(&scene, 1, test("published").text("caption", "Hello").text("external_id", "order-7")));
    let content = OwnedContent { channel_id: CHANNEL, content_uuid: &uuid };
    for _ in 0..2 {
        let outcome = block_on(owner::delete(&scene.world.database, content)).unwrap();
        assert!(matches!(outcome, ChangeOutcome::Done(status) if status.state == ContentState::Deleted));
    }
    scene.world.pass(100);
    scene.sweep();
    let status = status(&scene, &uuid).unwrap();
    assert_eq!((status.state, status.caption, status.external_id), (ContentState::Deleted, None, None));
    assert_eq!(events(&scene), "content.deleted 1 1");
}

#[test]
fn another_channel_sees_and_deletes_nothing() {
    let scene = Scene::new(10);
    let uuid = uuid(&accepted(&scene, 1, test("published")));
    let other = OwnedContent { channel_id: crate::base::ids::ChannelId(2), content_uuid: &uuid };
    let now = UnixSeconds(scene.world.now_unix.get());
    assert!(block_on(owner::find(&scene.world.database, other, now)).unwrap().is_none());
    assert_eq!(block_on(owner::delete(&scene.world.database, other)).unwrap(), ChangeOutcome::UnknownContent);
    assert!(!block_on(owner::is_test_video(&scene.world.database, other)).unwrap());
}

#[test]
fn a_file_that_a_moderator_removed_is_refused_as_a_test_too() {
    let scene = Scene::new(10);
    let first = scene.upload(&scene.world.process(None), 1, form(&small_video())).unwrap().unwrap();
    let block = Statement::new(
        "INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix)
         SELECT file_sha256, uuid, 'spam', 'ann', 0 FROM contents WHERE uuid = ?1",
    );
    block_on(scene.world.database.execute(block.bind(first.result.content_uuid.as_str()))).unwrap();
    let refused = scene.upload(&scene.world.process(None), 2, test("true")).unwrap().unwrap_err();
    assert_eq!(refused.code, ErrorCode::ContentModerationRejected);
    assert_eq!(scene.count("SELECT count(*) AS number FROM test_videos"), 0);
    // Its slot is free again, and counted back once.
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    assert_eq!(scene.used(), 1);
}

/// Sends the file, with a fault; then continues until the upload is accepted.
fn resumed(scene: &Scene, fault: Option<(usize, Fault)>) -> usize {
    let client = Client::new(scene, &large_video()).field("test", "true");
    client.create().unwrap();
    let process = scene.world.process(fault);
    let mut accepted = client.append_by(&process, 0, usize::MAX, false).and_then(Result::ok);
    let mut tries = 0;
    while !matches!(client.look().unwrap().outcome, Outcome::Accepted(_)) {
        scene.world.pass(200);
        accepted = client.finish().ok();
        tries += 1;
        assert!(tries < 5, "{fault:?}: {:?}", client.look());
    }
    if let Some(result) = accepted.and_then(|appended| appended.accepted) {
        assert!(result.result.is_test);
    }
    process.operations()
}

#[test]
fn a_resumable_upload_can_be_a_test_whichever_operation_fails() {
    let operations = resumed(&Scene::new(10), None);
    for operation in 0..operations {
        for fault in Fault::ALL {
            let scene = Scene::new(10);
            resumed(&scene, Some((operation, fault)));
            scene.world.pass(8 * 86_400);
            scene.sweep();
            assert_eq!(scene.count("SELECT count(*) AS number FROM test_videos"), 0);
            assert_eq!(scene.violations_after_sweep(), Vec::<String>::new(), "{fault:?} at operation {operation}");
        }
    }
}

#[test]
fn a_resumable_test_leaves_no_file_and_uses_no_slot() {
    let scene = Scene::new(10);
    resumed(&scene, None);
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    assert_eq!(violations(&scene), Vec::<String>::new());
    for code in TestOutcome::REFUSALS {
        let refused = Client::with_seed(&scene, &large_video(), 9).field("test", code.as_str()).create().unwrap_err();
        assert_eq!(refused.code, code);
    }
}
