//! Entries of the removal log, for the transaction of a removal.

use crate::ports::database::Statement;

/// The ids of each life of the database begin at a multiple of this, so that no id of a lost row is given again. With
/// ids below 2^53, this is enough for 9,000 restorations.
pub(crate) const IDS_OF_EPOCH: u64 = 1_000_000_000_000;

/// Returns the statement that adds entries, in a JSON array.
pub(crate) fn insert(entries: &str) -> Statement {
    let insert = Statement::new(
        "INSERT INTO removals (kind, subject, is_removed, data)
         SELECT value ->> '$.kind', value ->> '$.subject', value ->> '$.is_removed', value -> '$.data'
         FROM json_each(?1)",
    );
    insert.bind(entries)
}
