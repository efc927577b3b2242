//! Compares the database with the removal log and with the objects, reports every difference, and mends what is safe.
//!
//! It is called page by page, because one request may not take that long. The order is: the removal log, the
//! blocklist's segments, the contents and their objects, the objects and their rows.

mod contents;
mod objects;
mod segments;

#[cfg(test)]
mod tests;

use crate::platform::Platform;
use crate::platform::error::PlatformError;
use crate::upkeep::removals::{Contradiction, LogComparison, Repeating, compare_log};
use contract::api::{Difference, FsckPage};

/// The changes that a call may make.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Permission {
    pub mend: bool,
    pub delete_unknown: bool,
}

/// The part that a page belongs to, and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    Log,
    Segments,
    Contents { after: String },
    Objects { after: String },
}

impl Position {
    /// Parses a cursor. The first page has none.
    pub(crate) fn parse(cursor: &str) -> Option<Self> {
        match cursor.split_once(':')? {
            ("log", "") => Some(Self::Log),
            ("segments", "") => Some(Self::Segments),
            ("contents", after) => Some(Self::Contents { after: after.to_owned() }),
            ("objects", after) => Some(Self::Objects { after: after.to_owned() }),
            _ => None,
        }
    }

    fn cursor(&self) -> String {
        match self {
            Self::Log => "log:".to_owned(),
            Self::Segments => "segments:".to_owned(),
            Self::Contents { after } => format!("contents:{after}"),
            Self::Objects { after } => format!("objects:{after}"),
        }
    }
}

/// Compares one page.
pub(crate) async fn compare_page<P: Platform>(
    platform: &P,
    position: Position,
    permission: Permission,
) -> Result<FsckPage, PlatformError> {
    let (differences, next) = match position {
        Position::Log => compare_removals(platform, permission).await?,
        Position::Segments => {
            let missing = segments::compare(platform, permission).await?;
            (missing, Some(Position::Contents { after: String::new() }))
        }
        Position::Contents { after } => contents::compare(platform, &after, permission).await?,
        Position::Objects { after } => objects::compare(platform, &after, permission).await?,
    };
    Ok(FsckPage { success: true, differences, next_cursor: next.map(|next| next.cursor()) })
}

/// Compares the removal log. Imported entries are stored even if nothing is mended, but have no effect until then.
async fn compare_removals<P: Platform>(
    platform: &P,
    permission: Permission,
) -> Result<(Vec<Difference>, Option<Position>), PlatformError> {
    let repeating = if permission.mend { Repeating::Always } else { Repeating::Never };
    let LogComparison { is_complete, contradicted, not_repeated, .. } = compare_log(platform, repeating).await?;
    let differences = contradicted.into_iter().map(|one| difference(one, permission.mend));
    let differences = differences.chain(not_repeated.into_iter().map(|one| difference(one, false))).collect();
    Ok((differences, Some(if is_complete { Position::Segments } else { Position::Log })))
}

fn difference(found: Contradiction, is_mended: bool) -> Difference {
    let Contradiction { kind, subject, detail } = found;
    Difference { kind, subject, detail, is_mended }
}
