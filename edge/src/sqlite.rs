//! The database of the native tests: real SQLite with the Worker's own migrations.
//!
//! Numbers are bound as doubles, as D1 binds them, so that a column that minds is found here.

use crate::database::{Database, DatabaseError, Rows, Statement, Value};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, Transaction};
use serde_json::{Map, Value as Json};
use std::cell::RefCell;
use std::collections::HashSet;

/// More than any test uses: none is compiled twice.
const STATEMENTS: usize = 100;

/// What nothing ever empties.
const GROWING: [&str; 8] = [
    "channels",
    "api_keys",
    "daily_usage",
    "uploads",
    "contents",
    "reports",
    "findings",
    "decisions",
];

pub struct Sqlite {
    connection: RefCell<Connection>,
    /// The statements whose plan was looked at.
    planned: RefCell<HashSet<&'static str>>,
}

impl Sqlite {
    /// A fresh database in memory with every migration applied.
    pub fn migrated() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .pragma_update(None, "foreign_keys", true)
            .unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            connection
                .execute_batch(&std::fs::read_to_string(file).unwrap())
                .unwrap();
        }
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        Self {
            connection: RefCell::new(connection),
            planned: RefCell::default(),
        }
    }

    /// One transaction, as D1's batch is.
    pub fn transact(&self, statements: &[Statement]) -> Result<Vec<Rows>, DatabaseError> {
        let unavailable = |error: rusqlite::Error| DatabaseError::Unavailable(error.to_string());
        let mut connection = self.connection.borrow_mut();
        let transaction = connection.transaction().map_err(unavailable)?;
        let rows = statements
            .iter()
            .map(|statement| run(&transaction, statement))
            .collect::<Result<_, _>>();
        let rows = rows.map_err(unavailable)?;
        transaction.commit().map_err(unavailable)?;
        Ok(rows)
    }
}

impl Sqlite {
    /// No statement of intake or sweep may walk through a table that only grows: it would cost more each day.
    pub fn check_plan(&self, statement: &Statement) {
        if self.planned.borrow_mut().insert(statement.sql) {
            let walks = self.walks(statement);
            assert!(walks.is_empty(), "{walks:?}: {}", statement.sql);
        }
    }

    fn walks(&self, statement: &Statement) -> Vec<String> {
        let connection = self.connection.borrow();
        let sql = format!("EXPLAIN QUERY PLAN {}", statement.sql);
        let mut prepared = connection.prepare(&sql).unwrap();
        let values = rusqlite::params_from_iter(&statement.values);
        let steps = prepared.query_map(values, |row| row.get::<_, String>(3));
        let steps = steps.unwrap().map(Result::unwrap);
        let walks = |step: &String| GROWING.iter().any(|table| *step == format!("SCAN {table}"));
        steps.filter(walks).collect()
    }
}

impl Database for Sqlite {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.transact(&statements)
    }
}

fn run(transaction: &Transaction<'_>, statement: &Statement) -> rusqlite::Result<Rows> {
    let mut prepared = transaction.prepare_cached(statement.sql)?;
    let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
    let mut cursor = prepared.query(rusqlite::params_from_iter(&statement.values))?;
    let mut rows = Vec::new();
    while let Some(row) = cursor.next()? {
        let cells = names.iter().enumerate();
        let cells = cells.map(|(index, name)| Ok((name.clone(), json(row.get_ref(index)?))));
        rows.push(Json::Object(
            cells.collect::<rusqlite::Result<Map<_, _>>>()?,
        ));
    }
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
    fn a_walk_through_a_growing_table_is_noticed() {
        let walk = Statement::new("SELECT id FROM contents WHERE caption = 'x'");
        Sqlite::migrated().check_plan(&walk);
    }
}
