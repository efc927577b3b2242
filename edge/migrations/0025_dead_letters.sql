-- Jobs whose delivery attempts are used up, with their last error: what the dead-letter queue contains, but readable
-- without pulling its messages. The triggers of a failure write a row, and whatever ends the failure deletes it.
CREATE TABLE dead_letters (
    id INTEGER PRIMARY KEY,
    content_id INTEGER NOT NULL UNIQUE REFERENCES contents (id),
    generation INTEGER NOT NULL,
    error_code TEXT,
    error_detail TEXT,
    -- The origin that had the job last.
    origin TEXT,
    delivery_attempts INTEGER NOT NULL,
    died_at_unix INTEGER NOT NULL DEFAULT (unixepoch())
) STRICT;

-- After six delivery attempts, the queue moves the message: `contract::job::MAX_DELIVERY_ATTEMPTS`.
CREATE TRIGGER record_dead_video AFTER UPDATE OF state ON contents
WHEN old.state = 'processing' AND new.state = 'failed' AND new.delivery_attempt >= 6
BEGIN
    INSERT OR REPLACE INTO dead_letters (content_id, generation, error_code, error_detail, origin, delivery_attempts)
    VALUES (new.id, new.generation, new.error_code, new.error_detail, old.claimed_by, new.delivery_attempt);
END;

CREATE TRIGGER record_dead_thumbnail AFTER UPDATE OF thumbnail_change ON contents
WHEN old.thumbnail_change = 'pending' AND new.thumbnail_change = 'failed' AND new.delivery_attempt >= 6
BEGIN
    INSERT OR REPLACE INTO dead_letters (content_id, generation, error_code, error_detail, origin, delivery_attempts)
    VALUES (new.id, new.generation, new.thumbnail_error_code, NULL, old.claimed_by, new.delivery_attempt);
END;

-- A new job, or the end of the content.
CREATE TRIGGER forget_dead_letter AFTER UPDATE OF generation, state ON contents
WHEN new.generation > old.generation OR new.state IN ('deleted', 'rejected', 'taken_down')
BEGIN
    DELETE FROM dead_letters WHERE content_id = new.id;
END;

INSERT INTO dead_letters (content_id, generation, error_code, error_detail, delivery_attempts, died_at_unix)
SELECT id, generation, error_code, error_detail, delivery_attempt, coalesce(finished_at_unix, created_at_unix)
FROM contents WHERE state = 'failed' AND delivery_attempt >= 6 ORDER BY finished_at_unix;
