//! The outcomes of test uploads, which are the values of the field `test`.

use crate::ErrorCode;
use serde::{Serialize, Serializer};

/// The outcome that a test upload asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TestOutcome {
    /// Published in the first quality, then in full; or scheduled, if the upload has a publication time.
    Published,
    /// The same, after a minute.
    Slow,
    /// It waits for a moderator.
    Waiting,
    /// Rejected by a moderator.
    Rejected,
    /// Rejected because its file turned out to be unreadable.
    InvalidFile,
    /// Processing fails.
    Failed,
    /// Published, then removed by a moderator.
    TakenDown,
    /// The upload itself is refused with this code.
    Refused(ErrorCode),
}

impl TestOutcome {
    /// Another name for `Published`.
    pub const DEFAULT: &str = "true";

    /// The codes with which a test upload can be refused: those that a client cannot cause by itself.
    pub const REFUSALS: [ErrorCode; 8] = [
        ErrorCode::ContentUploadLimitFailure,
        ErrorCode::TooManyUploads,
        ErrorCode::RateLimited,
        ErrorCode::ChannelSuspended,
        ErrorCode::UploadTooSlow,
        ErrorCode::ServiceOverloaded,
        ErrorCode::ServiceUnavailable,
        ErrorCode::InternalError,
    ];

    /// The outcomes of an accepted test upload.
    pub const ACCEPTED: [Self; 7] =
        [Self::Published, Self::Slow, Self::Waiting, Self::Rejected, Self::InvalidFile, Self::Failed, Self::TakenDown];

    pub fn all() -> impl Iterator<Item = Self> {
        Self::ACCEPTED.into_iter().chain(Self::REFUSALS.map(Self::Refused))
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Slow => "slow",
            Self::Waiting => "waiting",
            Self::Rejected => "rejected",
            Self::InvalidFile => "invalid_file",
            Self::Failed => "failed",
            Self::TakenDown => "taken_down",
            Self::Refused(code) => code.as_str(),
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|outcome| outcome.as_str() == name).or((name == Self::DEFAULT).then_some(Self::Published))
    }

    /// Returns the values of the field, apart from `false`, which stands for an upload that is no test.
    pub fn values() -> Vec<&'static str> {
        [Self::DEFAULT].into_iter().chain(Self::all().map(Self::as_str)).collect()
    }
}

impl Serialize for TestOutcome {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_names_its_outcome() {
        for outcome in TestOutcome::all() {
            assert_eq!(TestOutcome::named(outcome.as_str()), Some(outcome));
        }
        assert_eq!(TestOutcome::named("true"), Some(TestOutcome::Published));
        for wrong in ["", "false", "True", "file_not_found"] {
            assert_eq!(TestOutcome::named(wrong), None, "{wrong}");
        }
    }
}
