//! The removal log: what was removed or forbidden survives the restoration of an older database.
//!
//! An entry is written into `removals` in the transaction of each removal: by `life::door` about contents, otherwise by
//! the triggers in `0008_journal.sql`.
//! `keeping` copies new entries to R2 before the request is answered; if that fails, the next sweep does it. A restored
//! database lacks the entries since its backup: `import` reads them from R2, and `repeat` removes everything again in
//! one transaction.
//!
//! Only removals are repeated, never their reversals: a forged entry cannot publish or allow anything.

mod contents;
mod contradictions;
mod import;
mod keeping;
mod repeat;

#[cfg(test)]
mod tests;

pub(crate) use keeping::keep_new;
pub(crate) use repeat::Contradiction;

use crate::ports::database::DatabaseError;
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;

/// The outcome for the removals that only R2 knew of. They exist only if the database was restored.
#[derive(Debug, Default)]
pub(crate) struct LogComparison {
    /// Whether the log was read to its end. Otherwise nothing was repeated yet, and the next call reads on.
    pub is_complete: bool,
    /// Whether the database was restored, or the operator says so, and everything was repeated.
    pub is_repeated: bool,
    /// Removals whose subject is back.
    pub contradicted: Vec<Contradiction>,
    /// Reversals of removals, which are never repeated.
    pub reversed: Vec<Contradiction>,
}

/// The end of a comparison, once the log was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeating {
    /// Nothing is removed again.
    Never,
    /// The removals that only R2 knew of are repeated, if there are some.
    IfRestored,
    /// In any case: the operator says that the database was restored.
    Always,
}

/// Copies new entries to R2, and repeats the removals that only R2 has an entry of.
pub(crate) async fn compare_log<P: Platform>(
    platform: &P,
    repeating: Repeating,
) -> Result<LogComparison, PlatformError> {
    let (database, objects) = (platform.database(), platform.objects());
    keep_new(database, objects).await?;
    if !import::import_unknown(database, objects).await? {
        return Ok(LogComparison::default());
    }
    let repeats = repeating == Repeating::Always
        || (repeating == Repeating::IfRestored
            && repeat::has_pending(database).await.map_err(DatabaseError::into_platform_error)?);
    if repeating == Repeating::IfRestored && !repeats {
        return Ok(LogComparison { is_complete: true, ..LogComparison::default() });
    }
    let (contradicted, reversed) =
        repeat::compare(database, repeats.then(|| platform.now())).await.map_err(DatabaseError::into_platform_error)?;
    if repeats {
        keep_new(database, objects).await?;
    }
    Ok(LogComparison { is_complete: true, is_repeated: repeats, contradicted, reversed })
}
