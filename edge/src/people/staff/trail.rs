//! The trail: who did what, when, about what and from where. Triggers write it in the transaction of the change, and
//! the database refuses to change it.

use crate::platform::database::{Database, DatabaseError, Statement};
use contract::api::TrailEntry;
use contract::limits::MAX_SAFE_INTEGER;

fn select_entries(condition_and_order: &str) -> Statement {
    Statement::new(format!(
        "SELECT id AS number, happened_at_unix, actor, action, subject, detail, network, route
         FROM trail LEFT JOIN trail_places ON trail_id = id WHERE {condition_and_order} LIMIT ?2"
    ))
}

/// The entries that are listed. Each variant has an index in the order of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TrailFilter {
    Everything,
    Actor(String),
    Subject(String),
}

/// Returns the entries with a smaller number than `before`, the newest first.
pub(crate) async fn list(
    database: &impl Database,
    filter: &TrailFilter,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<TrailEntry>, DatabaseError> {
    let (condition, value) = match filter {
        TrailFilter::Everything => ("", None),
        TrailFilter::Actor(actor) => ("actor = ?3 AND ", Some(actor)),
        TrailFilter::Subject(subject) => ("subject = ?3 AND ", Some(subject)),
    };
    let select = select_entries(&format!("{condition}id < ?1 ORDER BY id DESC"));
    let select = select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most);
    database.all(value.into_iter().fold(select, |select, value| select.bind(value.as_str()))).await
}

/// Returns the entries with a larger number than `after`, the oldest first.
pub(crate) async fn list_after(
    database: &impl Database,
    after: u64,
    at_most: u32,
) -> Result<Vec<TrailEntry>, DatabaseError> {
    let select = select_entries("id > ?1 ORDER BY id");
    database.all(select.bind(after).bind(at_most)).await
}
