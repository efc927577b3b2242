-- Channels, their API keys, and their daily usage. Times are Unix seconds. Hashes are lower-case hexadecimal.

CREATE TABLE channels (
    id INTEGER PRIMARY KEY,
    -- The site's own number of the account. Each account has one channel.
    account_id INTEGER NOT NULL UNIQUE,
    -- The name that pages show. Null if the site did not send one.
    name TEXT,
    daily_upload_limit INTEGER NOT NULL CHECK (daily_upload_limit >= 0),
    created_at_unix INTEGER NOT NULL,
    -- The number of the channel's last event.
    events_count INTEGER NOT NULL DEFAULT 0,
    -- When the channel was suspended. Its key and uploads are refused, and its published contents are hidden.
    suspended_at_unix INTEGER,
    -- When the account was erased, until when the evidence of its removed contents is kept, and when the sweep
    -- continues the erasure. The last is null once nothing is left.
    erased_at_unix INTEGER,
    evidence_until_unix INTEGER,
    erasure_due_at_unix INTEGER
) STRICT;

CREATE INDEX channels_by_suspension ON channels (suspended_at_unix) WHERE suspended_at_unix IS NOT NULL;
CREATE INDEX channels_by_erasure ON channels (erasure_due_at_unix) WHERE erasure_due_at_unix IS NOT NULL;

CREATE TRIGGER never_undo_erasure BEFORE UPDATE OF erased_at_unix, suspended_at_unix ON channels
WHEN old.erased_at_unix IS NOT NULL AND (new.erased_at_unix IS NULL OR new.suspended_at_unix IS NULL)
BEGIN
    SELECT raise(ABORT, 'an erased account cannot be opened again');
END;

-- The primary key makes the database, and not only the code, enforce one key per account.
CREATE TABLE api_keys (
    channel_id INTEGER PRIMARY KEY REFERENCES channels (id),
    -- HMAC-SHA256 of the key, so that a copy of this table contains no usable key.
    key_hash TEXT NOT NULL UNIQUE CHECK (length(key_hash) = 64),
    -- The id of the pepper with which it was hashed. Null if it is unknown.
    pepper_id TEXT,
    key_hint TEXT NOT NULL,
    created_at_unix INTEGER NOT NULL,
    rotated_at_unix INTEGER,
    last_used_at_unix INTEGER,
    uses_count INTEGER NOT NULL DEFAULT 0,
    -- The uploads that were refused in an hour, and that hour: hours since 1970-01-01, 00:00 UTC.
    refused_hour INTEGER NOT NULL DEFAULT 0,
    refused_uploads INTEGER NOT NULL DEFAULT 0,
    -- The hash of the key before the last rotation, if its owner let it live on, and when it ends.
    previous_key_hash TEXT UNIQUE CHECK (length(previous_key_hash) = 64),
    previous_ends_at_unix INTEGER CHECK ((previous_ends_at_unix IS NULL) = (previous_key_hash IS NULL))
) STRICT;

CREATE INDEX api_keys_by_pepper ON api_keys (pepper_id);

CREATE TABLE daily_usage (
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- Days since 1970-01-01, 00:00 UTC.
    day INTEGER NOT NULL,
    -- Uploads, including uploads in progress.
    used INTEGER NOT NULL CHECK (used >= 0),
    -- Whether the event `limit.reached` of the day was written.
    is_limit_logged INTEGER NOT NULL DEFAULT 0,
    -- Changes with separate daily limits.
    new_keys INTEGER NOT NULL DEFAULT 0,
    webhook_changes INTEGER NOT NULL DEFAULT 0,
    content_changes INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel_id, day)
) STRICT, WITHOUT ROWID;

-- The values that `super_category_id` of an upload may have. The site sets the list.
CREATE TABLE super_categories (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
