-- Webhooks: the addresses that owners want events at, and each event that is to be sent to one of them. A trigger
-- writes the deliveries in the transaction of the event, so no code path can forget one, and no crash can lose it.

CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    url TEXT NOT NULL,
    -- A JSON array of the types that are sent, or null for all.
    event_types TEXT CHECK (event_types IS NULL OR json_valid(event_types)),
    -- `disabled` by the owner, `paused` by the service.
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled', 'paused')),
    pause_reason TEXT CHECK ((pause_reason IS NOT NULL) = (state = 'paused')),
    paused_at_unix INTEGER CHECK ((paused_at_unix IS NOT NULL) = (state = 'paused')),
    created_at_unix INTEGER NOT NULL,
    -- The secret is derived from the uuid and this number. Until the end below, the version before is valid too.
    secret_version INTEGER NOT NULL DEFAULT 1,
    previous_secret_ends_at_unix INTEGER,
    -- The last answers: when a delivery last succeeded, the failures since then, and how long the last attempt took.
    last_delivered_at_unix INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    last_latency_ms INTEGER NOT NULL DEFAULT 0,
    last_test_at_unix INTEGER NOT NULL DEFAULT 0,
    -- The earliest due time of its deliveries.
    due_at_unix INTEGER,
    -- Only one run sends to a webhook at a time: the one with the latest lease, until the lease ends. Afterwards, the
    -- end says when the webhook was last served.
    lease INTEGER NOT NULL DEFAULT 0,
    lease_ends_at_unix INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX webhooks_by_channel ON webhooks (channel_id);
CREATE INDEX webhooks_by_due_time ON webhooks (due_at_unix) WHERE due_at_unix IS NOT NULL;

CREATE TABLE webhook_deliveries (
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id),
    event_id INTEGER NOT NULL,
    -- The events of one content are sent to a webhook in their order: only the first pending one has a due time.
    content_id INTEGER,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'canceled')),
    due_at_unix INTEGER CHECK (due_at_unix IS NULL OR state = 'pending'),
    attempts INTEGER NOT NULL DEFAULT 0,
    first_attempt_at_unix INTEGER,
    -- The last attempt: the status of the answer or why there was none, and the beginning of the answer.
    last_attempt_at_unix INTEGER,
    status INTEGER,
    failure TEXT,
    latency_ms INTEGER,
    body_start TEXT,
    PRIMARY KEY (webhook_id, event_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_by_due_time ON webhook_deliveries (webhook_id, due_at_unix)
    WHERE due_at_unix IS NOT NULL;
CREATE INDEX webhook_deliveries_by_content ON webhook_deliveries (webhook_id, content_id, event_id)
    WHERE state = 'pending';

-- A channel without webhooks pays one look into an index. A due time of 0 is "at once".
CREATE TRIGGER queue_webhook_deliveries AFTER INSERT ON events
WHEN EXISTS (SELECT 1 FROM webhooks WHERE channel_id = new.channel_id AND state = 'active')
BEGIN
    INSERT INTO webhook_deliveries (webhook_id, event_id, content_id, due_at_unix)
    SELECT id, new.id, new.content_id, iif(
        new.content_id IS NOT NULL AND EXISTS (
            SELECT 1 FROM webhook_deliveries AS earlier INDEXED BY webhook_deliveries_by_content
            WHERE earlier.webhook_id = webhooks.id AND earlier.content_id = new.content_id AND earlier.state = 'pending'
        ), NULL, 0)
    FROM webhooks
    WHERE channel_id = new.channel_id AND state = 'active'
        AND (event_types IS NULL OR EXISTS (SELECT 1 FROM json_each(event_types) WHERE value = new.type));
END;

-- The next event of the content is due when the one before it is not pending any more.
CREATE TRIGGER continue_webhook_order AFTER UPDATE OF state ON webhook_deliveries
WHEN old.state = 'pending' AND new.state <> 'pending' AND new.content_id IS NOT NULL
BEGIN
    UPDATE webhook_deliveries SET due_at_unix = 0
    WHERE webhook_id = new.webhook_id AND due_at_unix IS NULL AND state = 'pending' AND event_id = (
        SELECT min(event_id) FROM webhook_deliveries INDEXED BY webhook_deliveries_by_content
        WHERE webhook_id = new.webhook_id AND content_id = new.content_id AND state = 'pending');
END;

CREATE TRIGGER note_due_time_of_new_delivery AFTER INSERT ON webhook_deliveries WHEN new.due_at_unix IS NOT NULL
BEGIN
    UPDATE webhooks SET due_at_unix = (
        SELECT min(due_at_unix) FROM webhook_deliveries WHERE webhook_id = new.webhook_id AND due_at_unix IS NOT NULL)
    WHERE id = new.webhook_id;
END;

CREATE TRIGGER note_due_time_of_changed_delivery AFTER UPDATE OF due_at_unix ON webhook_deliveries
WHEN new.due_at_unix IS NOT old.due_at_unix
BEGIN
    UPDATE webhooks SET due_at_unix = (
        SELECT min(due_at_unix) FROM webhook_deliveries WHERE webhook_id = new.webhook_id AND due_at_unix IS NOT NULL)
    WHERE id = new.webhook_id;
END;

-- What was not delivered yet is not sent later without being asked for: its receiver may have been replaced.
CREATE TRIGGER cancel_deliveries_of_inactive_webhook AFTER UPDATE OF state ON webhooks
WHEN old.state = 'active' AND new.state <> 'active'
BEGIN
    UPDATE webhook_deliveries SET state = 'canceled', due_at_unix = NULL
    WHERE webhook_id = new.id AND state = 'pending';
END;

-- The owner learns of it from the log, and from the other webhooks.
CREATE TRIGGER log_paused_webhook AFTER UPDATE OF state ON webhooks WHEN new.state = 'paused' AND old.state <> 'paused'
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    INSERT INTO events (channel_id, sequence, type, data)
    SELECT id, events_count, 'webhook.paused',
        json_object('webhook_uuid', new.uuid, 'pause_reason', new.pause_reason)
    FROM channels WHERE id = new.channel_id;
END;

-- The record of the deliveries is kept as long as the events.
CREATE TRIGGER forget_deliveries_of_old_event AFTER DELETE ON events
BEGIN
    DELETE FROM webhook_deliveries
    WHERE event_id = old.id AND webhook_id IN (SELECT id FROM webhooks WHERE channel_id = old.channel_id);
END;
