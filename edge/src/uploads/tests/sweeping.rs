//! The sweep resends jobs, and leaves finished uploads alone.

use super::scene::{LONG_AFTER, Scene, form, small_video};
use crate::contents::life::job::LAPSED_AFTER_SECONDS;
use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::Fault;
use crate::testing::sweep;
use contract::api::SweepReport;
use contract::{JobMessage, TraceContext};
use futures_executor::block_on;

const THREE_HOURS: u64 = 3 * 3600;

fn run_sweep(scene: &Scene) -> SweepReport {
    block_on(sweep(&scene.world.process(None))).unwrap()
}

fn jobs(scene: &Scene) -> Vec<JobMessage> {
    scene.world.queue.borrow().iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// An origin claimed the first jobs and then fell silent.
const CLAIM_FIRST: &str = "UPDATE jobs SET state = 'claimed', claimed_by = 'a', attempt = 1,
    claim_ends_at_unix = enqueued_at_unix, due_at_unix = enqueued_at_unix WHERE content_id < 3";

fn accepted_content(scene: &Scene, fault: Option<(usize, Fault)>) -> u64 {
    let accepted = scene.upload(&scene.world.process(fault), 1, form(&small_video())).unwrap().unwrap();
    accepted.result.content_id
}

#[test]
fn an_upload_succeeds_although_the_queue_fails_and_the_sweep_sends_its_job() {
    let scene = Scene::new(10);
    // Admission, storing, commit, then the queue.
    let content_id = accepted_content(&scene, Some((3, Fault::Fail)));
    assert!(jobs(&scene).is_empty());
    assert_eq!(run_sweep(&scene).resent_jobs, 1);
    assert_eq!(run_sweep(&scene), SweepReport { success: true, ..SweepReport::default() });
    assert_eq!(jobs(&scene).iter().map(|job| job.content_id).collect::<Vec<_>>(), [content_id]);
}

#[test]
fn a_job_whose_origin_fell_silent_is_sent_again_in_the_same_generation() {
    let scene = Scene::new(10);
    accepted_content(&scene, None);
    run_sweep(&scene);
    block_on(scene.world.database.batch(vec![Statement::new(CLAIM_FIRST)])).unwrap();
    scene.world.pass(LAPSED_AFTER_SECONDS - 1);
    assert_eq!(run_sweep(&scene).resent_jobs, 0);
    scene.world.pass(60);
    assert_eq!(run_sweep(&scene).resent_jobs, 1);
    assert_eq!(jobs(&scene).iter().map(|job| job.generation).collect::<Vec<_>>(), [1, 1]);
    scene.world.pass(1);
    assert_eq!(run_sweep(&scene).resent_jobs, 0);
}

#[test]
fn every_message_about_a_content_names_the_trace_of_its_upload() {
    let scene = Scene::new(10);
    // The third upload of the channel is held, and the queue fails for the second.
    for (seed, fault) in [(1, None), (2, Some((3, Fault::Fail))), (3, None)] {
        scene.upload(&scene.world.process(fault), seed, form(&small_video())).unwrap().unwrap();
    }
    assert_eq!(jobs(&scene).len(), 1);
    scene.world.pass(LONG_AFTER);
    run_sweep(&scene);
    let claim = Statement::new(CLAIM_FIRST);
    block_on(scene.world.database.batch(vec![claim])).unwrap();
    // The sweeps release the held job, and send the jobs of the silent origin again.
    run_sweep(&scene);
    scene.world.pass(THREE_HOURS);
    run_sweep(&scene);
    scene.world.pass(60);
    run_sweep(&scene);
    let jobs = jobs(&scene);
    let sent = |id| jobs.iter().filter(|job| job.content_id == id).count();
    assert!(sent(3) >= 1 && sent(1) >= 2, "{jobs:?}");
    for job in jobs {
        let seed = job.content_id.to_le_bytes()[0];
        assert_eq!(job.traceparent, Some(TraceContext::begin([seed; 24]).to_string()), "{job:?}");
    }
}

#[test]
fn the_sweep_leaves_finished_uploads_alone() {
    let scene = Scene::new(10);
    accepted_content(&scene, None);
    scene.world.pass(LONG_AFTER);
    // Its job is sent again, because no origin has claimed it.
    assert_eq!(run_sweep(&scene), SweepReport { success: true, resent_jobs: 1, ..SweepReport::default() });
    assert_eq!(scene.world.objects.borrow().len(), 1);
}
