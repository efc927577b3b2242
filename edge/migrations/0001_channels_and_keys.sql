-- Channels, the API key of each channel, and the number of uploads that each used per day.
-- Times are Unix seconds. Hashes are lower-case hexadecimal.

CREATE TABLE channels (
    id INTEGER PRIMARY KEY,
    -- The site's own number of the account. Each account has one channel.
    account_id INTEGER NOT NULL UNIQUE,
    daily_upload_limit INTEGER NOT NULL CHECK (daily_upload_limit >= 0),
    created_at_unix INTEGER NOT NULL
) STRICT;

-- The primary key makes the database, and not only the code, enforce one key per account.
CREATE TABLE api_keys (
    channel_id INTEGER PRIMARY KEY REFERENCES channels (id),
    -- HMAC-SHA256 of the key, so that a copy of this table contains no usable key.
    key_hash TEXT NOT NULL UNIQUE CHECK (length(key_hash) = 64),
    key_hint TEXT NOT NULL,
    created_at_unix INTEGER NOT NULL,
    rotated_at_unix INTEGER,
    last_used_at_unix INTEGER,
    uses_count INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE daily_usage (
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- Days since 1970-01-01, 00:00 UTC.
    day INTEGER NOT NULL,
    used INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (channel_id, day)
) STRICT, WITHOUT ROWID;

-- The values that `super_category_id` of an upload may have. The site sets the list.
CREATE TABLE super_categories (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL
) STRICT;
