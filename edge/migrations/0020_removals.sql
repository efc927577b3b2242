-- The removal log: everything that was removed or forbidden. It is also kept in R2, so that a restored database, which
-- is older, does not bring any of it back. Triggers write an entry in the transaction of the removal, so no code path
-- can forget it.
CREATE TABLE removals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Time, id and a random part. Names sort by time, and never repeat, whatever is restored. Null only until the
    -- trigger below has set it.
    name TEXT UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('key', 'content', 'evidence', 'schedule', 'hash', 'file', 'channel', 'token',
        'origin_key', 'webhook', 'webhook_url', 'webhook_secret', 'epoch')),
    -- An id that a restored database does not give to something else: an account, a UUID, a hash.
    subject TEXT NOT NULL,
    -- 0 if the removal was reversed, or if the entry only says that the subject exists.
    is_removed INTEGER NOT NULL DEFAULT 1 CHECK (is_removed IN (0, 1)),
    -- What is needed to remove it again. No texts of owners.
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

-- How far the sweep has compared R2's log with this table. A restored database has an earlier name here, so it reads
-- everything that it does not know.
CREATE TABLE removal_log (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    checked_until TEXT NOT NULL
) STRICT;

INSERT INTO removal_log (id, checked_until) VALUES (1, '');

-- The entries that must be repeated: the last ones of their subjects, unless they reverse a removal.
CREATE VIEW pending_removals AS
SELECT kind, subject, data, happened_at_unix FROM removals
WHERE is_pending = 1 AND is_removed = 1 AND NOT EXISTS (
    SELECT 1 FROM removals AS later
    WHERE later.kind = removals.kind AND later.subject = removals.subject AND later.name > removals.name);

-- The epoch of this database. Ids and generations of each epoch are above those of all earlier ones.
CREATE VIEW current_epoch AS
SELECT coalesce(max(CAST(subject AS INTEGER)), 0) AS number FROM removals WHERE kind = 'epoch';

-- A blocked file whose content the restored database does not have has no content. SQLite cannot drop NOT NULL.
CREATE TABLE all_blocked_files (
    sha256 TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at_unix INTEGER NOT NULL,
    content_id INTEGER REFERENCES contents (id)
) STRICT, WITHOUT ROWID;

INSERT INTO all_blocked_files (sha256, reason, added_by, added_at_unix, content_id)
    SELECT sha256, reason, added_by, added_at_unix, content_id FROM blocked_files;

DROP TABLE blocked_files;
ALTER TABLE all_blocked_files RENAME TO blocked_files;

CREATE INDEX blocked_files_by_content ON blocked_files (content_id) WHERE content_id IS NOT NULL;

-- What was removed before this migration.
INSERT INTO removals (kind, subject, data, happened_at_unix)
    SELECT 'content', contents.uuid, json_object('state', contents.state, 'upload_uuid', uploads.uuid,
        'error_code', error_code, 'error_detail', error_detail), coalesce(finished_at_unix, created_at_unix)
    FROM contents JOIN uploads ON uploads.id = upload_id
    WHERE contents.state IN ('rejected', 'taken_down', 'deleted');
INSERT INTO removals (kind, subject, data, happened_at_unix)
    SELECT 'hash', hash, json_object('reason', reason, 'added_by', added_by, 'at_ms', at_ms,
        'content_uuid', (SELECT uuid FROM contents WHERE id = content_id)), added_at_unix FROM blocked_hashes;
INSERT INTO removals (kind, subject, data, happened_at_unix)
    SELECT 'file', sha256, json_object('reason', reason, 'added_by', added_by,
        'content_uuid', (SELECT uuid FROM contents WHERE id = content_id)), added_at_unix FROM blocked_files;
INSERT INTO removals (kind, subject, happened_at_unix)
    SELECT 'channel', account_id, suspended_at_unix
    FROM channels WHERE suspended_at_unix IS NOT NULL;
INSERT INTO removals (kind, subject) SELECT 'token', token_hash FROM access_tokens WHERE ended_by IS NOT NULL;
INSERT INTO removals (kind, subject, is_removed) SELECT 'origin_key', id, ended_at_unix IS NOT NULL FROM origin_keys;
INSERT INTO removals (kind, subject, data, happened_at_unix)
    SELECT 'evidence', uuid, json_object('state', evidence.state, 'deleted_at_unix', deleted_at_unix,
        'kept_until_unix', kept_until_unix), deleted_at_unix
    FROM evidence JOIN contents ON contents.id = content_id;
INSERT INTO removals (kind, subject) SELECT 'webhook', uuid FROM webhooks WHERE state = 'disabled';
INSERT INTO removals (kind, subject, data)
    SELECT 'webhook_secret', uuid, json_object('version', secret_version) FROM webhooks WHERE secret_version > 1;

CREATE TRIGGER keep_removed_content AFTER UPDATE OF state ON contents
WHEN new.state <> old.state AND new.state IN ('rejected', 'taken_down', 'deleted')
BEGIN
    INSERT INTO removals (kind, subject, data) VALUES ('content', new.uuid, json_object('state', new.state,
        'upload_uuid', (SELECT uuid FROM uploads WHERE id = new.upload_id),
        'error_code', iif(new.state = 'deleted', NULL, new.error_code),
        'error_detail', iif(new.state = 'deleted', NULL, new.error_detail)));
END;

CREATE TRIGGER keep_restored_content AFTER UPDATE OF state ON contents
WHEN old.state IN ('rejected', 'taken_down') AND new.state IN ('published', 'scheduled')
BEGIN
    INSERT INTO removals (kind, subject, is_removed) VALUES ('content', new.uuid, 0);
END;

-- The texts of a removed content are kept when its owner deletes it. They are not in the log: a restored database has
-- them.
CREATE TRIGGER keep_evidence AFTER INSERT ON evidence
BEGIN
    INSERT INTO removals (kind, subject, data)
    SELECT 'evidence', uuid, json_object('state', new.state, 'deleted_at_unix', new.deleted_at_unix,
        'kept_until_unix', new.kept_until_unix)
    FROM contents WHERE id = new.content_id;
END;

-- A publication that was postponed must not happen at its earlier time.
CREATE TRIGGER keep_schedule AFTER UPDATE OF scheduled_publish_at_unix ON contents
WHEN new.scheduled_publish_at_unix IS NOT old.scheduled_publish_at_unix AND old.state IN ('processing', 'scheduled')
BEGIN
    INSERT INTO removals (kind, subject, is_removed, data) VALUES ('schedule', new.uuid,
        new.scheduled_publish_at_unix IS NOT NULL, json_object('publish_at_unix', new.scheduled_publish_at_unix));
END;

-- A key that was deleted or replaced. The account has at most one key at a time, so the time says which one it was.
CREATE TRIGGER keep_deleted_key AFTER DELETE ON api_keys
BEGIN
    INSERT INTO removals (kind, subject, data)
    SELECT 'key', account_id, json_object('key_hash', old.key_hash) FROM channels WHERE id = old.channel_id;
END;

CREATE TRIGGER keep_replaced_key AFTER UPDATE OF key_hash, key_hint ON api_keys WHEN new.key_hint <> old.key_hint
BEGIN
    INSERT INTO removals (kind, subject, data)
    SELECT 'key', account_id, json_object('key_hash', old.key_hash) FROM channels WHERE id = old.channel_id;
END;

CREATE TRIGGER keep_blocked_hash AFTER INSERT ON blocked_hashes
BEGIN
    INSERT INTO removals (kind, subject, data) VALUES ('hash', new.hash, json_object(
        'reason', new.reason, 'added_by', new.added_by, 'at_ms', new.at_ms,
        'content_uuid', (SELECT uuid FROM contents WHERE id = new.content_id)));
END;

CREATE TRIGGER keep_unblocked_hash AFTER DELETE ON blocked_hashes
BEGIN
    INSERT INTO removals (kind, subject, is_removed) VALUES ('hash', old.hash, 0);
END;

CREATE TRIGGER keep_blocked_file AFTER INSERT ON blocked_files
BEGIN
    INSERT INTO removals (kind, subject, data) VALUES ('file', new.sha256, json_object(
        'reason', new.reason, 'added_by', new.added_by,
        'content_uuid', (SELECT uuid FROM contents WHERE id = new.content_id)));
END;

CREATE TRIGGER keep_unblocked_file AFTER DELETE ON blocked_files
BEGIN
    INSERT INTO removals (kind, subject, is_removed) VALUES ('file', old.sha256, 0);
END;

CREATE TRIGGER keep_suspension AFTER UPDATE OF suspended_at_unix ON channels
WHEN (new.suspended_at_unix IS NULL) <> (old.suspended_at_unix IS NULL)
BEGIN
    INSERT INTO removals (kind, subject, is_removed)
    VALUES ('channel', new.account_id, new.suspended_at_unix IS NOT NULL);
END;

CREATE TRIGGER keep_ended_token AFTER UPDATE OF ended_by ON access_tokens
WHEN new.ended_by IS NOT NULL AND old.ended_by IS NULL
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('token', new.token_hash);
END;

-- The secret of an origin key follows from its id, so no id may be given to another key. A new key is also on record: a
-- restored database that lacks it begins a new epoch.
CREATE TRIGGER keep_new_origin_key AFTER INSERT ON origin_keys
BEGIN
    INSERT INTO removals (kind, subject, is_removed) VALUES ('origin_key', new.id, 0);
END;

CREATE TRIGGER keep_ended_origin_key AFTER UPDATE OF ended_at_unix ON origin_keys
WHEN new.ended_at_unix IS NOT NULL AND old.ended_at_unix IS NULL
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('origin_key', new.id);
END;

CREATE TRIGGER keep_deleted_webhook AFTER DELETE ON webhooks
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('webhook', old.uuid);
END;

CREATE TRIGGER keep_disabled_webhook AFTER UPDATE OF state ON webhooks
WHEN (new.state = 'disabled') <> (old.state = 'disabled')
BEGIN
    INSERT INTO removals (kind, subject, is_removed) VALUES ('webhook', new.uuid, new.state = 'disabled');
END;

-- Events must not be sent to an address that the owner has replaced.
CREATE TRIGGER keep_replaced_webhook_url AFTER UPDATE OF url ON webhooks WHEN new.url <> old.url
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('webhook_url', new.uuid);
END;

CREATE TRIGGER keep_replaced_webhook_secret AFTER UPDATE OF secret_version ON webhooks
WHEN new.secret_version > old.secret_version
BEGIN
    INSERT INTO removals (kind, subject, data)
    VALUES ('webhook_secret', new.uuid, json_object('version', new.secret_version));
END;

-- The folders of lost jobs stay in R2, so the generations of an epoch begin above all earlier ones.
CREATE TRIGGER begin_generations_of_epoch AFTER UPDATE OF generation ON contents
WHEN new.generation > old.generation AND new.generation < (SELECT number * 1000000 FROM current_epoch)
BEGIN
    UPDATE contents SET generation = (SELECT number * 1000000 FROM current_epoch) WHERE id = new.id;
END;

-- The trigger above may run first, so the generation is read again.
DROP TRIGGER enqueue_generation;
CREATE TRIGGER enqueue_generation AFTER UPDATE OF generation ON contents WHEN new.generation > old.generation
BEGIN
    INSERT INTO outbox (content_id, generation, written_at_unix)
    SELECT id, generation, 0 FROM contents WHERE id = new.id
    ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0;
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;
