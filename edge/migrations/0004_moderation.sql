-- Moderation by people: the blocklist, and the record of all decisions.

-- The blocklist: perceptual hashes of frames that must not be published again.
CREATE TABLE blocked_hashes (
    hash TEXT PRIMARY KEY CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    reason TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at_unix INTEGER NOT NULL,
    -- The rejected content that the frame belongs to, and the frame's time. Null for a hash that a moderator added
    -- directly.
    content_id INTEGER REFERENCES contents (id),
    at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- One row, whose version increases with every change of the list. A report is compared with the list outside the
-- transaction that accepts it. That transaction checks that the version is still the same, so that it misses no hash
-- that was added in between.
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
    SELECT raise(ABORT, 'a blocked hash cannot be changed, only added and removed');
END;

-- The version of the list that the report was compared with. Null if the report had no frames.
ALTER TABLE reports ADD COLUMN blocklist_version INTEGER;

-- Who decided what, when and why. A row is written in the transaction that applies the decision, and never changed.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    action TEXT NOT NULL CHECK (action IN ('approve', 'reject', 'take_down', 'block_hash', 'unblock_hash')),
    content_id INTEGER REFERENCES contents (id),
    -- The generation whose findings the decision is based on.
    generation INTEGER,
    hash TEXT,
    made_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    decided_at_unix INTEGER NOT NULL,
    CHECK ((content_id IS NULL) = (hash IS NOT NULL))
) STRICT;

CREATE INDEX decisions_by_content ON decisions (content_id, id) WHERE content_id IS NOT NULL;
