//! A refusal of a request: received from the service, or predicted before sending.

use contract::{ErrorCode, FormField};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// A refusal by the service. Its code is a string, because the service may add codes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    #[serde(rename = "error_message_code")]
    pub code: String,
    /// The problem, and what to do next.
    pub detail: Box<str>,
    /// The form field or parameter that caused it.
    pub field: Option<Box<str>>,
    /// The time at which the daily limit resets, if the limit is the reason.
    pub limit_reset_time_unix: Option<u64>,
    /// The URL of the page about the error code. None if nothing was sent.
    pub docs_url: Option<Box<str>>,
    /// Identifies the request in the service's logs. None if nothing was sent.
    pub request_id: Option<Box<str>>,
    #[serde(skip)]
    pub retry_after: Option<Duration>,
}

/// The body of a failure.
#[derive(Debug, Deserialize)]
pub(crate) struct FailureBody {
    error_message_code: String,
    detail: Option<String>,
    field: Option<String>,
    docs_url: Option<String>,
    limit_reset_time_unix: Option<u64>,
}

impl Refusal {
    /// Returns the refusal of an invalid value of this field, with its explanation.
    pub(crate) fn of_field(field: FormField, detail: String) -> Self {
        Self::foreseen(field.code(), field.name(), Some(detail))
    }

    /// Returns the predicted refusal of an upload with this file or field.
    pub(crate) fn foreseen(code: ErrorCode, field: &str, detail: Option<String>) -> Self {
        Self {
            code: code.as_str().to_owned(),
            detail: detail.unwrap_or_else(|| code.text().to_owned()).into(),
            field: Some(field.into()),
            limit_reset_time_unix: None,
            docs_url: None,
            request_id: None,
            retry_after: None,
        }
    }

    /// Returns a refusal that the service has stored, and tells whenever it is asked.
    pub(crate) fn reported(code: String, detail: Option<String>) -> Self {
        let body =
            FailureBody { error_message_code: code, detail, field: None, docs_url: None, limit_reset_time_unix: None };
        Self::answered(body, None, None)
    }

    pub(crate) fn answered(body: FailureBody, request_id: Option<String>, retry_after: Option<Duration>) -> Self {
        let known = ErrorCode::ALL.iter().find(|code| code.as_str() == body.error_message_code);
        let text = || known.map_or("The service gives no reason.", |code| code.text()).to_owned();
        Self {
            detail: body.detail.unwrap_or_else(text).into(),
            code: body.error_message_code,
            field: body.field.map(String::into_boxed_str),
            limit_reset_time_unix: body.limit_reset_time_unix,
            docs_url: body.docs_url.map(String::into_boxed_str),
            request_id: request_id.map(String::into_boxed_str),
            retry_after,
        }
    }

    pub fn is(&self, code: ErrorCode) -> bool {
        self.code == code.as_str()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({})", self.detail, self.code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::api::Failure;

    #[test]
    fn the_failure_that_the_service_writes_is_read() {
        for code in ErrorCode::ALL {
            let failure = Failure {
                success: false,
                error_message_code: *code,
                field: Some("f".into()),
                detail: None,
                docs_url: Some("https://site.example/docs".into()),
                limit: None,
            };
            let body = serde_json::from_value(serde_json::to_value(failure).unwrap()).unwrap();
            let refusal = Refusal::answered(body, None, None);
            assert!(refusal.is(*code) && &*refusal.detail == code.text() && refusal.field.as_deref() == Some("f"));
            assert_eq!(refusal.docs_url.as_deref(), Some("https://site.example/docs"));
        }
    }

    #[test]
    fn a_code_of_a_later_version_is_passed_on() {
        let body = serde_json::from_str(r#"{"success":false,"error_message_code":"new_code","other":1}"#).unwrap();
        let refusal = Refusal::answered(body, Some("r".to_owned()), None);
        assert_eq!(refusal.to_string(), "The service gives no reason. (new_code)");
    }
}
