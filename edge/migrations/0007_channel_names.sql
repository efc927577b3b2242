-- The name that a channel has on the pages of its videos. The site sets it.
ALTER TABLE channels ADD COLUMN name TEXT;

-- The page and the player of every published video of the channel show its name.
CREATE TRIGGER purge_renamed_channel AFTER UPDATE OF name ON channels WHEN new.name IS NOT old.name
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('channel-' || new.id)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;
