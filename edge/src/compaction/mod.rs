//! The short form of finished contents: their details in an object of R2, and their media in a few characters.
//!
//! `life::packed_media` is the media column in both forms. `details` is the object. `selection` finds the contents that
//! are due, and `effect` makes their rows short; the sweep calls both. `expansion` reads the details back before a
//! change that needs them. This folder knows nothing of what contents are used for.

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

use crate::ids::ContentUuid;
use contract::ObjectKey;

/// The time after which a finished content is compacted, unless the operator sets another one.
pub(crate) const DEFAULT_COMPACT_DAYS: u64 = 30;

/// The SQL expression for the generation whose folder holds the details of a content. That folder is kept as long as
/// the content's files.
macro_rules! details_generation {
    () => {
        "coalesce(media_generation, contents.generation)"
    };
}
pub(crate) use details_generation;

/// The SQL condition for contents that may be compacted. The index `contents_to_compact` has the same condition.
macro_rules! is_compactable {
    () => {
        "is_compacted = 0 AND contents.state IN ('published', 'rejected', 'taken_down', 'deleted')"
    };
}
use is_compactable;

fn key(content_uuid: &ContentUuid, generation: u64) -> String {
    ObjectKey::FinishedDetails { content_uuid: content_uuid.as_str(), generation }.path()
}
