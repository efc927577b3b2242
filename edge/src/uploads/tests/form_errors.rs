//! Tests of faulty forms, which are refused with an explanation, and of unusual forms, which are accepted.

use super::scene::{Scene, form, small_video};
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use axum::http::HeaderMap;
use contract::ErrorCode;
use fixtures::Form;
use futures_util::{StreamExt, stream};

fn refusal(form: Form) -> Refusal {
    let scene = Scene::new(10);
    scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap_err()
}

fn ensure_accepted(form: Form) -> Scene {
    let scene = Scene::new(10);
    scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap();
    scene
}

/// Asserts that a refusal names the field in which the video was sent, and the right field.
fn assert_names_the_field(refusal: &Refusal, name: &str) {
    assert_eq!(refusal.code, ErrorCode::FileNotFound, "{refusal:?}");
    assert_eq!(refusal.field.as_deref(), Some(name));
    let detail = refusal.detail.as_deref().unwrap();
    assert!(detail.contains(&format!("`{name}`")) && detail.contains("in a form field named `file`"), "{detail}");
}

#[test]
fn a_video_in_a_field_of_another_name_is_refused_with_that_name() {
    for length in [100, 64 * 1024 - 1, 64 * 1024 + 1, 150_000] {
        let video = vec![b'x'; length];
        assert_names_the_field(&refusal(Form::new().text("caption", "x").file("video", "a.mp4", &video)), "video");
        // The first of several files is the video, wherever the empty input of a browser is.
        let empty_input = Form::new().file("file", "", b"").file("upload[0]", "a.mp4", &video);
        assert_names_the_field(&refusal(empty_input.file("cover", "a.png", b"x")), "upload[0]");
    }
}

#[test]
fn a_large_video_in_a_field_of_another_name_is_refused_while_it_arrives() {
    let scene = Scene::new(10);
    let start = Form::new().file("video", "a.mp4", &vec![b'x'; 70_000]).body();
    let start = start[..69_000].to_vec();
    let endless = stream::iter([Ok(start)]).chain(stream::pending());
    let outcome = scene.receive(&scene.world.process(None), 1, endless);
    assert_names_the_field(&outcome.expect("it does not wait for more").unwrap_err(), "video");
}

#[test]
fn a_form_without_any_file_lacks_the_field_file() {
    let error = refusal(Form::new().text("video", "not a file"));
    assert_eq!((error.code, error.field.as_deref()), (ErrorCode::FileNotFound, Some("file")));
}

#[test]
fn an_unknown_field_is_refused_with_the_name_that_was_meant_wherever_it_stands() {
    let before = |form: Form| form.file("file", "a.mp4", &small_video());
    let forms = |name: &str| [before(Form::new().text(name, "x")), form(&small_video()).text(name, "x")];
    for (name, meant) in [
        ("captoin", Some("caption")),
        ("Caption", Some("caption")),
        ("uploadToken", Some("upload_token")),
        ("thumbnail", Some("thumbnail_file")),
        ("audience", None),
    ] {
        for form in forms(name) {
            let error = refusal(form);
            assert_eq!((error.code, error.field.as_deref()), (ErrorCode::FieldUnknown, Some(name)), "{error:?}");
            let named = meant.map(|meant| format!(". Did you mean `{meant}`?"));
            let detail = error.detail.unwrap();
            assert!(detail.contains(named.as_deref().unwrap_or("Remove it.")), "{detail}");
        }
    }
}

#[test]
fn an_unknown_field_before_a_file_is_refused_before_a_byte_of_the_file_is_sent() {
    let scene = Scene::new(10);
    let whole = Form::new().text("audience", "friends").file("file", "clip.mp4", &small_video()).body();
    let file = whole.windows(4).position(|bytes| bytes == b"ftyp").unwrap() - 4;
    let endless = stream::iter([Ok(whole[..file].to_vec())]).chain(stream::pending());
    let error = scene.receive(&scene.world.process(None), 1, endless).expect("it does not wait for more").unwrap_err();
    assert_eq!(error.code, ErrorCode::FieldUnknown);
}

/// Sends a form with the preference to ignore unknown fields, and returns the ignored names that the header lists.
fn lenient(form: Form) -> (Result<(), Refusal>, Option<String>) {
    let unknown_fields = UnknownFields::ignoring();
    let scene = Scene { unknown_fields: unknown_fields.clone(), ..Scene::new(10) };
    let outcome = scene.upload(&scene.world.process(None), 1, form).unwrap().map(drop);
    let mut headers = HeaderMap::new();
    unknown_fields.add_headers(&mut headers);
    (outcome, headers.get("ignored-fields").map(|names| names.to_str().unwrap().to_owned()))
}

#[test]
fn a_lenient_client_has_small_unknown_fields_ignored_and_is_told_their_names() {
    let more = form(&small_video()).text("csrf", "x").file("cover", "a.png", &vec![b'x'; 30_000]).text("csrf", "x");
    let (outcome, names) = lenient(more);
    assert_eq!((outcome.is_ok(), names.as_deref()), (true, Some("csrf, cover, csrf")));
    assert_eq!(lenient(form(&small_video())).1, None);
}

#[test]
fn too_much_data_in_unknown_fields_is_refused_with_the_name_of_the_field() {
    let too_much = vec![b'x'; 70_000];
    for more in [form(&small_video()).file("cover", "a.png", &too_much), Form::new().raw_text("cover", &too_much)] {
        let error = lenient(more).0.unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::RequestMalformed, Some("cover")));
    }
}

#[test]
fn empty_fields_and_an_empty_picture_are_as_if_they_were_not_sent() {
    let optional = ["super_category_id", "thumbnail_time", "upload_token", "scheduled_publish_at_unix"];
    let texts = ["caption", "ai_summary_of_content"].into_iter().chain(optional);
    let empty = texts.fold(form(&small_video()), |form, name| form.text(name, ""));
    let scene = ensure_accepted(empty.file("thumbnail_file", "", b""));
    let unset = "SELECT count(*) AS number FROM contents WHERE caption IS NULL AND ai_summary_of_content IS NULL
        AND super_category_id IS NULL AND scheduled_publish_at_unix IS NULL AND thumbnail = '{}'";
    assert_eq!(scene.count(unset), 1);
    assert_eq!(scene.count("SELECT count(*) AS number FROM uploads WHERE upload_token IS NULL"), 1);
}

#[test]
fn an_empty_thumbnail_time_leaves_room_for_a_picture() {
    let scene = ensure_accepted(form(&small_video()).text("thumbnail_time", "").file(
        "thumbnail_file",
        "a.jpg",
        b"\xff\xd8\xff and so on",
    ));
    assert_eq!(scene.count("SELECT thumbnail ->> '$.picture_sha256' IS NOT NULL AS number FROM contents"), 1);
}

#[test]
fn a_picture_beside_a_thumbnail_time_is_refused_at_its_first_byte() {
    let scene = Scene::new(10);
    let whole = form(&small_video()).text("thumbnail_time", "00:00:01").file("thumbnail_file", "a", b"\xff").body();
    let first_byte = whole.iter().rposition(|byte| *byte == 0xff).unwrap();
    let endless = stream::iter([Ok(whole[..=first_byte].to_vec())]).chain(stream::pending());
    let error = scene.receive(&scene.world.process(None), 1, endless).expect("it does not wait for more").unwrap_err();
    assert_eq!(error.code, ErrorCode::ContentThumbnailConflict);
}

#[test]
fn text_that_is_not_utf8_is_refused_as_such() {
    for (value, fault) in [(&b"caf\xe9"[..], "is not UTF-8"), (b"a\0b", "contains a NUL character")] {
        let error = refusal(form(&small_video()).raw_text("caption", value));
        assert_eq!(error.code, ErrorCode::ContentCaptionInvalid);
        let detail = error.detail.unwrap();
        assert!(detail.contains("`caption`") && detail.contains(fault), "{detail}");
    }
}

#[test]
fn a_thumbnail_time_past_the_end_is_refused_with_the_length_of_the_video() {
    let error = refusal(form(&fixtures::mp4(5_040, 8_000, 1)).text("thumbnail_time", "00:00:06"));
    assert_eq!(error.code, ErrorCode::ContentThumbnailTimeInvalid);
    assert!(error.detail.as_deref().unwrap().contains("5.040 seconds"), "{error:?}");
    ensure_accepted(form(&fixtures::mp4(5_040, 8_000, 1)).text("thumbnail_time", "00:00:05"));
    ensure_accepted(form(&fixtures::mp4(5_000, 8_000, 1)).text("thumbnail_time", "00:00:05"));
}
