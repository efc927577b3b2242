-- No statement reads more of a channel the more it has uploaded. The contents of a channel are indexed by their time,
-- which is the order of their ids, too: `id` alone would sort all of them.
DROP TRIGGER hold_job_of_busy_channel;
CREATE TRIGGER hold_job_of_busy_channel AFTER INSERT ON contents
WHEN EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id)
    OR (SELECT count(*) FROM (
            SELECT state, waits_for, delivery_attempt FROM contents INDEXED BY contents_by_time
            WHERE channel_id = new.channel_id AND id < new.id ORDER BY created_at_unix DESC, id DESC LIMIT 2)
        WHERE state = 'processing' AND waits_for IS NULL AND delivery_attempt = 0) = 2
BEGIN
    INSERT INTO held_jobs (channel_id, content_id) VALUES (new.channel_id, new.id);
END;

-- The foreign key of held jobs is looked up whenever a content is deleted.
CREATE UNIQUE INDEX held_jobs_by_content ON held_jobs (content_id);

-- The list of flagged contents, and the latest reports of each.
CREATE INDEX flags_by_reports ON flags (reports DESC, flagged_at_unix);
CREATE INDEX abuse_reports_by_time ON abuse_reports (content_id, reported_at_unix);

-- The export of an account contains what the trail says about it.
CREATE INDEX trail_by_actor ON trail (actor);
CREATE INDEX trail_by_subject ON trail (subject);

-- An owner has one event sent again.
CREATE UNIQUE INDEX events_by_public_id ON events (public_id);

-- The pending deliveries are found by their own index, and not among all of the webhook.
DROP TRIGGER cancel_deliveries_of_inactive_webhook;
CREATE TRIGGER cancel_deliveries_of_inactive_webhook AFTER UPDATE OF state ON webhooks
WHEN old.state = 'active' AND new.state <> 'active'
BEGIN
    UPDATE webhook_deliveries SET state = 'canceled', due_at_unix = NULL
    WHERE (webhook_id, event_id) IN (
        SELECT webhook_id, event_id FROM webhook_deliveries INDEXED BY webhook_deliveries_by_content
        WHERE webhook_id = new.id AND state = 'pending');
END;

-- The entries that must be repeated are few, and most often none: their own index has them.
DROP VIEW pending_removals;
CREATE VIEW pending_removals AS
SELECT kind, subject, data, happened_at_unix FROM removals INDEXED BY removals_to_repeat
WHERE is_pending = 1 AND is_removed = 1 AND NOT EXISTS (
    SELECT 1 FROM removals AS later
    WHERE later.kind = removals.kind AND later.subject = removals.subject AND later.name > removals.name);

-- The sweep looks for silent jobs. A content that waits for a person has none, and may wait for long.
DROP INDEX contents_by_processing;
CREATE INDEX contents_by_processing ON contents (enqueued_at_unix) WHERE state = 'processing' AND waits_for IS NULL;
