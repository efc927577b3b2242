//! Uploads beside each other and beside the sweep, step by step in random order: no limit is passed, no live upload is
//! touched, and all comes to rest.

use super::scene::{LONG_AFTER, Scene, TOKEN, form};
use crate::entropy::Entropy;
use crate::entropy::testing::Seeded;
use crate::error::ApiError;
use crate::intake::Accepted;
use contract::ErrorCode;
use fixtures::Form;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

type Running<'a> = Pin<Box<dyn Future<Output = Result<Accepted, ApiError>> + 'a>>;

fn random_below(entropy: &mut Seeded, bound: usize) -> usize {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    usize::try_from(u64::from_le_bytes(bytes) % bound as u64).unwrap()
}

/// Polls the uploads in random order, lets time pass and the sweep run between; some are dropped on the way.
fn run(
    scene: &Scene,
    entropy: &mut Seeded,
    mut running: Vec<Running<'_>>,
) -> Vec<Result<Accepted, ApiError>> {
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
    }
    ended
}

fn upload(scene: &Scene, seed: u64, form: Form) -> Running<'_> {
    let process = scene.world.process(None).yielding();
    Box::pin(async move {
        let body = form.body();
        let length = body.len() as u64;
        scene.uploading(&process, seed, body, Some(length)).await
    })
}

fn come_to_rest(scene: &Scene) {
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    assert_eq!(scene.faults_at_rest(), Vec::<String>::new());
}

#[test]
fn no_interleaving_passes_the_limit_or_loses_a_slot() {
    const LIMIT: u32 = 3;
    let mut successes = 0;
    for round in 0..150 {
        let mut entropy = Seeded::new(round);
        let scene = Scene {
            chunk: 500,
            ..Scene::new(LIMIT)
        };
        let video = |index: u8| fixtures::mp4(5_000, 2_000, index);
        let uploads = (0..10_u8).map(|index| match index % 4 {
            3 => upload(
                &scene,
                u64::from(index),
                form(b"text that is no video, whatever its name says of it"),
            ),
            _ => upload(&scene, u64::from(index), form(&video(index))),
        });
        let ended = run(&scene, &mut entropy, uploads.collect());
        let accepted = ended.iter().filter(|outcome| outcome.is_ok()).count() as u64;
        let explained = [
            ErrorCode::ContentUploadLimitFailure,
            ErrorCode::ContentFileInvalidFormat,
            ErrorCode::UploadTooSlow,
        ];
        for error in ended.iter().filter_map(|outcome| outcome.as_ref().err()) {
            assert!(explained.contains(&error.code), "{error:?}");
        }
        assert!(accepted <= scene.contents() && scene.contents() <= u64::from(LIMIT));
        successes += accepted;
        come_to_rest(&scene);
    }
    println!("interleavings under a limit: 150 rounds, {successes} successes, 0 violations");
    assert!(successes > 150);
}

#[test]
fn no_interleaving_makes_two_contents_of_one_token() {
    let mut replays = 0;
    for round in 0..150 {
        let mut entropy = Seeded::new(round);
        let scene = Scene {
            chunk: 500,
            ..Scene::new(20)
        };
        let video = fixtures::mp4(5_000, 2_000, 1);
        let uploads = (0..6_u64).map(|seed| {
            let form = if seed % 2 == 0 {
                Form::new()
                    .text("upload_token", TOKEN)
                    .file("file", "a", &video)
            } else {
                form(&video).text("upload_token", TOKEN)
            };
            upload(&scene, seed, form)
        });
        let ended = run(&scene, &mut entropy, uploads.collect());
        assert!(scene.contents() <= 1, "round {round}");
        replays += ended
            .iter()
            .filter(|outcome| outcome.as_ref().is_ok_and(|one| one.is_replay))
            .count();
        for error in ended.iter().filter_map(|outcome| outcome.as_ref().err()) {
            let explained = [ErrorCode::UploadInProgress, ErrorCode::UploadTooSlow];
            assert!(explained.contains(&error.code), "{error:?}");
        }
        come_to_rest(&scene);
    }
    println!("interleavings with one token: 150 rounds, {replays} replays, 0 violations");
}
