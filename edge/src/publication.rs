//! When a content is shown, and when not any more: its time, its owner's wishes.
//!
//! Each operation is one transaction that asks the state itself, so that it may come at any moment, twice, or beside
//! any other. The steps are those of `contract::STEPS`; the database refuses all others.

use crate::database::{Database, DatabaseError, Statement, first_row};
use contract::ContentState;
use contract::limits::SCHEDULE_AHEAD_SECONDS;
use serde::Deserialize;

/// What one statement publishes; a run goes on until none is left.
const BATCH: u32 = 500;
/// So that a run ends whatever comes meanwhile; the next one is a minute away.
const BATCHES: u32 = 20;

/// Whether a publication may be scheduled for that time.
pub fn is_schedule(time_unix: u64, now_unix: u64) -> bool {
    let ahead = time_unix.checked_sub(now_unix);
    ahead.is_some_and(|ahead| SCHEDULE_AHEAD_SECONDS.contains(&ahead))
}

/// Publishes the approved contents whose time has come; returns how many there were.
pub async fn publish_due(database: &impl Database, now_unix: u64) -> Result<u64, DatabaseError> {
    let mut published = 0;
    for _ in 0..BATCHES {
        let publish = Statement::new(
            "UPDATE contents SET state = 'published', published_at_unix = ?1
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'scheduled' AND scheduled_publish_at_unix <= ?1
                 ORDER BY scheduled_publish_at_unix LIMIT ?2)
             RETURNING id",
        );
        let answers = database
            .batch(vec![publish.bind(now_unix).bind(BATCH)])
            .await?;
        let count = answers.first().map_or(0, |rows| rows.0.len() as u64);
        published += count;
        if count < u64::from(BATCH) {
            break;
        }
    }
    Ok(published)
}

/// A content as its owner is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct Standing {
    pub state: ContentState,
    pub scheduled_publish_at_unix: Option<u64>,
    pub published_at_unix: Option<u64>,
}

/// What came of a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    Done(Standing),
    /// In this state it cannot be.
    Conflict(ContentState),
    /// The channel has no such content.
    Unknown,
}

/// Which content of which channel.
#[derive(Clone, Copy, Debug)]
pub struct Owned<'a> {
    pub channel_id: u64,
    pub content_uuid: &'a str,
}

/// Deletes the content, in whatever state it is; deleting it again changes nothing. Its objects go with the sweep.
pub async fn delete(
    database: &impl Database,
    owned: Owned<'_>,
    now_unix: u64,
) -> Result<Changed, DatabaseError> {
    // What its owner wrote goes at once.
    let delete = Statement::new(
        "UPDATE contents SET state = 'deleted', caption = NULL, ai_summary_of_content = NULL, waits_for = NULL,
             waits_since_unix = NULL, claimed_by = NULL, claim_ends_at_unix = NULL,
             finished_at_unix = coalesce(finished_at_unix, ?3)
         WHERE uuid = ?1 AND channel_id = ?2 AND state <> 'deleted'
         RETURNING id",
    );
    let is_done = |standing: &Standing| standing.state == ContentState::Deleted;
    change(database, owned, owned.bind(delete).bind(now_unix), is_done).await
}

/// Another time for what is not public yet.
pub async fn reschedule(
    database: &impl Database,
    owned: Owned<'_>,
    time_unix: u64,
) -> Result<Changed, DatabaseError> {
    let reschedule = Statement::new(
        "UPDATE contents SET scheduled_publish_at_unix = ?3
         WHERE uuid = ?1 AND channel_id = ?2 AND state IN ('processing', 'scheduled')
         RETURNING id",
    );
    change(
        database,
        owned,
        owned.bind(reschedule).bind(time_unix),
        |_| false,
    )
    .await
}

/// No waiting for a time any more: what is approved is published, what is being processed will be with its approval.
pub async fn publish_now(
    database: &impl Database,
    owned: Owned<'_>,
    now_unix: u64,
) -> Result<Changed, DatabaseError> {
    let publish = Statement::new(
        "UPDATE contents SET scheduled_publish_at_unix = NULL,
             published_at_unix = CASE state WHEN 'scheduled' THEN ?3 ELSE published_at_unix END,
             state = CASE state WHEN 'scheduled' THEN 'published' ELSE state END
         WHERE uuid = ?1 AND channel_id = ?2 AND state IN ('processing', 'scheduled')
         RETURNING id",
    );
    let is_done = |standing: &Standing| standing.state.is_public();
    change(database, owned, owned.bind(publish).bind(now_unix), is_done).await
}

impl Owned<'_> {
    fn bind(self, statement: Statement) -> Statement {
        statement.bind(self.content_uuid).bind(self.channel_id)
    }
}

/// Tries the change and reads what is so now. `is_done` recognises what needs no change: a repetition, most likely.
async fn change(
    database: &impl Database,
    owned: Owned<'_>,
    statement: Statement,
    is_done: impl Fn(&Standing) -> bool,
) -> Result<Changed, DatabaseError> {
    let read = Statement::new(
        "SELECT state, scheduled_publish_at_unix, published_at_unix FROM contents
         WHERE uuid = ?1 AND channel_id = ?2",
    );
    let answers = database.batch(vec![statement, owned.bind(read)]).await?;
    let is_changed = answers.first().is_some_and(|rows| !rows.0.is_empty());
    let standing: Option<Standing> = first_row(answers.get(1))?;
    Ok(match standing {
        None => Changed::Unknown,
        Some(standing) if is_changed || is_done(&standing) => Changed::Done(standing),
        Some(standing) => Changed::Conflict(standing.state),
    })
}

#[cfg(test)]
mod tests;
