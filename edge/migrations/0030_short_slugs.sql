-- The slug of a compacted content repeats its caption. Only `~` and the id of the slug are stored, from which and from
-- the caption it follows.

-- The caption from which the slug follows, if the owner has changed the caption since.
ALTER TABLE contents ADD COLUMN slug_caption TEXT;

CREATE TRIGGER keep_caption_of_slug AFTER UPDATE OF caption ON contents
WHEN old.slug_url GLOB '~*' AND old.slug_caption IS NULL AND new.caption IS NOT old.caption AND new.state <> 'deleted'
BEGIN
    UPDATE contents SET slug_caption = coalesce(old.caption, '') WHERE id = new.id;
END;

CREATE TRIGGER forget_caption_of_slug AFTER UPDATE OF state ON contents
WHEN new.state = 'deleted' AND new.slug_caption IS NOT NULL
BEGIN
    UPDATE contents SET slug_caption = NULL WHERE id = new.id;
END;
