//! What the sweep does beside removing: jobs that were not sent, contents that are stuck; and what it leaves alone.

use super::scene::{LONG_AFTER, Scene, form, small_video};
use crate::database::{Database, Statement};
use crate::fake_platform::Fault;
use crate::sweep::sweep;
use contract::JobMessage;
use contract::api::SweepReport;
use futures_executor::block_on;

const THREE_HOURS: u64 = 3 * 3600;

fn swept(scene: &Scene) -> SweepReport {
    block_on(sweep(&scene.world.process(None))).unwrap()
}

fn jobs(scene: &Scene) -> Vec<JobMessage> {
    scene
        .world
        .queue
        .borrow()
        .iter()
        .map(|text| serde_json::from_str(text).unwrap())
        .collect()
}

fn accepted_content(scene: &Scene, fault: Option<(usize, Fault)>) -> u64 {
    let accepted = scene
        .upload(&scene.world.process(fault), 1, form(&small_video()))
        .unwrap()
        .unwrap();
    accepted.result.content_id
}

#[test]
fn a_job_that_the_queue_did_not_take_is_sent_later_and_the_upload_succeeds_at_once() {
    let scene = Scene::new(10);
    // Admission, storing, commit, then the queue.
    let content_id = accepted_content(&scene, Some((3, Fault::Fail)));
    assert!(jobs(&scene).is_empty());
    assert_eq!(
        swept(&scene).resent_jobs,
        0,
        "its own upload may still be sending it"
    );
    scene.world.pass(LONG_AFTER);
    assert_eq!(swept(&scene).resent_jobs, 1);
    assert_eq!(
        swept(&scene),
        SweepReport {
            success: true,
            ..SweepReport::default()
        }
    );
    assert_eq!(
        jobs(&scene)
            .iter()
            .map(|job| job.content_id)
            .collect::<Vec<_>>(),
        [content_id]
    );
}

#[test]
fn what_is_processing_for_too_long_gets_a_job_of_a_new_generation() {
    let scene = Scene::new(10);
    accepted_content(&scene, None);
    // An origin took it, and was never heard of again.
    let taken = || {
        let taken = Statement::new("UPDATE contents SET delivery = 1");
        block_on(scene.world.database.batch(vec![taken])).unwrap();
    };
    taken();
    scene.world.pass(THREE_HOURS - 1);
    assert_eq!(swept(&scene).requeued_contents, 0);
    scene.world.pass(1);
    let report = swept(&scene);
    assert_eq!((report.requeued_contents, report.resent_jobs), (1, 1));
    assert_eq!(
        jobs(&scene)
            .iter()
            .map(|job| job.generation)
            .collect::<Vec<_>>(),
        [1, 2]
    );
    assert_eq!(swept(&scene).requeued_contents, 0);
    taken();
    scene.world.pass(THREE_HOURS);
    swept(&scene);
    assert_eq!(jobs(&scene).last().map(|job| job.generation), Some(3));
}

#[test]
fn a_finished_channel_is_left_alone() {
    let scene = Scene::new(10);
    accepted_content(&scene, None);
    scene.world.pass(LONG_AFTER);
    assert_eq!(
        swept(&scene),
        SweepReport {
            success: true,
            ..SweepReport::default()
        }
    );
    assert_eq!(scene.world.objects.borrow().len(), 1);
}
