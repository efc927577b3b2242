-- The event log of channels: changes of their keys and contents, and reached limits. Triggers write an event in the
-- transaction of the change, so no code path can forget it, and no crash can lose it.

-- The number of events so far, from which the next one gets its place in the order. It never decreases.
ALTER TABLE channels ADD COLUMN events_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE contents ADD COLUMN events_count INTEGER NOT NULL DEFAULT 0;

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

CREATE TRIGGER log_new_state AFTER UPDATE OF state ON contents
WHEN new.state <> old.state AND new.state <> 'processing'
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    UPDATE contents SET events_count = events_count + 1 WHERE id = new.id;
    INSERT INTO events (channel_id, sequence, content_id, content_sequence, type, data)
    SELECT channels.id, channels.events_count, contents.id, contents.events_count, 'content.' || new.state, json_object(
        'content_id', new.id, 'content_uuid', new.uuid, 'slug_url', new.slug_url,
        'external_id', iif(new.state = 'deleted', old.external_id, new.external_id),
        'scheduled_publish_at_unix', iif(new.state = 'scheduled', new.scheduled_publish_at_unix, NULL),
        'published_at_unix', iif(new.state = 'published', new.published_at_unix, NULL),
        'error_message_code', iif(new.state IN ('rejected', 'failed', 'taken_down'), new.error_code, NULL),
        'detail', iif(new.state IN ('rejected', 'failed', 'taken_down'), new.error_detail, NULL))
    FROM contents JOIN channels ON channels.id = channel_id WHERE contents.id = new.id;
END;

-- A check that is not possible is repeated every few minutes. Only the first attempt in a row is news.
CREATE TRIGGER log_waiting AFTER UPDATE OF waits_for ON contents
WHEN new.waits_for IS NOT NULL AND new.waits_for IS NOT old.waits_for AND (new.waits_for = 'person' OR new.check_waits = 1)
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    UPDATE contents SET events_count = events_count + 1 WHERE id = new.id;
    INSERT INTO events (channel_id, sequence, content_id, content_sequence, type, data)
    SELECT channels.id, channels.events_count, contents.id, contents.events_count, 'content.waiting', json_object(
        'content_id', new.id, 'content_uuid', new.uuid, 'slug_url', new.slug_url, 'external_id', new.external_id,
        'waits_for', new.waits_for)
    FROM contents JOIN channels ON channels.id = channel_id WHERE contents.id = new.id;
END;

CREATE TRIGGER log_rotated_key AFTER UPDATE OF key_hash ON api_keys WHEN new.key_hash <> old.key_hash
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    INSERT INTO events (channel_id, sequence, type, data)
    SELECT id, events_count, 'key.rotated', json_object('key_hint', new.key_hint)
    FROM channels WHERE id = new.channel_id;
END;

CREATE TRIGGER log_deleted_key AFTER DELETE ON api_keys
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = old.channel_id;
    INSERT INTO events (channel_id, sequence, type, data)
    SELECT id, events_count, 'key.deleted', json_object('key_hint', old.key_hint)
    FROM channels WHERE id = old.channel_id;
END;

-- The limit counts as reached when an upload succeeds and leaves no slot, as its answer says. Once a day is enough: a
-- slot that another upload gives back can be used up again and again.
ALTER TABLE daily_usage ADD COLUMN is_limit_logged INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER notice_reached_limit AFTER UPDATE OF state ON uploads
WHEN new.state = 'committed' AND old.state <> 'committed'
BEGIN
    UPDATE daily_usage SET is_limit_logged = 1
    WHERE channel_id = new.channel_id AND day = new.day AND is_limit_logged = 0
        AND used >= (SELECT daily_upload_limit FROM channels WHERE id = new.channel_id);
END;

CREATE TRIGGER log_reached_limit AFTER UPDATE OF is_limit_logged ON daily_usage
WHEN new.is_limit_logged = 1 AND old.is_limit_logged = 0
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    INSERT INTO events (channel_id, sequence, type, data)
    SELECT id, events_count, 'limit.reached',
        json_object('limit_amount', daily_upload_limit, 'limit_reset_time_unix', (new.day + 1) * 86400)
    FROM channels WHERE id = new.channel_id;
END;
