-- Another thumbnail for a video that was uploaded earlier. Its job makes only the poster and the thumbnails, from the
-- published video, as a generation of its own. Until they have passed moderation, the old ones stay.

ALTER TABLE contents ADD COLUMN thumbnail_change TEXT CHECK (thumbnail_change IN ('pending', 'failed'));
-- The time of the frame that the last change asks for. Null leaves the choice to the service.
ALTER TABLE contents ADD COLUMN wanted_thumbnail_seconds INTEGER;
-- The generation whose folder has the poster and the thumbnails, if it is not that of the other files.
ALTER TABLE contents ADD COLUMN thumbnail_generation INTEGER;

CREATE INDEX contents_by_thumbnail_change ON contents (enqueued_at_unix) WHERE thumbnail_change = 'pending';

-- A change starts its job when it is requested or replaced by another one, or at the approval of a video that was not
-- approved then.
CREATE TRIGGER begin_thumbnail_change AFTER UPDATE OF state, thumbnail_change, wanted_thumbnail_seconds ON contents
WHEN new.thumbnail_change = 'pending' AND new.state IN ('scheduled', 'published')
    AND (old.state NOT IN ('scheduled', 'published') OR old.thumbnail_change IS NOT 'pending'
        OR old.wanted_thumbnail_seconds IS NOT new.wanted_thumbnail_seconds)
BEGIN
    UPDATE contents SET generation = generation + 1, claimed_by = NULL, claim_ends_at_unix = NULL,
        last_signed_at_unix = NULL, delivery_attempt = 0,
        enqueued_at_unix = max(enqueued_at_unix, coalesce(finished_at_unix, 0))
    WHERE id = new.id;
END;

-- The pictures of a change that failed, and those that a change replaces, are not needed any more.
CREATE TRIGGER clean_up_after_thumbnail_change AFTER UPDATE OF thumbnail_change ON contents
WHEN old.thumbnail_change = 'pending' AND new.thumbnail_change IS NOT 'pending'
BEGIN
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;

CREATE TRIGGER purge_changed_thumbnail AFTER UPDATE OF thumbnail_generation ON contents
WHEN old.state = 'published' AND new.thumbnail_generation IS NOT old.thumbnail_generation
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('content-' || old.uuid)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;
