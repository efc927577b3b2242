//! The database's own fences: whatever code does, no content takes a step that is not in the table.

use super::scene::Scene;
use contract::{ContentState, STEPS};
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct Step {
    from_state: String,
    to_state: String,
}

#[test]
fn the_databases_steps_are_those_of_the_contract() {
    use crate::database::{Database, Statement};
    let scene = Scene::new();
    let select = Statement::new("SELECT from_state, to_state FROM content_steps");
    let answers = futures_executor::block_on(scene.world.database.batch(vec![select])).unwrap();
    let steps = answers[0].0.iter().map(|row| {
        let Step {
            from_state,
            to_state,
        } = Step::deserialize(row).unwrap();
        (from_state, to_state)
    });
    let expected = STEPS
        .iter()
        .map(|(from, _, to)| (from.as_str(), to.as_str()));
    let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned()));
    assert_eq!(
        steps.collect::<BTreeSet<_>>(),
        expected.collect::<BTreeSet<_>>()
    );
}

#[test]
fn every_change_of_state_that_is_no_step_is_aborted() {
    let mut allowed = 0;
    for from in ContentState::ALL {
        for to in ContentState::ALL {
            let scene = Scene::new();
            // The way there is of no interest here, so it is paved and taken away again.
            let begin = "INSERT OR IGNORE INTO content_steps SELECT 'processing', state FROM
                 (SELECT 'scheduled' AS state UNION SELECT 'published' UNION SELECT 'taken_down')";
            scene.attempt(begin).unwrap();
            scene.set_state(*from).unwrap();
            let end = "DELETE FROM content_steps WHERE from_state = 'processing' AND to_state = 'taken_down'";
            scene.attempt(end).unwrap();
            let is_step = STEPS.iter().any(|step| (step.0, step.2) == (*from, *to));
            assert_eq!(
                scene.set_state(*to).is_ok(),
                is_step || from == to,
                "{from:?} {to:?}"
            );
            allowed += u32::from(is_step);
        }
    }
    assert_eq!(allowed, 16);
}

#[test]
fn nothing_is_shown_that_is_not_stored() {
    for state in ["scheduled", "published"] {
        let scene = Scene::new();
        let sql = match state {
            "scheduled" => "UPDATE contents SET state = 'scheduled'",
            _ => "UPDATE contents SET state = 'published'",
        };
        let refused = scene.attempt(sql).unwrap_err();
        assert!(refused.contains("nothing is shown"), "{refused}");
    }
}

#[test]
fn a_generation_never_comes_back_and_a_new_one_always_has_a_job() {
    let scene = Scene::new();
    scene.attempt("UPDATE contents SET generation = 5").unwrap();
    assert_eq!(scene.count("SELECT generation AS number FROM outbox"), 5);
    assert!(scene.attempt("UPDATE contents SET generation = 4").is_err());
}

#[test]
fn a_retry_without_a_new_generation_is_aborted() {
    let scene = Scene::new();
    scene.set_state(ContentState::Failed).unwrap();
    let retry = "UPDATE contents SET state = 'processing'";
    assert!(scene.attempt(retry).is_err());
    let retry = "UPDATE contents SET state = 'processing', generation = generation + 1";
    scene.attempt(retry).unwrap();
}

#[test]
fn a_generation_has_one_report() {
    let scene = Scene::new();
    let insert =
        "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, received_at_unix)
         VALUES (1, 1, 'a', printf('%064d', 1), 'failed', 1)";
    scene.attempt(insert).unwrap();
    assert!(scene.attempt(insert).is_err());
}
