//! The envelope of every key-management answer: always the same four fields, null where one does not apply.

use crate::ErrorCode;
#[cfg(feature = "openapi")]
use crate::example::NOW;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct KeyEnvelope {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error_message_code: Option<ErrorCode>,
    /// The full key in the response that creates or rotates it; null otherwise.
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
    /// The time until which the previous key is valid too. Only after a rotation that asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub previous_key_ends_at_unix: Option<u64>,
}

/// The rotation of the API key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct RotateApiKey {
    /// The number of seconds for which the current key stays valid beside the new one. By default, it is invalid at
    /// once, and its uploads in progress end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 0, maximum = 86_400))]
    pub previous_key_valid_seconds: Option<u64>,
}

/// An empty object: the request has no parameters. Members are ignored.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[schema(example = json!({}))]
pub struct EmptyObject {}

impl KeyEnvelope {
    /// Returns a success with the key's metadata, and with the full key if it was just made.
    pub fn with_key(api_key: Option<String>, key: KeyMetadata) -> Self {
        Self { success: true, error_message_code: None, api_key, key: Some(key) }
    }

    /// Returns a success of an account that has no key, or no longer.
    pub fn without_key() -> Self {
        Self { success: true, error_message_code: None, api_key: None, key: None }
    }

    pub fn failed(code: ErrorCode) -> Self {
        Self { success: false, error_message_code: Some(code), api_key: None, key: None }
    }
}

/// The leaked API key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReportLeakedKey {
    /// The full key. No other credential is needed.
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub api_key: String,
}

/// The response to every report of a well-formed key, whether the key was valid or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct LeakedKeyReported {
    pub success: bool,
}

#[cfg(feature = "openapi")]
impl KeyEnvelope {
    pub fn example() -> Self {
        Self::with_key(None, KeyMetadata::example())
    }

    pub fn example_of_new_key(rotated_at_unix: Option<u64>) -> Self {
        let used = KeyMetadata::example();
        let key = KeyMetadata { rotated_at_unix, last_used_at_unix: None, uses_count: 0, ..used };
        Self::with_key(Some("cgk_…".to_owned()), key)
    }
}

#[cfg(feature = "openapi")]
impl KeyMetadata {
    pub fn example() -> Self {
        Self {
            key_hint: "cgk_0c4R…Z96C".to_owned(),
            created_at_unix: NOW,
            rotated_at_unix: None,
            last_used_at_unix: Some(NOW + 60),
            uses_count: 3,
            previous_key_ends_at_unix: None,
        }
    }
}

#[cfg(feature = "openapi")]
impl RotateApiKey {
    pub fn example() -> Self {
        Self { previous_key_valid_seconds: Some(3_600) }
    }
}

#[cfg(feature = "openapi")]
impl ReportLeakedKey {
    pub fn example() -> Self {
        Self { api_key: format!("cgk_{}", "0".repeat(46)) }
    }
}

#[cfg(feature = "openapi")]
impl LeakedKeyReported {
    pub fn example() -> Self {
        Self { success: true }
    }
}
