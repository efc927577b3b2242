//! Several requests continue one upload at the same time.

use super::super::interleavings::random_below;
use super::super::scene::{PART_BYTES, Scene, large_video};
use super::client::{Client, code};
use crate::base::refusal::Refusal;
use crate::platform::entropy::testing::Seeded;
use crate::platform::error::PlatformError;
use crate::uploads::resumable::{Appended, Outcome, settled};
use contract::ErrorCode;
use futures_util::{FutureExt, StreamExt, stream};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

#[test]
fn the_later_request_wins_and_the_earlier_one_ends_at_its_next_checkpoint() {
    let scene = Scene { chunk: 10_000, ..Scene::new(10) };
    let client = Client { seconds_per_chunk: 1, ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    let process = scene.world.process(None).yielding();
    let mut earlier = Box::pin(client.appending(&process, 0, usize::MAX, false));
    let mut context = Context::from_waker(Waker::noop());
    for _ in 0..5 {
        assert!(earlier.as_mut().poll(&mut context).is_pending());
    }
    client.append(0, 50_000).unwrap();
    let ended = loop {
        if let Poll::Ready(outcome) = earlier.as_mut().poll(&mut context) {
            break outcome;
        }
    };
    assert_eq!(code(ended), Some(ErrorCode::UploadSuperseded));
    assert_eq!(client.offset(), 50_000);
    client.finish().unwrap();
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    assert!(client.is_stored());
}

#[test]
fn a_request_at_another_offset_is_refused_and_disturbs_nobody() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, 100).unwrap();
    for wrong in [0, 99, 101, 1 << 40] {
        assert_eq!(code(client.append(wrong, 10)), Some(ErrorCode::UploadOffsetMismatch));
    }
    assert_eq!(client.offset(), 100);
}

/// Polls a request until it has received everything so far.
fn poll_some(request: &mut Pin<Box<dyn Future<Output = Result<Appended, Refusal>> + '_>>, times: u32) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    (0..times).any(|_| request.as_mut().poll(&mut context).is_ready())
}

#[test]
fn a_client_that_asks_at_once_is_told_what_was_being_stored() {
    let scene = Scene { chunk: 10_000, ..Scene::new(10) };
    let client = Client { seconds_per_chunk: 1, ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    let process = scene.world.process(None).yielding();
    let mut broken: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(client.appending(&process, 0, 70_000, true));
    assert!(!poll_some(&mut broken, 2));
    let looking = scene.world.process(None);
    let mut settled = Box::pin(settled(&looking, &client.location));
    let mut context = Context::from_waker(Waker::noop());
    assert!(settled.as_mut().poll(&mut context).is_pending());
    assert!(poll_some(&mut broken, 1_000));
    scene.world.pass(1);
    let Poll::Ready(Ok(progress)) = settled.as_mut().poll(&mut context) else { panic!("it does not end") };
    assert_eq!(progress.received, 70_000);
}

/// A phone in a tunnel breaks no connection, and the client comes back on another one.
#[test]
fn what_a_silent_client_has_sent_is_recorded_within_a_second() {
    let scene = Scene { chunk: 10_000, ..Scene::new(10) };
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    let sent: Vec<_> = client.file[..3 * PART_BYTES + 7].chunks(10_000).map(|chunk| Ok(chunk.to_vec())).collect();
    let body = stream::iter(sent).chain(stream::pending::<Result<Vec<u8>, PlatformError>>());
    let process = scene.world.process(None);
    let mut request: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(client.appending_stream(&process, 0, body));
    assert!(!poll_some(&mut request, 3));
    scene.world.pass(1);
    assert!(!poll_some(&mut request, 3));
    assert_eq!(client.offset(), 3 * PART_BYTES as u64);
}

#[test]
fn nobody_waits_longer_than_two_seconds_for_a_request_that_died() {
    let scene = Scene { chunk: 10_000, ..Scene::new(10) };
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    let process = scene.world.process(None).yielding();
    let mut dead: Pin<Box<dyn Future<Output = _> + '_>> = Box::pin(client.appending(&process, 0, 70_000, true));
    assert!(!poll_some(&mut dead, 2));
    drop(dead);
    let looking = scene.world.process(None);
    let mut settled = Box::pin(settled(&looking, &client.location));
    let mut context = Context::from_waker(Waker::noop());
    let mut seconds = 0;
    while settled.as_mut().poll(&mut context).is_pending() {
        scene.world.pass(1);
        seconds += 1;
        // The fake clock has whole seconds only, and each of the six pauses takes one.
        assert!(seconds <= 6, "it waits forever");
    }
    client.finish().unwrap();
}

/// A client that looks and continues until the upload is accepted.
async fn persist(client: &Client<'_>, seed: u64) {
    let mut entropy = Seeded::new(seed);
    let process = client.scene.world.process(None).yielding();
    for _ in 0..1_000 {
        let Ok(progress) = client.look() else { return };
        if matches!(progress.outcome, Outcome::Accepted(_)) {
            return;
        }
        let (bytes, breaks) = (random_below(&mut entropy, 500_000), random_below(&mut entropy, 3) == 0);
        if let Err(refusal) = client.appending(&process, progress.received, bytes, breaks).await {
            let explained = [
                ErrorCode::UploadSuperseded,
                ErrorCode::UploadOffsetMismatch,
                ErrorCode::RequestMalformed,
                ErrorCode::UploadTooSlow,
            ];
            let is_race = refusal.code == ErrorCode::InternalError;
            assert!(is_race || explained.contains(&refusal.code), "{refusal:?}");
        }
    }
    panic!("the upload never ends");
}

#[test]
fn no_interleaving_of_two_writers_loses_or_doubles_anything() {
    let rounds = fixtures::cases(200_u64, 10_000);
    for round in 0..rounds {
        let mut entropy = Seeded::new(round);
        let scene = Scene { chunk: 40_000, ..Scene::new(10) };
        let client = Client { seconds_per_chunk: round % 2, ..Client::new(&scene, &large_video()) };
        client.create().unwrap();
        let mut running: Vec<Pin<Box<dyn Future<Output = ()> + '_>>> =
            (0..2).map(|seed| persist(&client, round * 2 + seed).boxed_local()).collect();
        let mut context = Context::from_waker(Waker::noop());
        while !running.is_empty() {
            let chosen = random_below(&mut entropy, running.len());
            match random_below(&mut entropy, 200) {
                0 => scene.sweep(),
                1 => scene.world.pass(20),
                _ if running[chosen].as_mut().poll(&mut context).is_ready() => drop(running.remove(chosen)),
                _ => {}
            }
        }
        assert!(scene.world.objects.borrow().values().any(|bytes| *bytes == client.file), "round {round}");
        assert_eq!((scene.violations_after_sweep(), scene.contents()), (Vec::<String>::new(), 1), "round {round}");
    }
    println!("interleavings of two writers: {rounds} rounds, 0 violations");
}
