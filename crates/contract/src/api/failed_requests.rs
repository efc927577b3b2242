//! The failed requests of a channel's programs, for its owner.

use crate::ErrorCode;
#[cfg(feature = "openapi")]
use crate::{example::NOW, paths};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct FailedRequests {
    pub success: bool,
    /// The start of the period, 7 days ago, at the beginning of an hour.
    pub since_unix: u64,
    /// False if not all failed requests could be counted. In that case, the counts are lower bounds.
    pub is_complete: bool,
    /// The number of failed requests by hour and code, newest hour first.
    pub counts: Vec<FailureCount>,
    /// The most recent failed requests, at most 50, newest first.
    #[cfg_attr(feature = "openapi", schema(max_items = 50))]
    pub requests: Vec<FailedRequest>,
}

/// The number of requests that failed with one code in one hour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailureCount {
    /// The start of the hour.
    pub hour_unix: u64,
    pub error_message_code: ErrorCode,
    pub count: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailedRequest {
    pub at_unix: u64,
    /// The `X-Request-ID` of the response.
    pub request_id: String,
    pub method: String,
    /// The path of the endpoint, with parameter names in braces, or `(no route)` if there is no such endpoint.
    pub path: String,
    pub status: u16,
    pub error_message_code: ErrorCode,
    /// The faulty field, if the response named one.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub field: Option<String>,
    /// The explanation in the response. Long texts are truncated, and secrets are hidden.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub detail: Option<String>,
    /// The `User-Agent` that the client sent. Long ones are truncated, and secrets are hidden.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub user_agent: Option<String>,
    pub credential: PresentedCredential,
}

/// The credential of a failed request. For a resumable upload, the credential that created the upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum PresentedCredential {
    ApiKey,
    DirectUploadToken,
}

#[cfg(feature = "openapi")]
impl FailedRequests {
    pub fn example() -> Self {
        let code = ErrorCode::ContentFileInvalidFormat;
        Self {
            success: true,
            since_unix: NOW - NOW % 3600 - 7 * 86_400,
            is_complete: true,
            counts: vec![FailureCount { hour_unix: NOW - NOW % 3600, error_message_code: code, count: 3 }],
            requests: vec![FailedRequest {
                at_unix: NOW,
                request_id: "019a9b1c-4a6f-7c3e-9b52-6d1f0e8a7c35".to_owned(),
                method: "POST".to_owned(),
                path: paths::UPLOAD_VIDEO.to_owned(),
                status: code.status(),
                error_message_code: code,
                field: Some("file".to_owned()),
                detail: Some(code.text().to_owned()),
                user_agent: Some("curl/8.5.0".to_owned()),
                credential: PresentedCredential::ApiKey,
            }],
        }
    }
}
