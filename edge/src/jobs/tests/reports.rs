//! Reports: the state that each leads to, exactly once, and the findings that are stored.

use super::scene::{NOON, Row, Scene, TRACEPARENT, processed, uuid};
use crate::base::ids::ChannelId;
use crate::contents::owner_changes::OwnedContent;
use crate::contents::status::{StoredContent, find_owned, uploads_page};
use crate::jobs::RequeueOutcome;
use contract::api::{ContentStatus, WaitsFor};
use contract::job::{ClaimAnswer, JobOutcome, ReportAnswer};
use contract::moderation::Recommendation::{self, Pass, Reject, Review, Wait};
use contract::{ContentState, ErrorCode, Stage};
use futures_executor::block_on;

fn answer(accepted: bool, state: ContentState) -> ReportAnswer {
    ReportAnswer { accepted, state: Some(state) }
}

/// Claims the job, reports it, and returns the resulting row.
fn reported(scene: &Scene, outcome: JobOutcome) -> Row {
    scene.claim("a", 1);
    scene.pass(20);
    let answer = scene.report("a", 1, outcome);
    assert!(answer.accepted);
    let row = scene.row();
    assert_eq!(answer.state, Some(row.state));
    assert_eq!((&row.claimed_by, row.claim_ends_at_unix), (&None, None));
    row
}

fn stored(scene: &Scene) -> StoredContent {
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(find_owned(&scene.world.database, content)).unwrap().unwrap()
}

/// Returns the status that the owner sees.
fn status(scene: &Scene) -> ContentStatus {
    let page = uploads_page(vec![stored(scene)], 1, "https://site.example", scene.now());
    page.uploads.into_iter().next().unwrap()
}

#[test]
fn a_video_whose_media_or_metadata_cannot_be_read_hides_no_other_video_of_the_page() {
    let scene = Scene::new();
    reported(&scene, processed(&[]));
    let readable = stored(&scene);
    scene.attempt("UPDATE contents SET media = '{}', metadata = '[]'").unwrap();
    let unreadable = stored(&scene);
    let page = uploads_page(vec![unreadable, readable], 2, "https://site.example", scene.now()).uploads;
    assert_eq!((page[0].state, &page[0].urls, page[0].thumbnails.len()), (ContentState::Published, &None, 0));
    assert!(page[0].metadata.is_empty());
    assert_eq!(page[1].thumbnails.len(), 2);
}

#[test]
fn a_passed_content_is_published_at_once() {
    for recommendations in [&[][..], &[Pass]] {
        let scene = Scene::new();
        let row = reported(&scene, processed(recommendations));
        assert_eq!(row.state, ContentState::Published);
        assert_eq!(row.published_at_unix, Some(NOON + 20));
        assert_eq!(row.finished_at_unix, Some(NOON + 20));
        assert_eq!(row.media_generation, Some(1));
        let status = status(&scene);
        let urls = status.urls.unwrap();
        assert_eq!(urls.page, "https://site.example/meme/s");
        assert_eq!(status.thumbnails.len(), 2);
        assert_eq!((status.progress_percent, status.stage), (100, None));
        assert_eq!((status.width, status.height), (Some(640), Some(360)));
        assert_eq!(status.check_after_seconds, None);
    }
}

#[test]
fn a_passed_content_is_scheduled_before_its_time_and_published_after_it() {
    let scene = Scene::scheduled(Some(NOON + 1_000));
    let row = reported(&scene, processed(&[Pass]));
    assert_eq!(row.state, ContentState::Scheduled);
    assert_eq!(row.published_at_unix, None);
    let status = status(&scene);
    assert_eq!((status.urls, status.check_after_seconds), (None, Some(980)));
    let late = Scene::scheduled(Some(NOON + 10));
    assert_eq!(reported(&late, processed(&[Pass])).state, ContentState::Published);
}

#[test]
fn a_rejected_content_keeps_its_findings() {
    let scene = Scene::new();
    let row = reported(&scene, processed(&[Pass, Reject, Review]));
    assert_eq!(row.state, ContentState::Rejected);
    assert_eq!(row.error_code.as_deref(), Some("content_moderation_rejected"));
    assert_eq!(scene.count("SELECT count(*) AS number FROM findings"), 3);
    assert_eq!(
        scene.count(
            "SELECT count(*) AS number FROM findings
             WHERE number = 1 AND check_name = 'classifier' AND recommendation = 'reject' AND from_ms = 1000
                 AND until_ms IS NULL AND score = 1.0 AND note = 'a label'"
        ),
        1
    );
    let status = status(&scene);
    assert_eq!(status.error_message_code, Some(ErrorCode::ContentModerationRejected));
    assert_eq!((status.urls, status.thumbnails.len()), (None, 0));
}

#[test]
fn a_content_that_was_taken_down_shows_no_media() {
    let scene = Scene::new();
    reported(&scene, processed(&[Pass]));
    assert!(!status(&scene).thumbnails.is_empty());
    scene.set_state(ContentState::TakenDown).unwrap();
    let status = status(&scene);
    assert_eq!((status.thumbnails.len(), status.urls, status.thumbhash), (0, None, None));
}

#[test]
fn frame_hashes_are_stored_only_while_a_moderator_can_block_them() {
    let frames = |scene: &Scene| {
        scene.count("SELECT count(*) AS number FROM frame_hashes WHERE at_ms = 40 AND hash LIKE '0123456789abcdef%'")
    };
    for recommendation in [Pass, Reject] {
        let scene = Scene::new();
        reported(&scene, processed(&[recommendation]));
        assert_eq!(frames(&scene), 0, "{recommendation:?}");
    }
    let ends: [fn(&Scene); 2] = [
        |scene| assert!(matches!(scene.requeue(), RequeueOutcome::Requeued { .. })),
        |scene| scene.set_state(ContentState::Rejected).unwrap(),
    ];
    for end in ends {
        let scene = waiting(&[Review]);
        assert_eq!(frames(&scene), 1);
        end(&scene);
        assert_eq!(frames(&scene), 0);
    }
}

fn waiting(recommendations: &[Recommendation]) -> Scene {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.progress("a", 1, Stage::Store, 100);
    let row = reported(&scene, processed(recommendations));
    assert_eq!(row.state, ContentState::Processing);
    assert_eq!((row.stage, row.percent), (Stage::Moderate, 99));
    let status = status(&scene);
    assert!(status.detail.is_some());
    assert_eq!(status.urls, None);
    // If a moderator must decide, the service's own work is done.
    assert_eq!(status.progress_percent, if recommendations.contains(&Review) { 100 } else { 99 });
    assert_eq!(scene.claim("a", 1), ClaimAnswer::Obsolete);
    scene
}

#[test]
fn a_content_waits_for_a_moderator_without_a_time_limit() {
    let scene = waiting(&[Review, Wait]);
    for _ in 0..20 {
        scene.pass(3 * 3600);
        let swept = scene.sweep();
        assert_eq!((swept.requeued_contents, swept.failed_contents), (0, 0));
    }
    assert_eq!(scene.row().waits_for, Some(WaitsFor::Person));
}

#[test]
fn a_check_is_retried_after_growing_delays() {
    let scene = waiting(&[Pass, Wait]);
    for (generation, seconds) in [(2, 300), (3, 600), (4, 900)] {
        scene.pass(seconds - 1);
        assert_eq!(scene.sweep().requeued_contents, 0);
        scene.pass(1);
        assert_eq!(scene.sweep().requeued_contents, 1);
        assert_eq!(scene.queued(), (2..=generation).collect::<Vec<_>>());
        scene.claim("a", generation);
        let answer = scene.report("a", generation, processed(&[Wait]));
        assert!(answer.accepted);
    }
    scene.pass(1200);
    scene.sweep();
    scene.claim("a", 5);
    let published = scene.report("a", 5, processed(&[Pass]));
    assert_eq!(published, answer(true, ContentState::Published));
}

#[test]
fn a_refusal_is_final_and_a_failure_can_be_retried() {
    let scene = Scene::new();
    let code = ErrorCode::ContentVideoDurationInvalid;
    let detail = "It plays for 1,990 ms.".to_owned();
    let row = reported(&scene, JobOutcome::Refused { code, detail });
    assert_eq!(row.state, ContentState::Rejected);
    assert_eq!(row.error_code.as_deref(), Some(code.as_str()));
    assert_eq!(row.error_detail.as_deref(), Some("It plays for 1,990 ms."));
    assert_eq!(status(&scene).detail.as_deref(), Some("It plays for 1,990 ms."));
    assert_eq!(scene.requeue(), RequeueOutcome::Conflict(ContentState::Rejected));

    let scene = Scene::new();
    let detail = "x".repeat(10_000);
    let row = reported(&scene, JobOutcome::Failed { detail });
    assert_eq!(row.state, ContentState::Failed);
    assert_eq!(row.error_code.as_deref(), Some("content_processing_failed"));
    // The origin's detail is for operators. The owner sees the text of the error code.
    assert_eq!(status(&scene).detail.as_deref(), Some(ErrorCode::ContentProcessingFailed.text()));
    let requeued = scene.requeue();
    let RequeueOutcome::Requeued { job, .. } = requeued else { panic!("{requeued:?}") };
    assert_eq!((job.content_id, job.content_uuid.as_str(), job.generation), (1, "c", 2));
    assert_eq!(job.traceparent.as_deref(), Some(TRACEPARENT));
    let row = scene.row();
    assert_eq!(row.state, ContentState::Processing);
    assert_eq!((row.error_code, row.finished_at_unix), (None, None));
    assert_eq!((row.attempt, row.claimed_by, row.last_signed_at_unix), (0, None, None));
}

#[test]
fn a_repeated_report_gets_the_same_answer_and_counts_once() {
    let scene = Scene::new();
    scene.claim("a", 1);
    for _ in 0..3 {
        let result = scene.report("a", 1, processed(&[Pass]));
        assert_eq!(result, answer(true, ContentState::Published));
        scene.pass(5);
    }
    assert_eq!(scene.row().published_at_unix, Some(NOON));
    // The report was accepted already, so a hash that is blocked later does not change the answer.
    let block =
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix) VALUES (printf('%064x', 1), 'r', 'm', 1)";
    scene.attempt(block).unwrap();
    assert_eq!(scene.report("a", 1, processed(&[Pass])), answer(true, ContentState::Published));
    let detail = String::new();
    let another = scene.report("a", 1, JobOutcome::Failed { detail });
    assert_eq!(another, answer(false, ContentState::Published));
    assert_eq!(scene.count("SELECT count(*) AS number FROM findings"), 1);
}

#[test]
fn only_the_holder_of_the_job_can_report_it() {
    let scene = Scene::new();
    let result = scene.report("a", 1, processed(&[]));
    assert_eq!(result, answer(false, ContentState::Processing));
    scene.claim("a", 1);
    let result = scene.report("b", 1, processed(&[]));
    assert_eq!(result, answer(false, ContentState::Processing));
    scene.requeue();
    let result = scene.report("a", 1, processed(&[]));
    assert_eq!(result, answer(false, ContentState::Processing));
    assert_eq!(scene.count("SELECT count(*) AS number FROM reports"), 0);
}

#[test]
fn a_silent_origin_may_still_report_unless_another_claimed_the_job() {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.pass(600);
    let result = scene.report("a", 1, processed(&[]));
    assert_eq!(result, answer(true, ContentState::Published));
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.pass(600);
    scene.claim("b", 1);
    let result = scene.report("a", 1, processed(&[]));
    assert_eq!(result, answer(false, ContentState::Processing));
}
