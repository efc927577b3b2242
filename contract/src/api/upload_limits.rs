//! The daily limit as clients see it.

use serde::{Deserialize, Serialize};

/// The limit fields of the upload result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LimitState {
    /// The translation key of the message to show when the limit refuses an upload.
    pub ui_limit_failure_translation_key: String,
    /// Whether the limit would refuse the next upload.
    pub is_limit_activated: bool,
    /// When uploads are taken again; null while they are.
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
    /// Uploads that are left today.
    pub remaining: u32,
}
