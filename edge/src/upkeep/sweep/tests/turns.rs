//! The order of the jobs that wait in the database: short before long, each channel in turn, and every job in the end.

use super::fairness::{BUSY, NOON, STRANGER, Scene, in_first_quality, publish_first};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Life;
use crate::contents::life::door::{Find, LeftOut, apply_to_all};
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use contract::job::ClaimAnswer;
use futures_executor::block_on;

const LATER: &str = "SELECT count(*) AS number FROM jobs WHERE state = 'later'";
/// The time after which no job that comes overtakes a job of 120 seconds.
const BOUND: u64 = 360;

/// Adds a channel.
fn channel(scene: &Scene, account: u64) -> ChannelId {
    let settings = ChannelSettings::limited(1_000);
    ChannelId(block_on(ensure_channel(&scene.world.database, account, settings, UnixSeconds(NOON))).unwrap())
}

fn claim_next(scene: &Scene) -> String {
    let job = scene.pull().unwrap();
    assert!(matches!(scene.claim(&scene.world.process(None), &job), Some(ClaimAnswer::Granted(_))), "{job:?}");
    job.content_uuid
}

/// Publishes videos in their first quality, in order. Their messages are gone, as if origins had pulled them.
fn publish_all(scene: &Scene, videos: &[String]) {
    scene.world.queue.borrow_mut().clear();
    for uuid in videos {
        publish_first(scene, uuid);
    }
}

/// Claims one job after the other until none is left. Returns the contents in the order of their claims.
fn claim_all(scene: &Scene) -> Vec<String> {
    let mut order = Vec::new();
    while !scene.world.queue.borrow().is_empty() {
        order.push(claim_next(scene));
    }
    order
}

#[test]
fn a_short_video_goes_before_longer_ones_of_its_channel() {
    let mut scene = Scene::new();
    for duration_ms in [5_000, 5_000, 120_000, 60_000, 3_000, 3_000] {
        scene.upload_long(BUSY, duration_ms);
    }
    scene.world.pass(100);
    scene.upload_long(BUSY, 20_000);
    scene.world.pass(300);
    scene.upload_long(BUSY, 3_000);
    assert_eq!(scene.work_alone(), ["c1", "c2", "c5", "c6", "c7", "c4", "c3", "c8"]);
}

#[test]
fn a_long_video_is_claimed_in_the_end_even_if_short_ones_never_cease_to_arrive() {
    let mut scene = Scene::new();
    scene.upload(BUSY);
    scene.upload(BUSY);
    let long = scene.upload_long(BUSY, 120_000);
    let mut rounds = 0;
    loop {
        scene.world.pass(10);
        scene.upload_long(BUSY, 3_000);
        let claimed = claim_next(&scene);
        scene.finish(&claimed);
        rounds += 1;
        if claimed == long {
            break;
        }
        assert!(rounds * 10 <= BOUND + 30, "the long video waits longer than its bound");
    }
    assert!(rounds > 10, "short videos overtake it");
}

#[test]
fn the_first_completion_of_a_channel_does_not_wait_for_all_of_a_channel_with_two_hundred() {
    for (duration_ms, place) in [(5_000, 6), (60_000, 18)] {
        let mut scene = Scene::new();
        let many: Vec<String> = (0..200).map(|_| scene.upload_long(BUSY, 5_000)).collect();
        let channels: Vec<ChannelId> = (10..15).map(|account| channel(&scene, account)).collect();
        let single: Vec<String> = channels.into_iter().map(|channel| scene.upload_long(channel, duration_ms)).collect();
        publish_all(&scene, &many);
        scene.world.pass(1);
        publish_all(&scene, &single);
        let order = claim_all(&scene);
        assert_eq!(order.len(), 205);
        let last = order.iter().rposition(|uuid| single.contains(uuid)).unwrap();
        assert!(last < place, "{last}: {order:?}");
        let of_many: Vec<String> = order.into_iter().filter(|uuid| many.contains(uuid)).collect();
        assert_eq!(of_many, many, "the completions of a channel keep their order");
    }
}

#[test]
fn the_turns_of_completions_that_start_in_one_transaction_follow_each_other() {
    let mut scene = Scene::new();
    let videos: Vec<String> = (0..3).map(|_| scene.upload_long(BUSY, 5_000)).collect();
    scene.upload(STRANGER);
    publish_first(&scene, &videos[0]);
    let publish = |life: &Life| (life.content.uuid.as_str() != videos[0]).then(|| in_first_quality(scene.now()));
    let (database, mut left_out) = (&scene.world.database, LeftOut::default());
    block_on(apply_to_all(database, Find::Ids(&[1, 2, 3]), publish, &mut left_out, scene.now())).unwrap();
    left_out.into_result().unwrap();
    let turn =
        |place: u64| format!("SELECT turn_unix AS number FROM jobs WHERE state = 'later' AND content_id = {place}");
    let turns = [1, 2, 3].map(|place| scene.count(turn(place)) - NOON);
    assert_eq!(turns, [15, 30, 45]);
}

#[test]
fn a_completion_of_a_long_video_starts_in_the_end_even_if_short_ones_of_other_channels_never_cease() {
    let mut scene = Scene::new();
    let (long, first) = (scene.upload_long(BUSY, 120_000), scene.upload_long(STRANGER, 3_000));
    publish_all(&scene, &[long.clone(), first]);
    let mut seconds = 0;
    loop {
        scene.world.pass(10);
        seconds += 10;
        assert!(seconds <= BOUND, "the long video waits longer than its bound");
        let channel = channel(&scene, 100 + seconds);
        let short = scene.upload_long(channel, 3_000);
        // Publishing the short video releases one completion. Until the turn of the long video comes, that is the
        // short video's own.
        publish_all(&scene, &[short]);
        if scene.pull().unwrap().content_uuid == long {
            break;
        }
    }
    assert!(seconds > BOUND - 20, "short videos overtake it: {seconds}");
}

#[test]
fn a_job_that_ends_or_starts_costs_the_same_however_many_completions_wait() {
    let with_later = |waiting: u64| {
        let mut scene = Scene::new();
        for _ in 0..waiting {
            scene.upload(BUSY);
        }
        scene.world.database.run_script(
            "UPDATE jobs SET kind = 'completion', state = 'later', due_at_unix = NULL,
                 turn_unix = enqueued_at_unix + 15 * content_id",
        );
        scene.world.queue.borrow_mut().clear();
        scene.upload(STRANGER);
        let claim = scene.claim_instructions();
        assert_eq!(scene.count(LATER), waiting - 1, "the claim releases one");
        let before = scene.world.database.instructions();
        let video = scene.upload_long(BUSY, 5_000);
        publish_first(&scene, &video);
        (claim, scene.world.database.instructions() - before)
    };
    let (few, many) = (with_later(20), with_later(1_000));
    println!("a claim and a start: {few:?} instructions with 20 jobs that wait, {many:?} with 1,000");
    assert!(many.0 < few.0 + few.0 / 4 && many.1 < few.1 + few.1 / 4, "{few:?}, {many:?}");
}
