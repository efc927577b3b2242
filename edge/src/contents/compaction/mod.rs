//! The short form of finished contents: their details in an R2 object, and their media in a few characters.
//!
//! `contents::life::packed_media` is the media column in both forms. `details` is the object. `selection` finds the
//! contents that are due, and `effect` makes their rows short; the sweep calls both. `expansion` reads the details back
//! before a change that needs them. This folder must not depend on how contents are used.

mod details;
mod effect;
mod expansion;
mod selection;

#[cfg(test)]
mod tests;

pub(crate) use details::read_details;
pub(crate) use effect::shorten;
pub(crate) use expansion::expand;
pub(crate) use selection::{DueContent, Position, read_due};

use crate::base::ids::ContentUuid;
use contract::ObjectKey;

/// The default time after which a finished content is compacted.
pub(crate) const DEFAULT_COMPACT_DAYS: u64 = 30;

/// The SQL expression for the generation whose folder holds the details of a content. That folder is kept as long as
/// the content's files.
pub(crate) const DETAILS_GENERATION: &str = "coalesce(media_generation, contents.generation)";

/// The SQL condition for contents that may be compacted. The index `contents_to_compact` has the same condition.
const IS_COMPACTABLE: &str =
    "is_compacted = 0 AND contents.state IN ('published', 'rejected', 'taken_down', 'deleted')";

fn key(content_uuid: &ContentUuid, generation: u64) -> String {
    ObjectKey::FinishedDetails { content_uuid: content_uuid.as_str(), generation }.path()
}
