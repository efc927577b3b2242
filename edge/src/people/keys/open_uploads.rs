//! Ends open uploads: releases their slots and records their objects as garbage.

use crate::platform::database::{Batch, Query, Statement, Value};

/// Adds the statements that release the slots that meet a condition. Returns a row for each. The objects of a
/// resumable upload stay: it is parked, and its next request reserves a slot again.
pub(crate) fn release_uploads(batch: &mut Batch, condition: &str, values: &[Value]) -> Query<()> {
    batch.execute(bound(
        values,
        format!(
            "INSERT INTO garbage (upload_uuid, multipart_id, lease_ends_at_unix)
             SELECT uuid, multipart_id, lease_ends_at_unix FROM uploads WHERE state = 'reserved' AND {condition}
                 AND NOT EXISTS (SELECT 1 FROM resumable_uploads WHERE upload_uuid = uuid)"
        ),
    ));
    batch.query(bound(values, format!("DELETE FROM uploads WHERE state = 'reserved' AND {condition} RETURNING uuid")))
}

/// The condition that a resumable upload has no outcome yet.
pub(crate) const IS_UNFINISHED: &str = "resumable_uploads.state IN ('open', 'received') AND NOT EXISTS (
    SELECT 1 FROM uploads WHERE uuid = upload_uuid AND uploads.state = 'committed')";

/// Adds the statements that forget the resumable uploads that meet a condition, and release what they hold.
/// Returns a row for each.
pub(crate) fn end_resumable_uploads(batch: &mut Batch, condition: &str, values: &[Value]) -> Query<()> {
    drop_objects(batch, condition, values);
    batch.query(bound(values, format!("DELETE FROM resumable_uploads WHERE {condition} RETURNING upload_uuid")))
}

/// Adds the statements that release the slot of these resumable uploads, and record their objects as garbage.
/// A request that is storing one just then finds out at its next checkpoint, and the sweep waits for a lease.
pub(crate) fn drop_objects(batch: &mut Batch, condition: &str, values: &[Value]) {
    let garbage = |columns: &str, more: &str| {
        format!(
            "INSERT INTO garbage (upload_uuid, multipart_id, lease_ends_at_unix, is_tails)
             SELECT {columns} FROM resumable_uploads WHERE {condition}{more}
             ON CONFLICT (upload_uuid) DO UPDATE SET lease_ends_at_unix = excluded.lease_ends_at_unix"
        )
    };
    // Without a slot, no request is in progress.
    let ends_at = "coalesce((SELECT lease_ends_at_unix FROM uploads WHERE uuid = upload_uuid), 0)";
    let file = garbage(&format!("upload_uuid, multipart_id, {ends_at}, 0"), &format!(" AND {IS_UNFINISHED}"));
    batch.execute(bound(values, file));
    batch.execute(bound(values, garbage(&format!("tails_uuid, NULL, {ends_at}, 1"), "")));
    batch.execute(bound(
        values,
        format!(
            "DELETE FROM uploads WHERE state = 'reserved'
                 AND uuid IN (SELECT upload_uuid FROM resumable_uploads WHERE {condition})"
        ),
    ));
}

/// Adds the statement that revokes the open one-time tokens that meet a condition.
pub(crate) fn revoke_direct_uploads(batch: &mut Batch, condition: &str, values: &[Value]) {
    let revoke = "UPDATE direct_uploads SET state = 'revoked', ended_at_unix = unixepoch()
         WHERE state = 'open' AND";
    batch.execute(bound(values, format!("{revoke} {condition}")));
}

fn bound(values: &[Value], sql: String) -> Statement {
    values.iter().cloned().fold(Statement::new(sql), Statement::bind)
}
