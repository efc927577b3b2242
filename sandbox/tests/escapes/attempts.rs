//! The table of all attempts. Each is tried in a process of its own.

use crate::arena::Arena;
use crate::{files, kernel_parts, limits, network, processes};

/// Well when the escape succeeded; otherwise what stopped it.
pub(crate) type Outcome = Result<(), Box<dyn std::error::Error>>;
pub(crate) type Attempt = (&'static str, fn(&Arena) -> Outcome);

pub(crate) const ALL: &[&[Attempt]] = &[
    files::ATTEMPTS,
    network::ATTEMPTS,
    processes::ATTEMPTS,
    kernel_parts::ATTEMPTS,
    limits::ATTEMPTS,
];

pub(crate) fn all() -> impl Iterator<Item = Attempt> {
    ALL.iter().copied().flatten().copied()
}
