//! The removal log: removals and bans survive the restoration of an older database.
//!
//! An entry is written into `removals` in the transaction of each removal: by `contents::life::door` about contents,
//! otherwise by the triggers in `0008_journal.sql`. `storing` copies new entries to R2 before the response; if that
//! fails, the next sweep does it. A restored database lacks the entries since its backup: `import` reads them from R2,
//! and `repeat` repeats the removals.
//!
//! Only removals are repeated, never their reversals: a forged entry cannot publish or allow anything. An entry that
//! cannot be read is set aside, and the others are repeated.

mod contents;
mod contradictions;
mod entry;
mod import;
mod repeat;
mod storing;

#[cfg(test)]
mod tests;

pub(crate) use repeat::Contradiction;
pub(crate) use storing::store_new;

use crate::platform::Platform;
use crate::platform::error::PlatformError;

/// The outcome for removals that only R2 has entries of. They exist only if the database was restored.
#[derive(Debug, Default)]
pub(crate) struct LogComparison {
    /// Whether the log was read to its end. Otherwise nothing was repeated yet, and the next call continues.
    pub is_complete: bool,
    /// Whether the database was restored, or the operator says so, and everything was repeated.
    pub is_repeated: bool,
    /// Removals that the database contradicts.
    pub contradicted: Vec<Contradiction>,
    /// Reversals of removals, which are never repeated, and entries that cannot be read.
    pub not_repeated: Vec<Contradiction>,
}

/// The action once the whole log was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeating {
    /// Repeats nothing.
    Never,
    /// Repeats the removals that only R2 has entries of, if there are any.
    IfRestored,
    /// Repeats in any case: the operator says that the database was restored.
    Always,
}

/// Copies new entries to R2, and reads the entries that only R2 has. Returns whether the log was read to its end. Then
/// the database has an entry of everything that was removed, and `Find::DueSchedules` heeds it.
pub(crate) async fn read_log<P: Platform>(platform: &P) -> Result<bool, PlatformError> {
    let (database, objects) = (platform.database(), platform.objects());
    store_new(database, objects).await?;
    import::import_unknown(database, objects).await
}

/// Reads the log, and repeats the removals that only R2 has an entry of.
pub(crate) async fn compare_log<P: Platform>(
    platform: &P,
    repeating: Repeating,
) -> Result<LogComparison, PlatformError> {
    if read_log(platform).await? { repeat_read(platform, repeating).await } else { Ok(LogComparison::default()) }
}

/// Repeats the removals of a log that was read to its end.
pub(crate) async fn repeat_read<P: Platform>(
    platform: &P,
    repeating: Repeating,
) -> Result<LogComparison, PlatformError> {
    let (database, objects) = (platform.database(), platform.objects());
    let repeats =
        repeating == Repeating::Always || (repeating == Repeating::IfRestored && repeat::has_pending(database).await?);
    if repeating == Repeating::IfRestored && !repeats {
        return Ok(LogComparison { is_complete: true, ..LogComparison::default() });
    }
    let (contradicted, not_repeated) = repeat::compare(database).await?;
    if repeats {
        repeat::repeat(database, repeating == Repeating::Always, platform.now()).await?;
        store_new(database, objects).await?;
    }
    Ok(LogComparison { is_complete: true, is_repeated: repeats, contradicted, not_repeated })
}
