//! The failure of an operation on the platform.

/// The outcome is unknown: the operation may have been applied.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct PlatformError(pub String);
