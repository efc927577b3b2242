//! The errors of this stage.

use crate::media::MediaError;
use contract::MediaFile;
use std::fmt::Display;

/// An output differs from the plan.
pub(in crate::media) fn mismatch(name: MediaFile, difference: &str) -> MediaError {
    MediaError::Permanent(format!("{name} does not match the plan: {difference}"))
}

/// An output is missing or unreadable. The disk may have been full.
pub(in crate::media) fn not_written(name: MediaFile, cause: &dyn Display) -> MediaError {
    MediaError::Undecided(format!("{name} was not written: {cause}"))
}
