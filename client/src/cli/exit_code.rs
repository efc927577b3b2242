//! The exit codes, by kind of failure. `clipgate --help` lists them.

use super::credentials::MissingKey;
use client::ClientError;
use contract::ErrorCode;
use std::process::ExitCode;

pub(crate) const OTHER: u8 = 1;
pub(crate) const USAGE: u8 = 2;
pub(crate) const REFUSED: u8 = 3;
pub(crate) const KEY: u8 = 4;
pub(crate) const LIMIT: u8 = 5;
pub(crate) const UNAVAILABLE: u8 = 6;
pub(crate) const ENDED_BADLY: u8 = 7;
pub(crate) const CONFLICT: u8 = 8;
pub(crate) const POSTED_BEFORE: u8 = 9;
pub(crate) const INTERRUPTED: u8 = 130;

#[cfg(test)]
pub(crate) const ALL: [u8; 11] =
    [0, OTHER, USAGE, REFUSED, KEY, LIMIT, UNAVAILABLE, ENDED_BADLY, CONFLICT, POSTED_BEFORE, INTERRUPTED];

/// The arguments are inconsistent, or do not fit the file.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub String);

/// The user has interrupted the program.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub String);

pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(number(error))
}

/// Returns the exit code of an error.
pub(crate) fn number(error: &anyhow::Error) -> u8 {
    if error.is::<Interrupted>() {
        return INTERRUPTED;
    }
    if error.is::<Usage>() {
        return USAGE;
    }
    if error.is::<MissingKey>() {
        return KEY;
    }
    match error.downcast_ref::<ClientError>() {
        Some(ClientError::Unanswered { .. } | ClientError::ForeignAnswer { .. } | ClientError::Insecure { .. }) => {
            UNAVAILABLE
        }
        Some(ClientError::Refused(refusal)) => of_code(&refusal.code),
        _ => OTHER,
    }
}

/// Returns the exit code of a refusal. An unknown code counts as about the video, because most new codes are.
fn of_code(code: &str) -> u8 {
    const CODES: [(ErrorCode, u8); 16] = [
        (ErrorCode::ApiKeyInvalid, KEY),
        (ErrorCode::ContentUploadLimitFailure, LIMIT),
        (ErrorCode::DailyChangeLimitReached, LIMIT),
        (ErrorCode::UploadInProgress, UNAVAILABLE),
        (ErrorCode::UploadTooSlow, UNAVAILABLE),
        (ErrorCode::TooManyUploads, UNAVAILABLE),
        (ErrorCode::RequestTimeout, UNAVAILABLE),
        (ErrorCode::RateLimited, UNAVAILABLE),
        (ErrorCode::ServiceOverloaded, UNAVAILABLE),
        (ErrorCode::ServiceUnavailable, UNAVAILABLE),
        (ErrorCode::InternalError, UNAVAILABLE),
        (ErrorCode::ContentNotFound, CONFLICT),
        (ErrorCode::ContentStateConflict, CONFLICT),
        (ErrorCode::AppealNotPossible, CONFLICT),
        (ErrorCode::UploadTokenMismatch, POSTED_BEFORE),
        (ErrorCode::UploadTokenSpent, POSTED_BEFORE),
    ];
    let known = CODES.iter().find(|(known, _)| known.as_str() == code);
    known.map_or(REFUSED, |(_, number)| *number)
}

/// Whether the reader of the output is gone.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<std::io::Error>();
    cause.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use client::RETRYABLE;

    #[test]
    fn each_kind_of_failure_has_its_code() {
        for code in RETRYABLE {
            assert_eq!(of_code(code.as_str()), UNAVAILABLE, "{code:?}");
        }
        assert_eq!(of_code("api_key_invalid"), KEY);
        assert_eq!(of_code("content_file_invalid_format"), REFUSED);
        assert_eq!(of_code("a_code_of_a_later_version"), REFUSED);
        assert_eq!(number(&anyhow::anyhow!("disk full")), OTHER);
        let unanswered = ClientError::Unanswered { reason: String::new() };
        assert_eq!(number(&anyhow::Error::from(unanswered).context("a.mp4")), UNAVAILABLE);
        assert_eq!(number(&Interrupted(String::new()).into()), INTERRUPTED);
    }

    #[test]
    fn only_a_closed_output_is_a_closed_pipe() {
        let error = |kind: std::io::ErrorKind| anyhow::Error::from(std::io::Error::from(kind));
        assert!(is_closed_pipe(&error(std::io::ErrorKind::BrokenPipe)));
        assert!(!is_closed_pipe(&error(std::io::ErrorKind::NotFound)));
    }
}
