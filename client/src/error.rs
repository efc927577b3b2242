//! Everything that can go wrong in this library.

use crate::file::FileError;
use crate::refusal::Refusal;
use crate::tokens::StoreError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The service refuses the request, or would refuse it. Retrying gives the same answer, unless the refusal is
    /// temporary and the time for retries is used up.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// No response, in spite of all attempts. Whether the request arrived is unknown.
    #[error("The service does not respond: {reason}")]
    Unanswered { reason: String },
    /// The response does not come from the service.
    #[error("The response (status {status}) does not come from Clipgate. Check the URL of the service")]
    ForeignAnswer { status: u16 },
    /// The service's certificate is not valid.
    #[error("The connection is not secure: {reason}. Check the URL of the service and the clock of this machine")]
    Insecure { reason: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The HTTP client cannot be created, such as when the system has no certificates.
    #[error("The HTTP client cannot be set up: {0}")]
    Setup(String),
}

impl From<Refusal> for ClientError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl ClientError {
    /// Returns the refusal, if this is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}
