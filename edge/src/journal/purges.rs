//! Requests cache purges, in the transaction that changes public content. `viewing::purges` carries them out.

use super::cache_tags::{CHANNEL, CHANNEL_FILES};
use crate::platform::database::{Batch, Statement, Value};

/// Returns the statement that requests purges of tags, given as a JSON array.
pub(crate) fn insert(tags: &str) -> Statement {
    let insert = Statement::new(
        "INSERT INTO cache_purges (tag) SELECT value FROM json_each(?1) WHERE true
         ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0",
    );
    insert.bind(tags)
}

/// Adds the statement that requests purges of all pages and files of the channels that a condition selects.
pub(crate) fn purge_channels(batch: &mut Batch, condition: &str, values: &[Value]) {
    // The pages of a channel have one tag, and its files have another.
    purge(batch, &[CHANNEL, CHANNEL_FILES], condition, values);
}

/// Does the same for the pages that show the name of a channel.
pub(crate) fn purge_pages_of_channels(batch: &mut Batch, condition: &str, values: &[Value]) {
    purge(batch, &[CHANNEL], condition, values);
}

fn purge(batch: &mut Batch, prefixes: &[&str], condition: &str, values: &[Value]) {
    let insert = format!(
        "INSERT INTO cache_purges (tag)
         SELECT prefix.value || changed.id FROM (SELECT id FROM channels WHERE {condition}) AS changed
             CROSS JOIN json_each('{}') AS prefix
         WHERE true ON CONFLICT (tag) DO UPDATE SET changes = changes + 1, is_purged = 0, attempts = 0, due_at_unix = 0",
        serde_json::Value::from(prefixes)
    );
    batch.execute(values.iter().cloned().fold(Statement::new(insert), Statement::bind));
}
