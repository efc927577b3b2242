-- What must be removed from the cache in front of the Worker. A row is written in the transaction that changes what
-- everybody sees of a content, and deleted when its tag has been purged twice: an answer that the Worker began before
-- the change may reach the cache after the first purge.
CREATE TABLE cache_purges (
    -- The tag that all answers about one content have.
    tag TEXT PRIMARY KEY,
    -- Increases with every change. A purge that began before the latest change does not count.
    changes INTEGER NOT NULL DEFAULT 1,
    -- Whether the first purge was accepted, and how often the next one has been attempted.
    is_purged INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    due_at_unix INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX cache_purges_by_time ON cache_purges (due_at_unix);

-- Only a published content is in the cache. These are the columns that its page and its files depend on.
CREATE TRIGGER purge_changed_content
AFTER UPDATE OF state, slug_url, media_name, caption, published_at_unix, media, media_generation ON contents
WHEN old.state = 'published'
BEGIN
    INSERT INTO cache_purges (tag) VALUES ('content-' || old.uuid)
    ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0;
END;
