//! D1 as the `Database`: every batch is one transaction on the primary.

use super::cost::Cost;
use crate::ports::database::{Database, DatabaseError, Rows, Statement, Value};
use crate::ports::place::Place;
use crate::refusal::Refusal;
use worker::d1::{D1DatabaseSession, D1PreparedStatement, D1SessionConstraint};
use worker::wasm_bindgen::JsValue;
use worker::{D1Result, Env, Error};

pub(crate) struct D1 {
    session: D1DatabaseSession,
    cost: Cost,
    /// The request that makes its changes, for the trail.
    place: Option<Place>,
}

impl D1 {
    pub(crate) fn open(env: &Env, cost: Cost) -> Result<Self, Refusal> {
        let database = env.d1("DB").map_err(|error| Refusal::internal(describe(&error)))?;
        // Replicas may lag, but these queries decide whether a key is valid and a slot is free.
        let session = database.with_session_constraint(D1SessionConstraint::FirstPrimary);
        session.map(|session| Self { session, cost, place: None }).map_err(|error| Refusal::internal(describe(&error)))
    }

    /// Returns the database for changes that the trail records.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { place: Some(place), ..self }
    }

    async fn run_all(&self, statements: &[Statement]) -> Result<Vec<Rows>, DatabaseError> {
        self.cost.add_batch(statements.len());
        let prepared: Result<Vec<_>, _> = statements.iter().map(|statement| self.prepare(statement)).collect();
        let results = self.session.batch(prepared.map_err(unavailable)?).await.map_err(unavailable)?;
        for meta in results.iter().filter_map(|result| result.meta().ok().flatten()) {
            self.cost.add_statement(&meta);
        }
        results.iter().map(rows).collect()
    }

    fn prepare(&self, statement: &Statement) -> Result<D1PreparedStatement, Error> {
        let values: Vec<JsValue> = statement.values.iter().map(js_value).collect();
        self.session.prepare(&*statement.sql).bind(&values)
    }
}

impl Database for D1 {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        match &self.place {
            None => self.run_all(&statements).await,
            Some(place) => self.run_all(&place.surround(statements)).await.map(Place::inner_answers),
        }
    }
}

fn rows(result: &D1Result) -> Result<Rows, DatabaseError> {
    if let Some(error) = result.error() {
        return Err(DatabaseError::Unavailable(error));
    }
    result.results().map(Rows).map_err(|error| DatabaseError::Shape(describe(&error)))
}

fn js_value(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Number(number) => JsValue::from_f64(*number),
        Value::Text(text) => JsValue::from_str(text),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "map_err passes it by value")]
fn unavailable(error: Error) -> DatabaseError {
    DatabaseError::Unavailable(describe(&error))
}

/// Formats a D1 error with Debug: its Display throws inside the formatter and hangs the request.
fn describe(error: &Error) -> String {
    format!("{error:?}")
}
