//! The database as the thinking parts see it: a batch of statements that happens wholly or not at all.
//!
//! D1 answers it in the Worker and SQLite itself in the tests, with the very same SQL.

use serde::de::DeserializeOwned;
use serde_json::Value as Json;

/// A bound parameter. Integers travel as doubles (D1 knows nothing else), so they stay below 2^53.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Number(f64),
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    pub sql: &'static str,
    pub values: Vec<Value>,
}

/// The rows that one statement of a batch returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows(pub Vec<Json>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseError {
    /// What happened to the batch is unknown: it may have been applied.
    #[error("the database did not answer: {0}")]
    Unavailable(String),
    #[error("a row is not of the expected shape: {0}")]
    Shape(String),
}

/// `batch` is one transaction, and it reads the primary.
pub trait Database {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError>;

    /// A batch of one statement of which at most one row is wanted.
    async fn first<Row: DeserializeOwned>(
        &self,
        statement: Statement,
    ) -> Result<Option<Row>, DatabaseError> {
        first_row(self.batch(vec![statement]).await?.first())
    }
}

/// The first row of a statement's answer, if there is one.
pub fn first_row<Row: DeserializeOwned>(rows: Option<&Rows>) -> Result<Option<Row>, DatabaseError> {
    let Some(row) = rows.and_then(|rows| rows.0.first()) else {
        return Ok(None);
    };
    let row = Row::deserialize(row).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    Ok(Some(row))
}

/// All rows of a statement's answer.
pub fn all_rows<Row: DeserializeOwned>(rows: Option<&Rows>) -> Result<Vec<Row>, DatabaseError> {
    let misfit = |error: serde_json::Error| DatabaseError::Shape(error.to_string());
    let read = |row| Row::deserialize(row).map_err(misfit);
    rows.into_iter()
        .flat_map(|rows| &rows.0)
        .map(read)
        .collect()
}

/// What a column holds as JSON; by way of a value, because reading each type from text as well makes the Worker larger.
pub fn read_column<T: DeserializeOwned>(text: &str) -> Result<T, DatabaseError> {
    let read = serde_json::from_str(text).and_then(|value: Json| T::deserialize(&value));
    read.map_err(|error| DatabaseError::Shape(error.to_string()))
}

impl Statement {
    pub fn new(sql: &'static str) -> Self {
        Self {
            sql,
            values: Vec::new(),
        }
    }

    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        #[expect(
            clippy::cast_precision_loss,
            reason = "every integer here is below 2^53"
        )]
        Self::Number(number as f64)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(f64::from(number))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}
