//! Test doubles: real SQLite as the database, and a platform that can fail before, after or instead of every effect.
//! `schema` checks the migrated database itself.

pub(crate) mod document;
pub(crate) mod fake_platform;
mod query_plan;
mod schema;
pub(crate) mod sqlite;
pub(crate) mod virtual_timer;

use crate::contents::compaction::DEFAULT_COMPACT_DAYS;
use crate::platform::Platform;
use crate::platform::batch_frame::BatchFrame;
use crate::platform::database::{DatabaseError, Rows, Statement};
use crate::platform::error::PlatformError;
use contract::api::SweepReport;
use sqlite::Sqlite;

/// Runs a framed batch, as the Worker does.
pub(crate) fn framed_batch(
    database: &Sqlite,
    frame: &BatchFrame,
    own: Vec<Statement>,
) -> Result<Vec<Rows>, DatabaseError> {
    let framed = frame.surround(own);
    framed.own_answers(database.transact(framed.statements())?)
}

/// Sweeps with the settings of a service that sets none.
pub(crate) async fn sweep<P: Platform>(platform: &P) -> Result<SweepReport, PlatformError> {
    crate::upkeep::sweep::sweep(platform, DEFAULT_COMPACT_DAYS * 86_400).await
}
