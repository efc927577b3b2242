//! A refused upload leaves nothing behind.

use super::captions::with_captions;
use super::scene::{MAX_FILE_BYTES, NOON, Scene, TOKEN, form, small_video, stored_in_parts};
use crate::testing::fake_platform::Fault;
use contract::ErrorCode;
use contract::limits::MAX_REFUSED_UPLOADS;
use fixtures::Form;

fn refusals() -> Vec<(&'static str, Form, ErrorCode)> {
    let video = small_video();
    let soon = (NOON + 10).to_string();
    vec![
        ("no file", Form::new().text("caption", "x"), ErrorCode::FileNotFound),
        ("an empty file input", Form::new().file("file", "", b""), ErrorCode::FileNotFound),
        ("an empty file", Form::new().file("file", "a.mp4", b""), ErrorCode::ContentFileInvalidFormat),
        (
            "text",
            form(b"just some text that goes on for a while, and then some more of it"),
            ErrorCode::ContentFileInvalidFormat,
        ),
        ("a truncated video", form(&video[..6_000]), ErrorCode::ContentFileInvalidFormat),
        ("1,999 ms", form(&fixtures::mp4(1_999, 1_000, 1)), ErrorCode::ContentVideoDurationInvalid),
        ("120,001 ms", form(&fixtures::mp4(120_001, 1_000, 1)), ErrorCode::ContentVideoDurationInvalid),
        (
            "too large",
            form(&fixtures::mp4(5_000, usize::try_from(MAX_FILE_BYTES).unwrap() + 1, 1)),
            ErrorCode::ContentFileTooLarge,
        ),
        ("an unknown category", form(&video).text("super_category_id", "8"), ErrorCode::ContentCategoryInvalid),
        (
            "a time past the end",
            form(&video).text("thumbnail_time", "00:00:06"),
            ErrorCode::ContentThumbnailTimeInvalid,
        ),
        (
            "a schedule too soon",
            form(&video).text("scheduled_publish_at_unix", &soon),
            ErrorCode::ContentScheduleInvalid,
        ),
        (
            "a thumbnail that is not a picture",
            form(&video).file("thumbnail_file", "a.jpg", b"GIF89a"),
            ErrorCode::ContentThumbnailInvalid,
        ),
        (
            "a thumbnail picture and a thumbnail time",
            form(&video).text("thumbnail_time", "00:00:01").file("thumbnail_file", "a", b"\xff\xd8\xff"),
            ErrorCode::ContentThumbnailConflict,
        ),
        (
            "captions without text",
            form(&video).file("captions_file_de", "a.srt", b"a text"),
            ErrorCode::ContentCaptionsInvalid,
        ),
        (
            "captions beside a time past the end",
            with_captions(form(&video)).text("thumbnail_time", "00:00:06"),
            ErrorCode::ContentThumbnailTimeInvalid,
        ),
        ("a field twice", form(&video).text("caption", "a").text("caption", "b"), ErrorCode::RequestMalformed),
        ("two files", form(&video).file("file", "b.mp4", &video), ErrorCode::RequestMalformed),
        (
            "a wrong field after a large file",
            stored_in_parts().text("upload_token", "x"),
            ErrorCode::UploadTokenInvalid,
        ),
        ("an unknown field after the file", form(&video).text("captoin", "x"), ErrorCode::FieldUnknown),
        ("an unknown field after a large file", stored_in_parts().text("audience", "friends"), ErrorCode::FieldUnknown),
        (
            "an unknown field before the file",
            Form::new().text("audience", "friends").file("file", "a.mp4", &video),
            ErrorCode::FieldUnknown,
        ),
        ("an unknown file after the file", form(&video).file("cover", "a.jpg", b"x"), ErrorCode::FieldUnknown),
        ("a video under another name", Form::new().file("video", "a.mp4", &video), ErrorCode::FileNotFound),
    ]
}

#[test]
fn each_refusal_has_its_code_and_leaves_nothing_behind() {
    for (name, form, code) in refusals() {
        let scene = Scene::new(10);
        let error = scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap_err();
        assert_eq!(error.code, code, "{name}: {error:?}");
        assert_eq!(scene.used(), 0, "{name}: the slot was not released");
        assert_eq!(scene.violations_at_rest(), Vec::<String>::new(), "{name}: before any sweep");
    }
}

/// Returns how many slots were ever reserved.
fn slots(scene: &Scene) -> u64 {
    scene.count("SELECT coalesce(max(seq), 0) AS number FROM sqlite_sequence WHERE name = 'uploads'")
}

#[test]
fn a_small_invalid_upload_is_refused_without_a_slot() {
    let video = small_video();
    let cases = [
        (Form::new().file("file", "a.mp4", b"7 bytes"), ErrorCode::ContentFileInvalidFormat, 0),
        (Form::new().text("caption", "x"), ErrorCode::FileNotFound, 0),
        (form(&video).text("thumbnail_time", "01:00:00"), ErrorCode::ContentThumbnailTimeInvalid, 0),
        // Only the database knows the categories, and whether a token is used.
        (form(&video).text("super_category_id", "8"), ErrorCode::ContentCategoryInvalid, 1),
        (Form::new().text("upload_token", TOKEN).file("file", "a.mp4", b"7"), ErrorCode::ContentFileInvalidFormat, 1),
        // A large body is received only with a slot.
        (form(&fixtures::mp4(1_000, 20_000, 1)), ErrorCode::ContentVideoDurationInvalid, 1),
    ];
    for (form, code, slots_taken) in cases {
        let scene = Scene::new(10);
        let refusal = scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap_err();
        assert_eq!((refusal.code, slots(&scene)), (code, slots_taken));
        assert_eq!(refusal.usage.map(|(usage, _)| (usage.used, usage.amount)), Some((0, 10)));
        let counted = "SELECT uses_count = 1 AND refused_uploads = 1 AS number FROM api_keys";
        assert_eq!(scene.count(counted), 1, "{code:?}");
    }
}

#[test]
fn a_small_upload_is_not_judged_for_a_key_that_may_not_upload() {
    let refused_with = |change: &'static str| {
        let scene = Scene::new(10);
        scene.world.database.run_script(change);
        let form = Form::new().file("file", "a.mp4", b"7 bytes");
        scene.upload(&scene.world.process(None), 1, form).unwrap().unwrap_err().code
    };
    assert_eq!(refused_with("DELETE FROM api_keys"), ErrorCode::ApiKeyInvalid);
    assert_eq!(refused_with("UPDATE channels SET suspended_at_unix = 1"), ErrorCode::ChannelSuspended);
    assert_eq!(refused_with("UPDATE channels SET daily_upload_limit = 0"), ErrorCode::ContentUploadLimitFailure);
}

#[test]
fn a_key_whose_uploads_are_always_refused_waits_for_the_next_hour() {
    let large = || form(&fixtures::mp4(1_000, 20_000, 1));
    let forms = [Form::new().file("file", "a.mp4", b"7 bytes"), large()];
    let scene = Scene::new(10);
    let upload = |seed: u64, form: Form| scene.upload(&scene.world.process(None), seed, form).unwrap();
    for number in 0..MAX_REFUSED_UPLOADS {
        let refusal = upload(u64::from(number), forms[number as usize % 2].clone()).unwrap_err();
        assert_ne!(refusal.code, ErrorCode::RateLimited, "{number}");
    }
    let before = slots(&scene);
    for form in [forms[0].clone(), large(), form(&small_video())] {
        let refusal = upload(1_000, form).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::RateLimited);
        assert_eq!(refusal.retry_after_seconds, Some(3_600), "it is noon");
        assert!(refusal.detail.is_some() && refusal.usage.is_some());
    }
    assert_eq!(slots(&scene), before);
    scene.world.pass(3_600);
    assert!(upload(1_001, form(&small_video())).is_ok());
    let refusal = upload(1_002, forms[0].clone()).unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ContentFileInvalidFormat, "the count starts over");
}

#[test]
fn a_repeated_upload_is_no_refusal() {
    let scene = Scene { header_token: Some(TOKEN), ..Scene::new(10) };
    for seed in 1..4 {
        scene.upload(&scene.world.process(None), seed, form(&small_video())).unwrap().unwrap();
    }
    assert_eq!(scene.count("SELECT refused_uploads AS number FROM api_keys"), 0);
}

#[test]
fn a_refused_upload_that_crashes_leaves_nothing_after_the_sweep() {
    let mut cases = 0;
    for (name, form, _) in refusals() {
        for operation in 0..12 {
            for fault in Fault::ALL {
                let scene = Scene::new(10);
                let _ = scene.upload(&scene.world.process(Some((operation, fault))), 1, form.clone());
                let faults = scene.violations_after_sweep();
                assert!(faults.is_empty(), "{name}, {fault:?} at operation {operation}: {faults:?}");
                cases += 1;
            }
        }
    }
    println!("crashed refusals: {cases} cases, 0 violations");
}

#[test]
fn a_body_that_is_cut_anywhere_is_refused_and_leaves_nothing() {
    let scene = Scene { chunk: 1_000, ..Scene::new(1_000) };
    let body = form(&fixtures::mp4(5_000, 3_000, 1)).text("caption", "x").body();
    // The last bytes, after the closing boundary, are optional.
    for end in (0..body.len() - 4).step_by(7) {
        // Few enough in an hour.
        scene.world.pass(30);
        let error = scene.send(&scene.world.process(None), 1, body[..end].to_vec()).unwrap().unwrap_err();
        let expected = [ErrorCode::RequestMalformed, ErrorCode::ContentFileInvalidFormat];
        assert!(expected.contains(&error.code), "cut at {end}: {error:?}");
    }
    assert_eq!(scene.contents() + scene.used(), 0);
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn a_file_of_exactly_the_largest_size_is_accepted() {
    let most = usize::try_from(MAX_FILE_BYTES).unwrap();
    let around_samples = fixtures::mp4(5_000, 1_000, 1).len() - 1_000;
    let largest = fixtures::mp4(5_000, most - around_samples, 1);
    assert_eq!(largest.len(), most);
    let scene = Scene::new(10);
    scene.upload(&scene.world.process(None), 1, form(&largest)).unwrap().unwrap();
    assert_eq!(scene.contents(), 1);
}
