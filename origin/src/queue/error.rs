//! What went wrong with the queue, told by what to do about it.

use super::answer::Unreadable;
use crate::http::{BodyError, with_causes};
use reqwest::StatusCode;
use std::time::Duration;

/// Much more of an error's text would fill the log.
const LONGEST_REASON: usize = 300;

#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// Wait as long as asked, then go on.
    #[error("the queue asks to slow down")]
    Throttled { retry_after: Option<Duration> },
    /// Wait and try again. Whether the request was done is not known.
    #[error("the queue cannot be reached: {reason}")]
    Unavailable { reason: String },
    /// No request can be made of this address and this token.
    #[error("the queue's address or token cannot be used: {reason}")]
    Misconfigured { reason: String },
    /// Trying again is useless: address, token or permission are wrong.
    #[error("the queue refuses with {status}: {reason}")]
    Refused { status: u16, reason: String },
    /// Wait and try again. Whether the request was done is not known.
    #[error("the queue's answer is not what it should be: {reason}")]
    Unreadable { reason: String },
}

impl QueueError {
    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::Refused { .. } | Self::Misconfigured { .. })
    }

    /// How long the queue asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Throttled { retry_after } => *retry_after,
            _ => None,
        }
    }

    /// An answer with another status than success.
    pub(super) fn of_status(
        status: StatusCode,
        retry_after: Option<Duration>,
        body: &[u8],
    ) -> Self {
        let reason = shortened(&super::answer::failure(body));
        match status.as_u16() {
            429 => Self::Throttled { retry_after },
            408 | 425 | 500..=599 => Self::Unavailable {
                reason: format!("{status}: {reason}"),
            },
            400..=499 => Self::Refused {
                status: status.as_u16(),
                reason,
            },
            _ => Self::Unreadable {
                reason: format!("the status is {status}"),
            },
        }
    }

    /// No answer, or only a part of one.
    pub(super) fn of_transport(error: reqwest::Error) -> Self {
        // The address names account and queue; whoever logs this knows them.
        let (misconfigured, error) = (error.is_builder(), error.without_url());
        let reason = shortened(&with_causes(&error));
        if misconfigured {
            Self::Misconfigured { reason }
        } else {
            Self::Unavailable { reason }
        }
    }
}

impl From<Unreadable> for QueueError {
    fn from(Unreadable(reason): Unreadable) -> Self {
        Self::Unreadable {
            reason: shortened(&reason),
        }
    }
}

impl From<BodyError> for QueueError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Broken(error) => Self::of_transport(error),
            too_long @ BodyError::TooLong => Unreadable(too_long.to_string()).into(),
        }
    }
}

/// The beginning of a text from outside, on one line.
pub(super) fn shortened(text: &str) -> String {
    let printable = |character: char| {
        if character.is_control() {
            ' '
        } else {
            character
        }
    };
    text.chars().take(LONGEST_REASON).map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(status: u16) -> QueueError {
        let status = StatusCode::from_u16(status).unwrap();
        QueueError::of_status(status, Some(Duration::from_secs(7)), b"<html>")
    }

    #[test]
    fn a_wrong_configuration_is_not_tried_again() {
        for status in [400, 401, 403, 404, 405, 410] {
            assert!(!of(status).is_transient(), "{status}");
        }
    }

    #[test]
    fn only_throttling_says_how_long_to_wait() {
        assert_eq!(of(429).retry_after(), Some(Duration::from_secs(7)));
        assert_eq!(of(503).retry_after(), None);
    }

    proptest! {
        #[test]
        fn whatever_is_not_the_clients_fault_is_tried_again(status in 500_u16..=599) {
            prop_assert!(of(status).is_transient());
        }

        #[test]
        fn a_reason_is_one_short_line(text: String) {
            let short = shortened(&text);
            prop_assert!(short.chars().count() <= LONGEST_REASON);
            prop_assert!(!short.chars().any(char::is_control));
        }
    }
}
