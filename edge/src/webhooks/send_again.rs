//! Resends events that were not delivered, or that their receiver has lost.

use super::store::OwnedWebhook;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::api::EventsSentAgain;
use serde::Deserialize;

/// The number of logged events that one request covers.
const EVENTS_AT_ONCE: u32 = 500;

/// The events of a webhook's channel to send again.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selection<'a> {
    One(&'a str),
    Since { unix: u64, after: u64, include_delivered: bool },
}

#[derive(Deserialize)]
struct Seen {
    events: u32,
    last: Option<u64>,
}

/// The condition that the event in the middle of the search happened since the time.
const IS_SINCE: &str = "EXISTS (SELECT 1 FROM events
             WHERE channel_id = ?1 AND sequence = (low + high) / 2 AND happened_at_unix >= ?4)";

/// The selected events of the channel, as a table `selected`. The first event since a time is found by a binary search
/// of the sequence: events that were deleted from the log are older than the rest.
const SELECTED_EVENTS: &str = constcat::concat!(
    "WITH RECURSIVE search (low, high) AS (
                 SELECT 1, events_count + 1 FROM channels WHERE id = ?1 AND ?3 IS NULL
                 UNION ALL
                 SELECT iif(",
    IS_SINCE,
    ", low, (low + high) / 2 + 1), iif(",
    IS_SINCE,
    ", (low + high) / 2, high) FROM search WHERE low < high),
             selected AS (
                 SELECT id, sequence, content_id, type FROM events WHERE channel_id = ?1 AND public_id = ?3
                 UNION ALL
                 SELECT * FROM (SELECT id, sequence, content_id, type FROM events
                     WHERE channel_id = ?1 AND sequence >= max(?5 + 1, (SELECT max(low) FROM search))
                     ORDER BY sequence LIMIT ?6))"
);

/// Queues events of an active webhook's channel, or returns `None` if a single event is not in the log. A failed or
/// canceled delivery restarts with all attempts, a successful one only on request. An event without a delivery gets
/// one, if the webhook wants its type or it is the single event. Pending deliveries of the same videos are tried at
/// once.
pub(crate) async fn send_again(
    database: &impl Database,
    webhook: OwnedWebhook<'_>,
    selection: Selection<'_>,
) -> Result<Option<EventsSentAgain>, DatabaseError> {
    let (id, unix, after, include_delivered) = match selection {
        Selection::One(id) => (Some(id), 0, 0, true),
        Selection::Since { unix, after, include_delivered } => (None, unix, after, include_delivered),
    };
    let bind = |statement| webhook.bind(statement).bind(id).bind(unix).bind(after).bind(EVENTS_AT_ONCE);
    let mut batch = Batch::default();
    let look = Statement::new(constcat::concat!(
        SELECTED_EVENTS,
        " SELECT count(*) AS events, max(sequence) AS last FROM selected WHERE ?2 IS NOT NULL"
    ));
    let seen = batch.query::<Seen>(bind(look));
    let queue = Statement::new(constcat::concat!(
        SELECTED_EVENTS,
        " INSERT INTO webhook_deliveries (webhook_id, event_id, content_id)
          SELECT webhooks.id, selected.id, selected.content_id
          FROM webhooks JOIN selected
          WHERE webhooks.channel_id = ?1 AND uuid = ?2 AND webhooks.state = 'active' AND (
              ?3 IS NOT NULL OR event_types IS NULL
              OR EXISTS (SELECT 1 FROM json_each(event_types) WHERE value = selected.type))
          ON CONFLICT (webhook_id, event_id) DO UPDATE SET state = 'pending', attempts = 0, first_attempt_at_unix = NULL
          WHERE state <> 'pending' AND (?7 OR state <> 'delivered')
          RETURNING event_id"
    ));
    let queued = batch.query::<()>(bind(queue).bind(u32::from(include_delivered)));
    batch.execute(webhook.bind(restore_order()));
    let hurry = Statement::new(constcat::concat!(
        SELECTED_EVENTS,
        " UPDATE webhook_deliveries SET due_at_unix = 0
          WHERE webhook_id = (SELECT id FROM webhooks WHERE channel_id = ?1 AND uuid = ?2) AND due_at_unix > 0
              AND (event_id IN (SELECT id FROM selected) OR content_id IN (SELECT content_id FROM selected))"
    ));
    batch.execute(bind(hurry));
    let answers = database.run(batch).await?;
    let queued = answers.count(queued) as u64;
    let Some(Seen { events, last }) = answers.first(seen)?.filter(|seen| id.is_none() || seen.events > 0) else {
        return Ok(None);
    };
    let next_after = last.filter(|_| events == EVENTS_AT_ONCE);
    Ok(Some(EventsSentAgain { success: true, queued, next_after }))
}

/// Returns the statement that makes the first pending event of each content due, and no other.
fn restore_order() -> Statement {
    Statement::new(
        "UPDATE webhook_deliveries SET due_at_unix = iif(
             content_id IS NULL OR NOT EXISTS (
                 SELECT 1 FROM webhook_deliveries AS earlier INDEXED BY webhook_deliveries_by_content
                 WHERE earlier.webhook_id = webhook_deliveries.webhook_id AND earlier.state = 'pending'
                     AND earlier.content_id = webhook_deliveries.content_id
                     AND earlier.event_id < webhook_deliveries.event_id),
             coalesce(due_at_unix, 0), NULL)
         WHERE (webhook_id, event_id) IN (
             SELECT webhook_id, event_id FROM webhook_deliveries INDEXED BY webhook_deliveries_by_content
             WHERE state = 'pending' AND webhook_id = (SELECT id FROM webhooks WHERE channel_id = ?1 AND uuid = ?2))",
    )
}
