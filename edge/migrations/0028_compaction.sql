-- The compaction of contents that have been finished for a month: what nobody searches for moves into an object in R2,
-- beside the content's files, and its columns become short. A removal, another thumbnail or an export reads it there.

ALTER TABLE contents ADD COLUMN is_compacted INTEGER NOT NULL DEFAULT 0;
-- When the details were last read back. The sweep leaves the row alone for a day.
ALTER TABLE contents ADD COLUMN expanded_at_unix INTEGER;

-- Only what is not compacted yet. A failed content is never compacted, because it can be processed again at any time.
CREATE INDEX contents_to_compact ON contents (finished_at_unix)
    WHERE is_compacted = 0 AND state IN ('published', 'rejected', 'taken_down', 'deleted');

-- The short form of the media says the same, so nothing in the cache has changed.
DROP TRIGGER purge_changed_content;
CREATE TRIGGER purge_changed_content
AFTER UPDATE OF state, slug_url, media_name, caption, published_at_unix, media, media_generation ON contents
WHEN old.state = 'published' AND new.is_compacted = old.is_compacted
    AND (new.state, new.slug_url, new.media_name, new.caption, new.published_at_unix, new.media, new.media_generation)
        IS NOT (old.state, old.slug_url, old.media_name, old.caption, old.published_at_unix, old.media,
            old.media_generation)
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('content-' || old.uuid)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;
