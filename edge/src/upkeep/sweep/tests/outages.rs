//! Outages of the queue and of all origins: a job has one message for each generation, unless the queue has lost it.

use crate::contents::life::door::{Find, message, read_one};
use crate::jobs::send_or_leave;
use crate::jobs::tests::scene::Scene;
use contract::JobMessage;
use futures_executor::block_on;
use std::collections::BTreeMap;

/// Returns a scene with this many jobs whose messages were not given to the queue yet.
fn with_jobs(jobs: u32) -> (Scene, Vec<JobMessage>) {
    let scene = Scene::new();
    scene.world.database.run_script(&format!(
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         WITH RECURSIVE ids (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM ids WHERE id < {jobs})
         SELECT id, 'u' || id, 1, 20000, 'committed', 0 FROM ids;
         INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         SELECT id, 'c' || id, 1, 'processing', 's' || id, id || '.mp4', '{{\"size_bytes\":7}}', 5000, 'h', 0
         FROM uploads WHERE id > 1;
         INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix, sendings, sent_at_unix,
             due_at_unix)
         SELECT uploads.id, 1, 'video', 'due', 1, enqueued_at_unix, 1, sent_at_unix, due_at_unix
         FROM uploads, jobs WHERE uploads.id > 1"
    ));
    let message_of = |id: u64| {
        let life = block_on(read_one(&scene.world.database, Find::Ids(&[id]), scene.now())).unwrap().unwrap();
        message(&life, life.active_job().unwrap())
    };
    let messages = (1..=u64::from(jobs)).map(message_of).collect();
    (scene, messages)
}

/// Lets minutes pass with a sweep in each. A queue that refuses messages fails the sweep.
fn pass_minutes(scene: &Scene, minutes: u64) {
    for _ in 0..minutes {
        scene.pass(60);
        let swept = block_on(crate::testing::sweep(&scene.world.process(None)));
        assert_eq!(swept.is_ok(), !scene.world.refuses_messages.get(), "{swept:?}");
    }
}

/// Returns the number of messages of each job and generation that are in the queue.
fn messages_in_queue(scene: &Scene) -> Vec<usize> {
    let mut counts = BTreeMap::new();
    for message in scene.world.queue.borrow().iter() {
        let JobMessage { content_id, generation, .. } = serde_json::from_str(message).unwrap();
        *counts.entry((content_id, generation)).or_default() += 1;
    }
    counts.into_values().collect()
}

#[test]
fn after_an_outage_of_the_queue_each_job_is_sent_once() {
    let (scene, jobs) = with_jobs(5);
    scene.world.refuses_messages.set(true);
    block_on(send_or_leave(&scene.world.process(None), &jobs));
    pass_minutes(&scene, 60);
    scene.world.refuses_messages.set(false);
    // Origins are busy with the backlog for two hours.
    pass_minutes(&scene, 120);
    assert_eq!(messages_in_queue(&scene), [1; 5]);
}

#[test]
fn while_no_origin_works_each_job_keeps_its_one_message() {
    let (scene, jobs) = with_jobs(5);
    block_on(send_or_leave(&scene.world.process(None), &jobs));
    // One origin gives its job back when it stops, another is killed.
    scene.claim("a", 1);
    scene.world.queue.borrow_mut().remove(0);
    scene.release("a", 1);
    pass_minutes(&scene, 120);
    assert_eq!(messages_in_queue(&scene), [1; 5]);
}

#[test]
fn a_job_of_an_origin_that_was_killed_is_sent_once_more_and_not_again() {
    let (scene, jobs) = with_jobs(2);
    block_on(send_or_leave(&scene.world.process(None), &jobs));
    scene.claim("a", 1);
    pass_minutes(&scene, 120);
    assert_eq!(messages_in_queue(&scene), [2, 1]);
}

#[test]
fn a_message_that_the_queue_has_lost_is_sent_again_within_minutes() {
    let (scene, jobs) = with_jobs(5);
    block_on(send_or_leave(&scene.world.process(None), &jobs));
    // Origins are busy when the third message is lost, and then take the two that are older.
    pass_minutes(&scene, 30);
    scene.world.queue.borrow_mut().remove(2);
    scene.claim("a", 1);
    scene.world.database.run_script("UPDATE jobs SET state = 'done', due_at_unix = NULL WHERE content_id <> 3");
    scene.world.queue.borrow_mut().clear();
    pass_minutes(&scene, 11);
    assert_eq!(messages_in_queue(&scene), [1]);
}

#[test]
fn a_message_that_stays_in_the_queue_hides_a_loss_for_three_hours_at_most() {
    let (scene, jobs) = with_jobs(2);
    block_on(send_or_leave(&scene.world.process(None), &jobs));
    scene.world.queue.borrow_mut().remove(1);
    pass_minutes(&scene, 3 * 60 - 1);
    assert_eq!(messages_in_queue(&scene), [1]);
    pass_minutes(&scene, 11);
    assert_eq!(messages_in_queue(&scene), [2, 1]);
}

#[test]
fn jobs_that_the_queue_took_before_it_failed_are_not_sent_again() {
    let (scene, jobs) = with_jobs(150);
    // The first call takes 100 messages, the second fails.
    let process = scene.world.process(Some((1, crate::testing::fake_platform::Fault::Fail)));
    block_on(send_or_leave(&process, &jobs));
    assert_eq!(scene.world.queue.borrow().len(), 100);
    pass_minutes(&scene, 1);
    assert_eq!(messages_in_queue(&scene), [1; 150]);
}
