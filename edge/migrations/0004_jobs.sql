-- Jobs: what origins are to do for a content. A content has at most one job of each kind, and only one of its jobs is
-- sent or claimed at a time. `life` says how a job changes; only claims, heartbeats and releases are single statements.

CREATE TABLE jobs (
    id INTEGER PRIMARY KEY,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    kind TEXT NOT NULL CHECK (kind IN ('video', 'completion', 'thumbnail', 'captions')),
    -- `waiting`: its turn has not come. `later`: it is started once no new video waits for an origin. `held`: enough
    -- jobs of its channel are in the queue. `due`: its message is in the queue. `claimed`: an origin works on it.
    -- `dead`: it was given up although its file may be good.
    state TEXT NOT NULL CHECK (state IN ('waiting', 'later', 'held', 'due', 'claimed', 'done', 'dead')),
    -- Increases with each start of a job. Requests about another generation are ignored. Each generation has its own
    -- folder of files.
    generation INTEGER NOT NULL,
    -- The change that the owner asks for: `life::Input` as JSON.
    input TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(input)),
    traceparent TEXT,
    -- When the job was last sent or held, and how often it was sent without being claimed.
    enqueued_at_unix INTEGER NOT NULL,
    sendings INTEGER NOT NULL DEFAULT 0,
    -- The time by which held and later jobs are ordered, the earliest first. It is set when the job is held or waits
    -- for new videos.
    turn_unix INTEGER NOT NULL DEFAULT 0,
    -- When its message was last given to the queue. NULL if there is none: the queue refused it, or an origin without a
    -- valid key has it.
    sent_at_unix INTEGER,
    -- When the sweep has to look at the job.
    due_at_unix INTEGER,
    -- How often this generation was claimed.
    attempt INTEGER NOT NULL DEFAULT 0,
    -- The origin that claimed the job last, when the claim ends unless a heartbeat renews it, and when that origin, by
    -- its own clock, signed its latest request: a request of the same origin that was not signed later is a replay.
    claimed_by TEXT,
    claim_ends_at_unix INTEGER,
    last_signed_at_unix INTEGER,
    stage TEXT NOT NULL DEFAULT 'queued'
        CHECK (stage IN ('queued', 'download', 'inspect', 'transcode', 'moderate', 'store')),
    percent INTEGER NOT NULL DEFAULT 0 CHECK (percent BETWEEN 0 AND 100),
    -- How many attempts failed for a reason that may be the machine's, how often an origin fell silent while it worked
    -- on the job, and how often the job ended up waiting for a check.
    undecided_failures INTEGER NOT NULL DEFAULT 0,
    silences INTEGER NOT NULL DEFAULT 0,
    check_waits INTEGER NOT NULL DEFAULT 0,
    -- SHA-256 of the accepted report, to distinguish a repeated report from a different one.
    report TEXT,
    -- Why it failed. The detail is for operators.
    error_code TEXT,
    error_detail TEXT,
    ended_at_unix INTEGER
) STRICT;

CREATE UNIQUE INDEX jobs_by_content ON jobs (content_id, kind);
CREATE INDEX jobs_by_due_time ON jobs (due_at_unix) WHERE due_at_unix IS NOT NULL;
-- The share of the queue that each channel has.
CREATE INDEX jobs_by_channel ON jobs (channel_id, state, turn_unix, content_id)
    WHERE state IN ('held', 'due', 'claimed');
CREATE INDEX jobs_later ON jobs (turn_unix) WHERE state = 'later';
-- Where the turn of a channel's next such job begins.
CREATE INDEX jobs_later_by_channel ON jobs (channel_id, turn_unix) WHERE state = 'later';
-- How many of them are in their own queue.
CREATE INDEX jobs_completing ON jobs (kind) WHERE kind = 'completion' AND state IN ('due', 'claimed');
CREATE INDEX jobs_by_stage ON jobs (stage, enqueued_at_unix, state, kind)
    WHERE kind = 'video' AND state IN ('held', 'due', 'claimed');
-- The consistency check asks which job wants a picture.
CREATE INDEX jobs_by_picture ON jobs (input ->> '$.picture') WHERE input ->> '$.picture' IS NOT NULL;
CREATE INDEX jobs_dead ON jobs (id) WHERE state = 'dead';

-- A new job is never dead.
CREATE TRIGGER count_dead_job AFTER UPDATE OF state ON jobs WHEN (new.state = 'dead') <> (old.state = 'dead')
BEGIN
    UPDATE row_counts SET number = number + iif(new.state = 'dead', 1, -1) WHERE name = 'dead';
END;

CREATE TRIGGER count_deleted_dead_job AFTER DELETE ON jobs WHEN old.state = 'dead'
BEGIN
    UPDATE row_counts SET number = number - 1 WHERE name = 'dead';
END;
