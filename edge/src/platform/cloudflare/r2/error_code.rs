//! The error codes of R2 that change what the Worker does.
//!
//! The runtime reports an R2 error as an `Error` without a field for the code. Its message has the form
//! `<operation>: <text> (<code>)`, for example `abortMultipartUpload: The specified multipart upload does not exist.
//! (10024)`. The codes are documented; the texts are not.

use crate::platform::error::PlatformError;

/// An R2 error that is handled differently from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum R2ErrorCode {
    /// The multipart upload has already been completed or aborted.
    NoSuchUpload,
}

const CODES: [(u32, R2ErrorCode); 1] = [(10024, R2ErrorCode::NoSuchUpload)];

impl R2ErrorCode {
    /// Returns the code of an error, if it is one of these.
    pub(crate) fn of(error: &PlatformError) -> Option<Self> {
        let PlatformError::Failed(message) = error else { return None };
        let number = number(message)?;
        CODES.into_iter().find(|(known, _)| *known == number).map(|(_, code)| code)
    }
}

/// Returns the number in the last parentheses of the message's first line.
fn number(message: &str) -> Option<u32> {
    let (_, rest) = message.lines().next()?.rsplit_once('(')?;
    let (number, _) = rest.split_once(')')?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(message: &str) -> Option<R2ErrorCode> {
        R2ErrorCode::of(&PlatformError::Failed(message.to_owned()))
    }

    #[test]
    fn a_code_is_the_number_at_the_end_of_the_message() {
        let message = "completeMultipartUpload: The specified multipart upload does not exist. (10024)";
        assert_eq!(code(message), Some(R2ErrorCode::NoSuchUpload));
        assert_eq!(code(&format!("JsValue(Error: {message}\nError: stack)")), Some(R2ErrorCode::NoSuchUpload));
    }

    #[test]
    fn the_same_digits_elsewhere_are_not_a_code() {
        for message in ["put: part 10024 failed (10001)", "put: failed (100240)", "get: 10024", "(10024) get: ()", ""] {
            assert_eq!(code(message), None, "{message}");
        }
    }
}
