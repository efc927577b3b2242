//! The end of uploads that are open: with their lease, with their key, or with their channel.

use crate::ports::database::{Batch, Query, Statement, Value};

/// Adds the statements that release the slots of the open uploads that meet a condition. Their objects are garbage.
pub(crate) fn release_uploads(batch: &mut Batch, condition: &str, values: &[Value]) -> Query<()> {
    let statement = |sql: String| values.iter().cloned().fold(Statement::new(sql), Statement::bind);
    batch.execute(statement(format!(
        "INSERT INTO garbage (upload_uuid, multipart_id, lease_ends_at_unix)
         SELECT uuid, multipart_id, lease_ends_at_unix FROM uploads WHERE state = 'reserved' AND {condition}"
    )));
    batch.query(statement(format!("DELETE FROM uploads WHERE state = 'reserved' AND {condition} RETURNING uuid")))
}
