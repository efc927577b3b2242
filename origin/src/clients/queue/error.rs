//! Queue errors, classified by what the caller should do.

use super::answer::{UnreadableAnswer, error_text};
use super::reason::truncate;
use crate::clients::http::BodyError;
use reqwest::StatusCode;
use std::time::Duration;

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// Wait for the requested time, then continue.
    #[error("the queue asks to slow down")]
    Throttled { retry_after: Option<Duration> },
    /// Wait and retry. The request may have been processed.
    #[error("the queue is unavailable: {reason}")]
    Unavailable { reason: String },
    /// No request can be built from this address and token. A retry would fail in the same way.
    #[error("the queue's address or token is invalid: {reason}")]
    Misconfigured { reason: String },
    /// The address, the token or its permissions are wrong. A retry would fail in the same way.
    #[error("the queue rejected the request with status {status}: {reason}")]
    Refused { status: u16, reason: String },
    /// Wait and retry. The request may have been processed.
    #[error("the queue's answer is unreadable: {reason}")]
    Unreadable { reason: String },
}

impl QueueError {
    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::Misconfigured { .. })
    }

    /// Returns how long the queue asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled { retry_after } => *retry_after,
            _ => None,
        }
    }

    /// Classifies an answer whose status is not 200.
    pub(super) fn from_status(status: StatusCode, retry_after: Option<Duration>, body: &[u8]) -> Self {
        let reason = truncate(&error_text(body));
        match status.as_u16() {
            429 => Self::Throttled { retry_after },
            408 | 425 | 500..=599 => Self::Unavailable { reason: format!("{status}: {reason}") },
            400..=499 => Self::Refused { status: status.as_u16(), reason },
            _ => Self::Unreadable { reason: format!("unexpected status {status}") },
        }
    }

    /// Classifies a request that got no answer, or an incomplete one.
    pub(super) fn from_transport(error: reqwest::Error) -> Self {
        // The URL contains the account and the queue, which do not belong in a log.
        let (misconfigured, error) = (error.is_builder(), error.without_url());
        let reason = truncate(&native::with_causes(&error));
        if misconfigured { Self::Misconfigured { reason } } else { Self::Unavailable { reason } }
    }
}

impl From<UnreadableAnswer> for QueueError {
    fn from(UnreadableAnswer(reason): UnreadableAnswer) -> Self {
        Self::Unreadable { reason: truncate(&reason) }
    }
}

impl From<BodyError> for QueueError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Transport(error) => Self::from_transport(error),
            too_long @ BodyError::TooLong => UnreadableAnswer(too_long.to_string()).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(status: u16) -> QueueError {
        let status = StatusCode::from_u16(status).unwrap();
        QueueError::from_status(status, Some(Duration::from_secs(7)), b"<html>")
    }

    #[test]
    fn a_wrong_configuration_is_not_retried() {
        for status in [400, 401, 403, 404, 405, 410] {
            assert!(!error_of(status).is_transient(), "{status}");
        }
    }

    #[test]
    fn only_a_throttled_request_has_a_retry_after_time() {
        assert_eq!(error_of(429).retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(error_of(503).retry_after(), None);
    }

    #[test]
    fn every_server_error_is_retried() {
        for status in 500..=599 {
            assert!(error_of(status).is_transient(), "{status}");
        }
    }
}
