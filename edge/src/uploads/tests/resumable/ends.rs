//! An upload ends with its key, and with the suspension of its channel.

use super::super::scene::{CHANNEL, Scene, large_video, stored_key};
use super::client::{Client, code};
use crate::base::unix_seconds::UnixSeconds;
use crate::moderation::suspensions::{ChannelChange, suspend};
use crate::people::keys::key_store;
use contract::ErrorCode;
use futures_executor::block_on;

#[derive(Clone, Copy, Debug)]
enum End {
    Deletion,
    Rotation,
    Suspension,
}

const ENDS: [End; 3] = [End::Deletion, End::Rotation, End::Suspension];

fn end(scene: &Scene, end: End) {
    let (database, now) = (&scene.world.database, UnixSeconds(scene.world.now_unix.get()));
    match end {
        End::Deletion => assert!(block_on(key_store::delete(database, CHANNEL)).unwrap()),
        End::Rotation => {
            assert!(block_on(key_store::rotate(database, CHANNEL, &stored_key("another"), 0, now)).unwrap().is_some());
        }
        End::Suspension => {
            let change = ChannelChange { channel_id: CHANNEL, reason: "a reason", by: "a person" };
            assert!(block_on(suspend(database, change, now)).unwrap());
        }
    }
}

#[test]
fn an_unfinished_upload_ends_with_its_key_or_its_channel() {
    for how in ENDS {
        for is_parked in [false, true] {
            let scene = Scene::new(10);
            let client = Client::new(&scene, &large_video());
            client.create().unwrap();
            client.append(0, 300_000).unwrap();
            if is_parked {
                scene.world.pass(200);
                scene.sweep();
            }
            end(&scene, how);
            assert_eq!(code(client.append(300_000, 10)), Some(ErrorCode::UploadNotFound), "{how:?}");
            assert_eq!(scene.used(), 0, "{how:?}");
            assert_eq!(scene.violations_after_sweep(), Vec::<String>::new(), "{how:?}");
        }
    }
}

#[test]
fn the_outcome_of_an_accepted_upload_outlives_its_key() {
    for how in ENDS {
        let scene = Scene::new(10);
        let client = Client::new(&scene, &large_video());
        client.create().unwrap();
        client.append(0, usize::MAX).unwrap();
        end(&scene, how);
        assert_eq!(client.offset(), large_video().len() as u64, "{how:?}");
        assert_eq!((scene.violations_after_sweep(), scene.contents()), (Vec::<String>::new(), 1), "{how:?}");
    }
}

/// Whatever step the upload has reached, no content is made once the key has ended.
#[test]
fn no_content_is_made_after_the_key_ended() {
    let whole = Scene::new(10);
    let client = Client::new(&whole, &large_video());
    client.create().unwrap();
    let process = whole.world.process(None);
    client.append_by(&process, 0, usize::MAX, false).unwrap().unwrap();
    for steps in 0..process.operations() {
        let scene = Scene::new(10);
        let client = Client::new(&scene, &large_video());
        client.create().unwrap();
        let process = scene.world.process(None).yielding();
        let mut request = Box::pin(client.appending(&process, 0, usize::MAX, false));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let mut is_ready = false;
        while process.operations() < steps && !is_ready {
            is_ready = request.as_mut().poll(&mut context).is_ready();
        }
        let contents = scene.contents();
        end(&scene, End::Deletion);
        while !is_ready {
            is_ready = request.as_mut().poll(&mut context).is_ready();
        }
        assert_eq!(scene.contents(), contents, "after {steps} operations");
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new(), "after {steps} operations");
    }
}
