//! The statistics of a month: who decided what, after how long, and what became of appeals.

use super::{decide_about, reported};
use crate::base::ids::ChannelId;
use crate::contents::owner_changes::{OwnedContent, appeal};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::moderation::decisions::{BrokenPolicy, DecisionKind, DecisionRequest, decide};
use crate::moderation::statistics::{Month, of_month};
use contract::api::{AppealCounts, DecisionAction, DecisionCount, ModerationStatistics};
use contract::moderation::Recommendation::{Pass, Reject, Review};
use futures_executor::block_on;

fn this_month(scene: &Scene) -> ModerationStatistics {
    block_on(of_month(&scene.world.database, None, scene.now())).unwrap()
}

fn count(action: DecisionAction, number: u64, median_seconds: Option<u64>) -> DecisionCount {
    DecisionCount { action, policy_code: None, number, median_seconds }
}

#[test]
fn a_decision_is_counted_with_the_time_since_the_video_began_to_wait() {
    let scene = reported(None, processed(&[Review]));
    scene.pass(340);
    decide_about(&scene, DecisionKind::Approve);
    let month = this_month(&scene);
    assert_eq!(month.decisions, [count(DecisionAction::Approve, 1, Some(336))]);
    assert_eq!((month.automatic_rejections, month.appeals), (0, AppealCounts::default()));
}

#[test]
fn an_appeal_is_counted_when_it_is_made_and_when_it_is_decided() {
    let scene = reported(None, processed(&[Pass]));
    let content_uuid = &uuid();
    let (kind, policy) = (DecisionKind::TakeDown, Some(BrokenPolicy { code: "violence", text: "A rule." }));
    let request = DecisionRequest { kind, content_uuid, reason: "r", by: "Ada", policy, kept_frames: &[] };
    block_on(decide(&scene.world.database, &request, scene.now())).unwrap();
    scene.pass(100);
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid };
    block_on(appeal(&scene.world.database, owned, "It is art.", scene.now())).unwrap();
    assert_eq!(this_month(&scene).appeals, AppealCounts { made: 1, ..AppealCounts::default() });
    scene.pass(50);
    decide_about(&scene, DecisionKind::Restore);
    let month = this_month(&scene);
    assert_eq!(month.appeals, AppealCounts { made: 1, granted: 1, rejected: 0 });
    // A removal that nobody had asked for has not waited.
    let removal =
        DecisionCount { policy_code: Some("violence".to_owned()), ..count(DecisionAction::TakeDown, 1, None) };
    let decisions = [count(DecisionAction::Restore, 1, Some(50)), removal];
    assert_eq!(month.decisions, decisions);
}

#[test]
fn what_no_person_rejected_is_counted_apart() {
    let scene = reported(None, processed(&[Reject]));
    let month = this_month(&scene);
    assert_eq!((month.automatic_rejections, month.decisions), (1, Vec::new()));
}

#[test]
fn a_month_has_its_own_decisions() {
    let scene = reported(None, processed(&[Review]));
    decide_about(&scene, DecisionKind::Approve);
    scene.pass(40 * 86_400);
    decide_about(&scene, DecisionKind::TakeDown);
    assert_eq!(this_month(&scene).decisions, [count(DecisionAction::TakeDown, 1, None)]);
    let october = Month::parse("2024-10").unwrap();
    let month = block_on(of_month(&scene.world.database, Some(&october), scene.now())).unwrap();
    assert_eq!((month.month.as_str(), month.decisions), ("2024-10", vec![count(DecisionAction::Approve, 1, Some(0))]));
}
