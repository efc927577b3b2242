//! Expires tokens, and forgets the direct uploads that ended long ago.

use crate::base::unix_seconds::UnixSeconds;
use crate::journal;
use crate::platform::database::{Batch, Query, Statement};
use contract::limits::ENDED_DIRECT_UPLOAD_SECONDS;

/// Selects open ones whose time is over. An upload that has begun in time may be finished afterwards.
const OVER: &str = "id IN (SELECT id FROM direct_uploads
         WHERE state = 'open' AND expires_at_unix <= ?1
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = upload_uuid AND uploads.state = 'reserved'
                 AND lease_ends_at_unix > ?1)
             AND NOT EXISTS (SELECT 1 FROM resumable_uploads
                 WHERE resumable_uploads.upload_uuid = direct_uploads.upload_uuid
                     AND resumable_uploads.state IN ('open', 'received') AND resumable_uploads.expires_at_unix > ?1)
         ORDER BY expires_at_unix LIMIT ?2)";

/// The rows that the statements of a sweep change.
pub(crate) struct Expired {
    pub expired: Query<()>,
    pub forgotten: Query<()>,
}

/// Adds the statements that expire at most this many tokens, with an event for each, and delete as many direct uploads
/// that ended long ago.
pub(crate) fn expire(batch: &mut Batch, at_most: u32, now: UnixSeconds) -> Expired {
    let event = format!(
        "SELECT channel_id, 'direct_upload.expired' AS type, json_patch('{{}}', json_object('direct_upload_id', uuid,
             'external_id', rules ->> '$.fields.external_id')) AS data
         FROM direct_uploads WHERE {OVER}"
    );
    journal::events::add_of_channel(batch, &event, &[now.into(), at_most.into()]);
    let update = Statement::new(format!(
        "UPDATE direct_uploads SET state = 'expired', ended_at_unix = ?1 WHERE {OVER} RETURNING id"
    ));
    let delete = Statement::new(
        "DELETE FROM direct_uploads WHERE id IN (
             SELECT id FROM direct_uploads WHERE state <> 'open' AND ended_at_unix <= ?1 - ?2
             ORDER BY ended_at_unix LIMIT ?3)
         RETURNING id",
    );
    let expired = batch.query(update.bind(now).bind(at_most));
    let forgotten = batch.query(delete.bind(now).bind(ENDED_DIRECT_UPLOAD_SECONDS).bind(at_most));
    Expired { expired, forgotten }
}
