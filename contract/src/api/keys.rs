//! The key-management envelope: always these four fields, null where there is nothing to say.

use crate::ErrorCode;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyEnvelope {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error_message_code: Option<ErrorCode>,
    /// The full key: in the answer that made it, and never again.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub api_key: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub key: Option<KeyMetadata>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeyMetadata {
    /// The key's first and last characters with an ellipsis between them.
    pub key_hint: String,
    pub created_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub rotated_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub last_used_at_unix: Option<u64>,
    pub uses_count: u64,
}

impl KeyEnvelope {
    /// A success that shows the key's metadata, and the key itself only where it was just made.
    pub fn with_key(api_key: Option<String>, key: KeyMetadata) -> Self {
        Self {
            success: true,
            error_message_code: None,
            api_key,
            key: Some(key),
        }
    }

    pub fn deleted() -> Self {
        Self {
            success: true,
            error_message_code: None,
            api_key: None,
            key: None,
        }
    }

    pub fn failed(code: ErrorCode) -> Self {
        Self {
            success: false,
            error_message_code: Some(code),
            api_key: None,
            key: None,
        }
    }
}
