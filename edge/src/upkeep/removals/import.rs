//! Reads the entries that R2 has and the database lacks. They exist only after a restoration.

use super::entry::{Entries, read_entries};
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{LIST_LENGTH, ObjectStore};
use contract::ObjectKey;
use serde::Deserialize;
use serde_json::{Value, json};

/// The age up to which entries are compared again: the clock of the database may be set back by that much.
const OVERLAP_SECONDS: u32 = 600;

/// Imports one page of the log, and returns whether that was the last one. Imported entries are pending until they are
/// repeated.
pub(super) async fn import_unknown(
    database: &impl Database,
    objects: &impl ObjectStore,
) -> Result<bool, PlatformError> {
    let folder = ObjectKey::REMOVALS_FOLDER;
    let after = format!("{folder}{}", checked_until(database).await?);
    let keys = objects.list_after(folder, &after).await?;
    let Some(last) = keys.last() else { return Ok(true) };
    let is_complete = keys.len() < LIST_LENGTH;
    let unknown_keys = without_known(database, &keys).await?;
    for key in &unknown_keys {
        let entries = read_entries(&read(objects, key).await?);
        database.run(insert(key, entries)).await?;
    }
    let checked = last.strip_prefix(folder).unwrap_or_default();
    note_checked(database, checked, is_complete).await?;
    Ok(is_complete)
}

/// The key of an object, or a part of one.
#[derive(Deserialize)]
struct KeyRow {
    key: String,
}

async fn checked_until(database: &impl Database) -> Result<String, DatabaseError> {
    let row: Vec<KeyRow> = database.all(Statement::new("SELECT checked_until AS key FROM removal_log")).await?;
    row.into_iter().next().map(|row| row.key).ok_or_else(|| DatabaseError::Shape("removal_log is empty".to_owned()))
}

/// Returns the keys of the objects whose entries the database lacks. If it has the last entry of an object, it has all,
/// because one database wrote them in this order. An object with unreadable entries is not read again.
async fn without_known(database: &impl Database, keys: &[String]) -> Result<Vec<String>, DatabaseError> {
    let keys = json_text(keys)?;
    // The key consists of the folder, the name of the last entry, and the number of entries.
    let select = Statement::new(
        "SELECT value AS key FROM json_each(?1) WHERE NOT EXISTS (
             SELECT 1 FROM removals WHERE name = substr(value, length('removals/') + 1, 42))
         AND NOT EXISTS (SELECT 1 FROM removals WHERE kind = 'unreadable' AND subject = value)",
    );
    let select = select.bind(keys);
    let rows: Vec<KeyRow> = database.all(select).await?;
    Ok(rows.into_iter().map(|row| row.key).collect())
}

async fn read(objects: &impl ObjectStore, key: &str) -> Result<Vec<u8>, PlatformError> {
    let bytes = objects.read_whole(key).await?;
    bytes.ok_or_else(|| PlatformError::Failed(format!("the object {key} of the removal log is gone")))
}

/// Returns the statements that import the entries of an object. Those that cannot be repeated are noted, for fsck.
fn insert(key: &str, Entries { readable, unreadable }: Entries) -> Batch {
    let mut batch = Batch::default();
    let insert = Statement::new(
        "INSERT INTO removals (name, kind, subject, is_removed, data, happened_at_unix, is_stored, is_pending)
         SELECT json_extract(value, '$.name'), json_extract(value, '$.kind'), json_extract(value, '$.subject'),
             json_extract(value, '$.is_removed'), json_extract(value, '$.data'),
             json_extract(value, '$.happened_at_unix'), 1, 1
         FROM json_each(?1) WHERE true ON CONFLICT (name) DO NOTHING",
    );
    batch.execute(insert.bind(Value::Array(readable).to_string()));
    if !unreadable.is_empty() {
        for (entry, fault) in &unreadable {
            tracing::error!(
                object = key,
                entry,
                fault,
                "an entry of the removal log is unreadable and is not repeated"
            );
        }
        let note = Statement::new(
            "INSERT INTO removals (name, kind, subject, is_removed, data, is_stored)
             SELECT ?1 || '/' || (value ->> '$[0]'), 'unreadable', ?1, 0,
                 json_object('entry', value ->> '$[0]', 'fault', value ->> '$[1]'), 1
             FROM json_each(?2) WHERE true ON CONFLICT (name) DO NOTHING",
        );
        batch.execute(note.bind(key).bind(json!(unreadable).to_string()));
    }
    batch
}

/// Moves the mark forward, but not into the time in which entries may still be written.
async fn note_checked(database: &impl Database, checked: &str, is_complete: bool) -> Result<(), DatabaseError> {
    let update = Statement::new(
        "UPDATE removal_log SET checked_until =
             max(checked_until, iif(?2, min(?1, printf('%012d', unixepoch() - CAST(?3 AS INTEGER))), ?1))",
    );
    database.execute(update.bind(checked).bind(u32::from(is_complete)).bind(OVERLAP_SECONDS)).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;

    #[test]
    fn the_mark_moves_forward_but_never_into_the_last_ten_minutes() {
        let database = Sqlite::migrated();
        let mark = || block_on(checked_until(&database)).unwrap();
        for (checked, is_complete, expected) in [
            ("000000000007-a", false, "000000000007-a"),
            ("000000000005-a", false, "000000000007-a"),
            ("000000000009-a", true, "000000000009-a"),
        ] {
            block_on(note_checked(&database, checked, is_complete)).unwrap();
            assert_eq!(mark(), expected);
        }
        block_on(note_checked(&database, "999999999999-a", true)).unwrap();
        let marked: u64 = mark().parse().unwrap();
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        assert!((now - 660..=now - 600).contains(&marked), "{marked}");
        block_on(note_checked(&database, "999999999999-a", false)).unwrap();
        assert_eq!(mark(), "999999999999-a", "more pages follow");
    }
}
