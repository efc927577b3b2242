-- Journals: the trail of people's actions, the removal log, and the cache's purges. The triggers in this file write
-- what follows from a single row. `contents::life::door` writes the entries about contents.

-- Who did what. A row is never changed.
CREATE TABLE trail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    happened_at_unix INTEGER NOT NULL DEFAULT (unixepoch()),
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT
) STRICT;

CREATE INDEX trail_by_actor ON trail (actor);

CREATE INDEX trail_by_subject ON trail (subject);

CREATE TRIGGER keep_trail BEFORE UPDATE ON trail
BEGIN
    SELECT raise(ABORT, 'the trail cannot be changed');
END;

CREATE TRIGGER keep_whole_trail BEFORE DELETE ON trail
BEGIN
    SELECT raise(ABORT, 'the trail cannot be shortened');
END;

-- The request behind a change in the trail. A batch that makes such a change first writes the place of its request here
-- and finally deletes it. Both are in one transaction, so no other batch sees it.
CREATE TABLE request_place (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- The first 24 bits of the client's IPv4 address, or the first 48 of its IPv6 address. Null if it is unknown.
    network TEXT,
    -- The method and the path.
    route TEXT NOT NULL
) STRICT;

CREATE TABLE trail_places (
    trail_id INTEGER PRIMARY KEY REFERENCES trail (id),
    network TEXT,
    route TEXT NOT NULL
) STRICT;

CREATE TRIGGER place_trail AFTER INSERT ON trail
BEGIN
    INSERT INTO trail_places (trail_id, network, route) SELECT new.id, network, route FROM request_place;
END;

CREATE TRIGGER keep_trail_places BEFORE UPDATE ON trail_places
BEGIN
    SELECT raise(ABORT, 'the trail cannot be changed');
END;

CREATE TRIGGER keep_all_trail_places BEFORE DELETE ON trail_places
BEGIN
    SELECT raise(ABORT, 'the trail cannot be shortened');
END;

-- The removal log: everything that was removed or forbidden. A copy is in R2, so that restoring an older database does
-- not bring anything back. An entry is written in the transaction of the removal.
CREATE TABLE removals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Time, id and a random part. Names sort by time and are unique even across restorations. Null only until the
    -- trigger below has set it.
    name TEXT UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('key', 'content', 'evidence', 'schedule', 'hash', 'file', 'channel', 'token',
        'origin_key', 'webhook', 'webhook_url', 'webhook_secret', 'epoch', 'caption', 'captions', 'presentation',
        'unreadable')),
    -- An id that a restored database never reuses: an account, a UUID, a hash. For an unreadable entry of R2's log, the
    -- object.
    subject TEXT NOT NULL,
    -- 0 if the removal was reversed, or if the entry only says that the subject exists.
    is_removed INTEGER NOT NULL DEFAULT 1 CHECK (is_removed IN (0, 1)),
    -- The data for removing it again. Contains none of the owner's texts.
    data TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(data)),
    happened_at_unix INTEGER NOT NULL DEFAULT (unixepoch()),
    -- Whether R2 has the entry.
    is_stored INTEGER NOT NULL DEFAULT 0,
    -- Whether the entry was read from R2 and has not been repeated in this database yet.
    is_pending INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX removals_to_store ON removals (id) WHERE is_stored = 0;

CREATE INDEX removals_to_repeat ON removals (kind, subject) WHERE is_pending = 1;

CREATE INDEX removals_by_subject ON removals (kind, subject, name);

CREATE INDEX removals_by_upload ON removals (json_extract(data, '$.upload_uuid')) WHERE kind = 'content';

CREATE TRIGGER name_removal AFTER INSERT ON removals WHEN new.name IS NULL
BEGIN
    UPDATE removals SET name = printf('%012d-%012d-%s', happened_at_unix, id, lower(hex(randomblob(8))))
    WHERE id = new.id;
END;

-- How far the sweep has compared R2's log with this table. After a restoration the name is older, so the sweep reads
-- every entry that the database lacks.
CREATE TABLE removal_log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    checked_until TEXT NOT NULL
) STRICT;

INSERT INTO removal_log (id, checked_until) VALUES (1, '');

-- The entries that must be repeated: the last entry of each subject, unless it reverses a removal.
CREATE VIEW pending_removals AS
SELECT kind, subject, data, happened_at_unix FROM removals INDEXED BY removals_to_repeat
WHERE is_pending = 1 AND is_removed = 1 AND NOT EXISTS (
    SELECT 1 FROM removals AS later
    WHERE later.kind = removals.kind AND later.subject = removals.subject AND later.name > removals.name);

-- The epoch of this database. Its ids and generations are greater than in any earlier epoch.
CREATE VIEW current_epoch AS
SELECT coalesce(max(CAST(subject AS INTEGER)), 0) AS number FROM removals WHERE kind = 'epoch';

-- Cache tags to purge from the cache in front of the Worker.
CREATE TABLE cache_purges (
    -- The tag that all answers about one content have.
    tag TEXT PRIMARY KEY,
    -- Increases with every change. A purge that began before the latest change does not count.
    changes INTEGER NOT NULL DEFAULT 1,
    -- Whether the first purge was accepted, and how often the next one has been attempted.
    is_purged INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at_unix INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX cache_purges_by_time ON cache_purges (due_at_unix);

-- Changes of API keys.
CREATE TRIGGER journal_created_key AFTER INSERT ON api_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_created', 'channel:' || id, new.key_hint
    FROM channels WHERE id = new.channel_id;
END;

-- An account has at most one key at a time, so the time identifies the replaced key.
CREATE TRIGGER journal_rotated_key AFTER UPDATE OF rotated_at_unix ON api_keys WHEN new.key_hash <> old.key_hash
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_rotated', 'channel:' || id, new.key_hint
    FROM channels WHERE id = new.channel_id;
    INSERT INTO removals (kind, subject, data)
    SELECT 'key', account_id, json_object('key_hash', old.key_hash) FROM channels WHERE id = old.channel_id;
END;

CREATE TRIGGER journal_deleted_key AFTER DELETE ON api_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_deleted', 'channel:' || id, old.key_hint
    FROM channels WHERE id = old.channel_id;
    INSERT INTO removals (kind, subject, data)
    SELECT 'key', account_id, json_object('key_hash', old.key_hash) FROM channels WHERE id = old.channel_id;
END;

-- Channels that were suspended or erased.
CREATE TRIGGER journal_suspension AFTER UPDATE OF suspended_at_unix, erased_at_unix ON channels
WHEN (new.suspended_at_unix IS NULL) <> (old.suspended_at_unix IS NULL)
    OR (new.erased_at_unix IS NULL) <> (old.erased_at_unix IS NULL)
BEGIN
    INSERT INTO removals (kind, subject, is_removed, data) VALUES ('channel', new.account_id,
        new.suspended_at_unix IS NOT NULL OR new.erased_at_unix IS NOT NULL,
        iif(new.erased_at_unix IS NULL, '{}',
            json_object('is_erased', 1, 'evidence_until_unix', new.evidence_until_unix)));
END;

-- The access tokens of people, and the keys of origins. An origin key's secret is derived from its id, so an id must
-- never be reused. Therefore new keys are logged too, and a restored database that lacks one begins a new epoch.
CREATE TRIGGER journal_created_token AFTER INSERT ON access_tokens
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.created_by, 'token_created', 'token:' || new.id, new.name || ' ' || new.roles);
END;

CREATE TRIGGER journal_ended_token AFTER UPDATE OF ended_by ON access_tokens
WHEN new.ended_by IS NOT NULL AND old.ended_by IS NULL
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.ended_by, 'token_ended', 'token:' || new.id, new.name);
    INSERT INTO removals (kind, subject) VALUES ('token', new.token_hash);
END;

CREATE TRIGGER journal_created_origin_key AFTER INSERT ON origin_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.created_by, 'origin_key_created', 'origin:' || new.name, 'key ' || new.id);
    INSERT INTO removals (kind, subject, is_removed) VALUES ('origin_key', new.id, 0);
END;

CREATE TRIGGER journal_ended_origin_key AFTER UPDATE OF ended_at_unix ON origin_keys
WHEN new.ended_at_unix IS NOT NULL AND old.ended_at_unix IS NULL
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.ended_by, 'origin_key_ended', 'origin:' || new.name, 'key ' || new.id);
    INSERT INTO removals (kind, subject) VALUES ('origin_key', new.id);
END;

-- The blocklist and the blocked files. The subject names the removed content too, because a hash or a file is blocked
-- for each of them.
CREATE TRIGGER journal_blocked_hash AFTER INSERT ON blocked_hashes
BEGIN
    INSERT INTO removals (kind, subject, data) VALUES ('hash', rtrim(new.hash || '/' || new.content_uuid, '/'),
        json_object('hash', new.hash, 'reason', new.reason, 'added_by', new.added_by, 'at_ms', new.at_ms,
            'content_uuid', new.content_uuid));
END;

CREATE TRIGGER journal_unblocked_hash AFTER DELETE ON blocked_hashes
BEGIN
    INSERT INTO removals (kind, subject, is_removed, data)
    VALUES ('hash', rtrim(old.hash || '/' || old.content_uuid, '/'), 0,
        json_object('hash', old.hash, 'content_uuid', old.content_uuid));
END;

CREATE TRIGGER journal_blocked_file AFTER INSERT ON blocked_files
BEGIN
    INSERT INTO removals (kind, subject, data) VALUES ('file', new.sha256 || '/' || new.content_uuid,
        json_object('sha256', new.sha256, 'reason', new.reason, 'added_by', new.added_by,
            'content_uuid', new.content_uuid));
END;

CREATE TRIGGER journal_unblocked_file AFTER DELETE ON blocked_files
BEGIN
    INSERT INTO removals (kind, subject, is_removed, data) VALUES ('file', old.sha256 || '/' || old.content_uuid, 0,
        json_object('sha256', old.sha256, 'content_uuid', old.content_uuid));
END;

-- Webhooks. Events must not be sent to an address that the owner has replaced.
CREATE TRIGGER journal_changed_webhook AFTER UPDATE OF state, url, secret_version ON webhooks
WHEN (new.state = 'disabled') <> (old.state = 'disabled') OR new.url <> old.url
    OR new.secret_version > old.secret_version
BEGIN
    INSERT INTO removals (kind, subject, is_removed, data)
    SELECT 'webhook', new.uuid, new.state = 'disabled', '{}' WHERE (new.state = 'disabled') <> (old.state = 'disabled')
    UNION ALL SELECT 'webhook_url', new.uuid, 1, '{}' WHERE new.url <> old.url
    UNION ALL SELECT 'webhook_secret', new.uuid, 1, json_object('version', new.secret_version)
        WHERE new.secret_version > old.secret_version;
END;

CREATE TRIGGER journal_deleted_webhook AFTER DELETE ON webhooks
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('webhook', old.uuid);
END;
