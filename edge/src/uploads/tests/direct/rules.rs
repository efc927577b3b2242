//! Uploads that break the owner's rules.

use super::super::resumable::client::Client;
use super::super::scene::{NOON, Scene, form, small_video};
use super::{Direct, code, create, request};
use contract::api::CreateDirectUpload;
use contract::limits::MAX_OPEN_DIRECT_UPLOADS;
use fixtures::Form;

#[test]
fn a_field_that_the_user_may_not_set_is_refused_at_its_beginning() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let picture = b"\xff\xd8\xff\xe0 a picture";
    let token = super::super::scene::TOKEN;
    let forms = [
        Form::new().text("external_id", "mine").file("file", "a.mp4", &small_video()),
        Form::new().text("upload_token", token).file("file", "a.mp4", &small_video()),
        Form::new().file("thumbnail_file", "a.jpg", picture).file("file", "a.mp4", &small_video()),
        form(&small_video()).file("captions_file_de", "a.vtt", b"WEBVTT"),
    ];
    for (seed, form) in forms.into_iter().enumerate() {
        assert_eq!(code(direct.upload(seed as u64, form)), Some("direct_upload_field_forbidden"), "form {seed}");
    }
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &small_video()) };
    assert_eq!(code(client.clone().field("external_id", "mine").create()), Some("direct_upload_field_forbidden"));
    client.field("caption", "Hello").create().unwrap();
    assert_eq!((scene.contents(), scene.used()), (0, 1));
}

#[test]
fn a_token_in_the_form_must_be_its_first_field() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let late = Form::new().text("caption", "a").text("direct_upload_token", "x").file("file", "a.mp4", &small_video());
    assert_eq!(code(direct.upload(1, late)), Some("field_unknown"));
    let endless = Form::new().text("direct_upload_token", &"x".repeat(1_000)).file("file", "a.mp4", &small_video());
    assert_eq!(code(direct.upload(2, endless)), Some("direct_upload_token_invalid"));
    let first = Form::new().text("direct_upload_token", direct.token.reveal());
    direct.upload(3, first.text("caption", "a").file("file", "a.mp4", &small_video())).unwrap();
    let with_key = Form::new().text("direct_upload_token", "x").file("file", "a.mp4", &small_video());
    assert_eq!(code(scene.upload(&scene.world.process(None), 4, with_key).unwrap()), Some("field_unknown"));
}

#[test]
fn a_video_longer_than_the_owner_allows_is_refused() {
    let scene = Scene::new(10);
    let request = || CreateDirectUpload { max_duration_ms: Some(4_800), ..request() };
    let direct = create(&scene, 1, request()).unwrap();
    let refusal = direct.upload(1, form(&small_video())).unwrap_err();
    assert_eq!(refusal.code.as_str(), "content_video_duration_invalid");
    assert!(refusal.detail.unwrap().ends_with("At most 4.800 seconds are allowed."));
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &small_video()) };
    client.create().unwrap();
    assert_eq!(code(client.append(0, usize::MAX)), Some("content_video_duration_invalid"));
    assert_eq!((scene.contents(), scene.violations_after_sweep()), (0, vec![]));
}

#[test]
fn a_schedule_of_the_owner_is_valid_as_long_as_the_token() {
    let scene = Scene::new(10);
    let schedule = [("scheduled_publish_at_unix".to_owned(), (NOON + 400).to_string())].into();
    let direct = create(&scene, 1, CreateDirectUpload { fields: schedule, ..request() }).unwrap();
    scene.world.pass(1_000);
    direct.upload(1, form(&small_video())).unwrap();
}

#[test]
fn a_channel_has_only_so_many_open_tokens() {
    let scene = Scene::new(10);
    for seed in 0..u64::from(MAX_OPEN_DIRECT_UPLOADS) {
        create(&scene, seed + 1, request()).unwrap();
    }
    let refused = create(&scene, 9_999, request());
    assert_eq!(code(refused), Some("direct_upload_limit_reached"));
}

#[test]
fn an_upload_counts_against_the_daily_limit_when_it_begins() {
    let scene = Scene::new(1);
    let (first, second) = (Direct::new(&scene), create(&scene, 2, request()).unwrap());
    first.upload(1, form(&small_video())).unwrap();
    assert_eq!(code(second.upload(2, form(&small_video()))), Some("content_upload_limit_failure"));
    assert_eq!(scene.contents(), 1);
}
