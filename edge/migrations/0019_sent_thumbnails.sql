-- A picture of the owner's own as the thumbnail of a video that was uploaded earlier. It is stored under a name of its
-- own, as the picture of an upload is: `sources/{name}/thumbnail`.

-- The picture that a change asks for which is not made yet, and its SHA-256.
ALTER TABLE contents ADD COLUMN wanted_picture TEXT;
ALTER TABLE contents ADD COLUMN wanted_picture_sha256 TEXT;
-- SHA-256 of the sent picture that is shown. The same picture again changes nothing.
ALTER TABLE contents ADD COLUMN picture_sha256 TEXT;
-- Why the last change failed.
ALTER TABLE contents ADD COLUMN thumbnail_error_code TEXT;
-- The frame hashes of a thumbnail that was made later than the video, as JSON. If a moderator removes the content, they
-- go onto the blocklist.
ALTER TABLE contents ADD COLUMN thumbnail_frames TEXT CHECK (json_valid(thumbnail_frames));

CREATE INDEX contents_by_wanted_picture ON contents (wanted_picture) WHERE wanted_picture IS NOT NULL;

-- A change starts its job also when its picture is replaced by another one.
DROP TRIGGER begin_thumbnail_change;
CREATE TRIGGER begin_thumbnail_change
AFTER UPDATE OF state, thumbnail_change, wanted_thumbnail_seconds, wanted_picture ON contents
WHEN new.thumbnail_change = 'pending' AND new.state IN ('scheduled', 'published')
    AND (old.state NOT IN ('scheduled', 'published') OR old.thumbnail_change IS NOT 'pending'
        OR (old.wanted_thumbnail_seconds, old.wanted_picture) IS NOT (new.wanted_thumbnail_seconds, new.wanted_picture))
BEGIN
    UPDATE contents SET generation = generation + 1, claimed_by = NULL, claim_ends_at_unix = NULL,
        last_signed_at_unix = NULL, delivery_attempt = 0,
        enqueued_at_unix = max(enqueued_at_unix, coalesce(finished_at_unix, 0))
    WHERE id = new.id;
END;

-- A change that is made or has failed needs its picture no more.
CREATE TRIGGER release_picture_of_ended_change AFTER UPDATE OF thumbnail_change ON contents
WHEN old.thumbnail_change = 'pending' AND new.thumbnail_change IS NOT 'pending' AND new.wanted_picture IS NOT NULL
BEGIN
    UPDATE contents SET wanted_picture = NULL WHERE id = new.id;
END;

-- A picture is garbage before a content wants it, and again as soon as it does not. So the sweep deletes what nobody
-- uses. An origin that still reads it works on an obsolete job.
CREATE TRIGGER record_unwanted_picture AFTER UPDATE OF wanted_picture ON contents
WHEN new.wanted_picture IS NOT old.wanted_picture
BEGIN
    DELETE FROM garbage WHERE upload_uuid = new.wanted_picture;
    INSERT INTO garbage (upload_uuid, lease_ends_at_unix)
    SELECT old.wanted_picture, 0 WHERE old.wanted_picture IS NOT NULL;
END;
