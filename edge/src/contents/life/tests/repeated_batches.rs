//! A batch whose connection breaks may have been applied, and is sent again. That changes nothing more: the database is
//! as after a batch that was sent once, for every command and in every state to which the commands lead.

use super::steps::{HOUR, NOW, STEPS, Step};
use crate::contents::life::Command;
use crate::contents::life::door::{self, Find};
use crate::contents::life::life::Life;
use crate::jobs::tests::scene::Scene;
use crate::platform::database::{Database, Statement};
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use crate::testing::fake_platform::Fault;
use contract::ErrorCode;
use futures_executor::block_on;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

const ID: [u64; 1] = [1];
/// A command reads the content first and then writes it.
const WRITE: usize = 1;
const STEPS_PER_WALK: usize = 25;

/// The first steps of walks, in turn. Random steps alone seldom get as far as a later job.
const OPENINGS: [&[Step]; 4] = [
    &[Step::Claim],
    &[Step::Claim, Step::ReportFirst, Step::Claim, Step::ReportRest],
    &[Step::Claim, Step::ReportPass, Step::ThumbnailTime, Step::Claim, Step::ReportChangeRefused],
    &[Step::Claim, Step::ReportReview, Step::RejectByModerator, Step::Restore],
];

#[derive(Deserialize)]
struct TableRow {
    name: String,
}

/// The columns that the database fills with its clock or at random.
const UNPREDICTABLE: [&str; 3] = ["happened_at_unix", "name", "public_id"];

/// Returns the rows of every table, without unpredictable columns.
fn rows(scene: &Scene) -> BTreeMap<String, Vec<Value>> {
    let all = |sql: String| block_on(scene.world.database.all::<Value>(Statement::new(sql))).unwrap();
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let tables: Vec<TableRow> = block_on(scene.world.database.all(Statement::new(tables))).unwrap();
    let rows = |TableRow { name }: TableRow| {
        let mut rows = all(format!("SELECT * FROM {name}"));
        for row in rows.iter_mut().filter_map(Value::as_object_mut) {
            row.retain(|column, _| !UNPREDICTABLE.contains(&column.as_str()));
        }
        (name, rows)
    };
    tables.into_iter().map(rows).collect()
}

fn read(scene: &Scene) -> Life {
    block_on(door::read_one(&scene.world.database, Find::Ids(&ID), scene.now())).unwrap().unwrap()
}

/// Carries out a command, and returns its error code if it was not possible.
fn apply(scene: &Scene, command: &Command<'_>, fault: Option<Fault>) -> Option<ErrorCode> {
    let process = scene.world.process(fault.map(|fault| (WRITE, fault)));
    let outcome = block_on(door::apply(&process, Find::Ids(&ID), command, scene.now())).unwrap().unwrap();
    outcome.result.err()
}

/// Returns whether the command changed anything, and fails unless a broken connection makes no difference.
fn compare(scene: &Scene, step: Step, command: &Command<'_>) -> bool {
    let script = |sql| scene.world.database.run_script(sql);
    let before = rows(scene);
    script("SAVEPOINT unchanged");
    let repeated = (apply(scene, command, Some(Fault::LoseConnection)), rows(scene));
    script("ROLLBACK TO unchanged; RELEASE unchanged");
    let once = (apply(scene, command, None), rows(scene));
    for (table, rows) in &once.1 {
        assert_eq!(repeated.1.get(table), Some(rows), "{step:?} sent twice: {table}");
    }
    assert_eq!(repeated.0, once.0, "{step:?} sent twice");
    before != once.1
}

fn walk(seed: u64, changes: &mut BTreeMap<Step, u32>) {
    let mut dice = Seeded::new(seed);
    let time = seed.is_multiple_of(3).then_some(NOW.0 + 50 * HOUR);
    let scene = if seed.is_multiple_of(2) { Scene::unreleased(time) } else { Scene::scheduled(time) };
    scene.world.now_unix.set(NOW.0);
    scene.attempt("INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES ('sent', 1000000000000)").unwrap();
    let mut opening = OPENINGS[usize::try_from(seed).unwrap() % OPENINGS.len()].iter();
    for _ in 0..STEPS_PER_WALK {
        let mut byte = [0];
        dice.fill(&mut byte);
        let step = opening.next().copied().unwrap_or(STEPS[usize::from(byte[0]) % STEPS.len()]);
        scene.pass(step.time(scene.now()).seconds_since(scene.now()) + 1);
        let life = read(&scene);
        if let (Step::Claim | Step::LastClaim, Some(job)) = (step, life.active_job()) {
            scene.claim("a", job.generation);
            if step == Step::LastClaim {
                scene.attempt("UPDATE jobs SET undecided_failures = 7, silences = 19").unwrap();
            }
        }
        let has_changed = step.command(&life, scene.now(), |command| Some(compare(&scene, step, command)));
        *changes.entry(step).or_default() += u32::from(has_changed.unwrap_or_default());
    }
}

#[test]
fn a_batch_that_is_sent_again_changes_nothing_more() {
    let mut changes = BTreeMap::new();
    let walks = fixtures::cases(200, 3_000);
    for seed in 0..walks {
        walk(seed, &mut changes);
    }
    println!("{walks} walks, changes by step: {changes:?}");
    for step in STEPS.into_iter().filter(|step| !matches!(step, Step::Claim | Step::LastClaim)) {
        assert!(changes.get(&step).is_some_and(|times| *times > 0), "{step:?} never changed anything");
    }
}
