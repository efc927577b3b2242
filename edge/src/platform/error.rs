//! The failure of an operation on the platform.

use super::database::DatabaseError;

/// The outcome is unknown: the operation may have been applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlatformError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("{0}")]
    Failed(String),
}
