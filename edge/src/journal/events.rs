//! Adds events to the log, and deliveries for the webhooks of their channels, in the transaction of the change.

use crate::platform::database::{Batch, Statement, Value};

/// Adds events from a JSON array: the channel, the content and its sequence, the type and the data of each. A content
/// has at most one.
pub(crate) fn add(batch: &mut Batch, events: &str) {
    let select = "SELECT value ->> '$.channel_id' AS channel_id, value ->> '$.content_id' AS content_id,
         value ->> '$.content_sequence' AS content_sequence, value ->> '$.type' AS type, value ->> '$.data' AS data
         FROM json_each(?1)";
    add_selected(batch, select, &[events.into()]);
}

/// Adds an event of a channel for each row of a query with the columns `channel_id`, `type` and `data`.
pub(crate) fn add_of_channel(batch: &mut Batch, select: &str, values: &[Value]) {
    let select = format!("SELECT channel_id, NULL AS content_id, NULL AS content_sequence, type, data FROM ({select})");
    add_selected(batch, &select, values);
}

/// Adds an event for each row of a query with the columns of `add`.
pub(crate) fn add_selected(batch: &mut Batch, select: &str, values: &[Value]) {
    let mut execute = |sql: &str| {
        let statement = Statement::new(format!("WITH new AS MATERIALIZED ({select}) {sql}"));
        batch.execute(values.iter().cloned().fold(statement, Statement::bind));
    };
    execute(INSERT);
    execute(QUEUE);
    execute(COUNT);
}

/// The sequence of a channel has no gaps.
const INSERT: &str = "
    INSERT INTO events (channel_id, sequence, content_id, content_sequence, type, data)
    SELECT channels.id, events_count + row_number() OVER (PARTITION BY channels.id), content_id, content_sequence, type,
        data
    FROM new JOIN channels ON channels.id = new.channel_id";

/// The events of one content are sent to a webhook in their order: only the first pending one is due.
const QUEUE: &str = "
    INSERT INTO webhook_deliveries (webhook_id, event_id, content_id, due_at_unix)
    SELECT webhooks.id, events.id, events.content_id, iif(
        events.content_id IS NOT NULL AND EXISTS (
            SELECT 1 FROM webhook_deliveries AS earlier INDEXED BY webhook_deliveries_by_content
            WHERE earlier.webhook_id = webhooks.id AND earlier.content_id = events.content_id
                AND earlier.state = 'pending'), NULL, 0)
    FROM (SELECT DISTINCT channel_id FROM new) AS changed
        CROSS JOIN channels ON channels.id = changed.channel_id
        CROSS JOIN webhooks ON webhooks.channel_id = channels.id AND webhooks.state = 'active'
        CROSS JOIN events ON events.channel_id = channels.id AND events.sequence > channels.events_count
    WHERE event_types IS NULL OR EXISTS (SELECT 1 FROM json_each(event_types) WHERE value = events.type)";

/// Runs last: until then, events with a greater sequence than the count are new.
const COUNT: &str = "
    UPDATE channels SET events_count = (
        SELECT max(sequence) FROM events WHERE events.channel_id = channels.id)
    WHERE id IN (SELECT channel_id FROM new)";
