-- What operators watch. Contents only grow, so triggers count them. Everything else that is watched is read from an
-- index that contains only the rows in question.

CREATE TABLE content_counts (
    state TEXT PRIMARY KEY,
    contents INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO content_counts (state, contents) SELECT state, count(*) FROM contents GROUP BY state;

-- A state without contents is counted too: as 0.
INSERT INTO content_counts (state, contents) SELECT DISTINCT to_state, 0 FROM content_transitions WHERE true
ON CONFLICT (state) DO NOTHING;

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
END;

CREATE TRIGGER count_removed_content AFTER DELETE ON contents
BEGIN
    UPDATE content_counts SET contents = contents - 1 WHERE state = old.state;
END;

-- The jobs in each stage. The last two columns are the same in every row: with them, the index alone answers.
CREATE INDEX contents_by_stage ON contents (stage, enqueued_at_unix, state, waits_for)
    WHERE state = 'processing' AND waits_for IS NULL;

-- How often each part of the sweep ran and failed, and how long it last took. The part `whole` is the sweep itself.
CREATE TABLE sweep_parts (
    part TEXT PRIMARY KEY,
    runs INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    succeeded_at_unix INTEGER
) STRICT, WITHOUT ROWID;

-- When the objects of a changed content may be deleted. Removed contents rest for a month, and without this column the
-- sweep would look at each of them every minute.
ALTER TABLE cleanups ADD COLUMN due_at_unix INTEGER;
CREATE INDEX cleanups_by_due_time ON cleanups (due_at_unix);
