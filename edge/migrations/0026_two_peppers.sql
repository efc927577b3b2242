-- A key is moved to another pepper when it is next used. That changes its hash, but it is the same key: its uploads
-- continue, and there is no event and no entry in the trail.

-- An id of the pepper that the hash was made with. Null for a key that was last stored before this column existed.
ALTER TABLE api_keys ADD COLUMN pepper_id TEXT;

CREATE INDEX api_keys_by_pepper ON api_keys (pepper_id);

-- A rotation sets `rotated_at_unix`, and a move does not name that column, so these triggers run for rotations alone.
-- `keep_replaced_key` needs no change: a move keeps the hint.
DROP TRIGGER release_uploads_of_rotated_key;
CREATE TRIGGER release_uploads_of_rotated_key AFTER UPDATE OF rotated_at_unix ON api_keys
BEGIN
    DELETE FROM uploads WHERE channel_id = old.channel_id AND state = 'reserved';
END;

DROP TRIGGER log_rotated_key;
CREATE TRIGGER log_rotated_key AFTER UPDATE OF rotated_at_unix ON api_keys WHEN new.key_hash <> old.key_hash
BEGIN
    UPDATE channels SET events_count = events_count + 1 WHERE id = new.channel_id;
    INSERT INTO events (channel_id, sequence, type, data)
    SELECT id, events_count, 'key.rotated', json_object('key_hint', new.key_hint)
    FROM channels WHERE id = new.channel_id;
END;

DROP TRIGGER trail_rotated_key;
CREATE TRIGGER trail_rotated_key AFTER UPDATE OF rotated_at_unix ON api_keys WHEN new.key_hash <> old.key_hash
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'key_rotated', 'channel:' || id, new.key_hint
    FROM channels WHERE id = new.channel_id;
END;
