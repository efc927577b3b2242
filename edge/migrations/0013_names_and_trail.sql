-- The search of the blocklist: an addition is compared once it is in this table, and packed into an object of R2 later,
-- together with others. A report then reads a few objects instead of a row for every hash.

CREATE TABLE blocklist_additions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    hash TEXT NOT NULL
) STRICT;

INSERT INTO blocklist_additions (hash) SELECT hash FROM blocked_hashes;

CREATE TRIGGER number_blocked_hash AFTER INSERT ON blocked_hashes
BEGIN
    INSERT INTO blocklist_additions (hash) VALUES (new.hash);
END;

-- The objects with packed hashes. Nothing is ever removed from one: a match counts only if `blocked_hashes` still has
-- the hash. A replaced segment rests before its object is deleted, because a report may be reading it.
CREATE TABLE blocklist_segments (
    first_number INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    hashes INTEGER NOT NULL,
    replaced_at_unix INTEGER,
    PRIMARY KEY (first_number, last_number)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocklist_segments_by_replacement ON blocklist_segments (replaced_at_unix)
    WHERE replaced_at_unix IS NOT NULL;

-- The tokens of people and of the site's back end, besides the operator's secrets.
CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Who uses it. Two tokens of one person may overlap.
    name TEXT NOT NULL,
    -- HMAC-SHA256 of the token.
    token_hash TEXT NOT NULL UNIQUE CHECK (length(token_hash) = 64),
    -- A JSON array of `contract::api::TokenRole`.
    roles TEXT NOT NULL CHECK (json_valid(roles)),
    created_at_unix INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    ends_at_unix INTEGER NOT NULL,
    -- Who ended it before its time.
    ended_by TEXT
) STRICT;

-- Who did what, when and about what: decisions, tokens, suspensions and keys. It is written in the transaction of the
-- change, mostly by triggers, so no code path can forget it. Nothing is ever changed or deleted here.
CREATE TABLE trail (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    happened_at_unix INTEGER NOT NULL DEFAULT (unixepoch()),
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT NOT NULL,
    detail TEXT
) STRICT;

INSERT INTO trail (happened_at_unix, actor, action, subject, detail)
    SELECT decided_at_unix, made_by, action,
        coalesce('content:' || (SELECT uuid FROM contents WHERE contents.id = content_id), 'hash:' || hash), reason
    FROM decisions ORDER BY decisions.id;

CREATE TRIGGER keep_trail BEFORE UPDATE ON trail
BEGIN
    SELECT raise(ABORT, 'the trail cannot be changed');
END;

CREATE TRIGGER keep_whole_trail BEFORE DELETE ON trail
BEGIN
    SELECT raise(ABORT, 'the trail cannot be shortened');
END;

CREATE TRIGGER keep_decisions BEFORE UPDATE ON decisions
BEGIN
    SELECT raise(ABORT, 'a decision cannot be changed, only reversed');
END;

CREATE TRIGGER keep_all_decisions BEFORE DELETE ON decisions
BEGIN
    SELECT raise(ABORT, 'a decision cannot be deleted');
END;

CREATE TRIGGER trail_decision AFTER INSERT ON decisions
BEGIN
    INSERT INTO trail (actor, action, subject, detail) VALUES (new.made_by, new.action,
        coalesce('content:' || (SELECT uuid FROM contents WHERE id = new.content_id), 'hash:' || new.hash), new.reason);
END;

CREATE TRIGGER trail_created_token AFTER INSERT ON access_tokens
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.created_by, 'token_created', 'token:' || new.id, new.name || ' ' || new.roles);
END;

CREATE TRIGGER trail_ended_token AFTER UPDATE OF ended_by ON access_tokens
WHEN new.ended_by IS NOT NULL AND old.ended_by IS NULL
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.ended_by, 'token_ended', 'token:' || new.id, new.name);
END;

CREATE TRIGGER trail_created_key AFTER INSERT ON api_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_created', 'channel:' || id, new.key_hint
    FROM channels WHERE id = new.channel_id;
END;

CREATE TRIGGER trail_rotated_key AFTER UPDATE OF key_hash ON api_keys WHEN new.key_hash <> old.key_hash
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_rotated', 'channel:' || id, new.key_hint
    FROM channels WHERE id = new.channel_id;
END;

CREATE TRIGGER trail_deleted_key AFTER DELETE ON api_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_deleted', 'channel:' || id, old.key_hint
    FROM channels WHERE id = old.channel_id;
END;

-- A suspended channel: its key and its uploads are refused, and its published contents are hidden. Null if it is not.
ALTER TABLE channels ADD COLUMN suspended_at_unix INTEGER;

CREATE INDEX channels_by_suspension ON channels (suspended_at_unix) WHERE suspended_at_unix IS NOT NULL;

-- What is published becomes hidden or visible. The pages of a channel have one tag, and its files have another.
CREATE TRIGGER purge_suspended_channel AFTER UPDATE OF suspended_at_unix ON channels
WHEN (new.suspended_at_unix IS NULL) <> (old.suspended_at_unix IS NULL)
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('channel-' || new.id), ('files-of-channel-' || new.id)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;

-- The uploads that are open when the channel is suspended can neither renew their lease nor commit.
CREATE TRIGGER release_uploads_of_suspended_channel AFTER UPDATE OF suspended_at_unix ON channels
WHEN new.suspended_at_unix IS NOT NULL
BEGIN
    DELETE FROM uploads WHERE channel_id = new.id AND state = 'reserved';
END;

-- Approved contents that a person should look at again: one has a frame that was blocked later, or viewers reported it.
CREATE TABLE flags (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    flagged_at_unix INTEGER NOT NULL,
    -- A hash that was blocked after the content was approved, and that a frame of it matches.
    hash TEXT,
    -- The number of networks from which viewers reported it.
    reports INTEGER NOT NULL DEFAULT 0
) STRICT;

-- The reports of viewers: one for each content and network.
CREATE TABLE abuse_reports (
    content_id INTEGER NOT NULL REFERENCES contents (id),
    -- A keyed hash of the network, and not the address itself.
    reporter TEXT NOT NULL,
    reason TEXT NOT NULL,
    text TEXT NOT NULL,
    reported_at_unix INTEGER NOT NULL,
    PRIMARY KEY (content_id, reporter)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER flag_reported_content AFTER INSERT ON abuse_reports
BEGIN
    INSERT INTO flags (content_id, flagged_at_unix, reports) VALUES (new.content_id, new.reported_at_unix, 1)
    ON CONFLICT (content_id) DO UPDATE SET reports = reports + 1;
END;

-- A content that is no longer approved needs no second look. The reports of viewers go with it.
CREATE TRIGGER drop_flag AFTER UPDATE OF state ON contents
WHEN old.state IN ('scheduled', 'published') AND new.state NOT IN ('scheduled', 'published')
BEGIN
    DELETE FROM flags WHERE content_id = new.id;
END;

CREATE TRIGGER drop_abuse_reports AFTER DELETE ON flags
BEGIN
    DELETE FROM abuse_reports WHERE content_id = old.content_id;
END;

-- How far the sweep has compared approved contents with added hashes. A pass compares all of them with the hashes that
-- were added since the pass before; what is added meanwhile waits for the next pass.
CREATE TABLE recheck (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- The numbers of the last addition of the finished pass, and of the one that is running. Null if none is running.
    done_until INTEGER NOT NULL,
    pass_until INTEGER,
    -- When the last finished pass began, and when the running one did. Hashes that were added earlier were compared.
    since_unix INTEGER NOT NULL,
    pass_since_unix INTEGER,
    -- Published contents come first.
    state TEXT NOT NULL DEFAULT 'published' CHECK (state IN ('published', 'scheduled')),
    after_id INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What was blocked before this migration was compared when each content was reported.
INSERT INTO recheck (id, done_until, since_unix)
    SELECT 1, (SELECT coalesce(max(number), 0) FROM blocklist_additions), unixepoch();
