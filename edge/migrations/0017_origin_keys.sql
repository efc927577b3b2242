-- The keys of origins. Their secrets are derived from a secret of the Worker and the id, so none is stored. A released
-- table never loses a row: an id that was used twice would make an ended key valid again.
CREATE TABLE origin_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The origin that signs with it. An origin may have two keys while one replaces the other.
    name TEXT NOT NULL,
    created_at_unix INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    ended_at_unix INTEGER,
    ended_by TEXT
) STRICT;

CREATE INDEX origin_keys_by_name ON origin_keys (name) WHERE ended_at_unix IS NULL;

CREATE TRIGGER keep_origin_keys BEFORE DELETE ON origin_keys
BEGIN
    SELECT raise(ABORT, 'an origin key cannot be deleted, only ended');
END;

CREATE TRIGGER end_origin_keys_once BEFORE UPDATE ON origin_keys WHEN old.ended_at_unix IS NOT NULL
BEGIN
    SELECT raise(ABORT, 'an origin key that has ended cannot be changed');
END;

CREATE TRIGGER trail_created_origin_key AFTER INSERT ON origin_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.created_by, 'origin_key_created', 'origin:' || new.name, 'key ' || new.id);
END;

CREATE TRIGGER trail_ended_origin_key AFTER UPDATE OF ended_at_unix ON origin_keys
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    VALUES (new.ended_by, 'origin_key_ended', 'origin:' || new.name, 'key ' || new.id);
END;

CREATE INDEX contents_by_claimant ON contents (claimed_by) WHERE claimed_by IS NOT NULL;

-- The jobs of an origin without a key go to the others at once. It also holds their messages and may never return them,
-- so they are sent again.
CREATE TRIGGER release_jobs_of_revoked_origin AFTER UPDATE OF ended_at_unix ON origin_keys
WHEN NOT EXISTS (SELECT 1 FROM origin_keys WHERE name = new.name AND ended_at_unix IS NULL)
BEGIN
    INSERT INTO outbox (content_id, generation, written_at_unix)
        SELECT id, generation, 0 FROM contents WHERE claimed_by = new.name AND claim_ends_at_unix IS NOT NULL
        ON CONFLICT (content_id) DO UPDATE SET generation = excluded.generation, written_at_unix = 0;
    UPDATE contents SET claimed_by = NULL, claim_ends_at_unix = NULL WHERE claimed_by = new.name;
END;
