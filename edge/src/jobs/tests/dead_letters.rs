//! Dead letters: which jobs are listed, with which error, until when, and their entries in the trail.

use super::scene::{Scene, processed, uuid};
use crate::contents::life::Command;
use crate::contents::life::rules::failure::MAX_UNDECIDED_FAILURES;
use crate::jobs::dead_letters::{forget, list};
use crate::people::staff::trail::{self, TrailFilter};
use contract::api::DeadLetter;
use contract::job::{CLAIM_SECONDS, JobOutcome, JobWork};
use contract::{ContentState, ErrorCode};
use futures_executor::block_on;

fn failed() -> JobOutcome {
    let detail = "the store is unavailable".to_owned();
    JobOutcome::Undecided { detail }
}

/// Lets the next failure of whatever kind be the last.
fn make_last(scene: &Scene) {
    let last = "UPDATE jobs SET undecided_failures = 7, silences = 19";
    scene.attempt(last).unwrap();
}

fn listed(scene: &Scene) -> Vec<DeadLetter> {
    block_on(list(&scene.world.database, None, 10)).unwrap()
}

/// Returns the actor, action and detail of each entry of the trail, the oldest first.
fn trail_of(scene: &Scene) -> Vec<(String, String, String)> {
    let entries =
        block_on(trail::list(&scene.world.database, &TrailFilter::Everything, None, 10)).unwrap().into_iter().rev();
    entries.map(|entry| (entry.actor, entry.action, entry.detail.unwrap_or_default())).collect()
}

fn dead() -> Scene {
    let scene = Scene::new();
    make_last(&scene);
    scene.claim("a", 1);
    assert!(scene.report("a", 1, failed()).accepted);
    scene
}

#[test]
fn a_job_that_failed_too_often_is_listed_with_its_last_error() {
    let letters = listed(&dead());
    assert_eq!(letters.len(), 1);
    let DeadLetter { content_uuid, generation, work, error_message_code, detail, origin, undecided_failures, .. } =
        &letters[0];
    assert_eq!((content_uuid.as_str(), *generation, *work), ("c", 1, JobWork::Video));
    assert_eq!(*error_message_code, Some(ErrorCode::ContentProcessingFailed));
    assert_eq!(detail.as_deref(), Some("the store is unavailable"));
    assert_eq!((origin.as_deref(), *undecided_failures), (Some("a"), MAX_UNDECIDED_FAILURES));
    let before = block_on(list(&dead().world.database, Some(letters[0].number), 10)).unwrap();
    assert!(before.is_empty());
}

#[test]
fn a_job_on_which_too_many_origins_fell_silent_is_listed() {
    let scene = Scene::new();
    scene.sweep();
    make_last(&scene);
    scene.claim("a", 1);
    scene.pass(CLAIM_SECONDS + 60);
    scene.sweep();
    scene.pass(60);
    scene.sweep();
    let letters = listed(&scene);
    assert_eq!(letters.len(), 1);
    assert!(letters[0].detail.as_ref().unwrap().contains("fell silent"), "{letters:?}");
    assert_eq!(letters[0].origin.as_deref(), Some("a"));
}

#[test]
fn a_later_change_that_failed_too_often_is_listed_with_its_work() {
    for work in [JobWork::Thumbnail, JobWork::Captions] {
        let scene = Scene::new();
        scene.claim("a", 1);
        scene.report("a", 1, processed(&[]));
        scene.apply(&Command::MakeAgain(work));
        make_last(&scene);
        scene.claim("b", 2);
        assert!(scene.report("b", 2, failed()).accepted);
        let letters = listed(&scene);
        assert_eq!(letters.len(), 1);
        assert_eq!((letters[0].work, letters[0].generation), (work, 2));
        assert_eq!(letters[0].error_message_code, Some(ErrorCode::ContentProcessingFailed));
    }
}

#[test]
fn neither_an_earlier_failure_nor_a_file_that_always_fails_is_a_dead_letter() {
    for outcome in [failed(), JobOutcome::Failed { detail: "no video".to_owned() }] {
        let scene = Scene::new();
        scene.claim("a", 1);
        assert!(scene.report("a", 1, outcome).accepted);
        assert!(listed(&scene).is_empty());
    }
}

#[test]
fn a_dead_letter_is_listed_until_its_content_has_a_new_job_or_is_deleted_or_it_is_dropped() {
    let scene = dead();
    scene.requeue();
    assert!(listed(&scene).is_empty());
    let scene = dead();
    scene.set_state(ContentState::Deleted).unwrap();
    assert!(listed(&scene).is_empty());
    let scene = dead();
    assert!(block_on(forget(&scene.world.database, &uuid(), "Ada")).unwrap());
    assert!(listed(&scene).is_empty());
    assert!(!block_on(forget(&scene.world.database, &uuid(), "Ada")).unwrap());
    let dropped = ("Ada".to_owned(), "dead_letter_dropped".to_owned(), "content_processing_failed".to_owned());
    assert_eq!(trail_of(&scene), [dropped], "a repetition leaves no entry");
}

#[test]
fn the_trail_says_who_requested_a_new_job_and_why_it_was_needed() {
    let scene = dead();
    scene.requeue();
    scene.requeue();
    let entry = |detail: &str| ("Ada".to_owned(), "job_requeued".to_owned(), detail.to_owned());
    assert_eq!(trail_of(&scene), [entry("failed: content_processing_failed"), entry("processing")]);
    scene.claim("a", 3);
    scene.report("a", 3, processed(&[]));
    scene.requeue();
    assert_eq!(trail_of(&scene).len(), 2, "a published content gets no new job");
}
