-- The credentials of people and origins, and the runs of the sweep.

-- The tokens of operators, moderators and the site.
CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The holder's name. Two tokens of one person may overlap.
    name TEXT NOT NULL,
    -- HMAC-SHA256 of the token.
    token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 64),
    -- A JSON array of `contract::api::TokenRole`.
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created_at_unix INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    ends_at_unix INTEGER NOT NULL,
    -- Who revoked it.
    ended_by TEXT
) STRICT;

CREATE INDEX access_tokens_by_end ON access_tokens (ends_at_unix);

-- The sessions of moderators at the desk. A session ends with its token.
CREATE TABLE desk_sessions (
    -- A random number, which addresses of files name.
    id INTEGER PRIMARY KEY,
    token_id INTEGER NOT NULL REFERENCES access_tokens (id),
    -- HMAC-SHA256 of the cookie's value.
    secret_hash TEXT NOT NULL UNIQUE CHECK (length(secret_hash) = 64),
    started_at_unix INTEGER NOT NULL,
    ends_at_unix INTEGER NOT NULL
) STRICT;

CREATE INDEX desk_sessions_by_end ON desk_sessions (ends_at_unix);

CREATE INDEX desk_sessions_by_token ON desk_sessions (token_id);

-- The keys of origins. A key's secret is derived from a secret of the Worker and the id, so none is stored. Rows are
-- never deleted: reusing an id would make a revoked key valid again.
CREATE TABLE origin_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The origin that signs with it. An origin may have two keys while it replaces one.
    name TEXT NOT NULL,
    created_at_unix INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    ended_at_unix INTEGER,
    ended_by TEXT
) STRICT;

CREATE INDEX origin_keys_by_name ON origin_keys (name) WHERE ended_at_unix IS NULL;

CREATE TRIGGER keep_origin_keys BEFORE DELETE ON origin_keys
BEGIN
    SELECT raise(ABORT, 'an origin key cannot be deleted, only ended');
END;

CREATE TRIGGER end_origin_keys_once BEFORE UPDATE ON origin_keys WHEN old.ended_at_unix IS NOT NULL
BEGIN
    SELECT raise(ABORT, 'an origin key that has ended cannot be changed');
END;

-- The runs of each part of the sweep.
CREATE TABLE sweep_parts (
    part TEXT PRIMARY KEY,
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    succeeded_at_unix INTEGER
) STRICT, WITHOUT ROWID;
