//! The table of purges: which are due, and which were accepted.

use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use serde::Deserialize;

/// A purge to make now.
#[derive(Debug, Deserialize)]
pub(super) struct DuePurge {
    pub tag: String,
    /// The tag and the number of changes so far, as JSON. An accepted purge is recorded only if the row is still the
    /// same: a later change needs purges of its own.
    state: String,
}

/// Returns the purges that are due, those of new changes first, and plans their next attempt in case they are refused:
/// after 15 seconds, then after twice as long each time, at most after 10 minutes. Until then, no other request makes
/// the same purges.
pub(super) async fn take_due(
    database: &impl Database,
    now: UnixSeconds,
    at_most: u32,
) -> Result<Vec<DuePurge>, DatabaseError> {
    let take = Statement::new(
        "UPDATE cache_purges SET attempts = attempts + 1, due_at_unix = ?1 + min(600, 15 << min(attempts, 6))
         WHERE tag IN (SELECT tag FROM cache_purges WHERE due_at_unix <= ?1 ORDER BY due_at_unix LIMIT ?2)
         RETURNING tag, json_array(tag, changes) AS state",
    );
    database.all(take.bind(now).bind(at_most)).await
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
