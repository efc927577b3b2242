//! Helpers for tests that set arbitrary values of contents and jobs, with all effects that a rule would have.

use super::change::Change;
use super::decide::complete;
use super::door::{self, Find};
use super::{Decision, JobState, Life, Patience};
use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, Statement};
use crate::testing::sqlite::Sqlite;
use contract::job::JobWork;
use contract::{ContentState, ErrorCode};
use futures_executor::block_on;
use serde::Deserialize;

/// New values that no rule sets.
pub(crate) struct Set<F>(pub F);

impl<F: Fn(&mut Life)> Decision for Set<F> {
    fn change(&self, life: &Life, now: UnixSeconds) -> Result<Change, ErrorCode> {
        complete(life, now, |after, _| {
            (self.0)(after);
            Ok(())
        })
    }

    fn patience(&self) -> Patience {
        Patience::Staff
    }

    fn file(&self) -> Option<&UploadUuid> {
        None
    }
}

/// Sets the state directly, together with the columns that the database requires.
pub(crate) fn set_state(state: ContentState, now: UnixSeconds) -> impl Decision {
    Set(move |life: &mut Life| {
        if (life.content.state, state) == (ContentState::Failed, ContentState::Processing) {
            life.job_mut(JobWork::Video, now).end(JobState::Waiting, now);
        }
        life.content.state = state;
        life.content.media.get_or_insert_with(|| "{}".to_owned());
        life.content.media_generation.get_or_insert(1);
    })
}

#[derive(Deserialize)]
struct IdRow {
    id: u64,
}

/// Sets the values of contents and jobs by a statement, as if a rule had set them.
pub(crate) fn set_as_a_rule(database: &Sqlite, sql: &str, now: UnixSeconds) -> Result<(), String> {
    database.run_script("SAVEPOINT before_rule");
    let after = execute(database, sql).map(|()| read_all(database, now));
    database.run_script("ROLLBACK TO before_rule; RELEASE before_rule");
    for life in after? {
        let ids = [life.content.id];
        let set = Set(|other: &mut Life| other.clone_from(&life));
        block_on(door::apply(database, Find::Ids(&ids), &set, now)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn execute(database: &Sqlite, sql: &str) -> Result<(), String> {
    block_on(database.execute(Statement::new(sql.to_owned()))).map_err(|error| error.to_string())
}

fn read_all(database: &Sqlite, now: UnixSeconds) -> Vec<Life> {
    let rows: Vec<IdRow> = block_on(database.all(Statement::new("SELECT id FROM contents"))).unwrap();
    let read = |row: IdRow| block_on(door::read_one(database, Find::Ids(&[row.id]), now)).unwrap();
    rows.into_iter().filter_map(read).collect()
}
