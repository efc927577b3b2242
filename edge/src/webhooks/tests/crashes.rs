//! Runs that die at any operation, and runs at the same time.

use super::scene::{HookScene, MINUTE, answer, run_as, settings};
use crate::base::unix_seconds::UnixSeconds;
use crate::testing::fake_platform::Fault;
use crate::webhooks::outbox::{FinishedAttempt, lease_due, take_next};
use crate::webhooks::schedule::Verdict;
use crate::webhooks::send_due;
use futures_executor::block_on;
use futures_util::FutureExt;
use futures_util::future::join;

/// Two videos with two events each, and one event without a video.
fn scene_with_events() -> HookScene {
    let scene = HookScene::with(&["a"]);
    for content in [Some(1), Some(2), Some(1), Some(2), None] {
        scene.happen(content);
    }
    scene
}

#[test]
fn no_failure_of_an_operation_loses_an_event_or_breaks_the_order() {
    let usual = scene_with_events();
    let process = usual.world.process(None);
    run_as(&process);
    let operations = process.operations();
    assert!(operations > 10, "{operations}");
    for (operation, fault) in (0..operations).flat_map(|operation| Fault::ALL.map(|fault| (operation, fault))) {
        let scene = scene_with_events();
        let process = scene.world.process(Some((operation, fault)));
        // A process that dies never answers, so it is polled once.
        let _ = send_due(&process, &settings()).now_or_never();
        scene.run_for(5 * MINUTE);
        let received = scene.received("a");
        let mut first_times = received.clone();
        let mut seen = Vec::new();
        first_times.retain(|sequence| {
            !seen.contains(sequence) && {
                seen.push(*sequence);
                true
            }
        });
        let of_video = |odd: u64| first_times.iter().filter(move |one| **one < 5 && **one % 2 == odd).copied();
        assert_eq!(of_video(1).collect::<Vec<_>>(), [1, 3], "operation {operation}, {fault:?}");
        assert_eq!(of_video(0).collect::<Vec<_>>(), [2, 4], "operation {operation}, {fault:?}");
        assert!(received.contains(&5) && received.len() <= 6, "operation {operation}, {fault:?}: {received:?}");
        let ids: std::collections::BTreeSet<_> =
            scene.world.received.borrow().iter().map(|one| one.event.id.clone()).collect();
        assert_eq!(ids.len(), 5, "operation {operation}, {fault:?}");
    }
}

#[test]
fn what_was_committed_before_a_crash_is_sent_by_the_next_run() {
    let scene = HookScene::with(&["a"]);
    scene.rule("UPDATE contents SET state = 'failed'").unwrap();
    // Nothing was sent: the Worker died. The next run is the sweep's.
    scene.run();
    assert_eq!(scene.received("a"), [1]);
}

#[test]
fn two_runs_at_once_send_nothing_twice() {
    let scene = scene_with_events();
    let process = || scene.world.process(None).yielding();
    let (one, other) = (process(), process());
    let settings = settings();
    let (one, other) = block_on(join(send_due(&one, &settings), send_due(&other, &settings)));
    assert_eq!(one.unwrap() + other.unwrap(), 5);
    let mut received = scene.received("a");
    received.sort_unstable();
    assert_eq!(received, [1, 2, 3, 4, 5]);
}

#[test]
fn an_outcome_that_arrives_after_the_lease_is_ignored() {
    let scene = HookScene::with(&["a"]);
    scene.happen(None);
    let database = &scene.world.database;
    let lease = |now| block_on(lease_due(database, false, 10, now)).unwrap();
    let late = lease(scene.now())[0];
    let delivery = block_on(take_next(database, late, None, scene.now())).unwrap().unwrap();
    assert!(lease(scene.now() + 59).is_empty());
    scene.world.pass(60);
    assert_eq!((scene.run(), scene.webhook("a").failures), (1, 0));
    let at: UnixSeconds = scene.now();
    let finished = FinishedAttempt { delivery, answer: answer(500), verdict: Verdict::RetryAt(at + 60), at };
    assert!(block_on(take_next(database, late, Some(&finished), at)).unwrap().is_none());
    scene.world.pass(MINUTE);
    assert_eq!((scene.run(), scene.webhook("a").failures), (0, 0));
}
