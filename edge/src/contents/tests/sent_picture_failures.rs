//! Forms that are refused, and a crash at every operation of a change to a picture.

use super::sent_pictures::{PACE, change, form, picture, request, send, stored_pictures, wanted};
use super::thumbnails::published;
use crate::contents::update_outcome::UpdateOutcome;
use crate::jobs::tests::scene::Scene;
use crate::platform::error::PlatformError;
use crate::platform::isolate::Quota;
use crate::testing::fake_platform::{Fault, World};
use crate::uploads::pace::PaceRules;
use crate::uploads::picture::receive_picture;
use contract::ErrorCode;
use contract::api::ThumbnailChange;
use contract::limits::MAX_THUMBNAIL_BYTES;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{FutureExt, StreamExt, stream};
use std::task::{Context, Poll, Waker};

/// The sweep deletes a picture this long after it should have been stored and committed.
const LONG_AFTER: u64 = 600;

fn refused(form: Form) -> (ErrorCode, Option<String>) {
    let scene = published();
    let refusal = block_on(send(&scene.world.process(None), 1, form)).unwrap_err();
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0);
    assert_eq!((stored_pictures(&scene).len(), wanted(&scene)), (0, None));
    (refusal.code, refusal.field.map(Into::into))
}

#[test]
fn a_form_that_is_not_right_takes_nothing() {
    let jpeg = picture(1);
    let too_large = [&jpeg[..], &vec![0; MAX_THUMBNAIL_BYTES]].concat();
    for (form, code, field) in [
        (Form::new().file("thumbnail_file", "a", &jpeg), ErrorCode::RequestMalformed, "content_uuid"),
        (form("c", &jpeg).text("content_uuid", "d"), ErrorCode::RequestMalformed, "content_uuid"),
        (form(&"c".repeat(65), &jpeg), ErrorCode::RequestMalformed, "content_uuid"),
        (form("c", &jpeg).file("thumbnail_file", "b", &jpeg), ErrorCode::RequestMalformed, "thumbnail_file"),
        (form("c", &jpeg).text("caption", "x"), ErrorCode::FieldUnknown, "caption"),
        (form("c", &jpeg).text("thumbnail_time", ""), ErrorCode::FieldUnknown, "thumbnail_time"),
        (Form::new().text("content_uuid", "c"), ErrorCode::ContentThumbnailInvalid, "thumbnail_file"),
        (form("c", b""), ErrorCode::ContentThumbnailInvalid, "thumbnail_file"),
        (form("c", b"GIF89a"), ErrorCode::ContentThumbnailInvalid, "thumbnail_file"),
        (form("c", &too_large), ErrorCode::ContentThumbnailInvalid, "thumbnail_file"),
    ] {
        assert_eq!(refused(form), (code, Some(field.to_owned())));
    }
}

#[test]
fn pictures_that_fill_the_memory_of_the_isolate_are_refused() {
    let world = World::new(1_000);
    let process = world.process(None);
    let memory = Quota::new(1_000, 60);
    let request = request(&memory, PACE);
    let receive = |bytes: usize| {
        let body = form("c", &[picture(1), vec![0; bytes]].concat()).body();
        let body = stream::iter([Ok::<_, PlatformError>(body)]);
        block_on(receive_picture(&process, &request, body)).map_err(|refusal| refusal.code)
    };
    assert_eq!(receive(2_000).map(drop), Err(ErrorCode::ServiceOverloaded));
    // The refused form gave its memory back, and a received picture holds it until it is stored.
    let received = receive(600).unwrap();
    assert_eq!(receive(600).map(drop), Err(ErrorCode::ServiceOverloaded));
    drop(received);
    assert!(receive(600).is_ok());
}

#[test]
fn a_client_that_is_too_slow_is_refused_as_with_an_upload() {
    let world = World::new(1_000);
    let process = world.process(None);
    let memory = Quota::new(usize::MAX / 4, 60);
    let request = request(&memory, PaceRules { min_bytes_per_second: 1_000, ..PACE });
    let body = stream::iter([Ok(b"--".to_vec())]).chain(stream::pending::<Result<Vec<u8>, PlatformError>>());
    let mut receiving = Box::pin(receive_picture(&process, &request, body));
    let mut context = Context::from_waker(Waker::noop());
    assert!(receiving.as_mut().poll(&mut context).is_pending());
    world.pass(31);
    let refused = receiving.as_mut().poll(&mut context).map(|outcome| outcome.map(drop).unwrap_err().code);
    assert_eq!(refused, Poll::Ready(ErrorCode::UploadTooSlow));
}

/// Checks the state long after a change was interrupted or made.
fn check_at_rest(scene: &Scene, case: &str) {
    for _ in 0..2 {
        scene.pass(LONG_AFTER);
        scene.sweep();
    }
    assert_eq!(stored_pictures(scene), Vec::from_iter(wanted(scene)), "{case}");
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0, "{case}");
}

#[test]
fn a_crash_at_any_operation_leaves_no_picture_that_nobody_wants() {
    let scene = published();
    let whole = scene.world.process(None);
    block_on(send(&whole, 1, form("c", &picture(1)))).unwrap();
    assert!(whole.operations() >= 3);
    for operation in 0..whole.operations() {
        for fault in Fault::ALL {
            for has_earlier in [false, true] {
                let case = format!("{fault:?} at operation {operation}, {has_earlier}");
                let scene = published();
                if has_earlier {
                    change(&scene, 2).unwrap();
                }
                let process = scene.world.process(Some((operation, fault)));
                let answered = send(&process, 1, form("c", &picture(1))).now_or_never();
                let is_done = matches!(answered, Some(Ok(UpdateOutcome::Done { .. })));
                check_at_rest(&scene, &case);
                let generation = scene.row().generation;
                // The client retries, and a successful attempt is not repeated.
                let status = change(&scene, 1).unwrap();
                assert_eq!(status.thumbnail_change, Some(ThumbnailChange::Pending), "{case}");
                assert!(!is_done || scene.row().generation == generation, "{case}");
                check_at_rest(&scene, &case);
                assert!(wanted(&scene).is_some(), "{case}");
            }
        }
    }
}

#[test]
fn a_picture_that_was_stored_too_late_is_refused() {
    let scene = published();
    let process = scene.world.process(None).yielding();
    let mut sending = Box::pin(send(&process, 1, form("c", &picture(1))));
    let mut context = Context::from_waker(Waker::noop());
    // The picture is on record. It is stored next.
    while scene.count("SELECT count(*) AS number FROM garbage") == 0 {
        assert!(sending.as_mut().poll(&mut context).is_pending());
    }
    scene.pass(LONG_AFTER);
    let outcome = block_on(sending).unwrap();
    assert!(matches!(outcome, UpdateOutcome::Refused { code: ErrorCode::UploadTooSlow, .. }), "{outcome:?}");
    assert_eq!(wanted(&scene), None);
    check_at_rest(&scene, "too late");
}
