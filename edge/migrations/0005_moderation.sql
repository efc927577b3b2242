-- Moderation: the findings of origins, the blocklist, and the decisions of people.

-- The accepted report of each generation of a video's job. The primary key allows only one.
CREATE TABLE reports (
    content_id INTEGER NOT NULL REFERENCES contents (id),
    generation INTEGER NOT NULL,
    origin TEXT NOT NULL,
    -- SHA-256 of the report, to distinguish a repeated report from a different one.
    fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
    kind TEXT NOT NULL CHECK (kind IN ('processed', 'completed', 'refused', 'failed')),
    -- The strictest recommendation of the findings. Null if the job produced no media.
    recommendation TEXT CHECK (recommendation IN ('pass', 'wait', 'review', 'reject')),
    received_at_unix INTEGER NOT NULL,
    -- The version of the blocklist that the report was compared with. Null if the report had no frames.
    blocklist_version INTEGER,
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

-- The perceptual hashes of the frames of contents that wait for a person or a check. If a moderator rejects the
-- content, they go onto the blocklist.
CREATE TABLE frame_hashes (
    content_id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    hash TEXT NOT NULL CHECK (length(hash) BETWEEN 16 AND 256 AND hash NOT GLOB '*[^0-9a-f]*'),
    PRIMARY KEY (content_id, generation, number),
    FOREIGN KEY (content_id, generation) REFERENCES reports (content_id, generation)
) STRICT, WITHOUT ROWID;

-- The blocklist: perceptual hashes of frames that must not be published again. A hash has one row for each removed
-- content with such a frame, and one if a moderator added it directly. It is blocked as long as it has a row.
CREATE TABLE blocked_hashes (
    hash TEXT NOT NULL CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
    -- The removed content. Empty for a hash that a moderator added directly.
    content_uuid TEXT NOT NULL DEFAULT '',
    reason TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at_unix INTEGER NOT NULL,
    -- The removed content, and the frame's time. Null for a hash that a moderator added directly, or if a restored
    -- database does not have the content.
    content_id INTEGER REFERENCES contents (id),
    at_ms INTEGER,
    PRIMARY KEY (hash, content_uuid)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocked_hashes_by_content ON blocked_hashes (content_id) WHERE content_id IS NOT NULL;

-- One row, whose version increases with every change of the list. A report is compared with the list before the
-- transaction that accepts it. That transaction requires the same version, so it misses no hash that was added in
-- between.
CREATE TABLE blocklist_version (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    version INTEGER NOT NULL
) STRICT;

INSERT INTO blocklist_version (id, version) VALUES (1, 0);

-- The hashes in the order in which they were added, until the sweep packs them into segments in R2.
CREATE TABLE blocklist_additions (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    hash TEXT NOT NULL
) STRICT;

CREATE TRIGGER keep_blocked_hashes BEFORE UPDATE OF hash, content_uuid ON blocked_hashes
BEGIN
    SELECT raise(ABORT, 'a blocked hash cannot be changed, only added and removed');
END;

-- The list changes only with the first and the last row of a hash.
CREATE TRIGGER count_blocked_hash AFTER INSERT ON blocked_hashes
WHEN NOT EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = new.hash AND content_uuid <> new.content_uuid)
BEGIN
    UPDATE blocklist_version SET version = version + 1;
    INSERT INTO blocklist_additions (hash) VALUES (new.hash);
END;

CREATE TRIGGER count_unblocked_hash AFTER DELETE ON blocked_hashes
WHEN NOT EXISTS (SELECT 1 FROM blocked_hashes WHERE hash = old.hash)
BEGIN
    UPDATE blocklist_version SET version = version + 1;
END;

-- The segments of the blocklist in R2. A replaced segment is deleted a little later.
CREATE TABLE blocklist_segments (
    first_number INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    hashes INTEGER NOT NULL,
    replaced_at_unix INTEGER,
    PRIMARY KEY (first_number, last_number)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocklist_segments_by_replacement ON blocklist_segments (replaced_at_unix)
    WHERE replaced_at_unix IS NOT NULL;

-- The contents that each hash of the blocklist caught: rejected, sent to a person, or flagged. A content has at most 20
-- rows when it is reported; a later flag adds one.
CREATE TABLE blocklist_catches (
    hash TEXT NOT NULL,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    caught_at_unix INTEGER NOT NULL,
    PRIMARY KEY (hash, content_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocklist_catches_by_content ON blocklist_catches (content_id);

-- The files of removed contents. An upload of an exact copy is refused. A file has one row for each removed content. It
-- is blocked as long as it has a row. `content_id` is null if a restored database does not have the content.
CREATE TABLE blocked_files (
    sha256 TEXT NOT NULL,
    content_uuid TEXT NOT NULL,
    reason TEXT NOT NULL,
    added_by TEXT NOT NULL,
    added_at_unix INTEGER NOT NULL,
    content_id INTEGER REFERENCES contents (id),
    PRIMARY KEY (sha256, content_uuid)
) STRICT, WITHOUT ROWID;

CREATE INDEX blocked_files_by_content ON blocked_files (content_id) WHERE content_id IS NOT NULL;

-- Who decided what, when and why. A row is written in the transaction that applies the decision, and never changed.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    action TEXT NOT NULL
        CHECK (action IN ('approve', 'reject', 'take_down', 'restore', 'reject_appeal', 'label', 'block_hash',
            'unblock_hash')),
    content_id INTEGER REFERENCES contents (id),
    -- The generation whose findings the decision is based on.
    generation INTEGER,
    hash TEXT,
    made_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    -- The rule that a rejection or a removal named. The operator may have removed it from `policies` since.
    policy_code TEXT,
    decided_at_unix INTEGER NOT NULL,
    CHECK ((content_id IS NULL) = (hash IS NOT NULL))
) STRICT;

CREATE INDEX decisions_by_content ON decisions (content_id, id) WHERE content_id IS NOT NULL;

CREATE TRIGGER keep_decisions BEFORE UPDATE ON decisions
BEGIN
    SELECT raise(ABORT, 'a decision cannot be changed, only reversed');
END;

CREATE TRIGGER keep_all_decisions BEFORE DELETE ON decisions
BEGIN
    SELECT raise(ABORT, 'a decision cannot be deleted');
END;

-- The rules that a rejection or a removal names, in the operator's order. Owners read the text.
CREATE TABLE policies (
    policy_code TEXT PRIMARY KEY CHECK (policy_code GLOB '[a-z]*' AND policy_code NOT GLOB '*[^a-z0-9_]*'),
    position INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    text TEXT NOT NULL,
    severity INTEGER NOT NULL CHECK (severity BETWEEN 1 AND 3),
    may_be_appealed INTEGER NOT NULL CHECK (may_be_appealed IN (0, 1))
) STRICT, WITHOUT ROWID;

INSERT INTO policies (policy_code, position, name, text, severity, may_be_appealed) VALUES
    ('child_safety', 1, 'Child safety', 'The video endangers or exploits children.', 3, 1),
    ('extremism', 2, 'Terrorism and extremism', 'The video promotes terrorism or violent extremism.', 3, 1),
    ('sexual_content', 3, 'Sexual content', 'The video shows nudity or sexual acts, which this site does not allow.', 2, 1),
    ('violence', 4, 'Violence', 'The video shows violence that this site does not allow.', 2, 1),
    ('hate', 5, 'Hate', 'The video attacks people for what they are, such as their origin, religion or sex.', 2, 1),
    ('harassment', 6, 'Harassment', 'The video harasses, threatens or exposes a person.', 2, 1),
    ('dangerous_acts', 7, 'Dangerous acts', 'The video encourages self-harm or acts that can seriously hurt people.', 2, 1),
    ('copyright', 8, 'Copyright', 'The video uses the work of others without their permission.', 1, 1),
    ('spam', 9, 'Spam and deception', 'The video is spam, or it deceives its viewers.', 1, 1),
    ('other', 10, 'Other rules', 'The video breaks another rule of this site.', 1, 1);

-- The owner's latest appeal against a rejection or removal of a content.
CREATE TABLE appeals (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    -- The decision that it is against. Each decision can have one appeal, and is never deleted.
    decision_id INTEGER NOT NULL,
    -- The owner's words. Deleted with the content.
    text TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'granted', 'rejected')),
    made_at_unix INTEGER NOT NULL,
    decided_at_unix INTEGER
) STRICT;

CREATE INDEX appeals_by_time ON appeals (made_at_unix) WHERE state = 'pending';

-- What happened in a month, for reports about moderation. Months are in UTC, such as 2026-11.
CREATE TABLE monthly_counts (
    month TEXT NOT NULL,
    -- The action of a decision, or `automatic_rejection`, `appeal_made`, `appeal_granted`, `appeal_rejected`.
    name TEXT NOT NULL,
    -- The rule that a rejection or a removal named, or nothing.
    policy_code TEXT NOT NULL,
    -- The rounded time to the decision, or -1 if nobody had waited for it.
    waited_seconds INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (month, name, policy_code, waited_seconds)
) STRICT, WITHOUT ROWID;

-- Which moderator is looking at a content, so that two do not decide about the same one. A claim ends by itself.
CREATE TABLE review_claims (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    claimed_by TEXT NOT NULL,
    until_unix INTEGER NOT NULL
) STRICT;

CREATE INDEX review_claims_by_end ON review_claims (until_unix);

-- Approved contents that a person should look at again: one has a frame that was blocked later, or viewers reported it.
CREATE TABLE flags (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    -- The state of the content, for the list. A trigger keeps it.
    state TEXT NOT NULL,
    flagged_at_unix INTEGER NOT NULL,
    -- A hash that was blocked after the content was approved, and that a frame of it matches.
    hash TEXT,
    -- The number of networks from which viewers reported it.
    reports INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX flags_by_state ON flags (state, reports DESC, flagged_at_unix);

-- The reports of viewers: one for each content and network.
CREATE TABLE abuse_reports (
    content_id INTEGER NOT NULL REFERENCES contents (id),
    -- A keyed hash of the viewer's network, not the address itself.
    reporter TEXT NOT NULL,
    reason TEXT NOT NULL,
    text TEXT NOT NULL,
    reported_at_unix INTEGER NOT NULL,
    PRIMARY KEY (content_id, reporter)
) STRICT, WITHOUT ROWID;

CREATE INDEX abuse_reports_by_time ON abuse_reports (content_id, reported_at_unix);

-- The owner's texts of contents that moderation had removed, or that were flagged, before their owner deleted them.
-- Their files are kept for the same time.
CREATE TABLE evidence (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    -- The state before the deletion. A scheduled or published content was flagged and is still undecided.
    state TEXT NOT NULL CHECK (state IN ('rejected', 'taken_down', 'scheduled', 'published')),
    caption TEXT,
    summary TEXT,
    deleted_at_unix INTEGER NOT NULL,
    kept_until_unix INTEGER NOT NULL
) STRICT;

CREATE INDEX evidence_by_end ON evidence (kept_until_unix);

-- The progress of comparing approved contents with added hashes. A pass compares all approved contents with the hashes
-- that were added since the previous pass. Hashes that are added during a pass are compared in the next one.
CREATE TABLE recheck (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- The last addition of the finished pass and of the running pass. The latter is null if no pass is running.
    done_until INTEGER NOT NULL,
    pass_until INTEGER,
    -- When the last finished pass began, and when the running pass began. Hashes added before the former were compared.
    since_unix INTEGER NOT NULL,
    pass_since_unix INTEGER,
    -- Published contents come first.
    state TEXT NOT NULL DEFAULT 'published' CHECK (state IN ('published', 'scheduled')),
    after_id INTEGER NOT NULL DEFAULT 0
) STRICT;

INSERT INTO recheck (id, done_until, since_unix) VALUES (1, 0, 0);
