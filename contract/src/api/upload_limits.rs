//! The daily upload limit, as clients see it.

use serde::{Deserialize, Serialize};

/// The limit fields of the upload result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LimitState {
    /// The translation key of the message to show when the limit is reached.
    pub ui_limit_failure_translation_key: String,
    /// Whether the limit is reached, so that the next upload would be refused.
    pub is_limit_activated: bool,
    /// When the limit resets; null while uploads are accepted.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub limit_reset_time_unix: Option<u64>,
    pub limit_amount: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UploadLimits {
    pub success: bool,
    #[serde(flatten)]
    pub limit: LimitState,
    /// The uploads that are left today.
    pub remaining: u32,
    /// The uploads that the channel may have open at once. One more is refused with `too_many_uploads`.
    pub max_open_uploads: u32,
}
