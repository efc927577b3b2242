-- The data that owners attach to their contents and change later, and the indexes of their list.

-- The client's own id of the content, and its own data as a JSON object of texts.
ALTER TABLE contents ADD COLUMN external_id TEXT;
ALTER TABLE contents ADD COLUMN metadata TEXT CHECK (json_valid(metadata));

-- The list of a channel, the newest first: all of it, in one state, and with one external id. Each index ends with the
-- order of the list, so that a page reads only its own rows.
DROP INDEX contents_by_channel;
CREATE INDEX contents_by_time ON contents (channel_id, created_at_unix);
CREATE INDEX contents_by_state ON contents (channel_id, state, created_at_unix);
CREATE INDEX contents_by_external_id ON contents (channel_id, external_id, created_at_unix)
    WHERE external_id IS NOT NULL;

-- A statement may set these columns to the values that they have. Only a real change causes a purge.
DROP TRIGGER purge_changed_content;
CREATE TRIGGER purge_changed_content
AFTER UPDATE OF state, slug_url, media_name, caption, published_at_unix, media, media_generation ON contents
WHEN old.state = 'published'
    AND (new.state, new.slug_url, new.media_name, new.caption, new.published_at_unix, new.media, new.media_generation)
        IS NOT (old.state, old.slug_url, old.media_name, old.caption, old.published_at_unix, old.media,
            old.media_generation)
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('content-' || old.uuid)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;
