//! The report of a changed thumbnail or of changed captions is accepted once, and its repetition gets the same answer,
//! wherever the connection to the database broke, and although the owner has asked for another change since.

use super::captions::{change as change_captions, made};
use super::thumbnails::{change as change_thumbnail, columns, granted, pictures, published};
use crate::jobs::tests::scene::{Scene, all_stored, blocklist_of, find_and_accept, job};
use crate::platform::database::DatabaseError;
use crate::testing::fake_platform::Fault;
use contract::ContentState;
use contract::job::{JobOutcome, JobReport, ReportAnswer};
use contract::moderation::Recommendation::{Pass, Reject};
use futures_executor::block_on;

const ACCEPTED: ReportAnswer = ReportAnswer { accepted: true, state: Some(ContentState::Published) };

/// A job that changes a published video.
#[derive(Clone, Copy, Debug)]
struct Case {
    ask: fn(&Scene, bool),
    outcome: fn(bool) -> JobOutcome,
}

/// Asks for a thumbnail from one of two times in the video.
fn ask_for_thumbnail(scene: &Scene, is_first: bool) {
    change_thumbnail(scene, Some(if is_first { "00:00:03" } else { "00:00:01" })).unwrap();
}

fn ask_for_captions(scene: &Scene, is_first: bool) {
    change_captions(scene, "en", if is_first { "one" } else { "another" }).unwrap();
}

const CASES: [Case; 2] = [
    Case { ask: ask_for_thumbnail, outcome: |passes| pictures(&[if passes { Pass } else { Reject }]) },
    Case { ask: ask_for_captions, outcome: |passes| made(&[if passes { Pass } else { Reject }]) },
];

/// Returns a scene whose job an origin has claimed, and the report about it.
fn claimed(case: Case, passes: bool) -> (Scene, JobReport) {
    let scene = published();
    (case.ask)(&scene, true);
    let generation = columns(&scene).generation;
    granted(scene.claim("a", generation));
    (scene, JobReport { id: job("a", generation), outcome: (case.outcome)(passes) })
}

/// Reports, and returns the answer and the number of operations.
fn report(
    scene: &Scene,
    report: &JobReport,
    fault: Option<(usize, Fault)>,
) -> (Result<ReportAnswer, DatabaseError>, usize) {
    let process = scene.world.process(fault);
    let stored = all_stored(report.id.generation);
    let accepted = block_on(find_and_accept(&blocklist_of(&process), report, &stored, scene.now()));
    (accepted.map(|changed| changed.outcome), process.operations())
}

fn each_case(check: impl Fn(Case, bool)) {
    for case in CASES {
        for passes in [true, false] {
            check(case, passes);
        }
    }
}

#[test]
fn a_report_is_accepted_although_its_batch_was_sent_again() {
    each_case(|case, passes| {
        let operations = {
            let (scene, sent) = claimed(case, passes);
            report(&scene, &sent, None).1
        };
        let (scene, sent) = claimed(case, passes);
        let last = operations - 1;
        let (answer, _) = report(&scene, &sent, Some((last, Fault::LoseConnection)));
        assert_eq!(answer, Ok(ACCEPTED), "{sent:?}");
    });
}

#[test]
fn a_repeated_report_is_accepted_although_the_owner_has_asked_for_another_change() {
    each_case(|case, passes| {
        let (scene, sent) = claimed(case, passes);
        let (_, operations) = {
            let (scene, sent) = claimed(case, passes);
            report(&scene, &sent, None)
        };
        let (lost, _) = report(&scene, &sent, Some((operations - 1, Fault::LoseAnswer)));
        assert!(lost.is_err(), "{sent:?}");
        (case.ask)(&scene, false);
        assert_eq!(report(&scene, &sent, None).0, Ok(ACCEPTED), "{sent:?}");
        let other = JobReport { id: sent.id.clone(), outcome: JobOutcome::Failed { detail: "x".to_owned() } };
        assert!(!report(&scene, &other, None).0.unwrap().accepted, "a different report of the same job");
    });
}
