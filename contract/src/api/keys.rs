//! The envelope of every key-management answer: always the same four fields, null where one does not apply.

use crate::ErrorCode;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyEnvelope {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error_message_code: Option<ErrorCode>,
    /// The full key. Present only in the answer that creates or rotates it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub api_key: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub key: Option<KeyMetadata>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyMetadata {
    /// The key's first and last characters, with an ellipsis in between.
    pub key_hint: String,
    pub created_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub rotated_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_used_at_unix: Option<u64>,
    pub uses_count: u64,
}

/// An empty object: the request has no parameters. Members are ignored.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
pub struct EmptyObject {}

impl KeyEnvelope {
    /// Returns a success with the key's metadata, and with the full key if it was just made.
    pub fn with_key(api_key: Option<String>, key: KeyMetadata) -> Self {
        Self { success: true, error_message_code: None, api_key, key: Some(key) }
    }

    pub fn deleted() -> Self {
        Self { success: true, error_message_code: None, api_key: None, key: None }
    }

    pub fn failed(code: ErrorCode) -> Self {
        Self { success: false, error_message_code: Some(code), api_key: None, key: None }
    }
}

/// A key that was found where it should not be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportLeakedKey {
    /// The full key. No other credential is needed.
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub api_key: String,
}

/// The answer to every report of a well-formed key, whether it was valid or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LeakedKeyReported {
    pub success: bool,
}
