//! The body of every failure outside key management.

use super::LimitState;
use crate::ErrorCode;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Failure {
    /// Always false.
    pub success: bool,
    pub error_message_code: ErrorCode,
    /// The form field or parameter that caused the failure, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// An explanation of the error, and advice on what to do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The URL of the page about the error code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub docs_url: Option<String>,
    /// The daily limit, if it is the reason.
    // The OpenAPI document adds these fields by hand: utoipa would declare a flattened option as required or null.
    #[cfg_attr(feature = "openapi", schema(ignore))]
    #[serde(default, flatten, skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitState>,
}
