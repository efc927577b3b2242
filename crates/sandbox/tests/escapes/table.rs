//! The table of all escape attempts.

use crate::attempt::Attempt;
use crate::{files, kernel_features, limits, network, processes};

const ALL: &[&[Attempt]] =
    &[files::ATTEMPTS, network::ATTEMPTS, processes::ATTEMPTS, kernel_features::ATTEMPTS, limits::ATTEMPTS];

pub(crate) fn attempts() -> impl Iterator<Item = Attempt> {
    ALL.iter().copied().flatten().copied()
}
