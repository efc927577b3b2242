-- The schedule as reported in the upload's answer. A repeated upload gets the same answer, even if the content has been
-- rescheduled since.
ALTER TABLE uploads ADD COLUMN scheduled_publish_at_unix INTEGER;

UPDATE uploads SET scheduled_publish_at_unix =
    (SELECT scheduled_publish_at_unix FROM contents WHERE upload_id = uploads.id);

-- The sweep runs each of these lookups every minute. With an index, the cost does not grow with the tables.
CREATE INDEX garbage_by_lease ON garbage (lease_ends_at_unix);
CREATE INDEX outbox_by_time ON outbox (written_at_unix);
CREATE INDEX cleanups_by_time ON cleanups (noticed_at_unix);

-- The hashes of a content's frames are only kept while a moderator can put them on the blocklist.
DELETE FROM frame_hashes WHERE content_id NOT IN (SELECT id FROM contents WHERE waits_for IS NOT NULL);

CREATE TRIGGER delete_frame_hashes AFTER UPDATE OF state, waits_for ON contents
WHEN new.state <> 'processing' OR new.waits_for IS NULL
BEGIN
    DELETE FROM frame_hashes WHERE content_id = new.id;
END;
