//! A channel never has more uploads open than its limit, however they overlap, and an upload that is not admitted holds
//! nothing.

use super::interleavings::{check_invariants_at_rest, run, upload};
use super::scene::{CHANNEL, Scene, TOKEN, form, large_video, small_video, stored_key};
use crate::base::limits::{LEASE_SECONDS, OPEN_UPLOADS_RETRY_SECONDS, reserved_memory};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::entropy::testing::Seeded;
use crate::platform::error::PlatformError;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::slot::reservation::count_open;
use crate::uploads::{AcceptedUpload, Isolate, Permission, UploadRequest, admit};
use contract::ErrorCode;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{FutureExt, Stream, StreamExt, stream};
use std::pin::pin;

fn with_token() -> Form {
    Form::new().text("upload_token", TOKEN).file("file", "a.mp4", &small_video())
}

fn code(answer: Option<Result<AcceptedUpload, Refusal>>) -> Option<ErrorCode> {
    answer.unwrap().err().map(|refusal| refusal.code)
}

/// Returns a body that stalls forever after its beginning.
fn endless() -> impl Stream<Item = Result<Vec<u8>, PlatformError>> {
    stream::iter([Ok(form(&small_video()).body()[..10].to_vec())]).chain(stream::pending())
}

/// Opens an upload that stalls.
async fn opened(scene: &Scene, process: &FakePlatform, seed: u64) -> Result<AcceptedUpload, Refusal> {
    scene.announcing(process, seed, 50_000, endless()).await
}

#[test]
fn no_interleaving_opens_more_uploads_than_a_channel_may() {
    let (mut successes, mut refusals) = (0, 0);
    let rounds = fixtures::cases(30_u64, 150);
    for round in 0..rounds {
        let mut entropy = Seeded::new(round);
        let scene = Scene { chunk: 500, max_open_uploads: 3, ..Scene::new(20) };
        let uploads = (0..10_u8).map(|index| {
            let video = |number| fixtures::mp4(5_000, 2_000, number);
            let form = match index % 2 {
                0 => form(&video(index)),
                _ => form(&video(1)).text("upload_token", TOKEN),
            };
            upload(&scene, u64::from(index), form)
        });
        // `run` counts the open uploads after every step.
        let ended = run(&scene, &mut entropy, uploads.collect());
        let codes = ended.iter().map(|outcome| outcome.as_ref().err().map(|refusal| refusal.code));
        for code in codes {
            successes += u64::from(code.is_none());
            refusals += u64::from(code == Some(ErrorCode::TooManyUploads));
            let explained = [ErrorCode::TooManyUploads, ErrorCode::UploadInProgress, ErrorCode::UploadTooSlow];
            assert!(code.is_none_or(|code| explained.contains(&code)), "{code:?}");
        }
        check_invariants_at_rest(&scene);
    }
    println!("interleavings of open uploads: {rounds} rounds, {successes} successes, {refusals} over the number");
    assert!(successes > rounds && refusals > rounds);
}

#[test]
fn one_upload_too_many_is_told_to_retry_soon_and_succeeds_when_another_has_ended() {
    let scene = Scene { max_open_uploads: 2, ..Scene::new(10) };
    let process = scene.world.process(None);
    let mut open: Vec<_> = (1..=2).map(|seed| Box::pin(opened(&scene, &process, seed))).collect();
    let now = UnixSeconds(scene.world.now_unix.get());
    let count = || block_on(count_open(&scene.world.database, CHANNEL, now)).unwrap();
    for (upload, opened_before) in open.iter_mut().zip(0..) {
        assert_eq!(count(), opened_before);
        assert!(upload.as_mut().now_or_never().is_none());
    }
    assert_eq!(count(), 2);
    let refusal = scene.upload(&process, 3, form(&small_video())).unwrap().unwrap_err();
    assert_eq!(
        (refusal.code, refusal.retry_after_seconds),
        (ErrorCode::TooManyUploads, Some(OPEN_UPLOADS_RETRY_SECONDS))
    );
    assert_eq!(refusal.usage.unwrap().0.used, 2, "the refused upload uses no slot of the day");
    // One of them is cut off. Its lease ends.
    drop(open.pop());
    scene.world.pass(LEASE_SECONDS);
    assert_eq!(code(scene.upload(&process, 4, form(&small_video()))), None);
}

#[test]
fn an_upload_whose_process_died_counts_until_its_lease_ends() {
    let scene = Scene { max_open_uploads: 1, ..Scene::new(10) };
    let process = scene.world.process(None);
    let mut died = Box::pin(opened(&scene, &process, 1));
    assert!(died.as_mut().now_or_never().is_none());
    drop(died);
    scene.world.pass(LEASE_SECONDS - 1);
    assert_eq!(code(scene.upload(&process, 2, form(&small_video()))), Some(ErrorCode::TooManyUploads));
    scene.world.pass(1);
    assert_eq!(code(scene.upload(&process, 3, form(&small_video()))), None);
}

#[test]
fn a_lease_that_has_ended_is_not_revived_beside_the_upload_that_took_its_place() {
    let scene = Scene { max_open_uploads: 1, ..Scene::new(10) };
    let process = scene.world.process(None);
    let mut silent = Box::pin(upload_with_a_pause(&scene, &process, 1));
    assert!(silent.as_mut().now_or_never().is_none());
    scene.world.pass(LEASE_SECONDS);
    let mut next = Box::pin(opened(&scene, &process, 2));
    assert!(next.as_mut().now_or_never().is_none());
    assert_eq!(code(silent.as_mut().now_or_never()), Some(ErrorCode::UploadTooSlow));
    assert_eq!(scene.open_uploads(), 1);
}

/// Runs an upload that is pending once, after its first bytes.
async fn upload_with_a_pause(scene: &Scene, process: &FakePlatform, seed: u64) -> Result<AcceptedUpload, Refusal> {
    let mut body = form(&large_video()).body();
    let rest = body.split_off(100);
    let mut is_waiting = true;
    let pause = stream::poll_fn(move |_| {
        if std::mem::take(&mut is_waiting) { std::task::Poll::Pending } else { std::task::Poll::Ready(None) }
    });
    let body = stream::iter([Ok(body)]).chain(pause).chain(stream::iter([Ok(rest)]));
    scene.receiving(process, seed, body).await
}

#[test]
fn the_daily_limit_is_reported_before_the_number_of_open_uploads() {
    let scene = Scene { max_open_uploads: 1, ..Scene::new(1) };
    let process = scene.world.process(None);
    let mut open = pin!(opened(&scene, &process, 1));
    assert!(open.as_mut().now_or_never().is_none());
    let refused = scene.upload(&process, 2, form(&small_video()));
    assert_eq!(code(refused), Some(ErrorCode::ContentUploadLimitFailure));
}

#[test]
fn an_upload_that_may_be_a_replay_is_not_exempt() {
    // At a limit of 2 the second open upload takes the day's last slot, so a replay has no slot.
    for limit in [2, 10] {
        let scene = Scene { max_open_uploads: 1, ..Scene::new(limit) };
        let process = scene.world.process(None);
        assert_eq!(code(scene.upload(&process, 1, with_token())), None);
        let mut open = Box::pin(opened(&scene, &process, 2));
        assert!(open.as_mut().now_or_never().is_none());
        assert_eq!(code(scene.upload(&process, 3, with_token())), Some(ErrorCode::TooManyUploads), "limit {limit}");
        drop(open);
        scene.world.pass(LEASE_SECONDS);
        assert!(scene.upload(&process, 4, with_token()).unwrap().unwrap().is_replay);
    }
}

#[test]
fn a_slow_replay_counts_as_open_until_it_ends() {
    let scene = Scene::new(10);
    let process = scene.world.process(None);
    assert_eq!(code(scene.upload(&process, 1, with_token())), None);
    let body = slow_body(&scene, &with_token().body(), LEASE_SECONDS / 2, || assert_eq!(scene.open_uploads(), 1));
    assert!(scene.receive(&process, 2, body).unwrap().unwrap().is_replay);
    assert_eq!(scene.open_uploads(), 0);
}

#[test]
fn at_the_daily_limit_no_more_replays_are_open_than_uploads_otherwise() {
    let scene = Scene { max_open_uploads: 2, ..Scene::new(1) };
    let process = scene.world.process(None);
    assert_eq!(code(scene.upload(&process, 1, with_token())), None);
    let mut open: Vec<_> = (2..=3).map(|seed| Box::pin(opened(&scene, &process, seed))).collect();
    for upload in &mut open {
        assert!(upload.as_mut().now_or_never().is_none());
    }
    assert_eq!(code(scene.upload(&process, 4, with_token())), Some(ErrorCode::TooManyUploads));
    drop(open.pop());
    assert!(scene.upload(&process, 5, with_token()).unwrap().unwrap().is_replay);
}

/// Returns a body whose chunks arrive this many seconds apart, and calls the function before each of them but the
/// first.
fn slow_body<'a>(
    scene: &'a Scene,
    body: &[u8],
    seconds: u64,
    meanwhile: impl Fn() + 'a,
) -> impl Stream<Item = Result<Vec<u8>, PlatformError>> + 'a {
    let chunks: Vec<_> = body.chunks(1_000).map(|chunk| Ok(chunk.to_vec())).collect();
    stream::iter(chunks).enumerate().map(move |(number, chunk)| {
        if number > 0 {
            scene.world.pass(seconds);
            meanwhile();
        }
        chunk
    })
}

#[test]
fn a_slow_replay_without_a_slot_counts_until_it_ends() {
    let scene = Scene { max_open_uploads: 1, ..Scene::new(1) };
    let process = scene.world.process(None);
    assert_eq!(code(scene.upload(&process, 1, with_token())), None);
    let body = slow_body(&scene, &with_token().body(), LEASE_SECONDS / 2 + 1, || {
        assert_eq!(code(scene.upload(&process, 2, with_token())), Some(ErrorCode::TooManyUploads));
    });
    assert!(scene.receive(&process, 3, body).unwrap().unwrap().is_replay);
    assert!(scene.upload(&process, 4, with_token()).unwrap().unwrap().is_replay);
}

#[test]
fn a_slow_upload_keeps_its_memory_until_it_ends() {
    let scene = Scene { isolate: Isolate::with_memory((0, 0), (reserved_memory(false), 0)), ..Scene::new(10) };
    let (process, stranger) = (scene.world.process(None), scene.add_stranger());
    let sent = || stream::iter([Ok(form(&small_video()).body())]);
    let other = || code(scene.receiving_from(&stranger, &process, 2, sent()).now_or_never());
    let body = slow_body(&scene, &form(&small_video()).body(), 40, || {
        assert_eq!(other(), Some(ErrorCode::ServiceOverloaded));
    });
    assert_eq!(code(scene.receive(&process, 1, body)), None);
    assert_eq!(other(), None);
}

#[test]
fn a_channel_has_one_upload_without_a_length_at_a_time_and_the_others_of_the_isolate_are_for_strangers() {
    let scene = Scene { isolate: Isolate::new(), ..Scene::new(10) };
    let (process, stranger) = (scene.world.process(None), scene.add_stranger());
    let mut open = Box::pin(scene.receiving(&process, 1, endless()));
    assert!(open.as_mut().now_or_never().is_none());
    for seed in 2..=9 {
        let refusal = scene.receive(&process, seed, endless()).unwrap().unwrap_err();
        assert_eq!((refusal.code, refusal.retry_after_seconds), (ErrorCode::TooManyUploads, Some(5)));
        assert!(refusal.detail.unwrap().contains("Content-Length"));
    }
    assert_eq!((scene.open_uploads(), scene.used()), (1, 1), "a refused upload holds no slot");
    let sent = stream::iter([Ok(form(&small_video()).body())]);
    assert_eq!(code(scene.receiving_from(&stranger, &process, 10, sent).now_or_never()), None);
    assert_eq!(code(scene.upload(&process, 11, form(&small_video()))), None, "one with a length is not concerned");
    drop(open);
    assert_eq!(code(scene.receive(&process, 12, stream::iter([Ok(form(&small_video()).body())]))), None);
}

#[test]
fn an_upload_without_memory_gives_its_slot_back_and_leaves_nothing() {
    let scene = Scene { isolate: Isolate::with_memory((0, 0), (0, 0)), ..Scene::new(10) };
    let refusal = scene.upload(&scene.world.process(None), 1, form(&small_video())).unwrap().unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ServiceOverloaded);
    assert_eq!((scene.used(), refusal.usage.unwrap().0.used), (0, 0));
    assert_eq!(scene.violations_at_rest(), Vec::<String>::new());
}

#[test]
fn an_unknown_key_takes_no_memory_while_it_is_looked_up() {
    let scene = Scene { isolate: Isolate::with_memory((0, 0), (reserved_memory(false), 0)), ..Scene::new(10) };
    let request = UploadRequest { permission: Permission::Key(stored_key("unknown").hash), ..scene.request(1, None) };
    let slow = scene.world.process(None).yielding();
    let mut unknown = pin!(admit(&slow, &scene.isolate, &request));
    assert!(unknown.as_mut().now_or_never().is_none());
    // During the look-up, an upload that needs all of the memory gets it.
    let body = stream::iter([Ok(form(&small_video()).body())]);
    assert_eq!(code(scene.receive(&scene.world.process(None), 2, body)), None);
    let refused = unknown.now_or_never().unwrap().err().map(|refusal| refusal.code);
    assert_eq!(refused, Some(ErrorCode::ApiKeyInvalid));
}
