//! Forms with captions that are refused, and a crash at every operation of a change.

use super::captions::{change, form, send, srt, stored_captions};
use super::thumbnails::published;
use crate::contents::update_outcome::UpdateOutcome;
use crate::jobs::tests::scene::Scene;
use crate::testing::fake_platform::Fault;
use contract::ErrorCode;
use contract::api::CaptionsChange;
use contract::limits::MAX_CAPTIONS_BYTES;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::FutureExt;
use std::task::{Context, Waker};

/// The sweep deletes a file this long after it should have been stored and committed.
const LONG_AFTER: u64 = 600;

#[test]
fn a_form_that_is_not_right_takes_nothing() {
    let good = srt("a");
    let too_large = srt(&"a\n".repeat(MAX_CAPTIONS_BYTES / 2));
    let late = "1\n00:02:00,000 --> 00:02:02,000\na\n";
    let many: String = (0..2_001).map(|_| "00:00:01,000 --> 00:00:02,000\na\n\n").collect();
    let no_language = Form::new().text("content_uuid", "c").file("captions_file", "a", good.as_bytes());
    for (form, code, field) in [
        (no_language, ErrorCode::ContentCaptionsLanguageInvalid, "language"),
        (form("c", "english", &good), ErrorCode::ContentCaptionsLanguageInvalid, "language"),
        (form("c", "en", &good).text("language", "de"), ErrorCode::RequestMalformed, "language"),
        (form(&"c".repeat(65), "en", &good), ErrorCode::RequestMalformed, "content_uuid"),
        (form("c", "en", &good).text("caption", "x"), ErrorCode::FieldUnknown, "caption"),
        (
            Form::new().text("content_uuid", "c").text("language", "en"),
            ErrorCode::ContentCaptionsInvalid,
            "captions_file",
        ),
        (form("c", "en", ""), ErrorCode::ContentCaptionsInvalid, "captions_file"),
        (form("c", "en", "WEBVTT\n\nSTYLE\n::cue {}\n"), ErrorCode::ContentCaptionsInvalid, "captions_file"),
        (form("c", "en", late), ErrorCode::ContentCaptionsInvalid, "captions_file"),
        (form("c", "en", &many), ErrorCode::ContentCaptionsInvalid, "captions_file"),
        (form("c", "en", &too_large), ErrorCode::ContentCaptionsInvalid, "captions_file"),
    ] {
        let scene = published();
        let refusal = block_on(send(&scene.world.process(None), 1, form)).unwrap_err();
        assert_eq!((refusal.code, refusal.field.as_deref()), (code, Some(field)));
        assert_eq!((scene.count("SELECT count(*) AS number FROM garbage"), stored_captions(&scene).len()), (0, 0));
    }
}

/// Checks the state long after a change was interrupted or made.
fn check_at_rest(scene: &Scene, case: &str) {
    for _ in 0..2 {
        scene.pass(LONG_AFTER);
        scene.sweep();
    }
    let wanted = scene.count("SELECT count(*) AS number FROM captions");
    assert_eq!(stored_captions(scene).len() as u64, wanted, "{case}");
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0, "{case}");
}

#[test]
fn a_crash_at_any_operation_leaves_no_file_that_nobody_wants() {
    let sent = || form("c", "en", &srt("a"));
    let scene = published();
    let whole = scene.world.process(None);
    block_on(send(&whole, 1, sent())).unwrap();
    assert!(whole.operations() >= 3);
    for operation in 0..whole.operations() {
        for fault in Fault::ALL {
            for has_earlier in [false, true] {
                let case = format!("{fault:?} at operation {operation}, {has_earlier}");
                let scene = published();
                if has_earlier {
                    change(&scene, "en", "b").unwrap();
                }
                let process = scene.world.process(Some((operation, fault)));
                let answered = send(&process, 1, sent()).now_or_never();
                let is_done = matches!(answered, Some(Ok(UpdateOutcome::Done { .. })));
                check_at_rest(&scene, &case);
                let generation = scene.row().generation;
                // The client retries, and a successful attempt is not repeated.
                let status = change(&scene, "en", "a").unwrap();
                assert_eq!(status.captions_change, Some(CaptionsChange::Pending), "{case}");
                assert!(!is_done || scene.row().generation == generation, "{case}");
                check_at_rest(&scene, &case);
                assert_eq!(stored_captions(&scene).len(), 1, "{case}");
            }
        }
    }
}

#[test]
fn captions_that_were_stored_too_late_are_refused() {
    let scene = published();
    let process = scene.world.process(None).yielding();
    let mut sending = Box::pin(send(&process, 1, form("c", "en", &srt("a"))));
    let mut context = Context::from_waker(Waker::noop());
    // The file is on record. It is stored next.
    while scene.count("SELECT count(*) AS number FROM garbage") == 0 {
        assert!(sending.as_mut().poll(&mut context).is_pending());
    }
    scene.pass(LONG_AFTER);
    let outcome = block_on(sending).unwrap();
    assert!(matches!(outcome, UpdateOutcome::Refused { code: ErrorCode::UploadTooSlow, .. }), "{outcome:?}");
    assert_eq!(stored_captions(&scene).len(), 0, "before any sweep");
    check_at_rest(&scene, "too late");
}
