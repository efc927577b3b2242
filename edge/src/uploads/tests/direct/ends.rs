//! Everything that ends a token, or an upload with it.

use super::super::key_changes::KeyChange;
use super::super::resumable::client::Client;
use super::super::scene::{CHANNEL, Scene, form, large_video, small_video};
use super::{Direct, code, create, create_as, request};
use crate::people::owner::Owner;
use crate::uploads::slot::lease::RENEW_AFTER_SECONDS;
use contract::api::DirectUploadState;
use futures_util::{FutureExt, StreamExt, stream};
use std::cell::Cell;

/// Runs an upload during which something happens before each of its chunks in turn. Returns the codes of the refusals.
fn interrupted(scene: impl Fn() -> Scene, happen: impl Fn(&Direct<'_>)) -> Vec<Option<&'static str>> {
    let body = form(&large_video()).body();
    let chunks: Vec<Vec<u8>> = body.chunks(16_000).map(<[u8]>::to_vec).collect();
    let codes = (0..chunks.len()).map(|at| {
        let scene = scene();
        let (direct, received) = (Direct::new(&scene), Cell::new(0));
        let body = stream::iter(chunks.clone().into_iter().map(Ok)).inspect(|_| {
            if received.replace(received.get() + 1) == at {
                happen(&direct);
                scene.world.pass(RENEW_AFTER_SECONDS);
            }
        });
        let request = direct.request(1, body_length(&chunks));
        let outcome = scene.run(&scene.world.process(None), request, body).now_or_never().unwrap();
        let refused = code(outcome);
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new(), "chunk {at}");
        refused
    });
    codes.collect()
}

fn body_length(chunks: &[Vec<u8>]) -> u64 {
    chunks.iter().map(Vec::len).sum::<usize>() as u64
}

fn all_are(codes: &[Option<&'static str>], expected: &'static str) {
    assert!(codes.iter().all(|code| *code == Some(expected)) && !codes.is_empty(), "{codes:?}");
}

#[test]
fn a_newer_upload_with_the_token_ends_the_earlier_one() {
    let newer = |direct: &Direct<'_>| drop(direct.upload(2, form(&small_video())).unwrap());
    let codes = interrupted(|| Scene::new(10), newer);
    // The token is used up by then.
    all_are(&codes, "direct_upload_token_invalid");
    let begun = |direct: &Direct<'_>| {
        let client = Client::with_seed(direct.scene, &large_video(), 2);
        Client { grant: Some(direct.grant()), ..client }.create().unwrap();
    };
    // A full day is no obstacle, because the slot of the earlier upload is free.
    all_are(&interrupted(|| Scene::new(1), begun), "upload_superseded");
}

#[test]
fn a_newer_upload_ends_an_earlier_resumable_one() {
    let scene = Scene::new(1);
    let direct = Direct::new(&scene);
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    client.append(0, 200_000).unwrap();
    direct.upload(2, form(&small_video())).unwrap();
    assert_eq!(code(client.append(200_000, usize::MAX)), Some("upload_not_found"));
    assert_eq!((scene.contents(), scene.violations_after_sweep()), (1, vec![]));
}

#[test]
fn a_revoked_token_ends_its_upload() {
    let revoke = |direct: &Direct<'_>| assert_eq!(direct.revoke(), Some(DirectUploadState::Revoked));
    all_are(&interrupted(|| Scene::new(10), revoke), "direct_upload_token_invalid");
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    direct.revoke();
    assert_eq!(code(client.append(0, 1_000)), Some("upload_not_found"));
    assert_eq!((direct.state(), direct.revoke()), (DirectUploadState::Revoked, Some(DirectUploadState::Revoked)));
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
}

#[test]
fn a_used_token_cannot_be_revoked_and_the_video_stays() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    direct.upload(1, form(&small_video())).unwrap();
    assert_eq!((direct.revoke(), scene.contents()), (Some(DirectUploadState::Used), 1));
}

#[test]
fn a_token_ends_with_its_key() {
    for change in [KeyChange::Delete, KeyChange::Rotate] {
        let codes = interrupted(|| Scene::new(10), |direct| change.apply(direct.scene));
        all_are(&codes, "direct_upload_token_invalid");
        let scene = Scene::new(10);
        let direct = Direct::new(&scene);
        change.apply(&scene);
        assert_eq!(scene.text("SELECT state AS text FROM direct_uploads"), "revoked", "{change:?}");
        assert_eq!(code(direct.upload(1, form(&small_video()))), Some("direct_upload_token_invalid"));
    }
}

#[test]
fn a_deleted_key_creates_no_token_but_a_user_without_a_key_does() {
    let scene = Scene::new(10);
    KeyChange::Delete.apply(&scene);
    assert!(create(&scene, 1, request()).is_err());
    let direct = create_as(&scene, &Owner::User(CHANNEL), 2, request()).unwrap();
    direct.upload(1, form(&small_video())).unwrap();
    assert_eq!((direct.state(), scene.contents()), (DirectUploadState::Used, 1));
}

#[test]
fn an_unused_token_expires_once_and_is_forgotten_a_week_later() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    scene.world.pass(3_600);
    assert_eq!(direct.state(), DirectUploadState::Expired, "before the sweep");
    assert_eq!(code(direct.upload(1, form(&small_video()))), Some("direct_upload_token_invalid"));
    scene.sweep();
    scene.sweep();
    assert_eq!(direct.events(), "direct_upload.expired{\"direct_upload_id\":\"direct-1\"}");
    let count = || scene.count("SELECT count(*) AS number FROM direct_uploads");
    scene.world.pass(7 * 86_400 - 1);
    scene.sweep();
    assert_eq!(count(), 1);
    scene.world.pass(1);
    scene.sweep();
    assert_eq!(count(), 0);
}

#[test]
fn an_upload_that_began_in_time_may_be_finished_after_the_token_has_expired() {
    let scene = Scene::new(10);
    let direct = create(&scene, 1, request()).unwrap();
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    client.append(0, 200_000).unwrap();
    scene.world.pass(2 * 3_600);
    scene.sweep();
    client.append(200_000, usize::MAX).unwrap();
    let state = scene.text("SELECT state AS text FROM direct_uploads");
    assert_eq!((state.as_str(), scene.contents()), ("used", 1));
    assert!(!direct.events().contains("expired"), "{}", direct.events());
}

#[test]
fn an_unfinished_upload_expires_with_its_token_a_day_later() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    scene.world.pass(25 * 3_600);
    scene.sweep();
    scene.sweep();
    assert_eq!(scene.text("SELECT state AS text FROM direct_uploads"), "expired");
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
}
