//! Helpers for tests that set arbitrary values of contents and jobs, with all effects that a rule would have.

use super::door::{self, Find};
use super::{Command, Life};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, Statement};
use crate::testing::sqlite::Sqlite;
use futures_executor::block_on;
use serde::Deserialize;

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
        let command = Command::Become(&life);
        block_on(door::apply(database, Find::Ids(&ids), &command, now)).map_err(|error| error.to_string())?;
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
