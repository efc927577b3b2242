-- A flagged content that its owner deletes stays decidable: it leaves evidence, its flag and its reports stay, and a
-- moderator can still remove it or dismiss the flag.

-- The same table with two more states. SQLite cannot change a CHECK, and triggers on other tables name the table, so it
-- is not renamed.
CREATE TABLE earlier_evidence AS SELECT * FROM evidence;
DROP TABLE evidence;
CREATE TABLE evidence (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    -- The state before the deletion. A scheduled or published content was flagged, and nobody has decided yet.
    state TEXT NOT NULL CHECK (state IN ('rejected', 'taken_down', 'scheduled', 'published')),
    caption TEXT,
    summary TEXT,
    deleted_at_unix INTEGER NOT NULL,
    kept_until_unix INTEGER NOT NULL
) STRICT;
INSERT INTO evidence SELECT * FROM earlier_evidence;
DROP TABLE earlier_evidence;

CREATE INDEX evidence_by_end ON evidence (kept_until_unix);

CREATE TRIGGER trail_deleted_evidence AFTER INSERT ON evidence
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id,
        iif(new.state IN ('rejected', 'taken_down'), 'removed_content_deleted', 'flagged_content_deleted'),
        'content:' || uuid, new.state
    FROM contents JOIN channels ON channels.id = channel_id WHERE contents.id = new.content_id;
END;

CREATE TRIGGER keep_evidence AFTER INSERT ON evidence
BEGIN
    INSERT INTO removals (kind, subject, data)
    SELECT 'evidence', uuid, json_object('state', new.state, 'deleted_at_unix', new.deleted_at_unix,
        'kept_until_unix', new.kept_until_unix)
    FROM contents WHERE id = new.content_id;
END;

CREATE TRIGGER keep_decided_evidence AFTER UPDATE OF state ON evidence WHEN new.state <> old.state
BEGIN
    INSERT INTO removals (kind, subject, data)
    SELECT 'evidence', uuid, json_object('state', new.state, 'deleted_at_unix', new.deleted_at_unix,
        'kept_until_unix', new.kept_until_unix)
    FROM contents WHERE id = new.content_id;
END;

-- A restored database must not keep again what a moderator has dismissed.
CREATE TRIGGER keep_dismissed_evidence AFTER DELETE ON evidence
WHEN old.state IN ('scheduled', 'published') AND old.kept_until_unix > unixepoch()
BEGIN
    INSERT INTO removals (kind, subject, is_removed)
    SELECT 'evidence', uuid, 0 FROM contents WHERE id = old.content_id;
END;

-- Undecided evidence always has a flag, also in a restored database that has lost the reports.
CREATE TRIGGER flag_undecided_evidence AFTER INSERT ON evidence WHEN new.state IN ('scheduled', 'published')
BEGIN
    INSERT INTO flags (content_id, flagged_at_unix) VALUES (new.content_id, new.deleted_at_unix)
    ON CONFLICT (content_id) DO NOTHING;
END;

CREATE TRIGGER drop_flag_of_decided_evidence AFTER UPDATE OF state ON evidence
WHEN new.state IN ('rejected', 'taken_down')
BEGIN
    DELETE FROM flags WHERE content_id = new.content_id;
END;

-- Nothing needs the files any longer, so the sweep deletes them as those of every other deleted content.
CREATE TRIGGER end_evidence AFTER DELETE ON evidence
BEGIN
    UPDATE findings SET note = NULL WHERE content_id = old.content_id AND note IS NOT NULL;
    DELETE FROM flags WHERE content_id = old.content_id;
    UPDATE cleanups SET due_at_unix = NULL WHERE content_id = old.content_id;
END;

CREATE TRIGGER drop_undecided_evidence AFTER DELETE ON flags
BEGIN
    DELETE FROM evidence WHERE content_id = old.content_id AND state IN ('scheduled', 'published');
END;

-- A content that is no longer approved needs no second look, unless its owner deleted it before the decision.
DROP TRIGGER drop_flag;
CREATE TRIGGER drop_flag AFTER UPDATE OF state ON contents
WHEN old.state IN ('scheduled', 'published') AND new.state NOT IN ('scheduled', 'published')
    AND NOT EXISTS (
        SELECT 1 FROM evidence WHERE content_id = new.id AND evidence.state IN ('scheduled', 'published'))
BEGIN
    DELETE FROM flags WHERE content_id = new.id;
END;

-- As when its owner deletes a removed or a flagged content.
DROP TRIGGER keep_evidence_of_erased_account;
CREATE TRIGGER keep_evidence_of_erased_account BEFORE UPDATE OF state ON contents
WHEN new.state = 'deleted' AND (
    (old.state IN ('rejected', 'taken_down') AND old.error_code = 'content_moderation_rejected')
    OR (old.state IN ('scheduled', 'published') AND EXISTS (SELECT 1 FROM flags WHERE content_id = old.id)))
BEGIN
    INSERT INTO evidence (content_id, state, caption, summary, deleted_at_unix, kept_until_unix)
    SELECT old.id, old.state, old.caption, old.ai_summary_of_content, erased_at_unix, evidence_until_unix
    FROM channels WHERE id = old.channel_id AND evidence_until_unix > erased_at_unix
    ON CONFLICT (content_id) DO NOTHING;
END;
