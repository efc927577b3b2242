//! The database as the core sees it: a batch of statements that is applied completely or not at all.
//!
//! D1 implements it in the Worker and SQLite in the native tests, with the same SQL.

mod fault;
mod read_only;
pub(crate) mod tries;

use fault::Fault;
pub(crate) use fault::INVALID_SIGNER;

use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::isolate::Turns;
use contract::api::{DecisionAction, WaitsFor};
use contract::moderation::Recommendation;
use contract::{ContentState, ErrorCode, Stage};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;
use std::borrow::Cow;
use std::marker::PhantomData;
use tries::Timer;

/// D1's limit of a bound text and of a row.
pub(crate) const MAX_TEXT_BYTES: usize = 2_000_000;

/// A bound parameter. D1 knows integers only as doubles, so they stay below 2^53.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Number(f64),
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    pub sql: Cow<'static, str>,
    pub values: Vec<Value>,
}

/// The rows that one statement of a batch returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rows(pub Vec<Json>);

/// Statements that run in order, as one transaction.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    statements: Vec<Statement>,
    /// Whether the batch may be applied twice, although it writes.
    may_repeat: bool,
}

/// Refers to a query of a batch, and to its rows in that batch's answers.
#[derive(Debug)]
pub(crate) struct Query<Row> {
    position: usize,
    row: PhantomData<fn() -> Row>,
}

/// The rows of a batch's queries.
#[derive(Clone, Debug)]
pub(crate) struct Answers(Vec<Rows>);

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DatabaseError {
    /// The database restarts, is overloaded, or took too long. The batch may be or have been applied.
    #[error("the database is busy, outcome unknown: {0}")]
    Busy(String),
    /// The outcome is unknown: the batch may have been applied.
    #[error("the database failed: {0}")]
    Unavailable(String),
    /// A row has changed since the change of the batch was decided. Nothing was applied.
    #[error("a row has changed since it was read: {0}")]
    LostRace(String),
    /// A batch that was sent again lost a race, maybe against its own first try.
    #[error("a row has changed since it was read, or the batch was applied: {0}")]
    LostRaceOrApplied(String),
    /// The key of the origin that signed the request is not or no longer valid. Nothing was applied.
    #[error("the request was signed with a key that is not valid")]
    SignerUnknown,
    #[error("a row does not have the expected shape: {0}")]
    Shape(String),
}

impl DatabaseError {
    /// Whether the change of the batch may be decided again, on rows that are read again.
    pub(crate) fn is_lost_race(&self) -> bool {
        matches!(self, Self::LostRace(_) | Self::LostRaceOrApplied(_))
    }

    /// Returns the error of a batch that was sent again after a try with an unknown outcome.
    pub(crate) fn of_second_try(self) -> Self {
        match self {
            Self::LostRace(text) => Self::LostRaceOrApplied(text),
            other => other,
        }
    }

    /// Returns the error that the database has reported with this text.
    pub(crate) fn reported(text: String) -> Self {
        match Fault::of(&text) {
            Fault::UnknownSigner => Self::SignerUnknown,
            Fault::LostRace => Self::LostRace(text),
            Fault::Temporary | Fault::Overloaded => Self::Busy(text),
            Fault::Lasting => Self::Unavailable(text),
        }
    }
}

pub(crate) trait Database {
    /// Runs the statements as one transaction on the primary.
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError>;

    /// Runs the statements as `batch` does. If a temporary error leaves their outcome unknown, may run them again.
    async fn repeatable_batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.batch(statements).await
    }

    /// Returns the clock and the randomness for the pauses between tries.
    fn timer(&self) -> &impl Timer;

    /// Returns the turns of the isolate's changes. Without them, changes of the same thing begin at once.
    fn turns(&self) -> Option<&Turns> {
        None
    }

    /// Runs a batch. Its queries read their rows from the answers.
    async fn run(&self, batch: Batch) -> Result<Answers, DatabaseError> {
        let Batch { statements, may_repeat } = batch;
        let rows = if may_repeat { self.repeatable_batch(statements).await } else { self.batch(statements).await };
        rows.map(Answers)
    }

    /// Runs one statement and discards its rows.
    async fn execute(&self, statement: Statement) -> Result<(), DatabaseError> {
        self.batch(vec![statement]).await.map(drop)
    }

    /// Runs one statement and returns its first row, if there is one.
    async fn first<Row: DeserializeOwned>(&self, statement: Statement) -> Result<Option<Row>, DatabaseError> {
        let mut batch = Batch::default();
        let query = batch.query(statement);
        self.run(batch).await?.first(query)
    }

    /// Runs one statement and returns all its rows.
    async fn all<Row: DeserializeOwned>(&self, statement: Statement) -> Result<Vec<Row>, DatabaseError> {
        let mut batch = Batch::default();
        let query = batch.query(statement);
        self.run(batch).await?.all(query)
    }

    /// Runs one statement and returns whether it has any rows. For a `SELECT` that means a match, and for a statement
    /// with a `RETURNING` clause a change.
    async fn returns_rows(&self, statement: Statement) -> Result<bool, DatabaseError> {
        Ok(self.count_returned(statement).await? != 0)
    }

    /// Runs one statement with a `RETURNING` clause and returns how many rows it changed.
    async fn count_returned(&self, statement: Statement) -> Result<usize, DatabaseError> {
        Ok(self.batch(vec![statement]).await?.iter().map(|rows| rows.0.len()).sum())
    }
}

impl Batch {
    /// Returns an empty batch that may be applied twice although it writes: a retry changes nothing more, and its
    /// queries return the same rows as the first try.
    pub(crate) fn repeatable() -> Self {
        Self { may_repeat: true, ..Self::default() }
    }

    /// Fails if D1 would refuse a text because of its size.
    pub(crate) fn check_size(&self) -> Result<(), DatabaseError> {
        let texts = self.statements.iter().flat_map(|statement| &statement.values);
        let largest = texts.map(|value| if let Value::Text(text) = value { text.len() } else { 0 }).max();
        match largest {
            Some(bytes) if bytes > MAX_TEXT_BYTES => {
                Err(DatabaseError::Shape(format!("a parameter has {bytes} bytes, more than {MAX_TEXT_BYTES}")))
            }
            _ => Ok(()),
        }
    }

    /// Adds a statement whose rows are not read.
    pub(crate) fn execute(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    /// Adds a statement and returns the query that reads its rows.
    pub(crate) fn query<Row>(&mut self, statement: Statement) -> Query<Row> {
        self.statements.push(statement);
        Query { position: self.statements.len() - 1, row: PhantomData }
    }
}

impl Answers {
    /// Returns the first row of a query of this batch, if there is one.
    pub(crate) fn first<Row: DeserializeOwned>(&self, query: Query<Row>) -> Result<Option<Row>, DatabaseError> {
        first_row(self.0.get(query.position))
    }

    /// Whether a query of this batch returned at least one row.
    pub(crate) fn has_rows<Row>(&self, query: Query<Row>) -> bool {
        self.count(query) != 0
    }

    /// Returns how many rows a query of this batch returned.
    pub(crate) fn count<Row>(&self, query: Query<Row>) -> usize {
        self.0.get(query.position).map_or(0, |rows| rows.0.len())
    }

    /// Returns all rows of a query of this batch.
    pub(crate) fn all<Row: DeserializeOwned>(&self, query: Query<Row>) -> Result<Vec<Row>, DatabaseError> {
        all_rows(self.0.get(query.position))
    }
}

// Derived implementations would require `Row: Clone` and `Row: Copy`.
impl<Row> Clone for Query<Row> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Row> Copy for Query<Row> {}

/// Whether there may be more rows than a query returned, because it returned as many as its limit allows.
pub(crate) const fn may_have_more(returned: usize, limit: u32) -> bool {
    returned >= limit as usize
}

/// Returns the first row of a statement's rows, if there is one.
pub(crate) fn first_row<Row: DeserializeOwned>(rows: Option<&Rows>) -> Result<Option<Row>, DatabaseError> {
    let first = rows.and_then(|rows| rows.0.first());
    first.map(read_row).transpose()
}

/// Returns all rows of a statement.
pub(crate) fn all_rows<Row: DeserializeOwned>(rows: Option<&Rows>) -> Result<Vec<Row>, DatabaseError> {
    rows.into_iter().flat_map(|rows| &rows.0).map(read_row).collect()
}

pub(crate) fn read_row<Row: DeserializeOwned>(row: &Json) -> Result<Row, DatabaseError> {
    Row::deserialize(row).map_err(|error| DatabaseError::Shape(error.to_string()))
}

/// Reads a column that holds JSON. It is parsed into a `serde_json::Value` first: generating code that reads each type
/// from text as well would make the Worker larger.
pub(crate) fn read_column<T: DeserializeOwned>(text: &str) -> Result<T, DatabaseError> {
    let value = serde_json::from_str(text).map_err(|error| DatabaseError::Shape(error.to_string()));
    value.and_then(|value| read_row(&value))
}

/// Writes a parameter that holds JSON.
pub(crate) fn json_text(value: &(impl Serialize + ?Sized)) -> Result<String, DatabaseError> {
    serde_json::to_string(value).map_err(|error| DatabaseError::Shape(error.to_string()))
}

impl Statement {
    #[cfg_attr(test, track_caller)]
    pub(crate) fn new(sql: impl Into<Cow<'static, str>>) -> Self {
        let sql = sql.into();
        #[cfg(test)]
        super::statement_sites::note(&sql);
        Self { sql, values: Vec::new() }
    }

    #[must_use]
    pub(crate) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "every integer here is below 2^53")]
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

impl From<UnixSeconds> for Value {
    fn from(moment: UnixSeconds) -> Self {
        moment.0.into()
    }
}

impl From<ChannelId> for Value {
    fn from(id: ChannelId) -> Self {
        id.0.into()
    }
}

impl From<&ContentUuid> for Value {
    fn from(uuid: &ContentUuid) -> Self {
        uuid.as_str().into()
    }
}

impl From<&UploadUuid> for Value {
    fn from(uuid: &UploadUuid) -> Self {
        uuid.as_str().into()
    }
}

/// Binds an enum of the contract as its name, as serde reads it from a row.
macro_rules! bind_by_name {
    ($($name:ty),+) => {
        $(impl From<$name> for Value {
            fn from(value: $name) -> Self {
                value.as_str().into()
            }
        })+
    };
}

bind_by_name!(ContentState, DecisionAction, ErrorCode, Recommendation, Stage, WaitsFor);

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Number {
        number: u64,
    }

    fn number(value: u64) -> Statement {
        Statement::new("SELECT CAST(?1 AS INTEGER) AS number").bind(value)
    }

    #[test]
    fn a_query_reads_its_own_rows_at_any_position_in_the_batch() {
        let mut batch = Batch::default();
        batch.execute(number(1));
        let two = batch.query::<Number>(number(2));
        batch.execute(number(3));
        let four = batch.query::<Number>(number(4));
        let answers = block_on(Sqlite::migrated().run(batch)).unwrap();
        assert_eq!(answers.first(four).unwrap(), Some(Number { number: 4 }));
        assert_eq!(answers.all(two).unwrap(), [Number { number: 2 }]);
    }

    #[test]
    fn only_a_full_page_may_have_a_next_one() {
        assert_eq!([0, 99, 100, 101].map(|returned| may_have_more(returned, 100)), [false, false, true, true]);
    }

    #[test]
    fn rows_are_counted() {
        let database = Sqlite::migrated();
        for (rows, sql) in
            [(0, "SELECT 1 AS number WHERE 0"), (1, "SELECT 1 AS number"), (2, "SELECT 1 AS number UNION SELECT 2")]
        {
            let mut batch = Batch::default();
            let query = batch.query::<Number>(Statement::new(sql));
            let answers = block_on(database.run(batch)).unwrap();
            assert_eq!((answers.count(query), answers.has_rows(query)), (rows, rows > 0));
            assert_eq!(block_on(database.count_returned(Statement::new(sql))).unwrap(), rows);
            assert_eq!(block_on(database.returns_rows(Statement::new(sql))).unwrap(), rows > 0);
        }
    }

    #[test]
    fn a_row_of_another_shape_is_an_error_and_a_missing_row_is_none() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Text {
            number: String,
        }
        let database = Sqlite::migrated();
        assert!(matches!(block_on(database.first::<Text>(number(1))), Err(DatabaseError::Shape(_))));
        let nothing = Statement::new("SELECT 1 AS number WHERE 0");
        assert_eq!(block_on(database.first::<Number>(nothing)).unwrap(), None);
    }
}
