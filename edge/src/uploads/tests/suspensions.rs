//! A channel that is suspended during one of its uploads.

use super::scene::{CHANNEL, Scene, form, large_video, small_video};
use crate::base::unix_seconds::UnixSeconds;
use crate::moderation::suspensions::{ChannelChange, suspend};
use crate::uploads::slot::lease::RENEW_AFTER_SECONDS;
use contract::ErrorCode;
use fixtures::Form;
use futures_executor::block_on;
use futures_util::{StreamExt, stream};
use std::cell::Cell;

fn suspend_channel(scene: &Scene) {
    let change = ChannelChange { channel_id: CHANNEL, reason: "spam", by: "a moderator" };
    let now = UnixSeconds(scene.world.now_unix.get());
    assert!(block_on(suspend(&scene.world.database, change, now)).unwrap());
}

#[test]
fn an_upload_whose_channel_is_suspended_meanwhile_is_told_so() {
    let with_token = Form::new().text("upload_token", super::scene::TOKEN).file("file", "a.mp4", &small_video());
    for (name, form) in [("small", form(&small_video())), ("large", form(&large_video())), ("token", with_token)] {
        let chunks: Vec<Vec<u8>> = form.body().chunks(4_000).map(<[u8]>::to_vec).collect();
        for at in 0..chunks.len() {
            let (scene, received) = (Scene::new(10), Cell::new(0));
            let body = stream::iter(chunks.clone().into_iter().map(Ok)).inspect(|_| {
                if received.replace(received.get() + 1) == at {
                    suspend_channel(&scene);
                    scene.world.pass(RENEW_AFTER_SECONDS);
                }
            });
            let refusal = scene.receive(&scene.world.process(None), 1, body).unwrap().unwrap_err();
            assert_eq!(refusal.code, ErrorCode::ChannelSuspended, "{name}, chunk {at}: {refusal:?}");
            assert_eq!(scene.contents() + scene.used(), 0, "{name}, chunk {at}");
        }
    }
}
