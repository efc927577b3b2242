//! An upload whose client is silent leaves its token, and its slot, to a retry with the same token.

use super::scene::{NOON, Scene, TOKEN, form, small_video};
use crate::base::refusal::Refusal;
use crate::platform::error::PlatformError;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::AcceptedUpload;
use contract::ErrorCode;
use futures_executor::block_on;
use futures_util::StreamExt;
use futures_util::stream::{self, Stream};
use std::task::Poll;

/// A channel with one slot a day, whose uploads have a token in the header.
fn scene() -> Scene {
    Scene { header_token: Some(TOKEN), ..Scene::new(1) }
}

fn send(scene: &Scene, seed: u64) -> Result<AcceptedUpload, Refusal> {
    scene.upload(&scene.world.process(None), seed, form(&small_video())).unwrap()
}

/// Runs an upload whose client is silent for this many seconds in the middle of the file. `meanwhile` runs at the end
/// of the silence, and `after` once a byte has arrived again.
fn send_with_silence(
    scene: &Scene,
    process: &FakePlatform,
    seconds: u64,
    meanwhile: impl FnOnce(),
    after: impl FnOnce(),
) -> Result<AcceptedUpload, Refusal> {
    let body = form(&small_video()).body();
    let (start, rest) = body.split_at(body.len() / 2);
    let (next, last) = rest.split_at(1);
    let piece = |bytes: &[u8]| stream::iter([Ok::<_, PlatformError>(bytes.to_vec())]);
    let silence = silence(scene, seconds).map(Ok);
    let meanwhile = stream::once(async { meanwhile() }).filter_map(async |()| None);
    let after = stream::once(async { after() }).filter_map(async |()| None);
    let body = piece(start).chain(silence).chain(meanwhile).chain(piece(next)).chain(after).chain(piece(last));
    block_on(scene.receiving(process, 1, body))
}

/// Returns a stream that ends after this many seconds. Each poll of it takes one.
fn silence(scene: &Scene, seconds: u64) -> impl Stream<Item = Vec<u8>> {
    let (world, mut left) = (scene.world.clone(), seconds);
    stream::poll_fn(move |context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        world.pass(1);
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

fn ensure_in_progress(scene: &Scene, seed: u64) {
    assert_eq!(send(scene, seed).unwrap_err().code, ErrorCode::UploadInProgress);
}

fn ensure_one_content(scene: &Scene) {
    assert_eq!((scene.contents(), scene.used()), (1, 1));
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
}

#[test]
fn a_retry_replaces_an_upload_that_is_silent_for_longer_than_ten_seconds() {
    let scene = scene();
    let replaced = send_with_silence(
        &scene,
        &scene.world.process(None),
        12,
        || assert!(!send(&scene, 2).unwrap().is_replay),
        || (),
    );
    assert_eq!(replaced.unwrap_err().code, ErrorCode::UploadTooSlow);
    assert!(scene.world.now_unix.get() <= NOON + 15);
    ensure_one_content(&scene);
}

#[test]
fn a_shorter_silence_leaves_an_upload_its_token() {
    let scene = scene();
    send_with_silence(&scene, &scene.world.process(None), 9, || ensure_in_progress(&scene, 2), || ()).unwrap();
    assert!(send(&scene, 3).unwrap().is_replay);
    ensure_one_content(&scene);
}

#[test]
fn a_byte_after_the_silence_takes_the_place_again() {
    let scene = scene();
    send_with_silence(&scene, &scene.world.process(None), 25, || (), || ensure_in_progress(&scene, 2)).unwrap();
    ensure_one_content(&scene);
}

#[test]
fn a_silence_is_recorded_once() {
    let operations = |seconds| {
        let scene = scene();
        let process = scene.world.process(None);
        send_with_silence(&scene, &process, seconds, || (), || ()).unwrap();
        process.operations()
    };
    // One to record it, and one when the client goes on.
    assert_eq!([operations(12), operations(25)], [operations(5) + 2; 2]);
}
