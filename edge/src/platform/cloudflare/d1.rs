//! D1 as the `Database`: every batch is one transaction on the primary, with a deadline (`platform::database::tries`).

use super::cost::Cost;
use super::timeout::PlatformTimer;
use crate::base::refusal::Refusal;
use crate::platform::batch_frame::BatchFrame;
use crate::platform::database::tries::{Timer, Tries};
use crate::platform::database::{Database, DatabaseError, Rows, Statement, Value};
use crate::platform::follow_ups::FollowUps;
use crate::platform::isolate::Turns;
use crate::platform::place::Place;
use crate::platform::signer::Signer;
use std::time::Duration;
use worker::d1::{D1DatabaseSession, D1PreparedStatement, D1SessionConstraint};
use worker::wasm_bindgen::JsValue;
use worker::{D1Result, Env, Error};

static TURNS: Turns = Turns::new();

pub(crate) struct D1 {
    session: D1DatabaseSession,
    cost: Cost,
    frame: BatchFrame,
    /// The time that a batch may take.
    deadline: Duration,
}

impl D1 {
    pub(crate) fn open(env: &Env, cost: Cost, deadline: Duration, follow_ups: FollowUps) -> Result<Self, Refusal> {
        let database = env.d1("DB").map_err(|error| Refusal::internal(describe(&error)))?;
        // Replicas may lag, but these queries decide whether a key is valid and a slot is free.
        let session = database.with_session_constraint(D1SessionConstraint::FirstPrimary);
        let session = session.map_err(|error| Refusal::internal(describe(&error)))?;
        let frame = BatchFrame { follow_ups: Some(follow_ups), ..BatchFrame::default() };
        Ok(Self { session, cost, frame, deadline })
    }

    /// Returns the database for changes that the trail records.
    pub(crate) fn at(self, place: Place) -> Self {
        Self { frame: BatchFrame { place: Some(place), ..self.frame }, ..self }
    }

    /// Returns the database for the request of an origin.
    pub(crate) fn signed_by(self, signer: Option<Signer>) -> Self {
        Self { frame: BatchFrame { signer, ..self.frame }, ..self }
    }

    /// Returns the database for the statements of tests: they may take this long, and have no follow-ups.
    #[cfg(feature = "development")]
    pub(crate) fn patient(self, deadline: Duration) -> Self {
        Self { deadline, frame: BatchFrame::default(), ..self }
    }

    async fn run_within(&self, statements: Vec<Statement>, may_repeat: bool) -> Result<Vec<Rows>, DatabaseError> {
        let may_repeat = may_repeat || statements.iter().all(Statement::only_reads);
        let tries = Tries { deadline: self.deadline, may_repeat };
        let framed = self.frame.surround(statements);
        let answers = tries.run(&PlatformTimer, async || self.run_all(framed.statements()).await).await?;
        framed.own_answers(answers)
    }

    async fn run_all(&self, statements: &[Statement]) -> Result<Vec<Rows>, DatabaseError> {
        self.cost.add_batch(statements.len());
        #[cfg(feature = "development")]
        super::stall::end().await;
        let prepared: Result<Vec<_>, _> = statements.iter().map(|statement| self.prepare(statement)).collect();
        let results = self.session.batch(prepared.map_err(unavailable)?).await.map_err(unavailable)?;
        let metas: Vec<_> = results.iter().filter_map(|result| result.meta().ok().flatten()).collect();
        self.cost.add_answers(&metas);
        results.iter().map(rows).collect()
    }

    fn prepare(&self, statement: &Statement) -> Result<D1PreparedStatement, Error> {
        let values: Vec<JsValue> = statement.values.iter().map(js_value).collect();
        self.session.prepare(&*statement.sql).bind(&values)
    }
}

impl Database for D1 {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.run_within(statements, false).await
    }

    async fn repeatable_batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.run_within(statements, true).await
    }

    fn timer(&self) -> &impl Timer {
        &PlatformTimer
    }

    fn turns(&self) -> Option<&Turns> {
        Some(&TURNS)
    }
}

fn rows(result: &D1Result) -> Result<Rows, DatabaseError> {
    if let Some(error) = result.error() {
        return Err(DatabaseError::reported(error));
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
    DatabaseError::reported(describe(&error))
}

/// Formats a D1 error with Debug: its Display throws inside the formatter and hangs the request.
fn describe(error: &Error) -> String {
    format!("{error:?}")
}
