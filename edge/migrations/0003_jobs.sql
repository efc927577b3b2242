-- The life of a content after its upload: the steps it may take, the job that is made of it, what an origin reported,
-- and what of its objects is to be removed. Columns are added only: the Worker before this one goes on beside it.

-- The steps of `contract::STEPS`, a test compares the two. What does not stand here does not happen, whatever code asks.
CREATE TABLE content_steps (
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    PRIMARY KEY (from_state, to_state)
) STRICT, WITHOUT ROWID;

INSERT INTO content_steps (from_state, to_state) VALUES
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

-- How far the job of the current generation is.
ALTER TABLE contents ADD COLUMN stage TEXT NOT NULL DEFAULT 'queued'
    CHECK (stage IN ('queued', 'download', 'inspect', 'transcode', 'moderate', 'store'));
ALTER TABLE contents ADD COLUMN progress_percent INTEGER NOT NULL DEFAULT 0 CHECK (progress_percent BETWEEN 0 AND 100);
-- The origin that has the job, until when without a sign of life, and when (by its own clock) it signed the last one:
-- what was signed no later is a repetition and renews nothing.
ALTER TABLE contents ADD COLUMN claimed_by TEXT;
ALTER TABLE contents ADD COLUMN claim_ends_at_unix INTEGER;
ALTER TABLE contents ADD COLUMN heard_at_unix INTEGER;
-- The highest number of a delivery that was claimed: the queue gives up after the last.
ALTER TABLE contents ADD COLUMN delivery INTEGER NOT NULL DEFAULT 0;
-- New generations that nobody asked for: after a few, the content has failed.
ALTER TABLE contents ADD COLUMN renewals INTEGER NOT NULL DEFAULT 0;
-- Why it is still processing though its job is done: a check that could not be made, or a person who has to look.
ALTER TABLE contents ADD COLUMN waits_for TEXT CHECK (waits_for IN ('check', 'person'));
ALTER TABLE contents ADD COLUMN waits_since_unix INTEGER;
-- How often in a row it had to wait for a check.
ALTER TABLE contents ADD COLUMN waits INTEGER NOT NULL DEFAULT 0;
-- Why it ended badly.
ALTER TABLE contents ADD COLUMN error_code TEXT;
ALTER TABLE contents ADD COLUMN error_detail TEXT;
ALTER TABLE contents ADD COLUMN finished_at_unix INTEGER;
ALTER TABLE contents ADD COLUMN published_at_unix INTEGER;
-- `contract::job::StoredMedia` as JSON, and the generation whose folder holds those files.
ALTER TABLE contents ADD COLUMN media TEXT CHECK (json_valid(media));
ALTER TABLE contents ADD COLUMN media_generation INTEGER;

-- A channel's uploads, the newest first; what is due; whose claim is over; who waits; the address of the files.
CREATE INDEX contents_by_channel ON contents (channel_id, id);
CREATE INDEX contents_by_schedule ON contents (scheduled_publish_at_unix) WHERE state = 'scheduled';
CREATE INDEX contents_by_claim ON contents (claim_ends_at_unix) WHERE state = 'processing';
CREATE INDEX contents_by_waiting ON contents (waits_for, waits_since_unix) WHERE waits_for IS NOT NULL;
CREATE UNIQUE INDEX contents_by_media_name ON contents (media_name);

-- The one accepted report of each generation. The primary key makes that a fact of the database.
CREATE TABLE reports (
    content_id INTEGER NOT NULL REFERENCES contents (id),
    generation INTEGER NOT NULL,
    origin TEXT NOT NULL,
    -- SHA-256 of what it says: how a repetition is told from another report.
    fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
    kind TEXT NOT NULL CHECK (kind IN ('processed', 'refused', 'failed')),
    -- What the findings add up to, where there are any.
    verdict TEXT CHECK (verdict IN ('pass', 'wait', 'review', 'reject')),
    received_at_unix INTEGER NOT NULL,
    PRIMARY KEY (content_id, generation)
) STRICT, WITHOUT ROWID;

-- What the checks of moderation found: the evidence, in the order of the report.
CREATE TABLE findings (
    content_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    check_name TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'wait', 'review', 'reject')),
    from_ms INTEGER,
    until_ms INTEGER,
    score REAL,
    note TEXT,
    PRIMARY KEY (content_id, generation, number),
    FOREIGN KEY (content_id, generation) REFERENCES reports (content_id, generation)
) STRICT, WITHOUT ROWID;

-- The perceptual hashes of its frames: what a person who rejects it adds to the blocklist.
CREATE TABLE frame_hashes (
    content_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    hash TEXT NOT NULL CHECK (length(hash) BETWEEN 16 AND 256 AND hash NOT GLOB '*[^0-9a-f]*'),
    PRIMARY KEY (content_id, generation, number),
    FOREIGN KEY (content_id, generation) REFERENCES reports (content_id, generation)
) STRICT, WITHOUT ROWID;

-- Contents of which objects may have to go. The sweep notes when it first saw one, waits until no worker of before
-- can still be writing, removes what the state does not keep any more, and then the row.
CREATE TABLE cleanups (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    noticed_at_unix INTEGER
) STRICT;

CREATE TRIGGER begin_by_processing BEFORE INSERT ON contents WHEN new.state <> 'processing'
BEGIN
    SELECT raise(ABORT, 'a content begins by being processed');
END;

CREATE TRIGGER change_by_steps BEFORE UPDATE OF state ON contents
WHEN new.state <> old.state
    AND NOT EXISTS (SELECT 1 FROM content_steps WHERE from_state = old.state AND to_state = new.state)
BEGIN
    SELECT raise(ABORT, 'there is no such step');
END;

CREATE TRIGGER show_what_is_stored BEFORE UPDATE OF state ON contents
WHEN new.state IN ('scheduled', 'published') AND (new.media IS NULL OR new.media_generation IS NULL)
BEGIN
    SELECT raise(ABORT, 'nothing is shown that is not stored');
END;

CREATE TRIGGER keep_generations_growing BEFORE UPDATE OF generation ON contents WHEN new.generation < old.generation
BEGIN
    SELECT raise(ABORT, 'a generation never comes back');
END;

-- What was given up is tried again by a new job alone: the old one's reports have been heard.
CREATE TRIGGER retry_with_new_generation BEFORE UPDATE OF state ON contents
WHEN old.state = 'failed' AND new.state = 'processing' AND new.generation <= old.generation
BEGIN
    SELECT raise(ABORT, 'a retry is a new generation');
END;

-- A new generation has a job, and its rest can go: no code path can forget either.
CREATE TRIGGER enqueue_generation AFTER UPDATE OF generation ON contents WHEN new.generation > old.generation
BEGIN
    INSERT INTO outbox (content_id, generation, written_at_unix) VALUES (new.id, new.generation, 0)
    ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0;
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;

CREATE TRIGGER clean_up_after_step AFTER UPDATE OF state ON contents WHEN new.state <> old.state
BEGIN
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;
