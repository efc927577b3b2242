-- A deleted content keeps no words of its owner. Its slug keeps only the random id at its end, so that no other content
-- ever gets its address.

-- 10 is `SLUG_ID_LENGTH`: the id has no hyphen, and a slug without words is the id alone.
CREATE TRIGGER forget_words_of_deleted_content AFTER UPDATE OF state ON contents
WHEN new.state = 'deleted' AND old.state <> 'deleted'
BEGIN
    UPDATE contents SET slug_url = substr(slug_url, -10) WHERE id = new.id;
    UPDATE events SET data = json_set(data, '$.slug_url', substr(json_extract(data, '$.slug_url'), -10))
    WHERE content_id = new.id;
    -- An answer may repeat what was sent.
    UPDATE webhook_deliveries SET body_start = NULL
    WHERE body_start IS NOT NULL AND webhook_id IN (SELECT id FROM webhooks WHERE channel_id = new.channel_id)
        AND event_id IN (SELECT id FROM events WHERE content_id = new.id);
    -- A classifier may quote what it was sent. The notes are part of the evidence, where that is kept.
    UPDATE findings SET note = NULL WHERE content_id = new.id AND note IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.content_id = new.id);
END;

-- What was sent before the deletion may be answered after it.
CREATE TRIGGER forget_late_answer AFTER UPDATE OF body_start ON webhook_deliveries
WHEN new.body_start IS NOT NULL AND (SELECT state FROM contents WHERE id = new.content_id) = 'deleted'
    AND (SELECT type FROM events WHERE id = new.event_id) <> 'content.deleted'
BEGIN
    UPDATE webhook_deliveries SET body_start = NULL WHERE webhook_id = new.webhook_id AND event_id = new.event_id;
END;

CREATE TRIGGER forget_notes_of_ended_evidence AFTER DELETE ON evidence
BEGIN
    UPDATE findings SET note = NULL WHERE content_id = old.content_id AND note IS NOT NULL;
END;

-- The event of the deletion has the shortened slug, whichever trigger runs first.
DROP TRIGGER log_new_state;
CREATE TRIGGER log_new_state AFTER UPDATE OF state ON contents
WHEN new.state <> old.state AND new.state <> 'processing'
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    UPDATE contents SET events_count = events_count + 1 WHERE id = new.id;
    INSERT INTO events (channel_id, sequence, content_id, content_sequence, type, data)
    SELECT channels.id, channels.events_count, contents.id, contents.events_count, 'content.' || new.state, json_object(
        'content_id', new.id, 'content_uuid', new.uuid,
        'slug_url', iif(new.state = 'deleted', substr(new.slug_url, -10), new.slug_url),
        'external_id', iif(new.state = 'deleted', old.external_id, new.external_id),
        'scheduled_publish_at_unix', iif(new.state = 'scheduled', new.scheduled_publish_at_unix, NULL),
        'published_at_unix', iif(new.state = 'published', new.published_at_unix, NULL),
        'error_message_code', iif(new.state IN ('rejected', 'failed', 'taken_down'), new.error_code, NULL),
        'detail', iif(new.state IN ('rejected', 'failed', 'taken_down'), new.error_detail, NULL))
    FROM contents JOIN channels ON channels.id = channel_id WHERE contents.id = new.id;
END;

-- What was deleted before this migration.
UPDATE contents SET slug_url = substr(slug_url, -10) WHERE state = 'deleted' AND length(slug_url) > 10;
UPDATE events SET data = json_set(data, '$.slug_url', substr(json_extract(data, '$.slug_url'), -10))
WHERE content_id IN (SELECT id FROM contents WHERE state = 'deleted');
UPDATE webhook_deliveries SET body_start = NULL WHERE body_start IS NOT NULL AND event_id IN (
    SELECT events.id FROM events JOIN contents ON contents.id = events.content_id WHERE contents.state = 'deleted');
UPDATE findings SET note = NULL WHERE note IS NOT NULL
    AND content_id IN (SELECT id FROM contents WHERE state = 'deleted')
    AND content_id NOT IN (SELECT content_id FROM evidence);
