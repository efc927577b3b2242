-- What an upload was answered stays, whatever its content is rescheduled to: a repetition hears the same again.
ALTER TABLE uploads ADD COLUMN scheduled_publish_at_unix INTEGER;

UPDATE uploads SET scheduled_publish_at_unix =
    (SELECT scheduled_publish_at_unix FROM contents WHERE upload_id = uploads.id);
