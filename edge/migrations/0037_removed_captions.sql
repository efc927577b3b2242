-- Captions of a video, and files with captions, that their owners removed or replaced are in the removal log: a
-- restored database does not show their words again.

-- The same table with two more kinds. SQLite cannot change a CHECK, and views name the table, so it is not renamed.
CREATE TABLE earlier_removals AS SELECT * FROM removals;
DROP TABLE removals;
CREATE TABLE removals (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Time, id and a random part. Names sort by time, and never repeat, whatever is restored. Null only until the
    -- trigger below has set it.
    name TEXT UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('key', 'content', 'evidence', 'schedule', 'hash', 'file', 'channel', 'token',
        'origin_key', 'webhook', 'webhook_url', 'webhook_secret', 'epoch', 'caption', 'captions')),
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
INSERT INTO removals (id, name, kind, subject, is_removed, data, happened_at_unix, is_stored, is_pending)
    SELECT id, name, kind, subject, is_removed, data, happened_at_unix, is_stored, is_pending FROM earlier_removals;
DROP TABLE earlier_removals;

CREATE INDEX removals_to_store ON removals (id) WHERE is_stored = 0;
CREATE INDEX removals_to_repeat ON removals (kind, subject) WHERE is_pending = 1;
CREATE INDEX removals_by_subject ON removals (kind, subject, name);
CREATE INDEX removals_by_upload ON removals (json_extract(data, '$.upload_uuid')) WHERE kind = 'content';

CREATE TRIGGER name_removal AFTER INSERT ON removals WHEN new.name IS NULL
BEGIN
    UPDATE removals SET name = printf('%012d-%012d-%s', happened_at_unix, id, lower(hex(randomblob(8))))
    WHERE id = new.id;
END;

-- The words that the owner took back. The entry has none of them.
CREATE TRIGGER keep_removed_caption AFTER UPDATE OF caption ON contents
WHEN old.caption IS NOT NULL AND new.caption IS NOT old.caption AND new.state <> 'deleted'
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('caption', new.uuid);
END;

-- Viewers see a file until a job has made the change. If the job fails, the owner wants it again.
CREATE TRIGGER keep_removed_captions AFTER UPDATE OF is_wanted ON captions WHEN new.is_wanted <> old.is_wanted
BEGIN
    INSERT INTO removals (kind, subject, is_removed) VALUES ('captions', new.name, new.is_wanted = 0);
END;

CREATE TRIGGER keep_forgotten_captions AFTER DELETE ON captions
WHEN old.is_wanted = 1
    AND (SELECT state FROM contents WHERE id = old.content_id) NOT IN ('rejected', 'taken_down', 'deleted')
BEGIN
    INSERT INTO removals (kind, subject) VALUES ('captions', old.name);
END;
