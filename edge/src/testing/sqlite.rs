//! The database of the native tests: real SQLite with the Worker's own migrations.
//!
//! Numbers are bound as doubles, as in D1, so that the tests find columns that cannot hold them.
//!
//! Opening a database, applying the migrations and compiling the statements takes longer than most tests. So the tests
//! reuse databases: each test works in a transaction, which is rolled back when the test drops the database.

use super::query_plan::QueryPlan;
use super::virtual_timer::VirtualTimer;
use crate::platform::database::tries::Timer;
use crate::platform::database::{Database, DatabaseError, MAX_TEXT_BYTES, Rows, Statement, Value};
use crate::platform::statement_sites;
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Savepoint, StatementStatus, ToSql};
use serde_json::{Map, Value as Json};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The number of compiled statements that a connection keeps: more than the tests use.
const STATEMENTS: usize = 200;

/// Databases that no test uses at the moment: all migrations applied, no rows added.
static IDLE: Mutex<Vec<Migrated>> = Mutex::new(Vec::new());

struct Migrated {
    connection: Connection,
    /// The statements whose query plan has been checked.
    planned: HashSet<String>,
}

/// A database for one test. Dropping it undoes everything that was done to it.
pub(crate) struct Sqlite {
    /// `None` only while it is dropped.
    migrated: RefCell<Option<Migrated>>,
    instructions: Cell<u64>,
    timer: VirtualTimer,
}

impl Migrated {
    /// Opens a database in memory and applies every migration.
    fn open() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.pragma_update(None, "foreign_keys", true).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        for file in files {
            connection.execute_batch(&std::fs::read_to_string(file).unwrap()).unwrap();
        }
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // Let plans include the plans of triggers.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRIGGER_EQP, true).unwrap();
        let migrated = Self { connection, planned: HashSet::new() };
        migrated.keep_plans(true);
        migrated
    }

    /// Lets a compiled statement keep its plan for all bound values. Otherwise, SQLite recompiles most statements at
    /// each use, because another value could allow another partial index, and that takes most of the time.
    fn keep_plans(&self, does_keep: bool) {
        self.connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, does_keep).unwrap();
    }

    /// Returns the statement's query plan for its values, as D1 plans it.
    fn plan(&self, statement: &Statement) -> QueryPlan {
        self.keep_plans(false);
        let plan = QueryPlan::of(&self.connection, &statement.sql, &statement.values).unwrap();
        self.keep_plans(true);
        plan
    }

    /// Fails if the cost of the statement or of one of its triggers grows with the service's past.
    fn check_plan(&mut self, statement: &Statement) {
        if self.planned.insert(statement.sql.to_string()) {
            let growing = self.plan(statement).growing_steps(&self.connection, &statement.sql);
            assert!(growing.is_empty(), "{growing:#?}\n{}", statement.sql);
        }
    }
}

impl Sqlite {
    /// Returns a database with every migration applied and no rows added.
    pub(crate) fn migrated() -> Self {
        let idle = IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let migrated = idle.unwrap_or_else(Migrated::open);
        migrated.connection.execute_batch("BEGIN").unwrap();
        Self { migrated: RefCell::new(Some(migrated)), instructions: Cell::new(0), timer: VirtualTimer::default() }
    }

    /// Runs the statements in one transaction, as D1 runs a batch.
    pub(crate) fn transact(&self, statements: &[Statement]) -> Result<Vec<Rows>, DatabaseError> {
        let unavailable = |error: rusqlite::Error| DatabaseError::reported(error.to_string());
        let is_large = |value: &Value| matches!(value, Value::Text(text) if text.len() > MAX_TEXT_BYTES);
        let own = || statements.iter().filter(|statement| statement_sites::is_own(&statement.sql));
        if own().flat_map(|statement| &statement.values).any(is_large) {
            return Err(DatabaseError::reported("D1_ERROR: string or blob too big: SQLITE_TOOBIG".to_owned()));
        }
        let mut migrated = self.migrated.borrow_mut();
        let migrated = migrated.as_mut().unwrap();
        for statement in own() {
            migrated.check_plan(statement);
        }
        let connection = &mut migrated.connection;
        // A savepoint that is dropped without a commit is rolled back.
        let savepoint = connection.savepoint().map_err(unavailable)?;
        let rows =
            statements.iter().map(|statement| run(&savepoint, statement, &self.instructions)).collect::<Result<_, _>>();
        let rows = rows.map_err(unavailable)?;
        savepoint.commit().map_err(unavailable)?;
        Ok(rows)
    }

    /// Returns the steps of the statement's query plan, one per line.
    pub(crate) fn plan(&self, statement: &Statement) -> String {
        self.migrated.borrow().as_ref().unwrap().plan(statement).lines()
    }

    /// Runs a script of statements.
    pub(crate) fn run_script(&self, sql: &str) {
        self.migrated.borrow().as_ref().unwrap().connection.execute_batch(sql).unwrap();
    }

    /// Returns the number of instructions that the statements of this database have run, including triggers.
    pub(crate) fn instructions(&self) -> u64 {
        self.instructions.get()
    }

    /// Returns the plan of any statement without values, and its steps whose cost grows with the service's past.
    pub(crate) fn plan_of(&self, sql: &str) -> (String, Vec<String>) {
        let migrated = self.migrated.borrow();
        let connection = &migrated.as_ref().unwrap().connection;
        let plan = QueryPlan::of(connection, sql, &[]).unwrap();
        (plan.lines(), plan.growing_steps(connection, sql))
    }

    /// Returns the columns, of all tables, in which any row contains the word.
    pub(crate) fn columns_with(&self, word: &str) -> Vec<String> {
        let migrated = self.migrated.borrow();
        let connection = &migrated.as_ref().unwrap().connection;
        let columns = "SELECT tables.name, columns.name FROM sqlite_schema AS tables
             JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'";
        let mut columns = connection.prepare_cached(columns).unwrap();
        let columns = columns.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
        let has_word = |(table, column): &(String, String)| {
            let sql = format!("SELECT EXISTS (SELECT 1 FROM {table} WHERE instr(CAST({column} AS TEXT), ?1))");
            connection.query_row(&sql, [word], |row| row.get(0)).unwrap()
        };
        let found = columns.map(Result::unwrap).filter(has_word);
        found.map(|(table, column)| format!("{table}.{column}")).collect()
    }
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        let migrated = self.migrated.get_mut().take();
        let undone = migrated.filter(|one| one.connection.execute_batch("ROLLBACK").is_ok());
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).extend(undone);
    }
}

impl Database for Sqlite {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.transact(&statements)
    }

    fn timer(&self) -> &impl Timer {
        &self.timer
    }
}

fn run(savepoint: &Savepoint<'_>, statement: &Statement, instructions: &Cell<u64>) -> rusqlite::Result<Rows> {
    let mut prepared = savepoint.prepare_cached(&statement.sql)?;
    assert!(prepared.readonly() || !statement.only_reads(), "a retry would write twice: {}", statement.sql);
    let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let mut cursor = prepared.query(rusqlite::params_from_iter(&statement.values))?;
    let mut rows = Vec::new();
    while let Some(row) = cursor.next()? {
        let cells = names.iter().enumerate();
        let cells = cells.map(|(index, name)| Ok((name.clone(), json(row.get_ref(index)?))));
        rows.push(Json::Object(cells.collect::<rusqlite::Result<Map<_, _>>>()?));
    }
    drop(cursor);
    let run = prepared.reset_status(StatementStatus::VmStep);
    instructions.set(instructions.get() + u64::try_from(run).unwrap());
    Ok(Rows(rows))
}

fn json(value: ValueRef<'_>) -> Json {
    match value {
        ValueRef::Null => Json::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(_) => panic!("no column here holds a blob"),
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Self::Null => Ok(ToSqlOutput::Borrowed(ValueRef::Null)),
            Self::Number(number) => Ok(ToSqlOutput::Borrowed(ValueRef::Real(*number))),
            Self::Text(text) => text.to_sql(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "SCAN contents")]
    fn a_statement_that_scans_a_growing_table_is_found() {
        let scan = Statement::new("SELECT id FROM contents WHERE caption = 'x'");
        Sqlite::migrated().migrated.get_mut().as_mut().unwrap().check_plan(&scan);
    }

    #[test]
    fn a_database_starts_without_the_rows_of_the_test_before() {
        let count = Statement::new("SELECT count(*) AS number FROM super_categories");
        for _ in 0..3 {
            let database = Sqlite::migrated();
            let insert = Statement::new("INSERT INTO super_categories (id, name) VALUES (1, 'a')");
            assert_eq!(database.transact(std::slice::from_ref(&count)).unwrap()[0].0[0]["number"], 0);
            database.transact(&[insert]).unwrap();
            assert_eq!(database.transact(std::slice::from_ref(&count)).unwrap()[0].0[0]["number"], 1);
        }
    }

    #[test]
    fn a_batch_that_fails_changes_nothing() {
        let database = Sqlite::migrated();
        let insert = || Statement::new("INSERT INTO super_categories (id, name) VALUES (1, 'a')");
        assert!(database.transact(&[insert(), insert()]).is_err());
        let count = Statement::new("SELECT count(*) AS number FROM super_categories");
        assert_eq!(database.transact(&[count]).unwrap()[0].0[0]["number"], 0);
    }
}
