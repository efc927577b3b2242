//! A video that is published in its first quality, and the job that completes it.

use super::scene::{Scene, job, processed, uuid};
use super::with_subtitles;
use crate::contents::life::packed_media::read_media;
use crate::jobs::{RequeueOutcome, fingerprint};
use crate::moderation::decisions::DecisionKind;
use crate::moderation::kept_frames::{read_kept_frames, store_frames};
use crate::moderation::tests::decide_about;
use contract::ContentState;
use contract::job::{ClaimAnswer, JobDetails, JobOutcome, JobReport, JobWork, Quality};
use contract::moderation::Recommendation::{Pass, Review};
use futures_executor::block_on;

/// Counts the completion jobs whose messages are sent.
const STARTED: &str = "SELECT count(*) AS number FROM jobs WHERE kind = 'completion' AND state = 'due'";

/// Returns the report of a job that left renditions to a completion job.
fn first(mut outcome: JobOutcome) -> JobOutcome {
    if let JobOutcome::Processed { media, .. } = &mut outcome {
        media.quality = Quality::First;
    }
    outcome
}

fn completed() -> JobOutcome {
    JobOutcome::Completed { media: with_subtitles() }
}

/// Returns a scene whose content is published in its first quality.
fn published() -> Scene {
    let scene = Scene::new();
    scene.claim("a", 1);
    assert!(scene.report("a", 1, first(processed(&[Pass]))).accepted);
    scene
}

/// Returns a scene whose content is published in its full quality.
pub(crate) fn completed_scene() -> Scene {
    let scene = published();
    scene.claim("a", 2);
    assert!(scene.report("a", 2, completed()).accepted);
    scene
}

fn quality(scene: &Scene) -> Quality {
    read_media(&scene.row().media.unwrap()).unwrap().quality
}

fn granted(answer: ClaimAnswer) -> JobDetails {
    match answer {
        ClaimAnswer::Granted(details) => details,
        other => panic!("{other:?}"),
    }
}

fn events(scene: &Scene, kind: &str, quality: &str) -> u64 {
    scene.count(&format!(
        "SELECT count(*) AS number FROM events WHERE type = 'content.{kind}' AND data ->> '$.quality' = '{quality}'"
    ))
}

#[test]
fn a_video_is_public_in_its_first_quality_and_completed_by_a_job_of_its_own() {
    let scene = published();
    assert_eq!((scene.row().state, quality(&scene)), (ContentState::Published, Quality::First));
    assert_eq!((scene.count(STARTED), events(&scene, "published", "first")), (1, 1));
    let details = granted(scene.claim("a", 2));
    assert_eq!((details.work, details.first_generation), (JobWork::Completion, Some(1)));
    assert_eq!((details.source_key.as_str(), details.file_sha256.as_str()), ("sources/u/video", "h"));
    assert!(scene.report("a", 2, completed()).accepted && scene.report("a", 2, completed()).accepted);
    assert_eq!((quality(&scene), scene.row().media_generation), (Quality::Full, Some(2)));
    assert_eq!((events(&scene, "completed", "full"), scene.count(STARTED)), (1, 0));
}

#[test]
fn a_doubtful_video_is_completed_once_a_moderator_has_approved_it() {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.report("a", 1, first(processed(&[Review])));
    assert_eq!(scene.count(STARTED), 0);
    decide_about(&scene, DecisionKind::Approve);
    scene.sweep();
    assert_eq!(granted(scene.claim("a", 2)).work, JobWork::Completion);
}

#[test]
fn a_video_that_is_removed_between_the_steps_is_completed_when_it_is_restored() {
    let scene = published();
    scene.claim("a", 2);
    decide_about(&scene, DecisionKind::TakeDown);
    assert!(!scene.report("a", 2, completed()).accepted);
    assert_eq!(scene.claim("a", 2), ClaimAnswer::Obsolete);
    decide_about(&scene, DecisionKind::Restore);
    assert_eq!((scene.row().state, quality(&scene)), (ContentState::Published, Quality::First));
    granted(scene.claim("b", 3));
    assert!(scene.report("b", 3, completed()).accepted);
    assert_eq!(quality(&scene), Quality::Full);
}

#[test]
fn a_failure_leaves_the_first_quality_and_a_dead_letter_that_can_be_tried_again() {
    let scene = published();
    scene.claim("a", 2);
    assert!(scene.report("a", 2, JobOutcome::Failed { detail: "no such encoder".to_owned() }).accepted);
    let row = scene.row();
    assert_eq!((row.state, quality(&scene)), (ContentState::Published, Quality::First));
    assert_eq!(row.error_detail, None);
    assert_eq!(scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'dead' AND kind = 'completion'"), 1);
    assert!(matches!(scene.requeue(), RequeueOutcome::Requeued { .. }));
    granted(scene.claim("a", 3));
    assert!(scene.report("a", 3, completed()).accepted);
    assert_eq!(quality(&scene), Quality::Full);
}

#[test]
fn a_file_that_is_not_stored_is_tried_again() {
    let scene = published();
    scene.claim("a", 2);
    let mut media = with_subtitles();
    media.files[0].size_bytes += 1;
    assert!(scene.report("a", 2, JobOutcome::Completed { media }).accepted);
    assert_eq!((quality(&scene), scene.row().undecided_failures), (Quality::First, 1));
}

#[test]
fn an_origin_cannot_report_a_first_quality_twice() {
    let scene = published();
    scene.claim("a", 2);
    let mut media = with_subtitles();
    media.quality = Quality::First;
    let report = JobReport { id: job("a", 2), outcome: JobOutcome::Completed { media } };
    assert!(crate::jobs::report_validation::validate_report(&report).is_err());
    assert!(scene.report("a", 2, first(processed(&[Pass]))).accepted);
    assert_eq!((scene.row().state, quality(&scene)), (ContentState::Published, Quality::First));
}

#[test]
fn the_source_and_the_first_files_stay_until_the_video_is_complete() {
    let scene = published();
    scene.world.process(None).store_media(1);
    for _ in 0..3 {
        scene.pass(7_200);
        scene.sweep();
    }
    let has = |key: &str| scene.objects().iter().any(|object| object.starts_with(key));
    assert!(has("sources/u/video") && has("media/c/1/"));
    let generation = scene.row().generation;
    granted(scene.claim("a", generation));
    scene.world.process(None).store_media(generation);
    assert!(scene.report("a", generation, completed()).accepted);
    for _ in 0..3 {
        scene.pass(7_200);
        scene.sweep();
    }
    assert!(!has("sources/u/video") && !has("media/c/1/") && has(&format!("media/c/{generation}/")));
}

#[test]
fn the_hashes_of_the_frames_follow_the_video_into_its_new_folder() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let (process, outcome) = (scene.world.process(None), first(processed(&[Pass])));
    let store = |generation, outcome: &JobOutcome| {
        let report = JobReport { id: job("a", generation), outcome: outcome.clone() };
        block_on(store_frames(&process, &process, &report, &fingerprint(&report).unwrap())).unwrap();
    };
    let read = || block_on(read_kept_frames(&scene.world.database, &process, &uuid())).unwrap();
    store(1, &outcome);
    scene.report("a", 1, outcome);
    let kept = read();
    scene.claim("a", 2);
    store(2, &completed());
    scene.report("a", 2, completed());
    scene.world.objects.borrow_mut().retain(|key, _| !key.starts_with("media/c/1/"));
    assert_eq!((kept.len(), read()), (1, kept));
}
