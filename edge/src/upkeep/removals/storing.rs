//! Copies new entries of the log to R2. An object holds up to 500 entries, and is never overwritten with others.

use crate::platform::database::{Database, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{ObjectStore, Segment};
use contract::ObjectKey;
use serde::Deserialize;

/// The maximum number of entries in an object.
const BUNDLE: u32 = 500;
/// The maximum number of objects that one call writes.
const BUNDLES: usize = 20;

/// Marks the entries of a bundle.
const MARK_STORED: &str = "UPDATE removals SET is_stored = 1 WHERE is_stored = 0
    AND name IN (SELECT json_extract(value, '$.name') FROM json_each(?1))";

/// Entries that R2 does not have yet, as a JSON array.
#[derive(Deserialize)]
struct Bundle {
    entries: u64,
    last_name: Option<String>,
    body: String,
}

/// Stores all new entries in R2. A repetition after a lost answer writes the same objects again.
pub(crate) async fn store_new(database: &impl Database, objects: &impl ObjectStore) -> Result<(), PlatformError> {
    for _ in 0..BUNDLES {
        let select = Statement::new(
            "SELECT count(*) AS entries, max(name) AS last_name, json_group_array(json_object(
                 'name', name, 'kind', kind, 'subject', subject, 'is_removed', is_removed, 'data', json(data),
                 'happened_at_unix', happened_at_unix)) AS body
             FROM (SELECT * FROM removals WHERE is_stored = 0 ORDER BY id LIMIT ?1)",
        );
        let bundle: Option<Bundle> = database.first(select.bind(BUNDLE)).await?;
        let Some(Bundle { entries, last_name: Some(last_name), body }) = bundle else {
            return Ok(());
        };
        let mut buffer = objects.segment(body.len());
        buffer.append(body.as_bytes());
        objects.put(&ObjectKey::Removals { last_name: &last_name, entries }.path(), &[buffer]).await?;
        database.execute(Statement::new(MARK_STORED).bind(body)).await?;
        if entries < u64::from(BUNDLE) {
            return Ok(());
        }
    }
    Ok(())
}
