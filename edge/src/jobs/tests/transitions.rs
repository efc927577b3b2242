//! The database enforces the transitions itself, even against statements that the Worker never runs.

use super::scene::Scene;
use crate::platform::database::{Database, Statement};
use contract::{ContentState, TRANSITIONS};
use futures_executor::block_on;
use serde::Deserialize;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct TransitionRow {
    from_state: String,
    to_state: String,
}

#[test]
fn the_databases_transitions_are_those_of_the_contract() {
    let scene = Scene::new();
    let select = Statement::new("SELECT from_state, to_state FROM content_transitions");
    let stored = block_on(scene.world.database.all::<TransitionRow>(select)).unwrap();
    let stored = stored.into_iter().map(|row| (row.from_state, row.to_state));
    let expected = TRANSITIONS.iter().map(|(from, _, to)| (from.as_str(), to.as_str()));
    let expected = expected.map(|(from, to)| (from.to_owned(), to.to_owned()));
    assert_eq!(stored.collect::<BTreeSet<_>>(), expected.collect::<BTreeSet<_>>());
}

#[test]
fn every_other_change_of_state_is_aborted() {
    let mut allowed = 0;
    for from in ContentState::ALL {
        for to in ContentState::ALL {
            let scene = Scene::new();
            // The path to the first state does not matter here, so it is allowed temporarily.
            let allow = "INSERT OR IGNORE INTO content_transitions SELECT 'processing', state FROM
                 (SELECT 'scheduled' AS state UNION SELECT 'published' UNION SELECT 'taken_down')";
            scene.attempt(allow).unwrap();
            scene.set_state(*from).unwrap();
            let forbid = "DELETE FROM content_transitions WHERE from_state = 'processing' AND to_state = 'taken_down'";
            scene.attempt(forbid).unwrap();
            let is_allowed = TRANSITIONS.iter().any(|transition| (transition.0, transition.2) == (*from, *to));
            assert_eq!(scene.set_state(*to).is_ok(), is_allowed || from == to, "{from:?} {to:?}");
            allowed += u32::from(is_allowed);
        }
    }
    assert_eq!(allowed, 20);
}

#[test]
fn a_content_without_media_cannot_be_scheduled_or_published() {
    for state in ["scheduled", "published"] {
        let scene = Scene::new();
        let sql = match state {
            "scheduled" => "UPDATE contents SET state = 'scheduled'",
            _ => "UPDATE contents SET state = 'published'",
        };
        let error = scene.attempt(sql).unwrap_err();
        assert!(error.contains("without stored media"), "{error}");
    }
}

#[test]
fn the_generation_never_decreases() {
    let scene = Scene::new();
    scene.attempt("UPDATE contents SET generation = 5").unwrap();
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
fn a_generation_has_at_most_one_report() {
    let scene = Scene::new();
    let insert = "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, received_at_unix)
         VALUES (1, 1, 'a', printf('%064d', 1), 'failed', 1)";
    scene.attempt(insert).unwrap();
    assert!(scene.attempt(insert).is_err());
}
