//! The sweep handles silent jobs, and deletes unneeded objects.

use crate::contents::life::Command;
use crate::contents::life::rules::failure::{MAX_SILENCES, MAX_UNDECIDED_FAILURES};
use crate::jobs::tests::scene::{Scene, processed};
use crate::platform::object_store::LIST_LENGTH;
use crate::testing::fake_platform::Fault;
use crate::testing::sweep;
use crate::upkeep::sweep::cleanup::{REMOVED_REST_SECONDS, REST_SECONDS};
use contract::job::{CLAIM_SECONDS, ClaimAnswer, JobOutcome, JobWork};
use contract::moderation::Recommendation;
use contract::{ContentState, Stage};
use futures_util::FutureExt;

const THREE_HOURS: u64 = 3 * 3600;
const SOURCES: [&str; 2] = ["sources/u/thumbnail", "sources/u/video"];

fn failed() -> JobOutcome {
    let detail = "no".to_owned();
    JobOutcome::Failed { detail }
}

fn undecided() -> JobOutcome {
    let detail = "ffmpeg was killed".to_owned();
    JobOutcome::Undecided { detail }
}

/// Lets minutes pass with a sweep in each until the job may be claimed, and returns their number.
fn minutes_until_claimed(scene: &Scene) -> u64 {
    let mut minutes = 0;
    loop {
        let row = scene.row();
        assert_eq!(row.state, ContentState::Processing, "after {minutes} minutes");
        if matches!(scene.claim("a", row.generation), ClaimAnswer::Granted(_)) {
            return minutes;
        }
        scene.pass(60);
        scene.sweep();
        minutes += 1;
    }
}

#[test]
fn a_failure_that_may_be_the_machines_is_retried_seven_times_over_more_than_two_hours() {
    let scene = Scene::new();
    let mut pauses = Vec::new();
    scene.claim("a", 1);
    for failures in 1..=MAX_UNDECIDED_FAILURES {
        assert!(scene.report("a", scene.row().generation, undecided()).accepted);
        assert_eq!(scene.row().undecided_failures, failures);
        if failures < MAX_UNDECIDED_FAILURES {
            assert!(!matches!(scene.claim("b", scene.row().generation), ClaimAnswer::Granted(_)), "it pauses");
            pauses.push(minutes_until_claimed(&scene));
        }
    }
    assert_eq!(pauses, [1, 2, 5, 10, 20, 40, 60]);
    let row = scene.row();
    assert_eq!((row.state, row.error_code.as_deref()), (ContentState::Failed, Some("content_processing_failed")));
    assert!(row.error_detail.unwrap().contains("not in your file"));
    assert_eq!(scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'dead'"), 1);
    scene.requeue();
    assert_eq!(scene.row().undecided_failures, 0);
}

#[test]
fn a_video_is_published_although_ffmpeg_was_killed_three_times_and_two_origins_between() {
    let scene = Scene::new();
    scene.claim("a", 1);
    for attempt in 0..3 {
        if attempt > 0 {
            // An origin is killed, and the next one gets the job when its claim has lapsed.
            scene.pass(CLAIM_SECONDS);
            minutes_until_claimed(&scene);
        }
        assert!(scene.report("a", scene.row().generation, undecided()).accepted);
        minutes_until_claimed(&scene);
    }
    assert_eq!((scene.row().undecided_failures, scene.row().silences), (3, 2));
    assert!(scene.report("a", scene.row().generation, processed(&[])).accepted);
    assert_eq!(scene.row().state, ContentState::Published);
}

#[test]
fn a_file_that_always_fails_ends_at_once() {
    let scene = Scene::new();
    scene.claim("a", 1);
    assert!(scene.report("a", 1, failed()).accepted);
    assert_eq!(scene.row().state, ContentState::Failed);
}

#[test]
fn interruptions_are_never_counted() {
    let scene = Scene::new();
    for _ in 0..100 {
        assert!(matches!(scene.claim("a", 1), ClaimAnswer::Granted(_)));
        scene.pass(1);
        assert!(scene.release("a", 1));
        scene.pass(1);
    }
    let row = scene.row();
    assert_eq!((row.state, row.generation, row.undecided_failures, row.silences), (ContentState::Processing, 1, 0, 0));
}

#[test]
fn a_job_that_kills_every_origin_pauses_longer_and_longer_and_ends_as_a_dead_letter() {
    let scene = Scene::new();
    scene.sweep();
    let (mut claims, mut minutes) = (0, 0);
    while scene.row().state == ContentState::Processing {
        claims += u64::from(matches!(scene.claim("a", scene.row().generation), ClaimAnswer::Granted(_)));
        scene.pass(60);
        scene.sweep();
        minutes += 1;
    }
    assert_eq!((scene.row().state, scene.row().silences), (ContentState::Failed, MAX_SILENCES));
    assert_eq!(scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'dead'"), 1);
    assert!(claims <= u64::from(MAX_SILENCES) && minutes > 7 * 60, "{claims} claims in {minutes} minutes");
}

#[test]
fn a_job_whose_message_is_lost_is_sent_again_and_never_fails() {
    let scene = Scene::new();
    // It was sent once when it was created. Each time, the wait is four times as long, up to ten minutes.
    for wait in [30, 120, 480, 600, 600] {
        scene.world.queue.borrow_mut().clear();
        scene.pass(wait - 1);
        assert_eq!(scene.sweep().resent_jobs, 0, "{wait}");
        scene.pass(1);
        let swept = scene.sweep();
        assert_eq!((swept.resent_jobs, swept.requeued_contents, swept.failed_contents), (1, 0, 0), "{wait}");
        assert_eq!(scene.queued(), [1]);
        assert_eq!(scene.row().generation, 1);
    }
    scene.claim("a", 1);
    assert!(scene.report("a", 1, processed(&[])).accepted);
}

/// Lets minutes pass with a sweep in each, and returns how many jobs were sent again.
fn resent_within(scene: &Scene, minutes: u32) -> u64 {
    let minute = |_| {
        scene.pass(60);
        scene.sweep().resent_jobs
    };
    (0..minutes).map(minute).sum()
}

#[test]
fn a_job_whose_claim_lapsed_two_minutes_ago_is_sent_again_once() {
    let scene = Scene::new();
    scene.claim("a", 1);
    assert_eq!(resent_within(&scene, 2), 0);
    assert_eq!(resent_within(&scene, 1), 1);
    assert_eq!((scene.queued(), scene.row().silences), (vec![1], 1));
    assert_eq!(resent_within(&scene, 1), 0);
    // The first to arrive works on it: its holder, or an origin that got the new message.
    assert!(scene.progress("a", 1, Stage::Transcode, 50));
    assert!(matches!(scene.claim("b", 1), ClaimAnswer::Busy { .. }));
    scene.pass(CLAIM_SECONDS);
    assert!(matches!(scene.claim("b", 1), ClaimAnswer::Granted(_)));
    assert_eq!(resent_within(&scene, 3), 1);
}

#[test]
fn a_released_job_is_sent_at_once_and_by_the_sweep_if_its_message_is_lost() {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.pass(1);
    assert!(scene.release("a", 1));
    assert_eq!(scene.queued(), [1]);
    scene.world.queue.borrow_mut().clear();
    assert_eq!(resent_within(&scene, 1), 0);
    assert_eq!(resent_within(&scene, 1), 1);
}

#[test]
fn after_an_absence_of_the_edge_origins_have_a_minute_to_renew_their_claims() {
    let scene = Scene::new();
    scene.sweep();
    scene.claim("a", 1);
    scene.pass(3_000);
    let swept = scene.sweep();
    assert_eq!((swept.resent_jobs, swept.failed_contents), (0, 0));
    scene.pass(59);
    assert!(scene.progress("a", 1, Stage::Store, 50));
    assert_eq!(resent_within(&scene, 2), 0);
    assert_eq!(scene.row().silences, 0);
}

#[test]
fn a_lapsed_change_is_sent_again_as_a_lapsed_video_is() {
    for kind in [JobWork::Thumbnail, JobWork::Captions] {
        let scene = Scene::new();
        scene.claim("a", 1);
        assert!(scene.report("a", 1, processed(&[])).accepted);
        scene.apply(&Command::MakeAgain(kind));
        resent_within(&scene, 1);
        assert!(matches!(scene.claim("a", 2), ClaimAnswer::Granted(_)), "{kind:?}");
        assert_eq!(resent_within(&scene, 2), 0, "{kind:?}");
        assert_eq!(resent_within(&scene, 1), 1, "{kind:?}");
    }
}

#[test]
fn a_job_with_heartbeats_goes_on_for_hours() {
    let scene = Scene::new();
    scene.sweep();
    scene.claim("a", 1);
    for _ in 0..THREE_HOURS / 50 + 10 {
        scene.pass(50);
        assert!(scene.progress("a", 1, Stage::Transcode, 50));
        scene.sweep();
    }
    assert_eq!((scene.row().generation, scene.row().silences), (1, 0));
}

/// Returns the objects that remain after `end` and the rest period. Two generations had written files before.
fn objects_left_after(end: impl Fn(&Scene)) -> Vec<String> {
    objects_left_after_rest(REST_SECONDS, end)
}

fn objects_left_after_rest(rest_seconds: u64, end: impl Fn(&Scene)) -> Vec<String> {
    let scene = Scene::new();
    scene.requeue();
    scene.claim("a", 2);
    for generation in 1..=2 {
        scene.store(&format!("media/c/{generation}/video.mp4"));
        scene.store(&format!("media/c/{generation}/hls/360p.mp4"));
    }
    end(&scene);
    scene.sweep();
    let before = scene.objects().len();
    scene.pass(rest_seconds - 1);
    scene.sweep();
    assert_eq!(scene.objects().len(), before, "it has not rested long enough");
    scene.pass(1);
    assert_eq!(scene.sweep().cleaned_contents, 1);
    assert_eq!(scene.sweep().cleaned_contents, 0);
    assert!(scene.world.objects.borrow().contains_key("media/d/1/video.mp4"));
    scene.objects()
}

#[test]
fn each_state_keeps_exactly_the_objects_that_it_needs() {
    let current = ["media/c/2/hls/360p.mp4", "media/c/2/video.mp4"];
    let published = |scene: &Scene| {
        assert!(scene.report("a", 2, processed(&[])).accepted);
    };
    assert_eq!(objects_left_after(published), current);
    let waiting = |scene: &Scene| {
        scene.report("a", 2, processed(&[Recommendation::Review]));
    };
    assert_eq!(objects_left_after(waiting), [current, SOURCES].concat());
    let running = |_: &Scene| {};
    assert_eq!(objects_left_after(running), [current, SOURCES].concat());
    let failed_content = |scene: &Scene| {
        scene.report("a", 2, failed());
    };
    assert_eq!(objects_left_after(failed_content), SOURCES);
    let rejected = |scene: &Scene| {
        scene.report("a", 2, processed(&[Recommendation::Reject]));
    };
    let nothing: [&str; 0] = [];
    assert_eq!(objects_left_after(rejected), nothing);
    let taken_down = |scene: &Scene| {
        scene.report("a", 2, processed(&[]));
        scene.set_state(ContentState::TakenDown).unwrap();
    };
    // By then, only its details are left, which have moved here.
    assert_eq!(objects_left_after_rest(REMOVED_REST_SECONDS, taken_down), ["media/c/2/finished.json"]);
    let deleted = |scene: &Scene| scene.set_state(ContentState::Deleted).unwrap();
    assert_eq!(objects_left_after(deleted), nothing);
}

#[test]
fn the_next_sweep_completes_one_that_was_interrupted() {
    let mut interrupted = 0;
    for fault in Fault::ALL {
        for operation in 0.. {
            let scene = Scene::new();
            scene.store("media/c/1/video.mp4");
            scene.claim("a", 1);
            scene.report("a", 1, processed(&[Recommendation::Reject]));
            scene.sweep();
            scene.pass(REST_SECONDS);
            let process = scene.world.process(Some((operation, fault)));
            let _ = sweep(&process).now_or_never();
            scene.sweep();
            assert_eq!(scene.objects().len(), 0, "{fault:?} at {operation}");
            assert_eq!(scene.count("SELECT count(*) AS number FROM cleanups"), 0);
            interrupted += 1;
            if process.operations() <= operation {
                break;
            }
        }
    }
    println!("interrupted sweeps: {interrupted}, no object left by any");
}

#[test]
fn a_retry_during_a_sweep_loses_no_object() {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.store("media/c/1/video.mp4");
    scene.report("a", 1, failed());
    scene.sweep();
    scene.pass(REST_SECONDS);
    // The sweep reads that the content failed. Then a retry starts and writes. Then the sweep lists and deletes.
    let process = scene.world.process(None).yielding();
    let mut running = Box::pin(sweep(&process));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    while scene.objects().contains(&"media/c/1/video.mp4".to_owned()) {
        if scene.row().generation == 1 && process.operations() == 13 {
            scene.requeue();
            scene.claim("b", 2);
            scene.store("media/c/2/video.mp4");
        }
        assert!(running.as_mut().poll(&mut context).is_pending());
    }
    let report = loop {
        if let std::task::Poll::Ready(report) = running.as_mut().poll(&mut context) {
            break report;
        }
    };
    report.unwrap();
    let left = scene.objects();
    assert_eq!(left, ["media/c/2/video.mp4", SOURCES[0], SOURCES[1]]);
    assert!(scene.report("b", 2, processed(&[])).accepted);
    assert_eq!(scene.count("SELECT count(*) AS number FROM cleanups"), 1);
}

#[test]
fn objects_beyond_one_list_are_deleted_by_the_next_run() {
    let scene = Scene::new();
    for number in 0..=LIST_LENGTH {
        scene.store(&format!("media/c/1/{number}"));
    }
    scene.set_state(ContentState::Deleted).unwrap();
    scene.sweep();
    scene.pass(REST_SECONDS);
    scene.sweep();
    assert_eq!(scene.objects().len(), 1);
    scene.sweep();
    assert_eq!(scene.objects().len(), 0);
    assert_eq!(scene.sweep().cleaned_contents, 0);
}
