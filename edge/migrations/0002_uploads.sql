-- Uploads, from the reserved slot to the content they became, and what their end leaves to be done.

-- One row an upload. A reserved one holds a slot of the day until it is committed, released, or its lease is over;
-- its uuid names its objects, so that whatever an upload stores is on record before it is stored.
CREATE TABLE uploads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- The day whose limit it is charged to: the one on which it began.
    day INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'committed')),
    lease_ends_at_unix INTEGER NOT NULL,
    -- R2's name for the unfinished object of a file that comes in parts.
    multipart_id TEXT,
    upload_token TEXT,
    -- SHA-256 of the file and the fields; what a repeated token is compared with.
    fingerprint TEXT,
    -- The limit as the success told it: a repeated answer says the same.
    limit_day INTEGER,
    limit_amount INTEGER,
    limit_used INTEGER
) STRICT;

-- A token names one upload of its channel, whoever comes first.
CREATE UNIQUE INDEX uploads_by_token ON uploads (channel_id, upload_token) WHERE upload_token IS NOT NULL;
CREATE INDEX uploads_by_lease ON uploads (lease_ends_at_unix) WHERE state = 'reserved';

CREATE TABLE contents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    upload_id INTEGER NOT NULL UNIQUE REFERENCES uploads (id),
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    state TEXT NOT NULL,
    -- Counts the jobs that were made of it; a worker of an older one has nothing to say any more.
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
    -- When its job was last put into the outbox.
    enqueued_at_unix INTEGER NOT NULL
) STRICT;

CREATE INDEX contents_by_processing ON contents (enqueued_at_unix) WHERE state = 'processing';

-- Jobs that are not known to be in the queue yet. Written with the content, deleted once the queue has taken it.
CREATE TABLE outbox (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    generation INTEGER NOT NULL,
    written_at_unix INTEGER NOT NULL
) STRICT;

-- Objects of uploads that came to nothing. The sweep deletes them, then the row.
CREATE TABLE garbage (
    upload_uuid TEXT PRIMARY KEY,
    multipart_id TEXT,
    -- Until its lease is over, the upload's own last operation may still arrive at R2.
    lease_ends_at_unix INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The day's count follows its uploads by itself, so that no code path can forget it.
CREATE TRIGGER count_reserved_upload AFTER INSERT ON uploads
BEGIN
    INSERT INTO daily_usage (channel_id, day, used) VALUES (new.channel_id, new.day, 1)
    ON CONFLICT (channel_id, day) DO UPDATE SET used = used + 1;
END;

-- An upload that goes gives its slot back and leaves what it may have stored to the sweep.
CREATE TRIGGER give_back_released_upload AFTER DELETE ON uploads
BEGIN
    UPDATE daily_usage SET used = used - 1 WHERE channel_id = old.channel_id AND day = old.day;
    INSERT INTO garbage (upload_uuid, multipart_id, lease_ends_at_unix)
    VALUES (old.uuid, old.multipart_id, old.lease_ends_at_unix);
END;

CREATE TRIGGER keep_committed_uploads BEFORE DELETE ON uploads WHEN old.state = 'committed'
BEGIN
    SELECT raise(ABORT, 'a committed upload is never deleted');
END;
