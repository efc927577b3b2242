//! Sends requests to addresses that owners have chosen.

use serde::Deserialize;

/// A signed request.
#[derive(Clone, Debug)]
pub(crate) struct WebhookRequest {
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

/// The response to a request, or the failure. Redirects are not followed: they are ordinary responses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct WebhookAnswer {
    pub status: Option<u16>,
    /// The reason why there is no status: `timeout`, `unreachable` or `address_refused`.
    pub failure: Option<String>,
    pub latency_ms: u64,
    /// The beginning of the response body.
    pub body_start: Option<String>,
    pub retry_after_seconds: Option<u64>,
}

impl WebhookAnswer {
    pub(crate) fn failed(failure: &str) -> Self {
        Self { failure: Some(failure.to_owned()), ..Self::default() }
    }
}

pub(crate) trait WebhookClient {
    async fn post(&self, request: &WebhookRequest) -> WebhookAnswer;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_request_has_a_reason_and_no_status() {
        let failed = WebhookAnswer::failed("timeout");
        assert_eq!((failed.failure.as_deref(), failed.status), (Some("timeout"), None));
    }
}
