//! Rows as JSON, and the columns in which they differ.

use crate::contents::life::change::Change;
use crate::contents::life::life::Life;
use crate::platform::database::DatabaseError;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Contents before a change, and the change.
pub(super) type Page<'a> = [(&'a Life, &'a Change)];

pub(super) type Row = Map<String, Value>;

pub(super) fn row(value: &impl Serialize) -> Result<Row, DatabaseError> {
    match serde_json::to_value(value) {
        Ok(Value::Object(row)) => Ok(row),
        Ok(_) => Err(DatabaseError::Shape("a row is not an object".to_owned())),
        Err(error) => Err(DatabaseError::Shape(error.to_string())),
    }
}

/// Returns the columns that change in any row.
pub(super) fn changed<'a>(rows: impl Iterator<Item = (&'a Row, &'a Row)>) -> BTreeSet<&'a str> {
    let differing = |(old, new): (&'a Row, &'a Row)| {
        new.iter().filter(|(name, value)| old.get(*name) != Some(*value)).map(|(name, _)| name.as_str())
    };
    rows.flat_map(differing).collect()
}

/// Returns the assignments of an UPDATE that takes the values of these columns from `json_each`.
pub(super) fn assignments<'a>(columns: impl IntoIterator<Item = &'a str>) -> String {
    let set = columns.into_iter().map(|column| format!(", {column} = value ->> '$.{column}'"));
    set.collect::<Vec<_>>().concat()
}
