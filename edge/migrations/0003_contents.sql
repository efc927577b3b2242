-- Contents: the videos, their captions, and the clean-up of files that they no longer need.

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
    ('rejected', 'published'),
    ('rejected', 'scheduled'),
    ('rejected', 'deleted'),
    ('failed', 'processing'),
    ('failed', 'deleted'),
    ('taken_down', 'published'),
    ('taken_down', 'scheduled'),
    ('taken_down', 'deleted');

CREATE TABLE contents (
    -- The id of its upload.
    id INTEGER PRIMARY KEY REFERENCES uploads (id),
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- Increases with every change. A change that was decided on an older row fails.
    revision INTEGER NOT NULL DEFAULT 1,
    state TEXT NOT NULL,
    -- The number of jobs created for the content so far.
    generation INTEGER NOT NULL DEFAULT 1,

    -- The address of its page, and the name of its files. A compacted content has a short slug, and its caption at that
    -- time if it has changed since.
    slug_url TEXT NOT NULL UNIQUE,
    slug_caption TEXT,
    media_name TEXT NOT NULL UNIQUE,

    -- The owner's texts and data.
    caption TEXT,
    super_category_id INTEGER,
    ai_summary_of_content TEXT,
    external_id TEXT,
    metadata TEXT CHECK (json_valid(metadata)),
    scheduled_publish_at_unix INTEGER,
    -- Whether it is not published before its owner has released it.
    needs_release INTEGER NOT NULL DEFAULT 0,
    -- Whether only those who have its link find it.
    is_unlisted INTEGER NOT NULL DEFAULT 0,
    -- Its labels: 1 if its owner set them, 2 if a moderator did.
    is_sensitive INTEGER NOT NULL DEFAULT 0,
    is_ai_generated INTEGER NOT NULL DEFAULT 0,

    -- The uploaded file: `life::Source` as JSON, and what rules and lists need of it.
    source TEXT NOT NULL CHECK (json_valid(source)),
    duration_ms INTEGER NOT NULL,
    file_sha256 TEXT NOT NULL,
    created_at_unix INTEGER NOT NULL,

    -- The result of its job: `contract::job::StoredMedia` as JSON, and the generation whose folder contains the files.
    -- The thumbnail is `life::Thumbnail` as JSON. The thumbnail and the captions may have been made later, each in
    -- another folder.
    media TEXT CHECK (json_valid(media)),
    media_generation INTEGER,
    thumbnail TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(thumbnail)),
    captions_generation INTEGER,

    -- Why the content is still processing although its job is done: a moderation check was not possible, or a moderator
    -- has to decide.
    waits_for TEXT CHECK (waits_for IN ('check', 'person')),
    waits_since_unix INTEGER,
    -- Why the content was rejected, failed or was taken down.
    error_code TEXT,
    error_detail TEXT,
    -- The rule of the site that it broke, if it was rejected or taken down for that. `error_detail` has its text.
    policy_code TEXT,
    finished_at_unix INTEGER,
    published_at_unix INTEGER,

    -- The number of its last event.
    events_count INTEGER NOT NULL DEFAULT 0,
    -- Whether its details are in an object of R2, and when they were last read back.
    is_compacted INTEGER NOT NULL DEFAULT 0,
    expanded_at_unix INTEGER
) STRICT;

-- In this order: a channel's contents, by state, by the client's id, scheduled contents that are due, waiting contents,
-- and finished contents to compact.
CREATE INDEX contents_by_time ON contents (channel_id, created_at_unix);
CREATE INDEX contents_by_state ON contents (channel_id, state, created_at_unix);
CREATE INDEX contents_by_external_id ON contents (channel_id, external_id, created_at_unix)
    WHERE external_id IS NOT NULL;
CREATE INDEX contents_by_schedule ON contents (scheduled_publish_at_unix)
    WHERE state = 'scheduled' AND needs_release = 0;
-- For moderators who have a file and look for its video. Compaction empties the column.
CREATE INDEX contents_by_file ON contents (file_sha256) WHERE file_sha256 <> '';
CREATE INDEX contents_by_waiting ON contents (waits_for, waits_since_unix) WHERE waits_for IS NOT NULL;
CREATE INDEX contents_to_compact ON contents (finished_at_unix)
    WHERE is_compacted = 0 AND state IN ('published', 'rejected', 'taken_down', 'deleted');

CREATE TRIGGER start_as_processing BEFORE INSERT ON contents WHEN new.state <> 'processing'
BEGIN
    SELECT raise(ABORT, 'a new content must be processing');
END;

-- A change that lost a race sets `revision` to NULL, so the statement fails. The triggers below ignore it.

CREATE TRIGGER allow_known_transitions BEFORE UPDATE OF state ON contents
WHEN new.revision IS NOT NULL AND new.state <> old.state
    AND NOT EXISTS (SELECT 1 FROM content_transitions WHERE from_state = old.state AND to_state = new.state)
BEGIN
    SELECT raise(ABORT, 'this transition between states is not allowed');
END;

CREATE TRIGGER require_media_to_publish BEFORE UPDATE OF state ON contents
WHEN new.revision IS NOT NULL AND new.state IN ('scheduled', 'published')
    AND (new.media IS NULL OR new.media_generation IS NULL)
BEGIN
    SELECT raise(ABORT, 'a content without stored media cannot be scheduled or published');
END;

CREATE TRIGGER never_decrease_generation BEFORE UPDATE OF generation ON contents
WHEN new.revision IS NOT NULL AND new.generation < old.generation
BEGIN
    SELECT raise(ABORT, 'the generation cannot decrease');
END;

-- A failed content is only retried with a new generation, because a report of the old one may already be accepted.
CREATE TRIGGER retry_with_new_generation BEFORE UPDATE OF state ON contents
WHEN new.revision IS NOT NULL AND old.state = 'failed' AND new.state = 'processing'
    AND new.generation <= old.generation
BEGIN
    SELECT raise(ABORT, 'a retry needs a new generation');
END;

-- The number of contents in each state, for metrics.
CREATE TABLE content_counts (
    state TEXT PRIMARY KEY,
    contents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO content_counts (state, contents) SELECT DISTINCT to_state, 0 FROM content_transitions;

CREATE TRIGGER count_new_content AFTER INSERT ON contents
BEGIN
    INSERT INTO content_counts (state, contents) VALUES (new.state, 1)
    ON CONFLICT (state) DO UPDATE SET contents = contents + 1;
END;

CREATE TRIGGER count_new_state AFTER UPDATE OF state ON contents WHEN new.state <> old.state
BEGIN
    UPDATE content_counts SET contents = contents - 1 WHERE state = old.state;
    INSERT INTO content_counts (state, contents) VALUES (new.state, 1)
    ON CONFLICT (state) DO UPDATE SET contents = contents + 1;
    UPDATE flags SET state = new.state WHERE content_id = new.id;
END;

CREATE TRIGGER count_removed_content AFTER DELETE ON contents
BEGIN
    UPDATE content_counts SET contents = contents - 1 WHERE state = old.state;
    UPDATE row_counts SET number = number - 1 WHERE name = old.waits_for;
END;

-- The number of contents that wait for a check or a person, and of dead jobs, for metrics. There may be many, and
-- counting them would read them all.
CREATE TABLE row_counts (
    name TEXT PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO row_counts (name, number) VALUES ('check', 0), ('person', 0), ('dead', 0);

CREATE TRIGGER count_waiting_content AFTER UPDATE OF waits_for ON contents WHEN new.waits_for IS NOT old.waits_for
BEGIN
    UPDATE row_counts SET number = number - 1 WHERE name = old.waits_for;
    UPDATE row_counts SET number = number + 1 WHERE name = new.waits_for;
END;

-- Captions that owners send, one row per file. A job makes each change. Until the change has passed moderation, viewers
-- see the old captions.
CREATE TABLE captions (
    -- The name of the file: `sources/{name}/captions`.
    name TEXT PRIMARY KEY,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    -- A language tag, as `contract::subtitles::language_tag` writes it.
    language TEXT NOT NULL,
    -- SHA-256 of the stored file. Sending the same file again changes nothing.
    sha256 TEXT NOT NULL,
    -- Whether the owner wants these captions, and whether viewers see them. They differ while a change is being made.
    is_wanted INTEGER NOT NULL DEFAULT 1,
    is_shown INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX captions_by_content ON captions (content_id, language, is_wanted);

-- Contents that may have objects to delete. The sweep records when it first saw a row, waits until no earlier origin
-- can still be writing, deletes the objects that the content's state no longer needs, and then deletes the row.
CREATE TABLE cleanups (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    noticed_at_unix INTEGER,
    due_at_unix INTEGER
) STRICT;

CREATE INDEX cleanups_by_time ON cleanups (noticed_at_unix);
CREATE INDEX cleanups_by_due_time ON cleanups (due_at_unix);

-- Test videos: what becomes of uploads that their clients marked as tests. Only their owner sees them.
CREATE TABLE test_videos (
    -- The id of its upload, which is deleted with it.
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    channel_id INTEGER NOT NULL REFERENCES channels (id),
    -- `contract::TestOutcome`, the number of steps that it has taken, and when the next one is due: in the end, it is
    -- deleted.
    outcome TEXT NOT NULL,
    steps INTEGER NOT NULL DEFAULT 0,
    due_at_unix INTEGER NOT NULL,
    -- The columns that a content would have from the upload, and `contract::job::StoredMedia`, as JSON.
    content TEXT NOT NULL CHECK (json_valid(content)),
    -- As of a content.
    state TEXT NOT NULL DEFAULT 'processing',
    waits_for TEXT,
    error_code TEXT,
    error_detail TEXT,
    policy_code TEXT,
    -- `contract::job::Quality`, if the owner sees media.
    quality TEXT,
    created_at_unix INTEGER NOT NULL,
    finished_at_unix INTEGER,
    published_at_unix INTEGER
) STRICT;

CREATE INDEX test_videos_by_channel ON test_videos (channel_id);
CREATE INDEX test_videos_by_due_time ON test_videos (due_at_unix);
