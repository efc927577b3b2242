//! The table of purges: selects due purges, and records accepted ones.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
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
    /// The tag and the number of changes so far, as JSON. An accepted purge is recorded only if the number is still the
    /// same: a later change needs its own purges.
    state: String,
}

/// Returns the purges that are due, new changes first, and plans their next attempt in case they are refused, with
/// growing waits. Until then, no other request makes the same purges.
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

/// Plans the second purge of tags that were purged for the first time, and deletes the other rows.
pub(super) async fn record_accepted(
    database: &impl Database,
    accepted: &[DuePurge],
    second_at: UnixSeconds,
) -> Result<(), DatabaseError> {
    const WHERE_UNCHANGED: &str = " WHERE (tag, changes) IN
                 (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))";
    let delete = Statement::new(constcat::concat!("DELETE FROM cache_purges", WHERE_UNCHANGED, " AND is_purged = 1"));
    let plan = Statement::new(constcat::concat!(
        "UPDATE cache_purges SET is_purged = 1, attempts = 0, due_at_unix = ?2",
        WHERE_UNCHANGED
    ));
    let states: Vec<_> = accepted.iter().map(|purge| purge.state.as_str()).collect();
    let states = format!("[{}]", states.join(","));
    let mut batch = Batch::default();
    batch.execute(delete.bind(states.as_str()));
    batch.execute(plan.bind(states).bind(second_at));
    database.run(batch).await.map(drop)
}
