//! A key is deleted or rotated during uploads. From then on it creates no content and reads no stored response, and its
//! unfinished uploads are undone.

use super::crash_matrix::{Variant, variants};
use super::interleavings::{Running, check_invariants_at_rest, random_below, run, upload};
use super::scene::{CHANNEL, Scene, TOKEN, form, large_video, small_video, stored_key};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::keys::key_store;
use crate::platform::entropy::testing::Seeded;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::slot::lease::RENEW_AFTER_SECONDS;
use crate::uploads::{AcceptedUpload, Isolate};
use contract::ErrorCode;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{StreamExt, stream};
use std::cell::Cell;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// More polls than any upload needs. A process that died never completes.
const POLLS: usize = 100;

#[derive(Clone, Copy, Debug)]
pub(super) enum KeyChange {
    Delete,
    Rotate,
}

impl KeyChange {
    const ALL: [Self; 2] = [Self::Delete, Self::Rotate];

    /// Deletes the channel's key, or rotates it to the key that `with_new_key` presents.
    pub(super) fn apply(self, scene: &Scene) {
        let (database, now) = (&scene.world.database, UnixSeconds(scene.world.now_unix.get()));
        let changed = match self {
            Self::Delete => block_on(key_store::delete(database, CHANNEL)).unwrap(),
            Self::Rotate => {
                block_on(key_store::rotate(database, CHANNEL, &stored_key("new"), 0, now)).unwrap().is_some()
            }
        };
        assert!(changed, "the channel had no key");
        assert_eq!((scene.open_uploads(), scene.used()), (0, scene.contents()), "a slot outlived its key");
    }
}

/// Returns a scene in the same world, whose uploads present the new key.
fn with_new_key(scene: &Scene) -> Scene {
    let (world, isolate) = (Rc::clone(&scene.world), Isolate::new());
    let unknown_fields = scene.unknown_fields.clone();
    Scene { world, isolate, key: stored_key("new").hash, unknown_fields, ..*scene }
}

/// The result of an upload whose key changes on the way.
pub(super) struct ChangedUpload {
    /// The number of contents at the moment of the change. `None` if the upload ended before it.
    pub contents_at_change: Option<u64>,
    /// `None` if the process died.
    pub answer: Option<Result<AcceptedUpload, Refusal>>,
}

/// Runs an upload and changes the key just before its operation `change_at`.
pub(super) fn upload_with_change(
    scene: &Scene,
    process: &FakePlatform,
    form: &Form,
    change: KeyChange,
    change_at: usize,
) -> ChangedUpload {
    let process = process.clone().yielding();
    let body = form.clone().body();
    let length = body.len() as u64;
    let mut running = Box::pin(scene.uploading(&process, 1, body, Some(length)));
    let mut contents_at_change = None;
    for _ in 0..POLLS {
        if contents_at_change.is_none() && process.operations() >= change_at {
            change.apply(scene);
            contents_at_change = Some(scene.contents());
        }
        if let Poll::Ready(answer) = running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return ChangedUpload { contents_at_change, answer: Some(answer) };
        }
    }
    ChangedUpload { contents_at_change, answer: None }
}

fn ensure_key_invalid(answer: Option<Result<AcceptedUpload, Refusal>>, case: &str) {
    let refusal = answer.unwrap().unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ApiKeyInvalid, "{case}");
    // Every invalid key gets the same answer, so this one must not reveal the state of the channel.
    assert!(refusal.usage.is_none() && refusal.retry_after_seconds.is_none(), "{case}: {refusal:?}");
}

/// Runs the upload once for every moment between two of its operations, and returns how many there were.
fn change_everywhere(variant: &Variant, change: KeyChange) -> usize {
    let (name, form) = (variant.name, &variant.form);
    for change_at in 0.. {
        let case = format!("{name}, {change:?} before operation {change_at}");
        let scene = variant.scene();
        let ChangedUpload { contents_at_change, answer } =
            upload_with_change(&scene, &scene.world.process(None), form, change, change_at);
        match contents_at_change {
            None => return change_at,
            Some(0) => ensure_key_invalid(answer, &case),
            Some(_) => assert!(answer.unwrap().is_ok(), "{case}"),
        }
        assert_eq!(Some(scene.contents()), contents_at_change, "{case}");
        assert_eq!(scene.used(), scene.contents(), "{case}: the slot was not given back at once");
        if matches!(change, KeyChange::Rotate) {
            // The token is free again, and the new key uploads with it.
            let again = with_new_key(&scene);
            again.upload(&scene.world.process(None), 2, form.clone()).unwrap().unwrap();
            assert_eq!(scene.contents(), 1, "{case}");
        }
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new(), "{case}");
    }
    unreachable!("every upload ends")
}

#[test]
fn no_content_is_created_after_its_key_was_deleted_or_rotated() {
    let mut cases = 0;
    for variant in variants() {
        for change in KeyChange::ALL {
            let moments = change_everywhere(&variant, change);
            assert!(moments > 3, "{}: {moments} moments only", variant.name);
            cases += moments;
        }
    }
    println!("a key that dies between any two operations: {cases} cases, 0 violations");
}

/// The operations of a replay: admission, token, stored response.
const OPERATIONS_OF_A_REPLAY: usize = 3;

#[test]
fn the_stored_answer_of_an_upload_is_only_for_a_valid_key() {
    let form = Form::new().text("upload_token", TOKEN).file("file", "a.mp4", &small_video());
    // At a limit of 1, the replay holds no slot.
    for limit in [1, 10] {
        for change in KeyChange::ALL {
            for change_at in 0..=OPERATIONS_OF_A_REPLAY {
                let scene = Scene::new(limit);
                scene.upload(&scene.world.process(None), 2, form.clone()).unwrap().unwrap();
                let replay = upload_with_change(&scene, &scene.world.process(None), &form, change, change_at);
                let case = format!("limit {limit}, {change:?} before operation {change_at}");
                if change_at < OPERATIONS_OF_A_REPLAY {
                    ensure_key_invalid(replay.answer, &case);
                } else {
                    assert!(replay.answer.unwrap().unwrap().is_replay, "{case}");
                }
                assert_eq!((scene.contents(), scene.used()), (1, 1), "{case}");
            }
        }
    }
}

#[test]
fn an_upload_of_a_dead_key_ends_at_its_next_renewal() {
    let chunks: Vec<Vec<u8>> = form(&large_video()).body().chunks(4_000).map(<[u8]>::to_vec).collect();
    for dies_at in 0..chunks.len() {
        let (scene, received) = (Scene::new(10), Cell::new(0));
        let body = stream::iter(chunks.clone().into_iter().map(Ok)).inspect(|_| {
            if received.replace(received.get() + 1) == dies_at {
                KeyChange::Delete.apply(&scene);
                scene.world.pass(RENEW_AFTER_SECONDS);
            }
        });
        let answer = scene.receive(&scene.world.process(None), 1, body);
        ensure_key_invalid(answer, &format!("chunk {dies_at}"));
        assert_eq!(received.get(), dies_at + 1, "the rest was received too");
        assert_eq!(scene.used(), 0);
        check_invariants_at_rest(&scene);
    }
}

#[test]
fn no_interleaving_creates_a_content_with_a_key_that_was_rotated_before() {
    let of_old_key = "SELECT count(*) AS number FROM contents WHERE caption IS NULL";
    let (mut before, mut after) = (0, 0);
    for round in 0..fixtures::cases(30_u64, 150) {
        let mut entropy = Seeded::new(round);
        let old = Scene { chunk: 500, ..Scene::new(20) };
        let new = with_new_key(&old);
        let video = |index: u8| fixtures::mp4(5_000, 3_000, index);
        let uploads = (0..8_u8).map(|index| match index % 2 {
            0 => upload(&old, u64::from(index), form(&video(index))),
            _ => upload(&new, u64::from(index), form(&video(index)).text("caption", "with the new key")),
        });
        let contents_at_change = run_with_rotation(&old, &mut entropy, uploads.collect(), of_old_key);
        assert_eq!(old.count(of_old_key), contents_at_change, "round {round}");
        before += contents_at_change;
        after += old.contents() - contents_at_change;
        check_invariants_at_rest(&old);
    }
    println!("interleavings with a rotation: {before} contents before it, {after} after it with the new key");
    assert!(before > 0 && after > 0);
}

/// Polls the uploads in random order and rotates the key on the way. Returns the result of the query at that moment.
fn run_with_rotation(scene: &Scene, entropy: &mut Seeded, mut running: Vec<Running<'_>>, query: &'static str) -> u64 {
    let mut context = Context::from_waker(Waker::noop());
    let mut steps_left = random_below(entropy, 60);
    while !running.is_empty() && steps_left > 0 {
        steps_left -= 1;
        let chosen = random_below(entropy, running.len());
        if running[chosen].as_mut().poll(&mut context).is_ready() {
            drop(running.remove(chosen));
        }
    }
    KeyChange::Rotate.apply(scene);
    let counted = scene.count(query);
    run(scene, entropy, running);
    counted
}
