-- Captions that owners send for a video, a file for each language. Each is stored as `sources/{name}/captions`.

CREATE TABLE captions (
    name TEXT PRIMARY KEY,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    -- A language tag, as `contract::subtitles::language_tag` writes it.
    language TEXT NOT NULL,
    -- Of the stored file. The same file again changes nothing.
    sha256 TEXT NOT NULL,
    -- Whether the owner wants these captions, and whether viewers see them. They differ while a change is being made.
    is_wanted INTEGER NOT NULL DEFAULT 1,
    is_shown INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- Of each language, at most one file is wanted, and one other is shown until the change is made.
CREATE UNIQUE INDEX captions_by_content ON captions (content_id, language, is_wanted);

ALTER TABLE contents ADD COLUMN captions_change TEXT CHECK (captions_change IN ('pending', 'failed'));
-- Why the last change failed.
ALTER TABLE contents ADD COLUMN captions_error_code TEXT;
-- The generation whose folder has the subtitle tracks and the files that list them, if it is not that of the others.
ALTER TABLE contents ADD COLUMN captions_generation INTEGER;

CREATE INDEX contents_by_captions_change ON contents (enqueued_at_unix) WHERE captions_change = 'pending';

-- A file is garbage until a row names it, and again as soon as no row does. So the sweep deletes what nobody needs.
CREATE TRIGGER keep_captions AFTER INSERT ON captions
BEGIN
    DELETE FROM garbage WHERE upload_uuid = new.name;
END;

CREATE TRIGGER release_captions AFTER DELETE ON captions
BEGIN
    INSERT INTO garbage (upload_uuid, lease_ends_at_unix) VALUES (old.name, 0) ON CONFLICT (upload_uuid) DO NOTHING;
END;

-- Every change starts a job of its own, which is made after that of another thumbnail: a content has one job at a time.
CREATE TRIGGER begin_captions_change AFTER UPDATE OF captions_change ON contents
WHEN new.captions_change = 'pending' AND new.state IN ('scheduled', 'published')
    AND new.thumbnail_change IS NOT 'pending'
BEGIN
    UPDATE contents SET generation = generation + 1, claimed_by = NULL, claim_ends_at_unix = NULL,
        last_signed_at_unix = NULL, delivery_attempt = 0
    WHERE id = new.id;
END;

-- A change of a video that was not approved then, or whose thumbnail was being made.
CREATE TRIGGER begin_waiting_captions_change AFTER UPDATE OF state, thumbnail_change ON contents
WHEN new.captions_change = 'pending' AND new.state IN ('scheduled', 'published')
    AND new.thumbnail_change IS NOT 'pending'
    AND (old.state NOT IN ('scheduled', 'published') OR old.thumbnail_change = 'pending')
BEGIN
    UPDATE contents SET generation = generation + 1, claimed_by = NULL, claim_ends_at_unix = NULL,
        last_signed_at_unix = NULL, delivery_attempt = 0,
        enqueued_at_unix = max(enqueued_at_unix, coalesce(finished_at_unix, 0))
    WHERE id = new.id;
END;

-- When a change is made, viewers see what was wanted. When it has failed, the owner wants what viewers see.
CREATE TRIGGER show_wanted_captions AFTER UPDATE OF captions_change ON contents
WHEN old.captions_change = 'pending' AND new.captions_change IS NULL
BEGIN
    DELETE FROM captions WHERE content_id = new.id AND is_wanted = 0;
    UPDATE captions SET is_shown = 1 WHERE content_id = new.id AND is_shown = 0;
END;

CREATE TRIGGER give_up_wanted_captions AFTER UPDATE OF captions_change ON contents
WHEN old.captions_change = 'pending' AND new.captions_change = 'failed'
BEGIN
    DELETE FROM captions WHERE content_id = new.id AND is_shown = 0;
    UPDATE captions SET is_wanted = 1 WHERE content_id = new.id AND is_wanted = 0;
END;

-- The files of a change that failed, and those that a change replaces, are not needed any more.
CREATE TRIGGER clean_up_after_captions_change AFTER UPDATE OF captions_change ON contents
WHEN old.captions_change = 'pending' AND new.captions_change IS NOT 'pending'
BEGIN
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;

CREATE TRIGGER purge_changed_captions AFTER UPDATE OF captions_generation ON contents
WHEN old.state = 'published' AND new.captions_generation IS NOT old.captions_generation
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('content-' || old.uuid)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;

-- The work of the dead job, if it was for captions.
ALTER TABLE dead_letters ADD COLUMN work TEXT;

CREATE TRIGGER record_dead_captions AFTER UPDATE OF captions_change ON contents
WHEN old.captions_change = 'pending' AND new.captions_change = 'failed' AND new.delivery_attempt >= 6
BEGIN
    INSERT OR REPLACE INTO dead_letters
        (content_id, generation, work, error_code, error_detail, origin, delivery_attempts)
    VALUES (new.id, new.generation, 'captions', new.captions_error_code, NULL, old.claimed_by, new.delivery_attempt);
END;
