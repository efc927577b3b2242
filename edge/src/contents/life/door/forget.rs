//! Deletes the unneeded rows of contents of erased accounts.

use crate::base::ids::ChannelId;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use serde::Deserialize;
use serde_json::Value;

/// The tables with rows about a content, each before the tables that its rows refer to.
const TABLES: [&str; 7] =
    ["frame_hashes", "findings", "reports", "blocklist_catches", "abuse_reports", "flags", "jobs"];

#[derive(Deserialize)]
struct IdRow {
    id: u64,
}

/// Deletes the rows of up to `at_most` deleted contents of a channel that meet a condition. Returns whether there were
/// any. If a row is referenced again by then, the transaction fails.
pub(crate) async fn delete_erased_rows(
    database: &impl Database,
    channel_id: ChannelId,
    condition: &str,
    at_most: u32,
) -> Result<bool, DatabaseError> {
    let select =
        format!("SELECT id FROM contents WHERE channel_id = ?1 AND state = 'deleted' AND {condition} LIMIT ?2");
    let rows: Vec<IdRow> = database.all(Statement::new(select).bind(channel_id).bind(at_most)).await?;
    if rows.is_empty() {
        return Ok(false);
    }
    let ids = Value::from(rows.iter().map(|row| row.id).collect::<Vec<_>>()).to_string();
    let mut batch = Batch::default();
    for (table, column) in
        TABLES.map(|table| (table, "content_id")).into_iter().chain([("contents", "id"), ("uploads", "id")])
    {
        let delete = format!("DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?1))");
        batch.execute(Statement::new(delete).bind(ids.as_str()));
    }
    database.run(batch).await?;
    Ok(true)
}
