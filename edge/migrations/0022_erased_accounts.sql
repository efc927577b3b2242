-- The erasure of an account. Its channel is closed at once; the sweep then deletes its contents and its records, part
-- by part. The row of the channel stays, without name and limit, so that nothing brings the account back.
ALTER TABLE channels ADD COLUMN erased_at_unix INTEGER;
-- Until when the evidence of its removed contents is kept.
ALTER TABLE channels ADD COLUMN evidence_until_unix INTEGER;
-- When the sweep continues. Null once there is nothing more to erase.
ALTER TABLE channels ADD COLUMN erasure_due_at_unix INTEGER;

CREATE INDEX channels_by_erasure ON channels (erasure_due_at_unix) WHERE erasure_due_at_unix IS NOT NULL;

CREATE TRIGGER never_undo_erasure BEFORE UPDATE OF erased_at_unix, suspended_at_unix ON channels
WHEN old.erased_at_unix IS NOT NULL AND (new.erased_at_unix IS NULL OR new.suspended_at_unix IS NULL)
BEGIN
    SELECT raise(ABORT, 'an erased account cannot be opened again');
END;

-- Whoever sets the column, the account is closed in the same transaction. The end of its key is no longer sent.
CREATE TRIGGER begin_erasure AFTER UPDATE OF erased_at_unix ON channels
WHEN new.erased_at_unix IS NOT NULL AND old.erased_at_unix IS NULL
BEGIN
    UPDATE webhooks SET state = 'disabled', pause_reason = NULL, paused_at_unix = NULL
    WHERE channel_id = new.id AND state <> 'disabled';
    DELETE FROM api_keys WHERE channel_id = new.id;
    UPDATE channels SET name = NULL, daily_upload_limit = 0, erasure_due_at_unix = 0,
        suspended_at_unix = coalesce(suspended_at_unix, erased_at_unix)
    WHERE id = new.id;
END;

-- As when its owner deletes a removed content.
CREATE TRIGGER keep_evidence_of_erased_account BEFORE UPDATE OF state ON contents
WHEN new.state = 'deleted' AND old.state IN ('rejected', 'taken_down')
    AND old.error_code = 'content_moderation_rejected'
BEGIN
    INSERT INTO evidence (content_id, state, caption, summary, deleted_at_unix, kept_until_unix)
    SELECT old.id, old.state, old.caption, old.ai_summary_of_content, erased_at_unix, evidence_until_unix
    FROM channels WHERE id = old.channel_id AND evidence_until_unix > erased_at_unix
    ON CONFLICT (content_id) DO NOTHING;
END;

-- The rows of an erased account's content go with it.
CREATE TRIGGER delete_rows_of_erased_content BEFORE DELETE ON contents
WHEN (SELECT erased_at_unix FROM channels WHERE id = old.channel_id) IS NOT NULL
BEGIN
    DELETE FROM frame_hashes WHERE content_id = old.id;
    DELETE FROM findings WHERE content_id = old.id;
    DELETE FROM reports WHERE content_id = old.id;
    DELETE FROM flags WHERE content_id = old.id;
END;

DROP TRIGGER keep_committed_uploads;
CREATE TRIGGER keep_committed_uploads BEFORE DELETE ON uploads
WHEN old.state = 'committed' AND (SELECT erased_at_unix FROM channels WHERE id = old.channel_id) IS NULL
BEGIN
    SELECT raise(ABORT, 'a committed upload cannot be deleted');
END;

CREATE TRIGGER delete_upload_of_erased_content AFTER DELETE ON contents
WHEN (SELECT erased_at_unix FROM channels WHERE id = old.channel_id) IS NOT NULL
BEGIN
    DELETE FROM uploads WHERE id = old.upload_id;
END;

-- The entry of a channel also says that its account was erased, so that a restored database erases it again.
DROP TRIGGER keep_suspension;
CREATE TRIGGER keep_suspension AFTER UPDATE OF suspended_at_unix, erased_at_unix ON channels
WHEN (new.suspended_at_unix IS NULL) <> (old.suspended_at_unix IS NULL)
    OR (new.erased_at_unix IS NULL) <> (old.erased_at_unix IS NULL)
BEGIN
    INSERT INTO removals (kind, subject, is_removed, data) VALUES ('channel', new.account_id,
        new.suspended_at_unix IS NOT NULL OR new.erased_at_unix IS NOT NULL,
        iif(new.erased_at_unix IS NULL, '{}',
            json_object('is_erased', 1, 'evidence_until_unix', new.evidence_until_unix)));
END;
