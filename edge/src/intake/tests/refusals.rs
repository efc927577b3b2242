//! A refused upload leaves everything as it was.

use super::scene::{LONG_AFTER, NOON, PART_BYTES, Scene, form, large_video, small_video};
use crate::fake_platform::Fault;
use contract::ErrorCode;
use fixtures::Form;

fn refusals() -> Vec<(&'static str, Form, ErrorCode)> {
    let video = small_video();
    let soon = (NOON + 10).to_string();
    vec![
        (
            "no file",
            Form::new().text("caption", "x"),
            ErrorCode::FileNotFound,
        ),
        (
            "an empty file input",
            Form::new().file("file", "", b""),
            ErrorCode::FileNotFound,
        ),
        (
            "an empty file",
            Form::new().file("file", "a.mp4", b""),
            ErrorCode::ContentFileInvalidFormat,
        ),
        (
            "text",
            form(b"just some text that goes on for a while, and then some more of it"),
            ErrorCode::ContentFileInvalidFormat,
        ),
        (
            "a truncated video",
            form(&video[..6_000]),
            ErrorCode::ContentFileInvalidFormat,
        ),
        (
            "1,999 ms",
            form(&fixtures::mp4(1_999, 1_000, 1)),
            ErrorCode::ContentVideoDurationInvalid,
        ),
        (
            "120,001 ms",
            form(&fixtures::mp4(120_001, 1_000, 1)),
            ErrorCode::ContentVideoDurationInvalid,
        ),
        (
            "too large",
            form(&fixtures::mp4(5_000, 200_001, 1)),
            ErrorCode::ContentFileTooLarge,
        ),
        (
            "a category that is none",
            form(&video).text("super_category_id", "8"),
            ErrorCode::ContentCategoryInvalid,
        ),
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
            "a picture that is none",
            form(&video).file("thumbnail_file", "a.jpg", b"GIF89a"),
            ErrorCode::ContentThumbnailInvalid,
        ),
        (
            "a picture and a time",
            form(&video).text("thumbnail_time", "00:00:01").file(
                "thumbnail_file",
                "a",
                b"\xff\xd8\xff",
            ),
            ErrorCode::ContentThumbnailConflict,
        ),
        (
            "a field twice",
            form(&video).text("caption", "a").text("caption", "b"),
            ErrorCode::RequestMalformed,
        ),
        (
            "two files",
            form(&video).file("file", "b.mp4", &video),
            ErrorCode::RequestMalformed,
        ),
        (
            "a wrong field after a large file",
            form(&large_video()).text("upload_token", "x"),
            ErrorCode::UploadTokenInvalid,
        ),
        (
            "a long unknown field",
            form(&video).text("more", &"x".repeat(70_000)),
            ErrorCode::RequestMalformed,
        ),
    ]
}

#[test]
fn each_refusal_has_its_code_and_leaves_nothing_behind() {
    for (name, form, code) in refusals() {
        let scene = Scene::new(10);
        let error = scene
            .upload(&scene.world.process(None), 1, form)
            .unwrap()
            .unwrap_err();
        assert_eq!(error.code, code, "{name}: {error:?}");
        assert_eq!(scene.used(), 0, "{name}: the slot is not back");
        assert_eq!(
            scene.faults_at_rest(),
            Vec::<String>::new(),
            "{name}: before any sweep"
        );
    }
}

#[test]
fn a_refusal_that_is_struck_leaves_nothing_after_the_sweep() {
    let mut cases = 0;
    for (name, form, _) in refusals() {
        for operation in 0..12 {
            for fault in Fault::ALL {
                let scene = Scene::new(10);
                let _ = scene.upload(
                    &scene.world.process(Some((operation, fault))),
                    1,
                    form.clone(),
                );
                scene.world.pass(LONG_AFTER);
                scene.sweep();
                let faults = scene.faults_at_rest();
                assert!(
                    faults.is_empty(),
                    "{name}, {fault:?} at operation {operation}: {faults:?}"
                );
                cases += 1;
            }
        }
    }
    println!("struck refusals: {cases} cases, 0 violations");
}

#[test]
fn a_body_that_ends_anywhere_is_refused_and_leaves_nothing() {
    let scene = Scene {
        chunk: 1_000,
        ..Scene::new(1_000)
    };
    let body = form(&fixtures::mp4(5_000, 3_000, 1))
        .text("caption", "x")
        .body();
    // The very last bytes after the closing boundary may be missing.
    for end in (0..body.len() - 4).step_by(7) {
        let error = scene
            .send(&scene.world.process(None), 1, body[..end].to_vec())
            .unwrap()
            .unwrap_err();
        let expected = [
            ErrorCode::RequestMalformed,
            ErrorCode::ContentFileInvalidFormat,
        ];
        assert!(expected.contains(&error.code), "cut at {end}: {error:?}");
    }
    assert_eq!(scene.contents() + scene.used(), 0);
    assert_eq!(scene.faults_at_rest(), Vec::<String>::new());
}

#[test]
fn a_file_of_exactly_one_part_is_put_and_one_byte_more_is_not() {
    for (size, parts) in [(PART_BYTES, false), (PART_BYTES + 1, true)] {
        let scene = Scene::new(10);
        let process = scene.world.process(None);
        let video = fixtures::mp4(5_000, size, 1);
        assert_eq!(video.len(), size);
        scene.upload(&process, 1, form(&video)).unwrap().unwrap();
        // Admission, storing, commit, sending, forgetting; in parts also their start, its record and the second part.
        assert_eq!(process.operations(), if parts { 5 + 4 - 1 + 1 } else { 5 });
        assert_eq!(scene.world.objects.borrow().values().next(), Some(&video));
    }
}

#[test]
fn a_large_file_arrives_byte_for_byte_in_chunks_of_any_size() {
    for chunk in [100, 4_096, PART_BYTES, 1_000_000] {
        let scene = Scene {
            chunk,
            ..Scene::new(10)
        };
        let video = large_video();
        scene
            .upload(&scene.world.process(None), 1, form(&video))
            .unwrap()
            .unwrap();
        assert!(
            scene.world.objects.borrow().values().eq([&video]),
            "chunks of {chunk}"
        );
    }
}
