//! A change that loses a race is decided again, with pauses and within a bound of time. Any other error is final.

use super::steps::Step;
use crate::base::ids::ContentUuid;
use crate::base::limits::OVERLOADED_RETRY_SECONDS;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find};
use crate::contents::life::job::JobState;
use crate::contents::life::life::Life;
use crate::contents::life::rules::owner::Update;
use crate::contents::life::testing::Set;
use crate::contents::life::{Command, Decision};
use crate::jobs::tests::scene::Scene;
use crate::platform::database::tries::Timer;
use crate::platform::database::{Database, DatabaseError, Rows, Statement};
use crate::testing::sqlite::Sqlite;
use contract::job::JobWork;
use contract::{ContentState, ErrorCode};
use futures_executor::block_on;
use futures_util::FutureExt;
use futures_util::future::join_all;
use std::cell::Cell;

const ID: [u64; 1] = [1];

/// A change of values that no rule makes.
type Change = fn(&mut Life);

fn captioned(caption: &str) -> Update {
    let columns = [("caption".to_owned(), caption.into())].into_iter().collect();
    Update { columns, ..Update::default() }
}

fn read(scene: &Scene) -> Life {
    block_on(door::read_one(&scene.world.database, Find::Ids(&ID), scene.now())).unwrap().unwrap()
}

/// Carries out a command on rows that were read before something else happened. Returns the error.
fn lose(scene: &Scene, command: &dyn Decision, something_else: impl FnOnce()) -> DatabaseError {
    let stale = read(scene);
    something_else();
    block_on(door::apply_to(&scene.world.database, stale, command, scene.now())).unwrap_err()
}

#[test]
fn a_row_that_has_changed_is_a_lost_race() {
    let scene = Scene::new();
    let change = |caption: &str| scene.apply(&Command::Update(&captioned(caption)));
    let content = lose(&scene, &Command::Update(&captioned("mine")), || change("theirs"));
    let job = lose(&scene, &Set(|life: &mut Life| life.jobs[0].sendings += 1), || drop(scene.claim("a", 1)));
    change("words");
    let limit = lose(&scene, &Command::Update(&captioned("other words")), || {
        scene.attempt("UPDATE daily_usage SET content_changes = 1000000").unwrap();
    });
    for (error, column) in [(content, "contents.revision"), (job, "jobs.state"), (limit, "daily_usage.content_changes")]
    {
        assert!(matches!(&error, DatabaseError::LostRace(text) if text.contains(column)), "{column}: {error}");
    }
}

#[test]
fn any_other_constraint_is_reported_once_and_by_its_name() {
    let scene = Scene::new();
    scene.world.database.run_script(
        "CREATE TRIGGER refuse BEFORE UPDATE OF ai_summary_of_content ON contents
             BEGIN SELECT raise(ABORT, 'no summary please'); END",
    );
    let cases: [(Change, &str); 6] = [
        (|life| life.content.metadata = Some("{".to_owned()), "CHECK constraint failed"),
        (|life| life.jobs[0].percent = 101, "CHECK constraint failed"),
        (|life| life.content.channel_id.0 = 99, "FOREIGN KEY constraint failed"),
        (|life| life.content.generation = 0, "the generation cannot decrease"),
        (|life| life.content.state = ContentState::TakenDown, "this transition between states"),
        (|life| life.content.ai_summary_of_content = Some("a".to_owned()), "no summary please"),
    ];
    for (set, name) in cases {
        let process = scene.world.process(None);
        let error = block_on(door::apply(&process, Find::Ids(&ID), &Set(set), scene.now())).unwrap_err();
        assert!(matches!(&error, DatabaseError::Unavailable(text) if text.contains(name)), "{name}: {error}");
        assert_eq!(process.operations(), 2, "{name}: not one read and one write");
        assert_eq!(Refusal::from(error).code, ErrorCode::InternalError, "{name}");
    }
    for (statement, name) in [
        ("UPDATE contents SET slug_url = NULL", "NOT NULL constraint failed: contents.slug_url"),
        ("UPDATE jobs SET sendings = NULL", "NOT NULL constraint failed: jobs.sendings"),
        (
            "INSERT INTO jobs SELECT NULL, content_id, channel_id, kind, state, generation, input, traceparent,
             enqueued_at_unix, turn_unix, sendings, sent_at_unix, due_at_unix, attempt, claimed_by, claim_ends_at_unix,
             last_signed_at_unix,
             stage, percent, undecided_failures, silences, check_waits, report, error_code, error_detail, ended_at_unix FROM jobs",
            "UNIQUE constraint failed: jobs.content_id, jobs.kind",
        ),
    ] {
        let error = block_on(scene.world.database.execute(Statement::new(statement))).unwrap_err();
        assert!(matches!(&error, DatabaseError::Unavailable(text) if text.contains(name)), "{name}: {error}");
    }
}

#[test]
fn a_change_that_overtakes_wins_against_changes_that_were_decided_before() {
    let scene = Scene::new();
    let database = &scene.world.database;
    let mine = captioned("mine");
    let owner = Command::Update(&mine);
    let staff = block_on(door::overtake(database, 1, None, scene.now()));
    let stale = lose(&scene, &owner, || drop(block_on(door::overtake(database, 1, None, scene.now()))));
    assert!(stale.is_lost_race(), "{stale}");
    let current = block_on(door::overtake(database, 1, None, scene.now())).unwrap().unwrap();
    assert_ne!(staff.unwrap().unwrap().content.revision, current.content.revision);
    let requeue = Command::Requeue { by: "Ada" };
    assert!(block_on(door::apply_to(database, current, &requeue, scene.now())).unwrap().result.is_ok());
}

/// Another change of the content always comes between reading and writing.
struct Hammered<'a> {
    database: &'a Sqlite,
    writes: Cell<u32>,
}

impl Database for Hammered<'_> {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.database.batch(statements).await
    }

    async fn repeatable_batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.writes.set(self.writes.get() + 1);
        self.database.execute(Statement::new("UPDATE contents SET revision = revision + 1")).await?;
        self.database.batch(statements).await
    }

    fn timer(&self) -> &impl Timer {
        self.database.timer()
    }
}

#[test]
fn a_change_that_finds_no_turn_is_told_when_to_retry() {
    for (step, bound_ms, most_tries) in [(Step::Caption, 5_000, 40), (Step::Requeue, 15_000, 2_000)] {
        let scene = Scene::new();
        let database = Hammered { database: &scene.world.database, writes: Cell::new(0) };
        let apply = |command: &Command<'_>| {
            Some(block_on(door::apply(&database, Find::Ids(&ID), command, scene.now())).unwrap_err())
        };
        let error = step.command(&read(&scene), scene.now(), apply).unwrap();
        assert!(error.is_lost_race(), "{error}");
        let refusal = Refusal::from(error);
        assert_eq!(refusal.code, ErrorCode::ServiceOverloaded);
        assert_eq!(refusal.retry_after_seconds, Some(OVERLOADED_RETRY_SECONDS));
        let waited_ms = database.timer().now_ms();
        assert_eq!(waited_ms, bound_ms, "{step:?}");
        assert!(database.writes.get() <= most_tries, "{step:?}: {} tries", database.writes.get());
    }
}

#[test]
fn changes_that_come_at_once_all_succeed() {
    let scene = Scene::new();
    let captions: Vec<Update> = (0..8).map(|number| captioned(&format!("caption {number}"))).collect();
    let process = scene.world.process(None).yielding();
    let uuid = ContentUuid::new("c");
    let commands: Vec<Command<'_>> = captions.iter().map(Command::Update).collect();
    let changes = commands.iter().map(|command| door::apply(&process, Find::Uuid(&uuid), command, scene.now()));
    for outcome in block_on(join_all(changes)) {
        assert!(outcome.unwrap().unwrap().result.is_ok());
    }
    assert_eq!(read(&scene).content.revision, 9);
    assert_eq!(process.operations(), 16, "a change is more than one read and one write");
}

#[test]
fn a_cancelled_change_delays_the_next_one_only_for_the_length_of_its_turn() {
    let scene = Scene::new();
    let uuid = ContentUuid::new("c");
    let find = Find::Uuid(&uuid);
    let process = scene.world.process(None).yielding();
    let (waiting, stuck) = (captioned("waiting"), captioned("stuck"));
    let (waiting, stuck) = (Command::Update(&waiting), Command::Update(&stuck));
    let mut stuck = Box::pin(door::apply(&process, find, &stuck, scene.now()));
    assert!((&mut stuck).now_or_never().is_none());
    // The platform runs no destructors of a cancelled request.
    std::mem::forget(stuck);
    let operations = process.operations();
    let outcome = block_on(door::apply(&process, find, &waiting, scene.now()));
    assert!(outcome.unwrap().unwrap().result.is_ok(), "its turn came when the other's was over");
    assert_eq!(process.operations(), operations + 2);
}

/// A new job has no row yet that could guard the change, so the revision of the content does.
#[test]
fn a_job_is_added_only_once() {
    let scene = Scene::new();
    let add = Set(|life: &mut Life| {
        life.job_mut(JobWork::Captions, UnixSeconds(0)).state = JobState::Done;
    });
    let error = lose(&scene, &add, || scene.apply(&add));
    assert!(error.is_lost_race(), "{error}");
}
