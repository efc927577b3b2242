//! Decisions: their effect in each state, and their record.

use super::{HASH, actions, change, decide_about, reported};
use crate::base::ids::ContentUuid;
use crate::contents::life::label::LabelState;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::moderation::blocklist::{block, list};
use crate::moderation::decisions::{DecisionKind, DecisionOutcome, DecisionRequest, LabelRequest, decide, label};
use crate::moderation::history;
use contract::ContentState::{Deleted, Published, Rejected, Scheduled, TakenDown};
use contract::api::DecisionAction;
use contract::moderation::Recommendation::{Pass, Review, Wait};
use futures_executor::block_on;

#[test]
fn an_approval_publishes_or_schedules_a_waiting_content() {
    for waits in [Review, Wait] {
        let scene = reported(None, processed(&[waits]));
        assert_eq!(decide_about(&scene, DecisionKind::Approve), DecisionOutcome::Done(Published));
        let row = scene.row();
        assert_eq!((row.waits_for, row.published_at_unix), (None, Some(NOON)));
    }
    let scene = reported(Some(NOON + 500), processed(&[Review]));
    assert_eq!(decide_about(&scene, DecisionKind::Approve), DecisionOutcome::Done(Scheduled));
    assert_eq!(scene.row().published_at_unix, None);
    for seconds in [500, 600] {
        let due = reported(Some(NOON + 500), processed(&[Review]));
        due.pass(seconds);
        assert_eq!(decide_about(&due, DecisionKind::Approve), DecisionOutcome::Done(Published));
    }
}

#[test]
fn a_rejection_blocks_the_frames_and_sets_the_error_code() {
    let scene = reported(None, processed(&[Review]));
    assert_eq!(decide_about(&scene, DecisionKind::Reject), DecisionOutcome::Done(Rejected));
    assert_eq!(scene.row().error_code.as_deref(), Some("content_moderation_rejected"));
    let blocked = block_on(list(&scene.world.database, None, 10)).unwrap();
    assert_eq!(blocked.len(), 1);
    assert_eq!((blocked[0].hash.as_str(), blocked[0].at_ms), (HASH, Some(40)));
    assert_eq!(blocked[0].content_uuid.as_deref(), Some("c"));
}

#[test]
fn a_decision_needs_a_state_that_allows_it() {
    let expected = [
        (DecisionKind::Approve, [false, true, false, false]),
        (DecisionKind::Reject, [false, true, false, false]),
        (DecisionKind::TakeDown, [false, false, true, true]),
    ];
    for (kind, allowed) in expected {
        let scenes = [
            Scene::new(),
            reported(None, processed(&[Review])),
            reported(Some(NOON + 500), processed(&[Pass])),
            reported(None, processed(&[Pass])),
        ];
        for (scene, is_allowed) in scenes.iter().zip(allowed) {
            let state = scene.row().state;
            let outcome = decide_about(scene, kind);
            assert_eq!(matches!(outcome, DecisionOutcome::Done(_)), is_allowed, "{kind:?} {state:?}");
            if !is_allowed {
                assert_eq!((outcome, scene.row().state), (DecisionOutcome::Conflict(state), state));
                assert_eq!(actions(scene), []);
            }
        }
    }
}

#[test]
fn a_decision_about_an_unknown_content_has_no_effect() {
    let scene = Scene::new();
    let content_uuid = &ContentUuid::new("x");
    let request = DecisionRequest {
        kind: DecisionKind::Approve,
        content_uuid,
        reason: "r",
        by: "m",
        policy: None,
        kept_frames: &[],
    };
    let outcome = block_on(decide(&scene.world.database, &request, scene.now()));
    assert_eq!(outcome.unwrap().outcome, DecisionOutcome::UnknownContent);
}

#[test]
fn a_repeated_decision_is_applied_and_recorded_once() {
    for (kind, state) in [(DecisionKind::Approve, Published), (DecisionKind::Reject, Rejected)] {
        let scene = reported(None, processed(&[Review]));
        for _ in 0..3 {
            assert_eq!(decide_about(&scene, kind), DecisionOutcome::Done(state));
        }
        assert_eq!(actions(&scene).len(), 1);
    }
    let scene = reported(None, processed(&[Pass]));
    for _ in 0..3 {
        assert_eq!(decide_about(&scene, DecisionKind::TakeDown), DecisionOutcome::Done(TakenDown));
    }
    assert_eq!(actions(&scene), [DecisionAction::TakeDown]);
    assert_eq!(decide_about(&scene, DecisionKind::Approve), DecisionOutcome::Conflict(TakenDown));
}

#[test]
fn a_decision_after_a_different_one_is_a_conflict() {
    let scene = reported(None, processed(&[Review]));
    decide_about(&scene, DecisionKind::Approve);
    assert_eq!(decide_about(&scene, DecisionKind::Reject), DecisionOutcome::Conflict(Published));
    decide_about(&scene, DecisionKind::TakeDown);
    assert_eq!(decide_about(&scene, DecisionKind::Approve), DecisionOutcome::Conflict(TakenDown));
    assert_eq!(actions(&scene), [DecisionAction::TakeDown, DecisionAction::Approve]);
}

#[test]
fn a_decision_is_not_repeated_after_the_owner_deleted_the_content() {
    let scene = reported(None, processed(&[Review]));
    decide_about(&scene, DecisionKind::Approve);
    scene.set_state(Deleted).unwrap();
    assert_eq!(decide_about(&scene, DecisionKind::Approve), DecisionOutcome::Conflict(Deleted));
    assert_eq!(actions(&scene), [DecisionAction::Approve]);
}

#[test]
fn a_label_is_set_in_any_state_and_recorded_once() {
    let scene = reported(None, processed(&[Pass]));
    decide_about(&scene, DecisionKind::TakeDown);
    let content_uuid = &uuid();
    let set = |is_sensitive| {
        let (reason, by) = ("blood", "moderator-2");
        let request =
            LabelRequest { content_uuid, is_sensitive: Some(is_sensitive), is_ai_generated: None, reason, by };
        block_on(label(&scene.world.database, &request, scene.now())).unwrap().unwrap()
    };
    for _ in 0..2 {
        let labels = set(true).unwrap();
        assert!(labels.is_sensitive == LabelState::ByModerator && labels.is_ai_generated == LabelState::Unset);
    }
    assert_eq!(actions(&scene), [DecisionAction::Label, DecisionAction::TakeDown]);
    let entries = block_on(history::list(&scene.world.database, None, None, 1)).unwrap();
    assert_eq!(entries[0].decision.reason, "is_sensitive: true. blood");
    // A decision before the label is still recognised when it is repeated.
    assert_eq!(decide_about(&scene, DecisionKind::TakeDown), DecisionOutcome::Done(TakenDown));
    assert_eq!(set(false).map(|labels| labels.is_sensitive), Ok(LabelState::Unset));
    scene.set_state(Deleted).unwrap();
    assert_eq!(set(true), Err(Deleted));
    assert_eq!(actions(&scene).len(), 3);
}

#[test]
fn the_history_is_filtered_by_content_and_continues_before_an_id() {
    let scene = reported(None, processed(&[Pass]));
    let database = &scene.world.database;
    block_on(block(database, change(&[HASH]), scene.now())).unwrap();
    decide_about(&scene, DecisionKind::TakeDown);
    let list = |uuid, before| block_on(history::list(database, uuid, before, 10)).unwrap();
    let all = list(None, None);
    assert_eq!(all.len(), 2);
    assert_eq!(list(None, Some(all[0].id)).len(), 1);
    let about_content = list(Some(&uuid()), None);
    assert_eq!(about_content.len(), 1);
    let decision = &about_content[0].decision;
    assert_eq!((decision.action, decision.decided_at_unix), (DecisionAction::TakeDown, NOON));
    assert_eq!((decision.by.as_str(), decision.reason.as_str()), ("moderator-1", "because"));
}
