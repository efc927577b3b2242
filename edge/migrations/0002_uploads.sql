-- Uploads, from the reserved slot to the committed content, and the work that remains after an upload ends.

-- One row per upload. A reserved upload holds a slot of its day until it is committed or released, or until its lease
-- expires. Its UUID names its objects, so the database knows every object before it is stored.
CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- The day whose limit the upload counts against: the day on which it began.
    day INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'committed')),
    lease_ends_at_unix INTEGER NOT NULL,
    -- R2's identifier of the unfinished multipart upload, for a file that is stored in parts.
    multipart_id TEXT,
    upload_token TEXT,
    -- SHA-256 of the file and the fields. A later upload with the same token is compared with it.
    fingerprint TEXT,
    -- The limit as reported in the successful answer, so that a repeated request gets the same answer.
    limit_day INTEGER,
    limit_amount INTEGER,
    limit_used INTEGER
) STRICT;

-- A token identifies one upload per channel: the first that used it.
CREATE UNIQUE INDEX uploads_by_token ON uploads (channel_id, upload_token) WHERE upload_token IS NOT NULL;
CREATE INDEX uploads_by_lease ON uploads (lease_ends_at_unix) WHERE state = 'reserved';
-- Each admission counts the channel's open uploads.
CREATE INDEX uploads_by_channel_and_lease ON uploads (channel_id, lease_ends_at_unix) WHERE state = 'reserved';

CREATE TABLE contents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    upload_id INTEGER NOT NULL UNIQUE REFERENCES uploads (id),
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    state TEXT NOT NULL,
    -- The number of jobs created for the content so far. Requests about an older generation are ignored.
    generation INTEGER NOT NULL DEFAULT 1,
    slug_url TEXT NOT NULL UNIQUE,
    media_name TEXT NOT NULL,
    caption TEXT,
    super_category_id INTEGER,
    ai_summary_of_content TEXT,
    thumbnail_time_seconds INTEGER,
    has_thumbnail_file INTEGER NOT NULL,
    scheduled_publish_at_unix INTEGER,
    container TEXT NOT NULL,
    duration_ms INTEGER NOT NULL,
    width INTEGER,
    height INTEGER,
    size_bytes INTEGER NOT NULL,
    file_sha256 TEXT NOT NULL,
    created_at_unix INTEGER NOT NULL,
    -- When the current job was last put into the outbox.
    enqueued_at_unix INTEGER NOT NULL
) STRICT;

CREATE INDEX contents_by_processing ON contents (enqueued_at_unix) WHERE state = 'processing';

-- Jobs that may not be in the queue yet. A row is written together with the content and deleted once the queue has
-- accepted the job.
CREATE TABLE outbox (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    generation INTEGER NOT NULL,
    written_at_unix INTEGER NOT NULL
) STRICT;

-- Uploads that ended without a content. The sweep deletes their objects and then the row.
CREATE TABLE garbage (
    upload_uuid TEXT PRIMARY KEY,
    multipart_id TEXT,
    -- Until the lease ends, the upload's last operation may still arrive at R2.
    lease_ends_at_unix INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Triggers keep the day's count, so that no code path can forget to update it.
CREATE TRIGGER count_reserved_upload AFTER INSERT ON uploads
BEGIN
    INSERT INTO daily_usage (channel_id, day, used) VALUES (new.channel_id, new.day, 1)
    ON CONFLICT (channel_id, day) DO UPDATE SET used = used + 1;
END;

-- Deleting an upload returns its slot, and leaves the objects that it may have stored to the sweep.
CREATE TRIGGER release_deleted_upload AFTER DELETE ON uploads
BEGIN
    UPDATE daily_usage SET used = used - 1 WHERE channel_id = old.channel_id AND day = old.day;
    INSERT INTO garbage (upload_uuid, multipart_id, lease_ends_at_unix)
    VALUES (old.uuid, old.multipart_id, old.lease_ends_at_unix);
END;

-- A key that is deleted or rotated takes its uploads with it, in the same transaction. They can neither renew their
-- lease nor commit, and their slots are free at once for the next key. An upload always belongs to the channel's
-- current key.
CREATE TRIGGER release_uploads_of_deleted_key AFTER DELETE ON api_keys
BEGIN
    DELETE FROM uploads WHERE channel_id = old.channel_id AND state = 'reserved';
END;

CREATE TRIGGER release_uploads_of_rotated_key AFTER UPDATE OF key_hash ON api_keys
BEGIN
    DELETE FROM uploads WHERE channel_id = old.channel_id AND state = 'reserved';
END;

CREATE TRIGGER keep_committed_uploads BEFORE DELETE ON uploads WHEN old.state = 'committed'
BEGIN
    SELECT raise(ABORT, 'a committed upload cannot be deleted');
END;
