//! Entries of the removal log, for the transaction of a removal.

use crate::platform::database::Statement;

/// The ids of each epoch begin at a multiple of this, so that the id of a lost row is never reused. With ids below
/// 2^53, this is enough for 9,000 restorations.
pub(crate) const IDS_OF_EPOCH: u64 = 1_000_000_000_000;

/// Returns the statement that adds entries, given as a JSON array.
pub(crate) fn insert(entries: &str) -> Statement {
    let insert = Statement::new(
        "INSERT INTO removals (kind, subject, is_removed, data)
         SELECT value ->> '$.kind', value ->> '$.subject', value ->> '$.is_removed', value -> '$.data'
         FROM json_each(?1)",
    );
    insert.bind(entries)
}
