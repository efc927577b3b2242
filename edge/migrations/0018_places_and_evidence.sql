-- Where the changes in the trail came from. A batch of statements that makes such a change begins by writing the place
-- of its request here and ends by deleting it, in one transaction, so no other batch ever sees it.
CREATE TABLE request_place (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    -- The first 24 bits of the client's IPv4 address, or the first 48 of its IPv6 address. Null if it is unknown.
    network TEXT,
    -- The method and the path.
    route TEXT NOT NULL
) STRICT;

CREATE TABLE trail_places (
    trail_id INTEGER PRIMARY KEY REFERENCES trail (id),
    network TEXT,
    route TEXT NOT NULL
) STRICT;

CREATE TRIGGER place_trail AFTER INSERT ON trail
BEGIN
    INSERT INTO trail_places (trail_id, network, route) SELECT new.id, network, route FROM request_place;
END;

CREATE TRIGGER keep_trail_places BEFORE UPDATE ON trail_places
BEGIN
    SELECT raise(ABORT, 'the trail cannot be changed');
END;

CREATE TRIGGER keep_all_trail_places BEFORE DELETE ON trail_places
BEGIN
    SELECT raise(ABORT, 'the trail cannot be shortened');
END;

-- The owner's texts of contents that moderation had removed before their owner deleted them. Their files rest as long.
CREATE TABLE evidence (
    content_id INTEGER PRIMARY KEY REFERENCES contents (id),
    -- The state before the deletion.
    state TEXT NOT NULL CHECK (state IN ('rejected', 'taken_down')),
    caption TEXT,
    summary TEXT,
    deleted_at_unix INTEGER NOT NULL,
    kept_until_unix INTEGER NOT NULL
) STRICT;

CREATE INDEX evidence_by_end ON evidence (kept_until_unix);

CREATE TRIGGER trail_deleted_evidence AFTER INSERT ON evidence
BEGIN
    INSERT INTO trail (actor, action, subject, detail)
    SELECT 'account:' || account_id, 'removed_content_deleted', 'content:' || uuid, new.state
    FROM contents JOIN channels ON channels.id = channel_id WHERE contents.id = new.content_id;
END;
