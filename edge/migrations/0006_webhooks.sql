-- Events, the addresses that owners want them at, and each event that is to be sent to one of them.
CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The name of the event for clients. It does not repeat even if the database is restored from a backup.
    public_id TEXT NOT NULL DEFAULT ('evt_' || lower(hex(randomblob(16)))),
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- The place of the event among those of its channel, and among those of its content, from 1 without gaps.
    sequence INTEGER NOT NULL,
    content_id INTEGER,
    content_sequence INTEGER,
    type TEXT NOT NULL,
    -- `contract::api::EventData`. No secrets, and no texts of the owner besides the id that the client chose.
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

-- Operators watch the number of webhooks that the service has paused.
CREATE INDEX webhooks_paused ON webhooks (paused_at_unix) WHERE state = 'paused';

-- An event that is to be sent to a webhook. It is written in the transaction of the event.
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

-- The earliest due time of a webhook's deliveries stands at the webhook, because finding it would be a scan.
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
