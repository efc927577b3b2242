//! A moment in whole Unix seconds. Durations stay plain numbers of seconds, so that the two cannot be confused.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Add;

/// A moment: seconds since 1970-01-01, 00:00 UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct UnixSeconds(pub u64);

impl UnixSeconds {
    /// Returns the seconds from `earlier` to this moment, or 0 if this moment is not later.
    pub(crate) fn seconds_since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl Add<u64> for UnixSeconds {
    type Output = Self;

    fn add(self, seconds: u64) -> Self {
        Self(self.0 + seconds)
    }
}

impl fmt::Display for UnixSeconds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
