//! The statements that find removals that a restored database has lost. They change nothing.

/// The pending entries that the database contradicts. D1 allows no more than five selections in one statement.
pub(super) const CONTRADICTED: [&str; 15] = [
    "SELECT 'key' AS kind, subject, 'a key that was deleted or replaced is valid: ' || key_hint AS detail
     FROM pending_removals JOIN channels ON account_id = CAST(subject AS INTEGER)
     JOIN api_keys ON channel_id = channels.id
     WHERE kind = 'key' AND (key_hash = json_extract(data, '$.key_hash')
         OR coalesce(rotated_at_unix, api_keys.created_at_unix) < happened_at_unix)",
    "SELECT 'content' AS kind, subject, json_extract(data, '$.state') || ', but the database says ' || state AS detail
     FROM pending_removals JOIN contents ON uuid = subject
     WHERE kind = 'content' AND (state IN ('processing', 'scheduled', 'published')
         OR (json_extract(data, '$.state') = 'deleted' AND state <> 'deleted'))",
    "SELECT 'evidence' AS kind, subject, 'the texts of a removed or flagged content were kept as evidence' AS detail
     FROM pending_removals JOIN contents ON uuid = subject
     WHERE kind = 'evidence' AND state <> 'deleted' AND json_extract(data, '$.kept_until_unix') > unixepoch()",
    "SELECT 'caption' AS kind, subject, 'a caption that its owner removed or replaced is back' AS detail
     FROM pending_removals JOIN contents ON uuid = subject
     WHERE kind = 'caption' AND caption IS NOT NULL",
    "SELECT 'captions' AS kind, subject, 'captions that their owner removed or replaced are back: ' || language AS detail
     FROM pending_removals JOIN captions ON captions.name = subject WHERE kind = 'captions' AND is_wanted = 1",
    "SELECT 'schedule' AS kind, subject, 'a publication that was postponed has its earlier time' AS detail
     FROM pending_removals JOIN contents ON uuid = subject
     WHERE kind = 'schedule' AND state IN ('processing', 'scheduled')
         AND coalesce(scheduled_publish_at_unix, 0) < json_extract(data, '$.publish_at_unix')",
    "SELECT 'presentation' AS kind, subject, 'a label was lost, or an unlisted video is listed' AS detail
     FROM pending_removals JOIN contents ON uuid = subject
     WHERE kind = 'presentation' AND state <> 'deleted' AND (is_unlisted < json_extract(data, '$.is_unlisted')
         OR is_sensitive < json_extract(data, '$.is_sensitive')
         OR is_ai_generated < json_extract(data, '$.is_ai_generated'))",
    "SELECT 'hash' AS kind, subject, 'a blocked picture is not blocked' AS detail FROM pending_removals
     WHERE kind = 'hash' AND NOT EXISTS (SELECT 1 FROM blocked_hashes
         WHERE hash = json_extract(data, '$.hash') AND content_uuid = json_extract(data, '$.content_uuid'))",
    "SELECT 'file' AS kind, subject, 'a blocked file is not blocked' AS detail FROM pending_removals
     WHERE kind = 'file' AND NOT EXISTS (SELECT 1 FROM blocked_files
         WHERE sha256 = json_extract(data, '$.sha256') AND content_uuid = json_extract(data, '$.content_uuid'))",
    "SELECT 'channel' AS kind, subject, iif(json_extract(data, '$.is_erased') = 1,
         'the account was erased, and is back', 'the account is not suspended') AS detail FROM pending_removals
     JOIN channels ON account_id = CAST(subject AS INTEGER)
     WHERE kind = 'channel' AND (suspended_at_unix IS NULL
         OR (erased_at_unix IS NULL AND json_extract(data, '$.is_erased') = 1))",
    "SELECT 'token' AS kind, subject, 'a token that was ended is valid: ' || name AS detail
     FROM pending_removals JOIN access_tokens ON token_hash = subject WHERE kind = 'token' AND ended_by IS NULL",
    "SELECT 'origin_key' AS kind, subject, 'an origin key that was ended is valid: ' || name AS detail
     FROM pending_removals JOIN origin_keys ON origin_keys.id = CAST(subject AS INTEGER)
     WHERE kind = 'origin_key' AND ended_at_unix IS NULL",
    "SELECT 'webhook' AS kind, subject, 'a webhook that was deleted or disabled is ' || state AS detail
     FROM pending_removals JOIN webhooks ON uuid = subject WHERE kind = 'webhook' AND state <> 'disabled'",
    "SELECT 'webhook_url' AS kind, subject, 'an address that was replaced gets events' AS detail
     FROM pending_removals JOIN webhooks ON uuid = subject WHERE kind = 'webhook_url' AND state <> 'disabled'",
    "SELECT 'webhook_secret' AS kind, subject, 'a secret that was replaced is used' AS detail
     FROM pending_removals JOIN webhooks ON uuid = subject
     WHERE kind = 'webhook_secret' AND secret_version < json_extract(data, '$.version')",
];

/// The latest pending entries that reverse a removal that the database still has, and the entries that cannot be read.
pub(super) const NOT_REPEATED: &str = "
    SELECT kind, subject, 'the removal was reversed later; if that is right, reverse it again' AS detail
    FROM removals WHERE is_pending = 1 AND is_removed = 0 AND NOT EXISTS (
        SELECT 1 FROM removals AS later
        WHERE later.kind = removals.kind AND later.subject = removals.subject AND later.name > removals.name)
    AND CASE kind
        WHEN 'content' THEN EXISTS (SELECT 1 FROM contents WHERE uuid = subject AND state IN ('rejected', 'taken_down'))
        WHEN 'hash' THEN EXISTS (SELECT 1 FROM blocked_hashes
            WHERE hash = json_extract(data, '$.hash') AND content_uuid = json_extract(data, '$.content_uuid'))
        WHEN 'file' THEN EXISTS (SELECT 1 FROM blocked_files
            WHERE sha256 = json_extract(data, '$.sha256') AND content_uuid = json_extract(data, '$.content_uuid'))
        WHEN 'channel' THEN EXISTS (SELECT 1 FROM channels
            WHERE account_id = CAST(subject AS INTEGER) AND suspended_at_unix IS NOT NULL)
        ELSE 0 END
    UNION ALL
    SELECT kind, subject, 'entry ' || (data ->> '$.entry') || ' of this object is not repeated: ' || (data ->> '$.fault')
    FROM removals WHERE kind = 'unreadable'";
