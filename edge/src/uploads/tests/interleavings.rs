//! Concurrent uploads and the sweep, interleaved step by step in random order: the limit holds, no live upload is
//! disturbed, and nothing is left over.

use super::captions::with_captions;
use super::scene::{Scene, TOKEN, form};
use crate::base::refusal::Refusal;
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use crate::uploads::AcceptedUpload;
use contract::ErrorCode;
use fixtures::Form;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Result<AcceptedUpload, Refusal>> + 'a>>;

pub(super) fn random_below(entropy: &mut Seeded, bound: usize) -> usize {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    usize::try_from(u64::from_le_bytes(bytes) % bound as u64).unwrap()
}

/// Polls the uploads in random order. In between, time passes, the sweep runs, and some uploads are dropped. The
/// channel never has more uploads open than it may.
pub(super) fn run(
    scene: &Scene,
    entropy: &mut Seeded,
    mut running: Vec<Running<'_>>,
) -> Vec<Result<AcceptedUpload, Refusal>> {
    let mut context = Context::from_waker(Waker::noop());
    let mut ended = Vec::new();
    while !running.is_empty() {
        let chosen = random_below(entropy, running.len());
        match random_below(entropy, 20) {
            0 => scene.sweep(),
            1 => scene.world.pass(20),
            2 => drop(running.remove(chosen)),
            _ => {
                if let Poll::Ready(outcome) = running[chosen].as_mut().poll(&mut context) {
                    ended.push(outcome);
                    drop(running.remove(chosen));
                }
            }
        }
        assert!(scene.open_uploads() <= u64::from(scene.max_open_uploads), "{} are open", scene.open_uploads());
    }
    ended
}

pub(super) fn upload(scene: &Scene, seed: u64, form: Form) -> Running<'_> {
    let process = scene.world.process(None).yielding();
    Box::pin(async move {
        let body = form.body();
        let length = body.len() as u64;
        scene.uploading(&process, seed, body, Some(length)).await
    })
}

pub(super) fn check_invariants_at_rest(scene: &Scene) {
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
}

#[test]
fn no_interleaving_exceeds_the_limit_or_loses_a_slot() {
    const LIMIT: u32 = 3;
    let mut successes = 0;
    let rounds = fixtures::cases(30_u64, 150);
    for round in 0..rounds {
        let mut entropy = Seeded::new(round);
        let scene = Scene { chunk: 500, ..Scene::new(LIMIT) };
        let video = |index: u8| fixtures::mp4(5_000, 2_000, index);
        let uploads = (0..10_u8).map(|index| match index % 4 {
            3 => upload(&scene, u64::from(index), form(b"text that is not a video, although its name says so")),
            2 => upload(&scene, u64::from(index), with_captions(form(&video(index)))),
            _ => upload(&scene, u64::from(index), form(&video(index))),
        });
        let ended = run(&scene, &mut entropy, uploads.collect());
        let accepted = ended.iter().filter(|outcome| outcome.is_ok()).count() as u64;
        let explained =
            [ErrorCode::ContentUploadLimitFailure, ErrorCode::ContentFileInvalidFormat, ErrorCode::UploadTooSlow];
        for error in ended.iter().filter_map(|outcome| outcome.as_ref().err()) {
            assert!(explained.contains(&error.code), "{error:?}");
        }
        assert!(accepted <= scene.contents() && scene.contents() <= u64::from(LIMIT));
        successes += accepted;
        check_invariants_at_rest(&scene);
    }
    println!("interleavings under a limit: {rounds} rounds, {successes} successes, 0 violations");
    assert!(successes > rounds);
}

#[test]
fn no_interleaving_creates_two_contents_from_one_token() {
    let mut replays = 0;
    let rounds = fixtures::cases(30_u64, 150);
    for round in 0..rounds {
        let mut entropy = Seeded::new(round);
        let scene = Scene { chunk: 500, ..Scene::new(20) };
        let video = fixtures::mp4(5_000, 2_000, 1);
        let uploads = (0..6_u64).map(|seed| {
            let form = if seed % 2 == 0 {
                Form::new().text("upload_token", TOKEN).file("file", "a", &video)
            } else {
                form(&video).text("upload_token", TOKEN)
            };
            upload(&scene, seed, form)
        });
        let ended = run(&scene, &mut entropy, uploads.collect());
        assert!(scene.contents() <= 1, "round {round}");
        replays += ended.iter().filter(|outcome| outcome.as_ref().is_ok_and(|one| one.is_replay)).count();
        for error in ended.iter().filter_map(|outcome| outcome.as_ref().err()) {
            let explained = [ErrorCode::UploadInProgress, ErrorCode::UploadTooSlow];
            assert!(explained.contains(&error.code), "{error:?}");
        }
        check_invariants_at_rest(&scene);
    }
    println!("interleavings with one token: {rounds} rounds, {replays} replays, 0 violations");
}
