-- What an upload was answered stays, whatever its content is rescheduled to: a repetition hears the same again.
ALTER TABLE uploads ADD COLUMN scheduled_publish_at_unix INTEGER;

UPDATE uploads SET scheduled_publish_at_unix =
    (SELECT scheduled_publish_at_unix FROM contents WHERE upload_id = uploads.id);

-- What the sweep looks for each minute it finds by an index, however much lies beside it.
CREATE INDEX garbage_by_lease ON garbage (lease_ends_at_unix);
CREATE INDEX outbox_by_time ON outbox (written_at_unix);
CREATE INDEX cleanups_by_time ON cleanups (noticed_at_unix);
CREATE INDEX contents_by_age ON contents (enqueued_at_unix) WHERE state = 'processing';

-- The hashes of a content's frames are kept as long as a moderator may put them on the blocklist, and no longer.
DELETE FROM frame_hashes WHERE content_id NOT IN (SELECT id FROM contents WHERE waits_for IS NOT NULL);

CREATE TRIGGER forget_frames AFTER UPDATE OF state, waits_for ON contents
WHEN new.state <> 'processing' OR new.waits_for IS NULL
BEGIN
    DELETE FROM frame_hashes WHERE content_id = new.id;
END;
