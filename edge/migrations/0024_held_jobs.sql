-- Fairness between channels: of each channel, only a few unclaimed jobs are in the queue at a time. The others are held
-- here, and every claim of one of the channel's jobs releases the next. So a job of another channel waits behind a few
-- jobs of each channel, not behind all that were uploaded before it.
CREATE TABLE held_jobs (
    channel_id INTEGER NOT NULL,
    content_id INTEGER NOT NULL REFERENCES contents (id),
    PRIMARY KEY (channel_id, content_id)
) STRICT, WITHOUT ROWID;

-- The job of a new content is held if others of its channel are, or if its two predecessors are not claimed yet. It is
-- a trigger because the transaction of an upload must not need another statement.
CREATE TRIGGER hold_job_of_busy_channel AFTER INSERT ON contents
WHEN EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id)
    OR (SELECT count(*) FROM (
            SELECT state, waits_for, delivery_attempt FROM contents
            WHERE channel_id = new.channel_id AND id < new.id ORDER BY id DESC LIMIT 2)
        WHERE state = 'processing' AND waits_for IS NULL AND delivery_attempt = 0) = 2
BEGIN
    INSERT INTO held_jobs (channel_id, content_id) VALUES (new.channel_id, new.id);
END;

-- A job in the outbox is not held, whoever put it there: a release, a new generation, or an older Worker during a
-- rollout. Its time in the queue begins now.
CREATE TRIGGER release_job AFTER INSERT ON outbox
WHEN EXISTS (
    SELECT 1 FROM contents JOIN held_jobs ON held_jobs.channel_id = contents.channel_id AND content_id = contents.id
    WHERE contents.id = new.content_id)
BEGIN
    DELETE FROM held_jobs
    WHERE channel_id = (SELECT channel_id FROM contents WHERE id = new.content_id) AND content_id = new.content_id;
    UPDATE contents SET enqueued_at_unix = max(enqueued_at_unix, new.written_at_unix) WHERE id = new.content_id;
END;

-- A content that was deleted has no job.
CREATE TRIGGER drop_held_job AFTER UPDATE OF state ON contents
WHEN old.state = 'processing' AND new.state <> 'processing'
BEGIN
    DELETE FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id;
END;
