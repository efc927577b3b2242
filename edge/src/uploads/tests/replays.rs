//! Idempotency tokens: an upload with a token happens once, and a different upload with the same token is refused.

use super::scene::{NOON, PEPPER, Scene, TOKEN, form, small_video, stored_in_parts, without_state};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::http::refusal_response::{RefusedRequest, render};
use crate::people::auth::hash::Pepper;
use crate::people::keys::key_store::record_use;
use crate::platform::database::{Database, Statement};
use crate::uploads::AcceptedUpload;
use axum::response::IntoResponse;
use contract::{ContentState, ErrorCode};
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{FutureExt, StreamExt, stream};

/// Runs an upload whose process does not crash.
fn send(scene: &Scene, seed: u64, form: Form) -> Result<AcceptedUpload, Refusal> {
    let process = scene.world.process(None);
    scene.upload(&process, seed, form).unwrap()
}

/// Runs an upload that is admitted one second before midnight and receives its body after midnight.
fn over_midnight(scene: &Scene, form: Form) -> Result<AcceptedUpload, Refusal> {
    scene.world.now_unix.set(NOON + 43_200 - 1);
    let body = stream::iter(vec![Ok(form.body())]).inspect(|_| scene.world.pass(2));
    let process = scene.world.process(None);
    scene.receive(&process, 1, body).unwrap()
}

fn with_token() -> Form {
    Form::new().text("upload_token", TOKEN).file("file", "a.mp4", &small_video())
}

#[test]
fn a_replay_returns_the_same_answer_and_uses_no_slot() {
    let scene = Scene::new(10);
    let first = scene.upload(&scene.world.process(None), 1, with_token()).unwrap().unwrap();
    let token_last = form(&small_video()).text("upload_token", TOKEN);
    for (seed, again) in [(2, with_token()), (3, token_last)] {
        let again = scene.upload(&scene.world.process(None), seed, again).unwrap().unwrap();
        assert!(again.is_replay && !first.is_replay);
        assert_eq!(without_state(&again.result), first.result);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

/// Both requests run on a Worker with the old pepper, while another Worker already uses the new pepper.
#[test]
fn an_upload_and_its_replay_succeed_although_their_key_moves_to_another_pepper_meanwhile() {
    const NEW: &str = "another pepper that is long enough";
    let key = |[current, second]: [&str; 2]| Pepper::new(current).unwrap().with_second(second).unwrap().hash(b"key");
    let mut scene = Scene::new(10);
    scene.key = key([PEPPER, NEW]);
    for (seed, is_replay) in [(1, false), (2, true)] {
        let body = stream::iter(vec![Ok(with_token().body())]).inspect(|_| {
            let with_new = key([NEW, PEPPER]);
            let moved = record_use(&scene.world.database, &with_new, UnixSeconds(NOON)).now_or_never();
            assert!(moved.unwrap().unwrap().is_some());
        });
        let process = scene.world.process(None);
        assert_eq!(scene.receive(&process, seed, body).unwrap().unwrap().is_replay, is_replay);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
}

fn set_state(scene: &Scene, state: &str) {
    let change = Statement::new("UPDATE contents SET state = ?1").bind(state);
    block_on(scene.world.database.execute(change)).unwrap();
}

#[test]
fn a_replay_tells_the_state_of_its_video_and_the_limit_of_today() {
    let scene = Scene::new(2);
    let first = send(&scene, 1, with_token()).unwrap().result;
    assert_eq!((first.content_state, first.limit.is_limit_activated), (None, false));
    send(&scene, 2, form(&small_video())).unwrap();
    set_state(&scene, "rejected");
    let again = send(&scene, 3, with_token()).unwrap().result;
    assert_eq!((again.content_state, again.limit.is_limit_activated), (Some(ContentState::Rejected), true));
    assert_eq!(again.content_id, first.content_id);
}

#[test]
fn the_token_of_a_deleted_or_failed_video_is_spent() {
    for state in ["deleted", "failed"] {
        let scene = Scene::new(10);
        let content = send(&scene, 1, with_token()).unwrap().result;
        set_state(&scene, state);
        let token_last = form(&small_video()).text("upload_token", TOKEN);
        for (seed, again) in [(2, with_token()), (3, token_last)] {
            let refusal = send(&scene, seed, again).unwrap_err();
            assert_eq!((refusal.code, refusal.field.as_deref()), (ErrorCode::UploadTokenSpent, Some("upload_token")));
            let detail = refusal.detail.unwrap_or_default();
            assert!(detail.contains(&content.content_uuid) && detail.contains(state), "{detail}");
        }
        assert_eq!((scene.contents(), scene.used()), (1, 1));
        assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
    }
}

#[test]
fn a_replayed_large_file_whose_token_comes_last_is_deleted_again() {
    let scene = Scene::new(10);
    let upload = || stored_in_parts().text("upload_token", TOKEN);
    scene.upload(&scene.world.process(None), 1, upload()).unwrap().unwrap();
    assert!(scene.upload(&scene.world.process(None), 2, upload()).unwrap().unwrap().is_replay);
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn other_bytes_or_other_fields_are_a_mismatch() {
    let scene = Scene::new(10);
    scene.upload(&scene.world.process(None), 1, with_token()).unwrap().unwrap();
    let other_bytes = form(&fixtures::mp4(5_000, 8_000, 9)).text("upload_token", TOKEN);
    let other_fields = with_token().text("caption", "another");
    let other_picture = with_token().file("thumbnail_file", "a.jpg", b"\xff\xd8\xff");
    for (seed, other) in [(2, other_bytes), (3, other_fields), (4, other_picture)] {
        let error = scene.upload(&scene.world.process(None), seed, other).unwrap().unwrap_err();
        assert_eq!(error.code, ErrorCode::UploadTokenMismatch);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
}

fn in_seconds(ahead: u64) -> String {
    (NOON + ahead).to_string()
}

#[test]
fn a_replay_succeeds_although_its_schedule_is_now_too_soon() {
    let scene = Scene::new(10);
    let scheduled = || with_token().text("scheduled_publish_at_unix", &in_seconds(400));
    let schedule_first = || {
        Form::new()
            .text("scheduled_publish_at_unix", &in_seconds(400))
            .file("file", "a.mp4", &small_video())
            .text("upload_token", TOKEN)
    };
    let upload = |seed, form| send(&scene, seed, form);
    let first = upload(1, scheduled()).unwrap();
    scene.world.pass(3_600);
    for (seed, again) in [(2, scheduled()), (3, schedule_first())] {
        assert_eq!(without_state(&upload(seed, again).unwrap().result), first.result);
    }
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn a_replay_succeeds_although_its_category_no_longer_exists() {
    let scene = Scene::new(10);
    let upload = |seed| {
        let form = with_token().text("super_category_id", "7");
        scene.upload(&scene.world.process(None), seed, form).unwrap()
    };
    let first = upload(1).unwrap();
    let gone = Statement::new("DELETE FROM super_categories");
    block_on(scene.world.database.batch(vec![gone])).unwrap();
    assert_eq!(without_state(&upload(2).unwrap().result), first.result);
}

#[test]
fn a_new_upload_is_still_validated_in_a_channel_that_uses_tokens() {
    let scene = Scene::new(10);
    let upload = |seed, form| send(&scene, seed, form);
    upload(1, with_token()).unwrap();
    let near = || Form::new().text("scheduled_publish_at_unix", &in_seconds(299));
    let video = small_video();
    let other_token = TOKEN.replace('0', "1");
    let cases = [
        near().file("file", "a.mp4", &video),
        near().text("upload_token", &other_token).file("file", "a.mp4", &video),
        near().file("file", "a.mp4", &video).text("upload_token", &other_token),
    ];
    for (seed, form) in (2..).zip(cases) {
        assert_eq!(upload(seed, form).unwrap_err().code, ErrorCode::ContentScheduleInvalid);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn at_the_daily_limit_a_replay_succeeds_and_a_new_token_does_not() {
    let scene = Scene::new(1);
    let first = scene.upload(&scene.world.process(None), 1, with_token()).unwrap().unwrap();
    assert!(first.result.limit.is_limit_activated);
    assert_eq!(first.result.limit.limit_reset_time_unix, Some(NOON + 43_200));
    let again = scene.upload(&scene.world.process(None), 2, with_token()).unwrap().unwrap();
    assert_eq!(without_state(&again.result), first.result);
    let new = Form::new().text("upload_token", &TOKEN.replace('0', "1")).file("file", "a.mp4", &small_video());
    for (seed, refused) in [(3, new), (4, form(&small_video()))] {
        let error = scene.upload(&scene.world.process(None), seed, refused).unwrap().unwrap_err();
        assert_eq!(error.code, ErrorCode::ContentUploadLimitFailure);
    }
    assert_eq!((scene.contents(), scene.used()), (1, 1));
}

#[test]
fn a_token_in_the_header_is_known_before_the_file_even_on_a_full_day() {
    let scene = Scene { header_token: Some(TOKEN), ..Scene::new(1) };
    let first = send(&scene, 1, form(&small_video())).unwrap();
    for (seed, again) in
        [(2, form(&small_video())), (3, with_token()), (4, form(&small_video()).text("upload_token", TOKEN))]
    {
        let again = send(&scene, seed, again).unwrap();
        assert!(again.is_replay);
        assert_eq!(without_state(&again.result), first.result);
    }
    let in_the_field = Scene { header_token: None, ..scene };
    assert!(send(&in_the_field, 5, with_token()).unwrap().is_replay);
    assert_eq!((in_the_field.contents(), in_the_field.used()), (1, 1));
    assert_eq!(in_the_field.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn a_new_token_in_the_header_is_refused_on_a_full_day_before_the_body() {
    let scene = Scene::new(1);
    send(&scene, 1, with_token()).unwrap();
    let scene = Scene { header_token: Some("1190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60"), ..scene };
    let error = scene.receive(&scene.world.process(None), 2, stream::pending()).expect("it does not wait").unwrap_err();
    assert_eq!(error.code, ErrorCode::ContentUploadLimitFailure);
}

#[test]
fn a_token_in_the_header_and_another_one_in_the_form_are_refused() {
    let scene = Scene { header_token: Some(TOKEN), ..Scene::new(10) };
    let other = TOKEN.replace('0', "1");
    let token_last = form(&small_video()).text("upload_token", &other);
    for (seed, form) in
        [(1, Form::new().text("upload_token", &other).file("file", "a.mp4", &small_video())), (2, token_last)]
    {
        let error = send(&scene, seed, form).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::UploadTokenMismatch, Some("upload_token")));
        assert!(error.detail.unwrap().contains("`Idempotency-Key`"));
    }
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
    assert!(!send(&scene, 3, with_token()).unwrap().is_replay);
}

#[test]
fn a_refused_upload_releases_its_token() {
    let scene = Scene::new(10);
    let refused = Form::new().text("upload_token", TOKEN).file("file", "a.mp4", b"not a video at all, but text");
    scene.upload(&scene.world.process(None), 1, refused).unwrap().unwrap_err();
    assert!(!scene.upload(&scene.world.process(None), 2, with_token()).unwrap().unwrap().is_replay);
}

#[test]
fn an_upload_across_midnight_uses_a_slot_of_the_day_it_started() {
    let scene = Scene::new(1);
    let accepted = over_midnight(&scene, form(&small_video())).unwrap();
    let day = NOON / 86_400;
    assert_eq!(scene.count("SELECT used AS number FROM daily_usage"), 1);
    assert_eq!(scene.count("SELECT day AS number FROM daily_usage"), day);
    // The new day is unaffected: its limit is not active, and another upload is accepted.
    assert!(!accepted.result.limit.is_limit_activated);
    assert!(scene.upload(&scene.world.process(None), 2, form(&small_video())).unwrap().is_ok());
}

#[test]
fn a_replay_is_compared_but_not_validated_again() {
    let scene = Scene::new(10);
    let upload = |seed, form| send(&scene, seed, form);
    upload(1, with_token()).unwrap();
    let text = Form::new().text("upload_token", TOKEN).file("file", "a.mp4", b"not a video at all, but text");
    let picture = with_token().file("thumbnail_file", "a.jpg", b"not a picture");
    for (seed, other) in [(2, text), (3, picture)] {
        let error = upload(seed, other).unwrap_err();
        assert_eq!(error.code, ErrorCode::UploadTokenMismatch);
    }
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn a_replay_returns_the_original_answer_whatever_happened_to_the_content() {
    let scene = Scene::new(10);
    let upload = |seed| {
        let form = with_token().text("scheduled_publish_at_unix", &in_seconds(400));
        scene.upload(&scene.world.process(None), seed, form).unwrap()
    };
    let first = upload(1).unwrap();
    assert!(first.result.scheduled_publish_at_unix.is_some());
    let moved = Statement::new("UPDATE contents SET scheduled_publish_at_unix = NULL");
    block_on(scene.world.database.batch(vec![moved])).unwrap();
    assert_eq!(without_state(&upload(2).unwrap().result), first.result);
}

#[test]
fn the_rate_limit_headers_of_a_replay_describe_the_day_of_the_replay() {
    let scene = Scene::new(10);
    let upload = |seed| scene.upload(&scene.world.process(None), seed, with_token()).unwrap().unwrap();
    let first = upload(1);
    assert_eq!(first.usage.used, 1);
    scene.world.pass(86_400);
    let again = upload(2);
    assert_eq!(without_state(&again.result), first.result);
    assert_eq!((again.usage.day, again.usage.used), (first.usage.day + 1, 0));
}

#[test]
fn at_the_daily_limit_a_retry_learns_that_the_first_upload_is_in_progress() {
    let scene = Scene::new(1);
    let first = Statement::new(
        "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix, upload_token)
         SELECT 'first', id, ?1, 'reserved', ?2, ?3 FROM channels",
    );
    let first = first.bind(NOON / 86_400).bind(NOON + 100).bind(TOKEN);
    block_on(scene.world.database.batch(vec![first])).unwrap();
    let again = scene.upload(&scene.world.process(None), 2, with_token());
    let error = again.unwrap().unwrap_err();
    assert_eq!(error.code, ErrorCode::UploadInProgress);
}

#[test]
fn a_refusal_after_midnight_does_not_report_the_usage_of_the_day_before() {
    let scene = Scene::new(10);
    let refused = over_midnight(&scene, form(b"not a video at all, but text"));
    let request = RefusedRequest { method: "GET", path: "/", wants_html: false, site: "" };
    let answer = render(request, refused.unwrap_err().into_response());
    assert_eq!(answer.headers().get("ratelimit"), None);
}
