//! What the sweep does for jobs that fell silent, and with objects that nobody needs any more.

use super::scene::{Scene, processed};
use crate::fake_platform::Fault;
use crate::jobs::cleanup::REST_SECONDS;
use crate::sweep::sweep;
use contract::ContentState;
use contract::job::{CLAIM_SECONDS, JobOutcome, MAX_DELIVERIES};
use contract::moderation::Verdict;
use futures_executor::block_on;
use futures_util::FutureExt;

const THREE_HOURS: u64 = 3 * 3600;
const SOURCES: [&str; 2] = ["sources/u/thumbnail", "sources/u/video"];

fn failed() -> JobOutcome {
    let detail = "no".to_owned();
    JobOutcome::Failed { detail }
}

#[test]
fn a_last_attempt_that_falls_silent_is_a_failure() {
    let scene = Scene::new();
    scene.claim("a", 1, MAX_DELIVERIES);
    scene.pass(CLAIM_SECONDS + 299);
    assert_eq!(scene.sweep().failed_contents, 0);
    scene.pass(1);
    assert_eq!(scene.sweep().failed_contents, 1);
    let row = scene.row();
    assert_eq!(row.state, ContentState::Failed);
    assert_eq!(row.error_code.as_deref(), Some("content_processing_failed"));
    assert_eq!(scene.sweep().failed_contents, 0);
    assert!(!scene.report("a", 1, processed(&[])).accepted);
}

#[test]
fn an_attempt_that_is_not_the_last_is_the_queues_to_repeat() {
    let scene = Scene::new();
    scene.claim("a", 1, MAX_DELIVERIES - 1);
    scene.pass(THREE_HOURS - 1);
    let swept = scene.sweep();
    assert_eq!((swept.failed_contents, swept.requeued_contents), (0, 0));
}

#[test]
fn what_is_stuck_in_three_generations_has_failed() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    for generation in [2, 3] {
        scene.pass(THREE_HOURS);
        assert_eq!(scene.sweep().requeued_contents, 1);
        assert_eq!(scene.row().generation, generation);
        scene.claim("a", generation, 1);
    }
    scene.pass(THREE_HOURS - 1);
    assert_eq!(scene.sweep().failed_contents, 0);
    scene.pass(1);
    assert_eq!(scene.sweep().failed_contents, 1);
    assert_eq!(scene.row().state, ContentState::Failed);
    scene.requeue();
    assert_eq!(scene.row().renewals, 0);
}

#[test]
fn a_job_that_nobody_ever_took_is_sent_again_and_never_fails() {
    let scene = Scene::new();
    for sent in 1..=8 {
        scene.pass(THREE_HOURS - 1);
        assert_eq!(scene.sweep().resent_jobs, 0);
        scene.pass(1);
        let swept = scene.sweep();
        let made = (
            swept.resent_jobs,
            swept.requeued_contents,
            swept.failed_contents,
        );
        assert_eq!(made, (1, 0, 0));
        assert_eq!(scene.world.queue.borrow().len(), sent);
        assert_eq!(scene.row().generation, 1);
    }
    scene.claim("a", 1, 1);
    assert!(scene.report("a", 1, processed(&[])).accepted);
}

#[test]
fn a_job_that_somebody_works_on_is_not_stuck() {
    let scene = Scene::new();
    for _ in 0..THREE_HOURS / 50 + 10 {
        scene.claim("a", 1, 1);
        scene.pass(50);
    }
    assert_eq!(scene.sweep().requeued_contents, 0);
}

/// Everything that three generations may have left, after the content came to its end and rested.
fn rest_of(end: impl Fn(&Scene)) -> Vec<String> {
    let scene = Scene::new();
    scene.requeue();
    scene.claim("a", 2, 1);
    for generation in 1..=2 {
        scene.store(&format!("media/c/{generation}/video.mp4"));
        scene.store(&format!("media/c/{generation}/hls/360p.mp4"));
    }
    end(&scene);
    scene.sweep();
    let before = scene.objects().len();
    scene.pass(REST_SECONDS - 1);
    scene.sweep();
    assert_eq!(scene.objects().len(), before, "its rest is not over");
    scene.pass(1);
    assert_eq!(scene.sweep().cleaned_contents, 1);
    assert_eq!(scene.sweep().cleaned_contents, 0);
    assert!(
        scene
            .world
            .objects
            .borrow()
            .contains_key("media/d/1/video.mp4")
    );
    scene.objects()
}

#[test]
fn each_end_keeps_what_it_needs_and_nothing_else() {
    let live = ["media/c/2/hls/360p.mp4", "media/c/2/video.mp4"];
    let published = |scene: &Scene| {
        assert!(scene.report("a", 2, processed(&[])).accepted);
    };
    assert_eq!(rest_of(published), live);
    let waiting = |scene: &Scene| {
        scene.report("a", 2, processed(&[Verdict::Review]));
    };
    assert_eq!(rest_of(waiting), [live, SOURCES].concat());
    let running = |_: &Scene| {};
    assert_eq!(rest_of(running), [live, SOURCES].concat());
    let given_up = |scene: &Scene| {
        scene.report("a", 2, failed());
    };
    assert_eq!(rest_of(given_up), SOURCES);
    let rejected = |scene: &Scene| {
        scene.report("a", 2, processed(&[Verdict::Reject]));
    };
    let nothing: [&str; 0] = [];
    assert_eq!(rest_of(rejected), nothing);
    let taken_down = |scene: &Scene| {
        scene.report("a", 2, processed(&[]));
        scene.set_state(ContentState::TakenDown).unwrap();
    };
    assert_eq!(rest_of(taken_down), nothing);
    let deleted = |scene: &Scene| scene.set_state(ContentState::Deleted).unwrap();
    assert_eq!(rest_of(deleted), nothing);
}

#[test]
fn what_a_struck_sweep_leaves_the_next_one_removes() {
    let mut struck = 0;
    for fault in Fault::ALL {
        for operation in 0.. {
            let scene = Scene::new();
            scene.store("media/c/1/video.mp4");
            scene.claim("a", 1, 1);
            scene.report("a", 1, processed(&[Verdict::Reject]));
            scene.sweep();
            scene.pass(REST_SECONDS);
            let process = scene.world.process(Some((operation, fault)));
            let _ = sweep(&process).now_or_never();
            scene.sweep();
            assert_eq!(scene.objects().len(), 0, "{fault:?} at {operation}");
            assert_eq!(scene.count("SELECT count(*) AS number FROM cleanups"), 0);
            struck += 1;
            if process.operations() <= operation {
                break;
            }
        }
    }
    println!("struck sweeps: {struck}, nothing left by any");
}

#[test]
fn a_retry_that_overtakes_the_sweep_loses_nothing() {
    let scene = Scene::new();
    scene.claim("a", 1, 1);
    scene.store("media/c/1/video.mp4");
    scene.report("a", 1, failed());
    scene.sweep();
    scene.pass(REST_SECONDS);
    // The sweep reads that it failed; then a retry begins and writes; then the sweep lists and deletes.
    let process = scene.world.process(None).yielding();
    let mut sweeping = Box::pin(sweep(&process));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    while scene.objects().contains(&"media/c/1/video.mp4".to_owned()) {
        if scene.row().generation == 1 && process.operations() == 6 {
            scene.requeue();
            scene.claim("b", 2, 1);
            scene.store("media/c/2/video.mp4");
        }
        assert!(sweeping.as_mut().poll(&mut context).is_pending());
    }
    block_on(sweeping).unwrap();
    let left = scene.objects();
    assert_eq!(left, ["media/c/2/video.mp4", SOURCES[0], SOURCES[1]]);
    assert!(scene.report("b", 2, processed(&[])).accepted);
    assert_eq!(scene.count("SELECT count(*) AS number FROM cleanups"), 1);
}
