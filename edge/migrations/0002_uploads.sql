-- Uploads, from the reserved slot to the committed content, and the objects that nothing refers to.

-- One row per upload. A reserved upload holds a slot of its day until it is committed or released, or until its lease
-- expires. Its UUID names its objects, so the database knows every object before it is stored.
CREATE TABLE uploads (
    -- Also the id of the content that the upload becomes.
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
    -- The limit and the schedule as reported in the successful answer, so that a repeated request gets the same answer.
    limit_day INTEGER,
    limit_amount INTEGER,
    limit_used INTEGER,
    scheduled_publish_at_unix INTEGER
) STRICT;

-- A token identifies one upload per channel: the first that used it.
CREATE UNIQUE INDEX uploads_by_token ON uploads (channel_id, upload_token) WHERE upload_token IS NOT NULL;
CREATE INDEX uploads_by_lease ON uploads (lease_ends_at_unix) WHERE state = 'reserved';
-- Each admission counts the channel's open uploads.
CREATE INDEX uploads_by_channel_and_lease ON uploads (channel_id, lease_ends_at_unix) WHERE state = 'reserved';

CREATE TRIGGER keep_committed_uploads BEFORE DELETE ON uploads
WHEN old.state = 'committed' AND (SELECT erased_at_unix FROM channels WHERE id = old.channel_id) IS NULL
BEGIN
    SELECT raise(ABORT, 'a committed upload cannot be deleted');
END;

CREATE TRIGGER count_reserved_upload AFTER INSERT ON uploads
BEGIN
    INSERT INTO daily_usage (channel_id, day, used) VALUES (new.channel_id, new.day, 1)
    ON CONFLICT (channel_id, day) DO UPDATE SET used = used + 1;
END;

CREATE TRIGGER count_deleted_upload AFTER DELETE ON uploads
BEGIN
    UPDATE daily_usage SET used = used - 1 WHERE channel_id = old.channel_id AND day = old.day;
END;

-- The objects of uploads that ended without a content, and pictures and captions that no content wants. The sweep
-- deletes the objects and then the row.
CREATE TABLE garbage (
    upload_uuid TEXT PRIMARY KEY,
    multipart_id TEXT,
    -- Until then, an operation may still arrive at R2.
    lease_ends_at_unix INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX garbage_by_lease ON garbage (lease_ends_at_unix);
