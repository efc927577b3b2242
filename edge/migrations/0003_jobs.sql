-- A content after its upload: the transitions between its states, its job, the origin's report, and the clean-up of its
-- objects. Migrations only add columns, because the previous version of the Worker still runs during a rollout.

-- The transitions of `contract::TRANSITIONS`; a test compares the two. The database rejects all other changes of state.
CREATE TABLE content_transitions (
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    PRIMARY KEY (from_state, to_state)
) STRICT, WITHOUT ROWID;

INSERT INTO content_transitions (from_state, to_state) VALUES
    ('processing', 'processing'),
    ('processing', 'scheduled'),
    ('processing', 'published'),
    ('processing', 'rejected'),
    ('processing', 'failed'),
    ('processing', 'deleted'),
    ('scheduled', 'scheduled'),
    ('scheduled', 'published'),
    ('scheduled', 'taken_down'),
    ('scheduled', 'deleted'),
    ('published', 'taken_down'),
    ('published', 'deleted'),
    ('rejected', 'deleted'),
    ('failed', 'processing'),
    ('failed', 'deleted'),
    ('taken_down', 'deleted');

-- The progress of the current generation's job.
ALTER TABLE contents ADD COLUMN stage TEXT NOT NULL DEFAULT 'queued'
    CHECK (stage IN ('queued', 'download', 'inspect', 'transcode', 'moderate', 'store'));
ALTER TABLE contents ADD COLUMN progress_percent INTEGER NOT NULL DEFAULT 0 CHECK (progress_percent BETWEEN 0 AND 100);
-- The origin that claimed the job, and when the claim ends unless a heartbeat renews it. The last column is when the
-- origin, by its own clock, signed its latest request: a request that was not signed later is a replay and renews
-- nothing.
ALTER TABLE contents ADD COLUMN claimed_by TEXT;
ALTER TABLE contents ADD COLUMN claim_ends_at_unix INTEGER;
ALTER TABLE contents ADD COLUMN last_signed_at_unix INTEGER;
-- The highest delivery attempt that was claimed. After the last attempt, the queue drops the message.
ALTER TABLE contents ADD COLUMN delivery_attempt INTEGER NOT NULL DEFAULT 0;
-- Generations that the sweep started by itself because the job was stuck. After a few, the content has failed.
ALTER TABLE contents ADD COLUMN automatic_requeues INTEGER NOT NULL DEFAULT 0;
-- Why the content is still processing although its job is done: a moderation check was not possible, or a moderator has
-- to decide.
ALTER TABLE contents ADD COLUMN waits_for TEXT CHECK (waits_for IN ('check', 'person'));
ALTER TABLE contents ADD COLUMN waits_since_unix INTEGER;
-- The number of consecutive generations that ended up waiting for a check.
ALTER TABLE contents ADD COLUMN check_waits INTEGER NOT NULL DEFAULT 0;
-- Why the content was rejected, failed or was taken down.
ALTER TABLE contents ADD COLUMN error_code TEXT;
ALTER TABLE contents ADD COLUMN error_detail TEXT;
ALTER TABLE contents ADD COLUMN finished_at_unix INTEGER;
ALTER TABLE contents ADD COLUMN published_at_unix INTEGER;
-- `contract::job::StoredMedia` as JSON, and the generation whose folder contains the files.
ALTER TABLE contents ADD COLUMN media TEXT CHECK (json_valid(media));
ALTER TABLE contents ADD COLUMN media_generation INTEGER;

-- In this order: a channel's uploads, scheduled contents that are due, expired claims, waiting contents, media URLs.
CREATE INDEX contents_by_channel ON contents (channel_id, id);
CREATE INDEX contents_by_schedule ON contents (scheduled_publish_at_unix) WHERE state = 'scheduled';
CREATE INDEX contents_by_claim ON contents (claim_ends_at_unix) WHERE state = 'processing';
CREATE INDEX contents_by_waiting ON contents (waits_for, waits_since_unix) WHERE waits_for IS NOT NULL;
CREATE UNIQUE INDEX contents_by_media_name ON contents (media_name);

-- The accepted report of each generation. The primary key allows only one.
CREATE TABLE reports (
    content_id INTEGER NOT NULL REFERENCES contents (id),
    generation INTEGER NOT NULL,
    origin TEXT NOT NULL,
    -- SHA-256 of the report, to distinguish a repeated report from a different one.
    fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
    kind TEXT NOT NULL CHECK (kind IN ('processed', 'refused', 'failed')),
    -- The strictest recommendation of the findings. Null if the job produced no media.
    recommendation TEXT CHECK (recommendation IN ('pass', 'wait', 'review', 'reject')),
    received_at_unix INTEGER NOT NULL,
    PRIMARY KEY (content_id, generation)
) STRICT, WITHOUT ROWID;

-- The findings of the moderation checks, in the order of the report.
CREATE TABLE findings (
    content_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    check_name TEXT NOT NULL,
    recommendation TEXT NOT NULL CHECK (recommendation IN ('pass', 'wait', 'review', 'reject')),
    from_ms INTEGER,
    until_ms INTEGER,
    score REAL,
    note TEXT,
    PRIMARY KEY (content_id, generation, number),
    FOREIGN KEY (content_id, generation) REFERENCES reports (content_id, generation)
) STRICT, WITHOUT ROWID;

-- The perceptual hashes of the content's frames. If a moderator rejects the content, they go onto the blocklist.
CREATE TABLE frame_hashes (
    content_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    hash TEXT NOT NULL CHECK (length(hash) BETWEEN 16 AND 256 AND hash NOT GLOB '*[^0-9a-f]*'),
    PRIMARY KEY (content_id, generation, number),
    FOREIGN KEY (content_id, generation) REFERENCES reports (content_id, generation)
) STRICT, WITHOUT ROWID;

-- Contents that may have objects to delete. The sweep records when it first saw a row, waits until no earlier origin
-- can still be writing, deletes the objects that the content's state no longer needs, and then deletes the row.
CREATE TABLE cleanups (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    noticed_at_unix INTEGER
) STRICT;

CREATE TRIGGER start_as_processing BEFORE INSERT ON contents WHEN new.state <> 'processing'
BEGIN
    SELECT raise(ABORT, 'a new content must be processing');
END;

CREATE TRIGGER allow_known_transitions BEFORE UPDATE OF state ON contents
WHEN new.state <> old.state
    AND NOT EXISTS (SELECT 1 FROM content_transitions WHERE from_state = old.state AND to_state = new.state)
BEGIN
    SELECT raise(ABORT, 'this transition between states is not allowed');
END;

CREATE TRIGGER require_media_to_publish BEFORE UPDATE OF state ON contents
WHEN new.state IN ('scheduled', 'published') AND (new.media IS NULL OR new.media_generation IS NULL)
BEGIN
    SELECT raise(ABORT, 'a content without stored media cannot be scheduled or published');
END;

CREATE TRIGGER never_decrease_generation BEFORE UPDATE OF generation ON contents WHEN new.generation < old.generation
BEGIN
    SELECT raise(ABORT, 'the generation cannot decrease');
END;

-- A failed content is only retried with a new generation, because a report of the old one may already be accepted.
CREATE TRIGGER retry_with_new_generation BEFORE UPDATE OF state ON contents
WHEN old.state = 'failed' AND new.state = 'processing' AND new.generation <= old.generation
BEGIN
    SELECT raise(ABORT, 'a retry needs a new generation');
END;

-- Every new generation gets a job, and the files of older generations are cleaned up. No code path can forget either.
CREATE TRIGGER enqueue_generation AFTER UPDATE OF generation ON contents WHEN new.generation > old.generation
BEGIN
    INSERT INTO outbox (content_id, generation, written_at_unix) VALUES (new.id, new.generation, 0)
    ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0;
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;

CREATE TRIGGER clean_up_after_transition AFTER UPDATE OF state ON contents WHEN new.state <> old.state
BEGIN
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;
