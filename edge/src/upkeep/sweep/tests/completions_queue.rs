//! Completion jobs with a queue of their own, whose origins take no new videos.

use super::fairness::{BUSY, NOON, STRANGER, Scene, publish_first};
use contract::JobMessage;
use contract::job::{ClaimAnswer, JobWork};

fn scene() -> Scene {
    let scene = Scene::new();
    scene.world.has_completions_queue.set(true);
    scene
}

fn completions(scene: &Scene) -> Vec<JobMessage> {
    scene.world.completions.borrow().iter().map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// Takes the first message out of the completion jobs' queue, and claims its job.
fn claim_completion(scene: &Scene) -> Option<String> {
    let job = completions(scene).into_iter().next()?;
    scene.world.completions.borrow_mut().remove(0);
    assert!(matches!(scene.claim(&scene.world.process(None), &job), Some(ClaimAnswer::Granted(_))), "{job:?}");
    Some(job.content_uuid)
}

/// Publishes this many videos of a channel in their first quality, while new videos wait for origins.
fn publish(scene: &mut Scene, number: u64) -> Vec<String> {
    let videos: Vec<_> = (0..number).map(|_| scene.upload_long(BUSY, 5_000)).collect();
    scene.world.queue.borrow_mut().clear();
    scene.upload(STRANGER);
    scene.upload(STRANGER);
    for uuid in &videos {
        publish_first(scene, uuid);
    }
    videos
}

#[test]
fn a_completion_job_does_not_wait_for_new_videos() {
    let mut scene = scene();
    let [video] = publish(&mut scene, 1).try_into().unwrap();
    assert!(completions(&scene).is_empty(), "a change of a video does not know the queues");
    // Any claim releases it.
    let new = scene.pull().unwrap();
    scene.claim(&scene.world.process(None), &new);
    let [message] = completions(&scene).try_into().unwrap();
    assert_eq!((message.content_uuid.as_str(), message.work), (video.as_str(), JobWork::Completion));
    assert!(scene.world.queue.borrow().iter().all(|text| text.contains("\"video\"")));
}

#[test]
fn the_sweep_releases_completion_jobs_if_nothing_is_claimed() {
    let mut scene = scene();
    publish(&mut scene, 5);
    scene.sweep();
    assert_eq!(completions(&scene).len(), 2);
    scene.sweep();
    assert_eq!(completions(&scene).len(), 2, "enough of them wait");
}

#[test]
fn as_many_completion_jobs_wait_in_the_queue_as_origins_work_on() {
    let mut scene = scene();
    let videos = publish(&mut scene, 20);
    scene.sweep();
    let mut order = Vec::new();
    while let Some(uuid) = claim_completion(&scene) {
        order.push(uuid);
        assert!(completions(&scene).len() <= order.len().max(2), "after {} claims", order.len());
    }
    assert_eq!(order, videos, "all are claimed, in the order of their turns");
}

#[test]
fn a_completion_job_that_its_queue_has_lost_is_sent_again_although_the_other_queue_is_full() {
    let mut scene = scene();
    publish(&mut scene, 1);
    scene.sweep();
    scene.world.completions.borrow_mut().clear();
    // The other queue has a message that is older than the lost one.
    for _ in 0..11 {
        scene.world.pass(60);
        scene.sweep();
    }
    assert_eq!(completions(&scene).len(), 1);
}

#[test]
fn without_their_queue_completion_jobs_go_through_the_queue_of_all_jobs() {
    let mut scene = scene();
    publish(&mut scene, 1);
    scene.world.has_completions_queue.set(false);
    scene.world.queue.borrow_mut().clear();
    scene.world.database.run_script("UPDATE jobs SET state = 'done', due_at_unix = NULL WHERE kind = 'video'");
    scene.sweep();
    assert_eq!(scene.pull().map(|job| job.work), Some(JobWork::Completion));
    assert!(completions(&scene).is_empty());
}

#[test]
fn a_claim_costs_the_same_however_many_completion_jobs_wait() {
    let with_waiting = |waiting: u64| {
        let mut scene = scene();
        for _ in 0..waiting {
            scene.upload(BUSY);
        }
        scene.world.database.run_script(&format!(
            "UPDATE jobs SET kind = 'completion', state = 'later', due_at_unix = NULL, turn_unix = {NOON} + content_id"
        ));
        scene.world.queue.borrow_mut().clear();
        scene.upload(STRANGER);
        scene.claim_instructions()
    };
    let (few, many) = (with_waiting(20), with_waiting(1_000));
    println!("a claim: {few} instructions with 20 waiting completion jobs, {many} with 1,000");
    assert!(many < few + few / 4, "{few} instructions with 20, {many} with 1,000");
}
