//! The evidence of removed contents that their owners deleted.

use super::{decide_about, reported};
use crate::base::ids::ChannelId;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::moderation::decisions::DecisionKind;
use crate::moderation::evidence::{self, Evidence};
use contract::ContentState;
use contract::moderation::Recommendation::Review;
use futures_executor::block_on;

const DAYS_90: u64 = 90 * 86_400;

/// The owner deletes the content, and evidence is kept for these seconds.
fn delete_keeping(scene: &Scene, seconds: u64) {
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    let until = scene.now() + seconds;
    block_on(delete(&scene.world.database, content, scene.now(), until)).unwrap();
}

fn kept(scene: &Scene) -> Vec<Evidence> {
    block_on(evidence::list(&scene.world.database, None, 10)).unwrap()
}

fn removed() -> Scene {
    let scene = reported(None, processed(&[Review]));
    scene.rule("UPDATE contents SET caption = 'Look', ai_summary_of_content = 'A fall'").unwrap();
    scene.store("media/c/1/video.mp4");
    decide_about(&scene, DecisionKind::Reject);
    scene
}

#[test]
fn a_deleted_rejected_content_keeps_its_texts_and_files_until_the_retention_ends() {
    let scene = removed();
    delete_keeping(&scene, DAYS_90);
    let deleted = scene.count("SELECT count(*) AS number FROM contents WHERE state = 'deleted' AND caption IS NULL");
    assert_eq!(deleted, 1);
    let evidence = &kept(&scene)[0];
    assert_eq!((evidence.caption.as_deref(), evidence.summary.as_deref()), (Some("Look"), Some("A fall")));
    assert_eq!((evidence.state, evidence.has_video), (ContentState::Rejected, 1));
    let actions = "SELECT count(*) AS number FROM trail WHERE action = 'removed_content_deleted'
         AND actor = 'account:1' AND subject = 'content:c'";
    assert_eq!(scene.count(actions), 1);
    scene.sweep();
    scene.pass(DAYS_90 - 10);
    scene.sweep();
    assert!(scene.objects().contains(&"media/c/1/video.mp4".to_owned()));
    assert_eq!(kept(&scene).len(), 1);
    scene.pass(10);
    scene.sweep();
    assert!(!scene.objects().contains(&"media/c/1/video.mp4".to_owned()));
    assert_eq!(kept(&scene), []);
}

#[test]
fn nothing_is_kept_of_a_content_that_moderation_did_not_remove() {
    let scene = reported(None, processed(&[Review]));
    delete_keeping(&scene, DAYS_90);
    assert_eq!(kept(&scene), []);
    let scene = removed();
    scene.rule("UPDATE contents SET error_code = 'content_video_duration_invalid'").unwrap();
    delete_keeping(&scene, DAYS_90);
    assert_eq!(kept(&scene), []);
    let scene = removed();
    delete_keeping(&scene, 0);
    assert_eq!(kept(&scene), []);
}
