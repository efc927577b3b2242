-- Uploads, from the reserved slot to the committed content, and objects that nothing refers to.

-- One row per upload. A reserved upload holds a slot of its day until it is committed or released, or until its lease
-- expires. Its UUID names its objects, so the database knows every object before it is stored.
CREATE TABLE uploads (
    -- The id of the upload, and of the content that it becomes.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- The day whose limit the upload counts against: the day on which it began.
    day INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'committed')),
    lease_ends_at_unix INTEGER NOT NULL,
    -- Whether its client has sent nothing for a while. Another upload with its token may then take its place.
    is_silent INTEGER NOT NULL DEFAULT 0 CHECK (is_silent IN (0, 1)),
    -- R2's identifier of the unfinished multipart upload, for a file that is stored in parts.
    multipart_id TEXT,
    upload_token TEXT,
    -- SHA-256 of the file and the fields. A later upload with the same token is compared with it.
    fingerprint TEXT,
    -- The limit and the schedule as reported in the successful answer, so that a repeated request gets the same answer.
    limit_day INTEGER,
    limit_amount INTEGER,
    limit_used INTEGER,
    scheduled_publish_at_unix INTEGER,
    -- Whether it became a test video. It has then given its slot back.
    is_test INTEGER NOT NULL DEFAULT 0 CHECK (is_test IN (0, 1))
) STRICT;

-- A token identifies one upload per channel: the first that used it.
CREATE UNIQUE INDEX uploads_by_token ON uploads (channel_id, upload_token) WHERE upload_token IS NOT NULL;
CREATE INDEX uploads_by_lease ON uploads (lease_ends_at_unix) WHERE state = 'reserved';
-- Each admission counts the channel's open uploads.
CREATE INDEX uploads_by_channel_and_lease ON uploads (channel_id, lease_ends_at_unix) WHERE state = 'reserved';

CREATE TRIGGER keep_committed_uploads BEFORE DELETE ON uploads
WHEN old.state = 'committed' AND old.is_test = 0 AND (SELECT erased_at_unix FROM channels WHERE id = old.channel_id) IS NULL
BEGIN
    SELECT raise(ABORT, 'a committed upload cannot be deleted');
END;

CREATE TRIGGER count_reserved_upload AFTER INSERT ON uploads
BEGIN
    INSERT INTO daily_usage (channel_id, day, used) VALUES (new.channel_id, new.day, 1)
    ON CONFLICT (channel_id, day) DO UPDATE SET used = used + 1;
END;

CREATE TRIGGER count_deleted_upload AFTER DELETE ON uploads WHEN old.is_test = 0
BEGIN
    UPDATE daily_usage SET used = used - 1 WHERE channel_id = old.channel_id AND day = old.day;
END;

-- An upload whose file arrives in several requests. While one of them is in progress, and for a lease afterwards, it
-- holds a slot in `uploads` under the same UUID; then it is parked: its bytes stay, and the next request reserves a
-- slot again. A request changes the row only with the epoch that it got, so a request that was overtaken cannot.
CREATE TABLE resumable_uploads (
    -- SHA-256 of the secret in its address. Whoever knows the secret can continue the upload.
    secret_sha256 TEXT PRIMARY KEY,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- Names the slot and the objects of the upload. A repetition of an accepted upload has the same name.
    upload_uuid TEXT NOT NULL,
    -- Names the objects that hold the bytes of the last, incomplete part.
    tails_uuid TEXT NOT NULL UNIQUE,
    -- `received` once all bytes are stored. The content is made in the same request or, after a failure, in a later
    -- one, and the upload is then `accepted`.
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'received', 'accepted', 'refused')),
    length INTEGER NOT NULL CHECK (length > 0),
    -- The fields, the names of the content to be, and what else is known before the bytes, as JSON.
    request TEXT NOT NULL CHECK (json_valid(request)),
    expires_at_unix INTEGER NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    -- Whether the latest request has not yet recorded all that it has stored. It may have died.
    is_writing INTEGER NOT NULL DEFAULT 0 CHECK (is_writing IN (0, 1)),
    -- Whether the client has sent so fast that losing a part would cost it little.
    is_fast INTEGER NOT NULL DEFAULT 0 CHECK (is_fast IN (0, 1)),
    -- The bytes that are stored: whole parts, and then the tail.
    received INTEGER NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND length),
    multipart_id TEXT,
    -- The stored parts, a JSON array: number, epoch and entity tag of each.
    parts TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(parts)),
    -- The object that begins with the bytes after the parts, if there are any.
    tail TEXT,
    -- The state of judging and hashing after `received` bytes, in base64. If it is null although bytes were received,
    -- the whole file is judged and hashed once it has arrived.
    checked TEXT,
    -- The code, field and detail of a permanent refusal, as JSON.
    refusal TEXT CHECK ((refusal IS NOT NULL) = (state = 'refused'))
) STRICT, WITHOUT ROWID;

CREATE INDEX resumable_uploads_by_upload ON resumable_uploads (upload_uuid);
CREATE INDEX resumable_uploads_by_expiry ON resumable_uploads (expires_at_unix);
-- Each new one counts those of its channel that are not finished.
CREATE INDEX resumable_uploads_by_channel ON resumable_uploads (channel_id, state, length);

-- Permissions for end users to upload one video each into a channel, with a one-time token.
CREATE TABLE direct_uploads (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    token_sha256 TEXT NOT NULL UNIQUE CHECK (length(token_sha256) = 64),
    -- `used` once a video was accepted. The others have ended without one.
    state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'used', 'expired', 'revoked')),
    -- `direct::Rules` as JSON.
    rules TEXT NOT NULL CHECK (json_valid(rules)),
    created_at_unix INTEGER NOT NULL,
    expires_at_unix INTEGER NOT NULL,
    -- The latest upload with the token. A newer one replaces it, so at most one is in progress.
    upload_uuid TEXT UNIQUE,
    -- When it left the state `open`.
    ended_at_unix INTEGER CHECK ((ended_at_unix IS NULL) = (state = 'open'))
) STRICT;

-- In this order: a channel's list, its list by state and its open ones, open ones that expire, and ended ones to
-- delete.
CREATE INDEX direct_uploads_by_channel ON direct_uploads (channel_id, id);
CREATE INDEX direct_uploads_by_state ON direct_uploads (channel_id, state, id);
CREATE INDEX direct_uploads_by_expiry ON direct_uploads (expires_at_unix) WHERE state = 'open';
CREATE INDEX direct_uploads_by_end ON direct_uploads (ended_at_unix) WHERE state <> 'open';

-- The objects of uploads that ended without a content, and pictures and captions that no content wants. The sweep
-- deletes the objects and then the row.
CREATE TABLE garbage (
    upload_uuid TEXT PRIMARY KEY,
    multipart_id TEXT,
    -- Until then, an operation may still arrive at R2.
    lease_ends_at_unix INTEGER NOT NULL,
    -- Whether its objects are tails, whose names only their folder tells.
    is_tails INTEGER NOT NULL DEFAULT 0 CHECK (is_tails IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE INDEX garbage_by_lease ON garbage (lease_ends_at_unix);
