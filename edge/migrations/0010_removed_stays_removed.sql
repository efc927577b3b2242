-- Removed content stays removed: its file is refused before it becomes a content, and a decision can be
-- reversed.

-- The files of removed contents. An exact copy is refused in the answer of its upload.
CREATE TABLE blocked_files (
    sha256 TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at_unix INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES contents (id)
) STRICT, WITHOUT ROWID;

-- A reversed decision unblocks its frames and its file.
CREATE INDEX blocked_files_by_content ON blocked_files (content_id);
CREATE INDEX blocked_hashes_by_content ON blocked_hashes (content_id) WHERE content_id IS NOT NULL;

INSERT INTO content_transitions (from_state, to_state) VALUES
    ('rejected', 'published'),
    ('rejected', 'scheduled'),
    ('taken_down', 'published'),
    ('taken_down', 'scheduled');

-- The same table with one more action. SQLite cannot change a CHECK.
CREATE TABLE all_decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    action TEXT NOT NULL
        CHECK (action IN ('approve', 'reject', 'take_down', 'restore', 'block_hash', 'unblock_hash')),
    content_id INTEGER REFERENCES contents (id),
    -- The generation whose findings the decision is based on.
    generation INTEGER,
    hash TEXT,
    made_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    decided_at_unix INTEGER NOT NULL,
    CHECK ((content_id IS NULL) = (hash IS NOT NULL))
) STRICT;

INSERT INTO all_decisions (id, action, content_id, generation, hash, made_by, reason, decided_at_unix)
    SELECT id, action, content_id, generation, hash, made_by, reason, decided_at_unix FROM decisions;

DROP TABLE decisions;
ALTER TABLE all_decisions RENAME TO decisions;

CREATE INDEX decisions_by_content ON decisions (content_id, id) WHERE content_id IS NOT NULL;
