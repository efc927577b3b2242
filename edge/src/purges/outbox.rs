//! The table of purges: which are due, and which were accepted.

use super::tags;
use crate::ports::database::{Batch, Database, DatabaseError, Statement, Value};
use crate::unix_seconds::UnixSeconds;
use contract::Backoff;
use serde::Deserialize;
use std::time::Duration;

/// The time until a refused purge is repeated. There is no jitter: the budget of purges is shared, not contended for.
const BACKOFF: Backoff =
    Backoff { first: Duration::from_secs(15), factor: 2, longest: Duration::from_mins(10), jitter: (1.0, 1.0) };

/// A purge to make now.
#[derive(Debug, Deserialize)]
pub(super) struct DuePurge {
    pub tag: String,
    /// The tag and the number of changes so far, as JSON. An accepted purge is recorded only if the row is still the
    /// same: a later change needs purges of its own.
    state: String,
}

/// Returns the statement that asks for purges of tags, in a JSON array.
pub(crate) fn insert(tags: &str) -> Statement {
    let insert = Statement::new(
        "INSERT INTO cache_purges (tag) SELECT value FROM json_each(?1) WHERE true
         ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0",
    );
    insert.bind(tags)
}

/// Returns the purges that are due, those of new changes first, and plans their next attempt in case they are refused:
/// each time later. Until then, no other request makes the same purges.
pub(super) async fn take_due(
    database: &impl Database,
    now: UnixSeconds,
    at_most: u32,
) -> Result<Vec<DuePurge>, DatabaseError> {
    let take = Statement::new(
        "UPDATE cache_purges SET attempts = attempts + 1,
             due_at_unix = ?1 + (?3 ->> min(attempts, json_array_length(?3) - 1))
         WHERE tag IN (SELECT tag FROM cache_purges WHERE due_at_unix <= ?1 ORDER BY due_at_unix LIMIT ?2)
         RETURNING tag, json_array(tag, changes) AS state",
    );
    database.all(take.bind(now).bind(at_most).bind(waits())).await
}

/// Returns the seconds to wait after each refusal, as JSON.
fn waits() -> String {
    let seconds: Vec<_> = BACKOFF.steps().map(|step| step.as_secs().to_string()).collect();
    format!("[{}]", seconds.join(","))
}

/// Plans the second purge of those that were purged for the first time, and deletes the others.
pub(super) async fn record_accepted(
    database: &impl Database,
    accepted: &[DuePurge],
    second_at: UnixSeconds,
) -> Result<(), DatabaseError> {
    macro_rules! where_unchanged {
        () => {
            " WHERE (tag, changes) IN
                 (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))"
        };
    }
    let delete = Statement::new(concat!("DELETE FROM cache_purges", where_unchanged!(), " AND is_purged = 1"));
    let plan = Statement::new(concat!(
        "UPDATE cache_purges SET is_purged = 1, attempts = 0, due_at_unix = ?2",
        where_unchanged!()
    ));
    let states: Vec<_> = accepted.iter().map(|purge| purge.state.as_str()).collect();
    let states = format!("[{}]", states.join(","));
    let mut batch = Batch::default();
    batch.execute(delete.bind(states.as_str()));
    batch.execute(plan.bind(states).bind(second_at));
    database.run(batch).await.map(drop)
}

/// Adds the statement that asks for purges of everything of the channels that a condition selects.
pub(crate) fn purge_channels(batch: &mut Batch, condition: &str, values: &[Value]) {
    // The pages of a channel have one tag, and its files have another.
    purge(batch, &[tags::CHANNEL, tags::CHANNEL_FILES], condition, values);
}

/// The same for the pages that show the name of a channel.
pub(crate) fn purge_pages_of_channels(batch: &mut Batch, condition: &str, values: &[Value]) {
    purge(batch, &[tags::CHANNEL], condition, values);
}

fn purge(batch: &mut Batch, prefixes: &[&str], condition: &str, values: &[Value]) {
    let insert = format!(
        "INSERT INTO cache_purges (tag)
         SELECT prefix.value || changed.id FROM (SELECT id FROM channels WHERE {condition}) AS changed
             CROSS JOIN json_each('{}') AS prefix
         WHERE true ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0",
        serde_json::Value::from(prefixes)
    );
    batch.execute(values.iter().cloned().fold(Statement::new(insert), Statement::bind));
}
