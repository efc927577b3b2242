-- Events, the webhooks of owners, and the deliveries of events to webhooks.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The event's id for clients. It is unique even after a restoration from a backup.
    public_id TEXT NOT NULL DEFAULT ('evt_' || lower(hex(randomblob(16)))),
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- The event's number within its channel, and within its content, both from 1 without gaps.
    sequence INTEGER NOT NULL,
    content_id INTEGER,
    content_sequence INTEGER,
    type TEXT NOT NULL,
    -- `contract::api::EventData`. Contains no secrets and none of the owner's texts except the client's own id.
    data TEXT NOT NULL CHECK (json_valid(data)),
    happened_at_unix INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT;

CREATE UNIQUE INDEX events_by_channel ON events (channel_id, sequence);

CREATE INDEX events_by_content ON events (content_id, sequence) WHERE content_id IS NOT NULL;

CREATE UNIQUE INDEX events_by_public_id ON events (public_id);

CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    url TEXT NOT NULL,
    -- A JSON array of the event types to send, or null for all.
    event_types TEXT CHECK (event_types IS NULL OR json_valid(event_types)),
    -- `disabled` by the owner, `paused` by the service.
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled', 'paused')),
    pause_reason TEXT CHECK ((pause_reason IS NOT NULL) = (state = 'paused')),
    paused_at_unix INTEGER CHECK ((paused_at_unix IS NOT NULL) = (state = 'paused')),
    created_at_unix INTEGER NOT NULL,
    -- The secret is derived from the uuid and this number. The previous version is valid until the time below.
    secret_version INTEGER NOT NULL DEFAULT 1,
    previous_secret_ends_at_unix INTEGER,
    -- When a delivery last succeeded, the number of failures since then, and the duration of the last attempt.
    last_delivered_at_unix INTEGER,
    failures INTEGER NOT NULL DEFAULT 0,
    last_latency_ms INTEGER NOT NULL DEFAULT 0,
    last_test_at_unix INTEGER NOT NULL DEFAULT 0,
    -- The earliest due time of its deliveries.
    due_at_unix INTEGER,
    -- Only the run with the latest lease sends to the webhook, until the lease ends. Afterwards, the end of the lease
    -- says when the webhook was last served.
    lease INTEGER NOT NULL DEFAULT 0,
    lease_ends_at_unix INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX webhooks_by_channel ON webhooks (channel_id);

CREATE INDEX webhooks_by_due_time ON webhooks (due_at_unix) WHERE due_at_unix IS NOT NULL;

-- Operators watch the number of webhooks that the service has paused.
CREATE INDEX webhooks_paused ON webhooks (paused_at_unix) WHERE state = 'paused';

-- An event to send to a webhook, written in the transaction of the event.
CREATE TABLE webhook_deliveries (
    webhook_id INTEGER NOT NULL REFERENCES webhooks (id),
    event_id INTEGER NOT NULL,
    -- The events of one content are sent to a webhook in their order: only the first pending one has a due time.
    content_id INTEGER,
    state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'canceled')),
    due_at_unix INTEGER CHECK (due_at_unix IS NULL OR state = 'pending'),
    attempts INTEGER NOT NULL DEFAULT 0,
    first_attempt_at_unix INTEGER,
    -- The last attempt: the status of the response or why there was none, and the beginning of the response.
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

-- The earliest due time of a webhook's deliveries is stored with the webhook, because finding it would be a scan.
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
