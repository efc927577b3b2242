-- Moderation by people: what must not be shown again, and who decided what.

-- Frames that must not be shown again.
CREATE TABLE blocked_hashes (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    reason TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at_unix INTEGER NOT NULL,
    -- The rejected content that it comes from, and the time in it; null for one that a person added by hand.
    content_id INTEGER REFERENCES contents (id),
    at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- One row: grows with every change of the list. A report is compared with the list outside of the transaction that
-- accepts it; the transaction looks here whether the list is still the same, so that no hash can slip in between.
CREATE TABLE blocklist_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;

INSERT INTO blocklist_version (id, version) VALUES (1, 0);

CREATE TRIGGER count_blocked_hash AFTER INSERT ON blocked_hashes
BEGIN
    UPDATE blocklist_version SET version = version + 1;
END;

CREATE TRIGGER count_unblocked_hash AFTER DELETE ON blocked_hashes
BEGIN
    UPDATE blocklist_version SET version = version + 1;
END;

CREATE TRIGGER keep_blocked_hashes BEFORE UPDATE OF hash ON blocked_hashes
BEGIN
    SELECT raise(ABORT, 'a hash is added and removed, never changed');
END;

-- The version of the list that a report was compared with; null where there were no frames to compare.
ALTER TABLE reports ADD COLUMN blocklist_version INTEGER;

-- Who decided what, when and why. Written with its effect, and never changed.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    action TEXT NOT NULL CHECK (action IN ('approve', 'reject', 'take_down', 'block_hash', 'unblock_hash')),
    content_id INTEGER REFERENCES contents (id),
    -- The job whose evidence the decision is about.
    generation INTEGER,
    hash TEXT,
    made_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    decided_at_unix INTEGER NOT NULL,
    CHECK ((content_id IS NULL) = (hash IS NOT NULL))
) STRICT;

CREATE INDEX decisions_by_content ON decisions (content_id, id) WHERE content_id IS NOT NULL;
