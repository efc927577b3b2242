//! The transaction that makes the rows of compacted contents short.

use crate::life::door::{self, Find};
use crate::life::rules::storage::CompactedRow;
use crate::life::{Command, Life};
use crate::ports::database::{Database, DatabaseError};
use crate::unix_seconds::UnixSeconds;

/// Makes the rows short, except those that have changed since they were read. Returns how many there were.
pub(crate) async fn shorten(
    database: &impl Database,
    rows: &[CompactedRow],
    now: UnixSeconds,
) -> Result<u64, DatabaseError> {
    let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
    let command = |life: &Life| rows.iter().find(|row| row.id == life.content.id).map(Command::Compact);
    let page = door::apply_to_all(database, Find::Ids(&ids), command, now).await?;
    let is_short = |(before, after): &&(Life, Life)| after.content.is_compacted > before.content.is_compacted;
    Ok(page.lives.iter().filter(is_short).count() as u64)
}
