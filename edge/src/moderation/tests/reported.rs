//! Reported contents that their owners delete before a moderator decides.

use super::removed::{blocked, is_file_blocked, kept};
use super::{HASH, actions, decide_about, decide_with, reported};
use crate::base::ids::ChannelId;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::moderation::decisions::{DecisionKind, DecisionOutcome};
use crate::moderation::evidence::{self, Evidence};
use crate::moderation::flags::{ViewerReport, dismiss, record_report};
use crate::moderation::tests::recheck::flagged;
use crate::upkeep::accounts::erasure::{ErasureOrder, begin, continue_erasure};
use contract::ContentState::{Deleted, Published, TakenDown};
use contract::moderation::Recommendation::Pass;
use futures_executor::block_on;

const DAYS_90: u64 = 90 * 86_400;
const VIDEO: &str = "media/c/1/video.mp4";

/// A published content that a viewer has reported.
fn reported_by_viewer() -> Scene {
    let scene = reported(None, processed(&[Pass]));
    scene.rule("UPDATE contents SET caption = 'Look', ai_summary_of_content = 'A fall'").unwrap();
    scene.store(VIDEO);
    let report = ViewerReport { slug_url: "s", reporter: "a", reason: "violence", text: "they fight" };
    assert!(block_on(record_report(&scene.world.database, report, scene.now())).unwrap().is_some());
    scene
}

fn delete_keeping(scene: &Scene, seconds: u64) {
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    for _ in 0..2 {
        block_on(delete(&scene.world.database, content, scene.now(), scene.now() + seconds)).unwrap();
    }
    assert_eq!(scene.row().state, Deleted);
}

fn deleted() -> Scene {
    let scene = reported_by_viewer();
    delete_keeping(&scene, DAYS_90);
    scene
}

fn evidence_of(scene: &Scene) -> Vec<Evidence> {
    block_on(evidence::list(&scene.world.database, None, 10)).unwrap()
}

fn is_stored(scene: &Scene) -> bool {
    scene.objects().contains(&VIDEO.to_owned())
}

fn sweep_after(scene: &Scene, seconds: u64) {
    scene.pass(seconds);
    scene.sweep();
}

#[test]
fn a_reported_content_stays_flagged_with_its_report_and_texts_when_its_owner_deletes_it() {
    let scene = deleted();
    let flag = &flagged(&scene)[0];
    assert_eq!((flag.state, flag.reports, flag.caption.as_deref()), (Deleted, 1, Some("Look")));
    assert_eq!(flag.latest_reports[0].text, "they fight");
    let evidence = &evidence_of(&scene)[0];
    assert_eq!((evidence.state, evidence.summary.as_deref()), (Published, Some("A fall")));
    let row = "SELECT count(*) AS number FROM contents WHERE caption IS NULL AND ai_summary_of_content IS NULL";
    assert_eq!(scene.count(row), 1);
    let trail = "SELECT count(*) AS number FROM trail WHERE action = 'flagged_content_deleted' AND actor = 'account:1'";
    assert_eq!(scene.count(trail), 1);
}

#[test]
fn the_removal_of_a_deleted_reported_content_blocks_its_frames_and_its_file() {
    for kind in [DecisionKind::TakeDown, DecisionKind::Reject] {
        let scene = deleted();
        for _ in 0..2 {
            assert_eq!(decide_with(&scene, kind, &[kept(HASH)]), DecisionOutcome::Done(Deleted));
        }
        assert_eq!((blocked(&scene), is_file_blocked(&scene)), (vec![HASH.to_owned()], true));
        assert_eq!((actions(&scene), flagged(&scene).len()), (vec![kind.action()], 0));
        assert_eq!(evidence_of(&scene)[0].state, TakenDown);
        let reports = "SELECT count(*) AS number FROM abuse_reports";
        assert_eq!(scene.count(reports), 0);
        // The evidence is kept as for every removed content.
        sweep_after(&scene, 0);
        sweep_after(&scene, DAYS_90 - 10);
        assert!(is_stored(&scene));
        sweep_after(&scene, 10);
        assert_eq!((is_stored(&scene), evidence_of(&scene).len()), (false, 0));
    }
}

#[test]
fn a_deleted_reported_content_can_neither_be_approved_nor_restored() {
    let scene = deleted();
    for kind in [DecisionKind::Approve, DecisionKind::Restore] {
        assert_eq!(decide_about(&scene, kind), DecisionOutcome::Conflict(Deleted));
    }
    decide_about(&scene, DecisionKind::TakeDown);
    assert_eq!(decide_about(&scene, DecisionKind::Restore), DecisionOutcome::Conflict(Deleted));
}

#[test]
fn nothing_is_kept_of_a_deleted_content_whose_flag_is_dismissed() {
    let scene = deleted();
    sweep_after(&scene, 0);
    sweep_after(&scene, 7_200);
    assert!(is_stored(&scene));
    assert!(block_on(dismiss(&scene.world.database, &uuid(), "looks fine", "Ada")).unwrap());
    assert_eq!((flagged(&scene).len(), evidence_of(&scene).len()), (0, 0));
    sweep_after(&scene, 60);
    sweep_after(&scene, 60);
    assert!(!is_stored(&scene));
    assert_eq!(decide_with(&scene, DecisionKind::TakeDown, &[kept(HASH)]), DecisionOutcome::Conflict(Deleted));
    assert_eq!((blocked(&scene).len(), is_file_blocked(&scene)), (0, false));
}

#[test]
fn an_undecided_report_ends_with_the_retention_of_its_evidence() {
    let scene = deleted();
    sweep_after(&scene, 0);
    sweep_after(&scene, DAYS_90);
    sweep_after(&scene, 60);
    assert_eq!((flagged(&scene).len(), evidence_of(&scene).len(), is_stored(&scene)), (0, 0, false));
    assert_eq!(decide_about(&scene, DecisionKind::TakeDown), DecisionOutcome::Conflict(Deleted));
}

#[test]
fn an_operator_who_keeps_no_evidence_keeps_no_report_of_a_deleted_content() {
    let scene = reported_by_viewer();
    delete_keeping(&scene, 0);
    assert_eq!((flagged(&scene).len(), evidence_of(&scene).len()), (0, 0));
}

#[test]
fn a_reported_content_of_an_erased_account_stays_decidable() {
    let scene = reported_by_viewer();
    let evidence_until = scene.now() + DAYS_90;
    let order = ErasureOrder { account_id: 1, reason: "asked", by: "Ada", evidence_until };
    block_on(begin(&scene.world.database, order, scene.now())).unwrap();
    let progress = block_on(continue_erasure(&scene.world.process(None), ChannelId(1))).unwrap();
    assert_eq!((progress.contents_waiting, scene.row().state), (1, Deleted));
    assert_eq!(flagged(&scene)[0].caption.as_deref(), Some("Look"));
    assert_eq!(decide_with(&scene, DecisionKind::TakeDown, &[kept(HASH)]), DecisionOutcome::Done(Deleted));
    assert!(is_file_blocked(&scene));
}
