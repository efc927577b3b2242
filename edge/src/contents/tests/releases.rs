//! Contents that their owner has to release: nothing else publishes them, and every release can be repeated.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, publish_now, release, reschedule};
use crate::contents::status;
use crate::contents::updates::{ContentChanges, update};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::moderation::decisions::{DecisionKind, DecisionRequest, decide};
use contract::ContentState::{self, Deleted, Failed, Processing, Published, Rejected, Scheduled, TakenDown};
use contract::api::{ContentStatus, Member, UpdateContent};
use contract::moderation::Recommendation::{self, Pass, Review};
use futures_executor::block_on;
use serde_json::Value;

const LATER: Option<u64> = Some(NOON + 1_000);
const A_YEAR: u64 = 365 * 86_400;

fn own(content_uuid: &ContentUuid) -> OwnedContent<'_> {
    OwnedContent { channel_id: ChannelId(1), content_uuid }
}

fn reported(schedule: Option<u64>, recommendation: Recommendation) -> Scene {
    let scene = Scene::unreleased(schedule);
    scene.claim("a", 1);
    assert!(scene.report("a", 1, processed(&[recommendation])).accepted);
    scene
}

/// Returns a content in this state that its owner has not released.
fn scene_in(state: ContentState) -> Scene {
    let scene = if state == Processing { Scene::unreleased(None) } else { reported(None, Pass) };
    match state {
        Processing | Scheduled => {}
        Published => release_own(&scene, Published),
        Rejected | Failed => {
            let unapproved = Scene::unreleased(None);
            unapproved.set_state(state).unwrap();
            return unapproved;
        }
        TakenDown | Deleted => scene.set_state(state).unwrap(),
    }
    scene
}

fn release_now(scene: &Scene) -> ChangeOutcome {
    block_on(release(&scene.world.database, own(&uuid()), scene.now())).unwrap().outcome
}

/// Releases the content, which is in this state afterwards.
fn release_own(scene: &Scene, state: ContentState) {
    let outcome = release_now(scene);
    let ChangeOutcome::Done(status) = outcome else { panic!("{outcome:?}") };
    assert_eq!((status.state, scene.row().state), (state, state));
}

fn moderate(scene: &Scene, kind: DecisionKind) {
    let uuid = uuid();
    let request = DecisionRequest { kind, content_uuid: &uuid, reason: "r", by: "m", policy: None, kept_frames: &[] };
    block_on(decide(&scene.world.database, &request, scene.now())).unwrap();
}

fn needs_release(scene: &Scene) -> bool {
    scene.count("SELECT needs_release AS number FROM contents") == 1
}

fn status_of(scene: &Scene) -> ContentStatus {
    let content = block_on(status::find_owned(&scene.world.database, own(&uuid()))).unwrap().unwrap();
    content.status("https://site.example", scene.now())
}

fn last_event(scene: &Scene) -> Value {
    #[derive(serde::Deserialize)]
    struct Row {
        event: String,
    }
    let row: Row =
        scene.read("SELECT json_object('type', type, 'data', json(data)) AS event FROM events ORDER BY id DESC");
    serde_json::from_str(&row.event).unwrap()
}

#[test]
fn an_approved_video_waits_for_its_release_whatever_its_time_is() {
    let approved = |schedule| {
        let scene = reported(schedule, Review);
        moderate(&scene, DecisionKind::Approve);
        scene
    };
    let restored = |schedule| {
        let scene = reported(schedule, Pass);
        moderate(&scene, DecisionKind::TakeDown);
        assert_eq!(scene.row().state, TakenDown);
        moderate(&scene, DecisionKind::Restore);
        scene
    };
    for schedule in [None, Some(NOON - 1), LATER] {
        for scene in [reported(schedule, Pass), approved(schedule), restored(schedule)] {
            for _ in 0..3 {
                assert_eq!(scene.sweep().published_contents, 0, "{schedule:?}");
                assert_eq!((scene.row().state, scene.row().published_at_unix), (Scheduled, None), "{schedule:?}");
                scene.pass(A_YEAR);
            }
            assert!(needs_release(&scene));
        }
    }
}

#[test]
fn a_release_publishes_an_approved_video_at_once_unless_its_time_is_to_come() {
    for schedule in [None, Some(NOON - 1), Some(NOON)] {
        let scene = reported(schedule, Pass);
        for _ in 0..2 {
            release_own(&scene, Published);
            assert_eq!(scene.row().published_at_unix, Some(NOON), "{schedule:?}");
            scene.pass(60);
        }
    }
    let scene = reported(LATER, Pass);
    for _ in 0..2 {
        release_own(&scene, Scheduled);
    }
    scene.pass(999);
    assert_eq!(scene.sweep().published_contents, 0);
    scene.pass(1);
    assert_eq!(scene.sweep().published_contents, 1);
    assert_eq!(scene.row().published_at_unix, LATER);
}

#[test]
fn a_video_that_is_released_early_is_published_when_it_is_approved() {
    for (schedule, expected) in [(None, Published), (LATER, Scheduled)] {
        let scene = Scene::unreleased(schedule);
        for _ in 0..2 {
            release_own(&scene, Processing);
        }
        scene.claim("a", 1);
        scene.report("a", 1, processed(&[Pass]));
        assert_eq!(scene.row().state, expected);
    }
}

#[test]
fn only_a_video_that_was_not_removed_and_has_not_failed_can_be_released() {
    for state in ContentState::ALL {
        let scene = scene_in(*state);
        assert_eq!(scene.row().state, *state);
        let is_possible = matches!(state, Processing | Scheduled | Published);
        for _ in 0..2 {
            let outcome = release_now(&scene);
            assert_eq!(matches!(outcome, ChangeOutcome::Done(_)), is_possible, "{state:?}: {outcome:?}");
        }
        assert_eq!(needs_release(&scene), !is_possible, "{state:?}");
        let other = OwnedContent { channel_id: ChannelId(2), content_uuid: &uuid() };
        let foreign = block_on(release(&scene.world.database, other, scene.now())).unwrap().outcome;
        assert_eq!(foreign, ChangeOutcome::UnknownContent);
    }
}

#[test]
fn a_video_that_needs_no_release_can_be_released() {
    let scene = Scene::scheduled(LATER);
    release_own(&scene, Processing);
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Pass]));
    release_own(&scene, Scheduled);
    assert_eq!(scene.count("SELECT revision AS number FROM contents"), 2);
}

#[test]
fn publishing_now_releases_but_removing_or_changing_the_time_does_not() {
    let scene = reported(LATER, Pass);
    let database = &scene.world.database;
    block_on(reschedule(database, own(&uuid()), UnixSeconds(NOON + 2_000), scene.now())).unwrap();
    assert!(needs_release(&scene));
    let schedule = UpdateContent { scheduled_publish_at_unix: Member::Null, ..UpdateContent::of("c") };
    let changes = ContentChanges::new(schedule).unwrap();
    block_on(update(database, own(&uuid()), &changes, scene.now())).unwrap();
    let status = status_of(&scene);
    assert_eq!((status.state, status.needs_release, status.scheduled_publish_at_unix), (Scheduled, true, None));
    block_on(publish_now(database, own(&uuid()), scene.now())).unwrap();
    assert_eq!((scene.row().state, needs_release(&scene)), (Published, false));
}

#[test]
fn the_owner_is_told_that_a_video_needs_a_release() {
    let scene = Scene::unreleased(LATER);
    assert!(status_of(&scene).needs_release);
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Pass]));
    let status = status_of(&scene);
    assert!(status.needs_release && status.check_after_seconds.is_none(), "{status:?}");
    let detail = "The video is approved. It will be published once its owner releases it.";
    assert_eq!(status.detail.as_deref(), Some(detail));
    let event = last_event(&scene);
    assert_eq!((&event["type"], &event["data"]["needs_release"]), (&"content.scheduled".into(), &true.into()));
    assert_eq!(event["data"]["scheduled_publish_at_unix"], NOON + 1_000);
    release_own(&scene, Scheduled);
    let status = status_of(&scene);
    assert!(!status.needs_release && status.detail.is_none() && status.check_after_seconds == Some(1_000));
    scene.pass(1_000);
    scene.sweep();
    assert!(last_event(&scene)["data"].get("needs_release").is_none());
    let removed = scene_in(Deleted);
    assert!(needs_release(&removed) && !status_of(&removed).needs_release);
}
