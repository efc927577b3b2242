//! The permission to upload: the API key of a channel, or a one-time token of one of its users.

use super::direct::{Grant, Rules};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::KeyedHash;
use crate::people::keys::refused_uploads::{count, is_counted};
use crate::platform::database::Statement;
use contract::ErrorCode;
use contract::api::PresentedCredential;

#[derive(Clone, Debug)]
pub(crate) enum Permission {
    /// The hash of the presented key. It identifies the key's row and its rotation.
    Key(KeyedHash),
    DirectUpload(Box<Grant>),
}

impl Permission {
    pub(crate) fn credential(&self) -> PresentedCredential {
        match self {
            Self::Key(_) => PresentedCredential::ApiKey,
            Self::DirectUpload(_) => PresentedCredential::DirectUploadToken,
        }
    }

    /// Returns the refusal of a key or token that is not valid.
    pub(crate) fn invalid(&self) -> Refusal {
        Refusal::new(match self {
            Self::Key(_) => ErrorCode::ApiKeyInvalid,
            Self::DirectUpload(_) => ErrorCode::DirectUploadTokenInvalid,
        })
    }

    /// Returns the statement that counts a refused upload against the key's allowance, if it counts.
    pub(crate) fn refusal_count(&self, refusal: &Refusal, now: UnixSeconds) -> Option<Statement> {
        match self {
            Self::Key(key) if is_counted(refusal) => Some(count(key, now)),
            _ => None,
        }
    }

    /// Returns the owner's rules for an upload with a token.
    pub(crate) fn rules(&self) -> Option<&Rules> {
        match self {
            Self::Key(_) => None,
            Self::DirectUpload(grant) => Some(&grant.rules),
        }
    }

    /// Returns the time that the schedule of an upload is compared with: when it began, or when the owner, who may have
    /// set the schedule, made the token.
    pub(crate) fn scheduled_at(&self, began_at: UnixSeconds) -> UnixSeconds {
        match self {
            Self::Key(_) => began_at,
            Self::DirectUpload(grant) => grant.created_at,
        }
    }
}
