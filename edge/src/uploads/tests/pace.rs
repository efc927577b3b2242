//! Slow clients, with a clock that each read of the body moves on.

use super::scene::{Scene, form, small_video};
use crate::base::refusal::Refusal;
use crate::platform::error::PlatformError;
use crate::uploads::AcceptedUpload;
use crate::uploads::pace::PaceRules;
use contract::ErrorCode;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::stream::{self, Stream, StreamExt};
use std::task::Poll;

const PACE: PaceRules = PaceRules { min_bytes_per_second: 16 * 1024, window_seconds: 30, max_seconds: 7_200 };

fn scene() -> Scene {
    Scene { pace: PACE, ..Scene::new(10) }
}

/// Sends a body in pieces, each after this many seconds.
fn send(scene: &Scene, body: &[u8], piece: usize, seconds: u64) -> Result<AcceptedUpload, Refusal> {
    let pieces: Vec<_> = body.chunks(piece).map(<[u8]>::to_vec).collect();
    let world = scene.world.clone();
    let body = stream::iter(pieces).map(move |piece| {
        world.pass(seconds);
        Ok::<_, PlatformError>(piece)
    });
    scene.receive(&scene.world.process(None), 1, body).unwrap()
}

/// Returns the body of a client that sends nothing. Each poll of it takes a second.
fn silence(scene: &Scene) -> impl Stream<Item = Result<Vec<u8>, PlatformError>> {
    let world = scene.world.clone();
    stream::poll_fn(move |context| {
        world.pass(1);
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

fn ensure_too_slow(scene: &Scene, result: Result<AcceptedUpload, Refusal>) {
    let error = result.unwrap_err();
    assert_eq!(error.code, ErrorCode::UploadTooSlow);
    assert_eq!(scene.used(), 0, "the slot was not released");
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn an_upload_that_keeps_the_pace_succeeds_however_long_it_takes() {
    let scene = scene();
    let (started, video) = (scene.world.now_unix.get(), fixtures::mp4(5_000, 700_000, 1));
    let piece = usize::try_from(PACE.min_bytes_per_second).unwrap() + 1_000;
    send(&scene, &form(&video).body(), piece, 1).unwrap();
    assert!(scene.world.now_unix.get() > started + PACE.window_seconds, "the pace was never judged");
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn a_trickling_upload_ends_after_the_window() {
    let scene = scene();
    let started = scene.world.now_unix.get();
    let result = send(&scene, &form(&small_video()).body(), 100, 1);
    assert_eq!(scene.world.now_unix.get() - started, PACE.window_seconds);
    ensure_too_slow(&scene, result);
}

#[test]
fn a_silent_upload_ends_after_the_window() {
    let scene = scene();
    let started = scene.world.now_unix.get();
    let result = block_on(scene.receiving(&scene.world.process(None), 1, silence(&scene)));
    let took = scene.world.now_unix.get() - started;
    assert!((PACE.window_seconds..PACE.window_seconds + 3).contains(&took), "{took}");
    ensure_too_slow(&scene, result);
}

#[test]
fn bytes_of_unknown_fields_do_not_keep_an_upload_open() {
    // The client sends 1,000 bytes a second, which would be enough if bytes of unknown fields counted.
    let scene = Scene { pace: PaceRules { min_bytes_per_second: 500, ..PACE }, ..Scene::new(10) };
    let body = Form::new().text("labels", &"x".repeat(60_000)).text("more", "x").body();
    ensure_too_slow(&scene, send(&scene, &body, 1_000, 1));
}

#[test]
fn no_upload_lives_longer_than_its_size_allows() {
    let scene = scene();
    let body = form(&small_video()).body();
    // The store is slow, not the client: the whole body is there at once, but the clock says that hours have passed.
    let world = scene.world.clone();
    let late = stream::iter([Ok::<_, PlatformError>(body)]).map(move |piece| {
        world.pass(PACE.max_seconds);
        piece
    });
    let result = scene.receive(&scene.world.process(None), 1, late).unwrap();
    ensure_too_slow(&scene, result);
}
