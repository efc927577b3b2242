-- Jobs of every kind count towards their channel's share of the queue: new videos, changed thumbnails, changed
-- captions, requeues and repeated checks. Each channel has only a few unclaimed jobs in the queue; the others are
-- held.

-- The jobs that are in the queue or claimed by an origin.
CREATE TABLE sent_jobs (
    channel_id INTEGER NOT NULL,
    content_id INTEGER NOT NULL,
    PRIMARY KEY (channel_id, content_id)
) STRICT, WITHOUT ROWID;

INSERT INTO sent_jobs (channel_id, content_id)
SELECT channel_id, id FROM contents
WHERE state = 'processing' AND waits_for IS NULL AND id NOT IN (SELECT content_id FROM held_jobs)
UNION
SELECT channel_id, id FROM contents WHERE thumbnail_change = 'pending' AND state IN ('scheduled', 'published')
UNION
SELECT channel_id, id FROM contents WHERE captions_change = 'pending' AND state IN ('scheduled', 'published');

-- A job in the outbox is not held, whoever put it there: a release, or an older Worker during a rollout. Its time in
-- the queue begins now.
DROP TRIGGER release_job;
CREATE TRIGGER release_job AFTER INSERT ON outbox
WHEN EXISTS (
    SELECT 1 FROM contents JOIN held_jobs ON held_jobs.channel_id = contents.channel_id AND content_id = contents.id
    WHERE contents.id = new.content_id)
BEGIN
    INSERT INTO sent_jobs (channel_id, content_id) SELECT channel_id, id FROM contents WHERE id = new.content_id;
    DELETE FROM held_jobs
    WHERE channel_id = (SELECT channel_id FROM contents WHERE id = new.content_id) AND content_id = new.content_id;
    UPDATE contents SET enqueued_at_unix = max(enqueued_at_unix, new.written_at_unix) WHERE id = new.content_id;
END;

-- A content that has no job any more: it is done, waits for somebody, or was removed.
DROP TRIGGER drop_held_job;
CREATE TRIGGER end_job AFTER UPDATE OF state, waits_for, thumbnail_change, captions_change ON contents
WHEN NOT (new.state = 'processing' AND new.waits_for IS NULL
    OR new.state IN ('scheduled', 'published') AND (new.thumbnail_change IS 'pending' OR new.captions_change IS 'pending'))
BEGIN
    DELETE FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id;
    DELETE FROM sent_jobs WHERE channel_id = new.channel_id AND content_id = new.id;
END;

-- A job is held if others of its channel are, or if two of them wait in the queue. It is a trigger because the
-- transaction of an upload must not need another statement.
DROP TRIGGER hold_job_of_busy_channel;
CREATE TRIGGER hold_job_of_busy_channel AFTER INSERT ON contents WHEN new.delivery_attempt = 0
BEGIN
    INSERT INTO held_jobs (channel_id, content_id)
    SELECT new.channel_id, new.id
    WHERE EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id)
        OR (SELECT count(*) FROM (
                SELECT 1 FROM sent_jobs CROSS JOIN contents ON contents.id = sent_jobs.content_id
                WHERE sent_jobs.channel_id = new.channel_id AND delivery_attempt = 0 LIMIT 2)) = 2;
    INSERT INTO sent_jobs (channel_id, content_id)
    SELECT new.channel_id, new.id
    WHERE NOT EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id)
    ON CONFLICT (channel_id, content_id) DO NOTHING;
END;

-- The job of a new generation replaces the one of the content before, in the outbox too.
DROP TRIGGER enqueue_generation;
CREATE TRIGGER enqueue_generation AFTER UPDATE OF generation ON contents WHEN new.generation > old.generation
BEGIN
    DELETE FROM outbox WHERE content_id = new.id;
    DELETE FROM sent_jobs WHERE channel_id = new.channel_id AND content_id = new.id;
    INSERT INTO held_jobs (channel_id, content_id)
    SELECT new.channel_id, new.id
    WHERE (new.state = 'processing' AND new.waits_for IS NULL OR new.state IN ('scheduled', 'published')
            AND (new.thumbnail_change IS 'pending' OR new.captions_change IS 'pending'))
        AND (EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id)
            OR (SELECT count(*) FROM (
                    SELECT 1 FROM sent_jobs CROSS JOIN contents ON contents.id = sent_jobs.content_id
                    WHERE sent_jobs.channel_id = new.channel_id AND delivery_attempt = 0 LIMIT 2)) = 2)
    ON CONFLICT (channel_id, content_id) DO NOTHING;
    INSERT INTO sent_jobs (channel_id, content_id)
    SELECT new.channel_id, new.id
    WHERE (new.state = 'processing' AND new.waits_for IS NULL OR new.state IN ('scheduled', 'published')
            AND (new.thumbnail_change IS 'pending' OR new.captions_change IS 'pending'))
        AND NOT EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id)
    ON CONFLICT (channel_id, content_id) DO NOTHING;
    -- Another trigger may have changed the generation once more.
    INSERT INTO outbox (content_id, generation, written_at_unix)
    SELECT id, generation, 0 FROM contents
    WHERE id = new.id
        AND NOT EXISTS (SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id);
    INSERT INTO cleanups (content_id) VALUES (new.id)
    ON CONFLICT (content_id) DO UPDATE SET noticed_at_unix = NULL;
END;

-- A change starts its job when it is requested or replaced by another one, or at the approval of a video that was not
-- approved then. A job that no origin has claimed yet makes the change that is wanted then, so it is not sent again.
DROP TRIGGER begin_thumbnail_change;
CREATE TRIGGER begin_thumbnail_change
AFTER UPDATE OF state, thumbnail_change, wanted_thumbnail_seconds, wanted_picture ON contents
WHEN new.thumbnail_change = 'pending' AND new.state IN ('scheduled', 'published')
    AND (old.state NOT IN ('scheduled', 'published')
        OR (old.thumbnail_change IS NOT 'pending' OR (old.wanted_thumbnail_seconds, old.wanted_picture)
                IS NOT (new.wanted_thumbnail_seconds, new.wanted_picture))
            AND NOT (new.delivery_attempt = 0 AND EXISTS (
                SELECT 1 FROM sent_jobs WHERE channel_id = new.channel_id AND content_id = new.id
                UNION ALL
                SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id)))
BEGIN
    UPDATE contents SET generation = generation + 1, claimed_by = NULL, claim_ends_at_unix = NULL,
        last_signed_at_unix = NULL, delivery_attempt = 0,
        enqueued_at_unix = max(enqueued_at_unix, coalesce(finished_at_unix, 0))
    WHERE id = new.id;
END;

DROP TRIGGER begin_captions_change;
CREATE TRIGGER begin_captions_change AFTER UPDATE OF captions_change ON contents
WHEN new.captions_change = 'pending' AND new.state IN ('scheduled', 'published')
    AND new.thumbnail_change IS NOT 'pending'
    AND NOT (new.delivery_attempt = 0 AND EXISTS (
        SELECT 1 FROM sent_jobs WHERE channel_id = new.channel_id AND content_id = new.id
        UNION ALL
        SELECT 1 FROM held_jobs WHERE channel_id = new.channel_id AND content_id = new.id))
BEGIN
    UPDATE contents SET generation = generation + 1, claimed_by = NULL, claim_ends_at_unix = NULL,
        last_signed_at_unix = NULL, delivery_attempt = 0
    WHERE id = new.id;
END;
