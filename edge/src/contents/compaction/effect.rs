//! The transaction that makes the rows of compacted contents short.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::door::{self, Find, LeftOut};
use crate::contents::life::rules::storage::CompactedRow;
use crate::contents::life::{Command, Life};
use crate::platform::database::{Database, DatabaseError};

/// Shortens the rows that have not changed since they were read, and returns their number.
pub(crate) async fn shorten(
    database: &impl Database,
    rows: &[CompactedRow],
    left_out: &mut LeftOut,
    now: UnixSeconds,
) -> Result<u64, DatabaseError> {
    let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
    let command = |life: &Life| rows.iter().find(|row| row.id == life.content.id).map(Command::Compact);
    let page = door::apply_to_all(database, Find::Ids(&ids), command, left_out, now).await?;
    let is_short = |(before, after): &&(Life, Life)| after.content.is_compacted > before.content.is_compacted;
    Ok(page.lives.iter().filter(is_short).count() as u64)
}
