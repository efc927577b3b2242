//! One escape attempt, and how its process reports the outcome.

use crate::arena::Arena;

/// The exit code of an attempt that was denied.
pub(crate) const DENIED: u8 = 42;

/// `Ok` if the escape succeeded, otherwise what stopped it.
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;
/// A name and the function that tries the escape.
pub(crate) type Attempt = (&'static str, fn(&Arena) -> Outcome);
