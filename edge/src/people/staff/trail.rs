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

/// Whose entries, or about what, are listed. The index of each has the order of the list.
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
    let (select, value) = match filter {
        TrailFilter::Everything => (select_entries("id < ?1 ORDER BY id DESC"), None),
        TrailFilter::Actor(actor) => (select_entries("actor = ?3 AND id < ?1 ORDER BY id DESC"), Some(actor)),
        TrailFilter::Subject(subject) => (select_entries("subject = ?3 AND id < ?1 ORDER BY id DESC"), Some(subject)),
    };
    let select = select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most);
    database
        .all(match value {
            Some(value) => select.bind(value.as_str()),
            None => select,
        })
        .await
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
