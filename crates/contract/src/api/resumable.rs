//! A resumable upload, as its client sees it.

use super::UploadResult;
use crate::error_code::ErrorCode;
#[cfg(feature = "openapi")]
use crate::example::TOMORROW;
use serde::{Deserialize, Serialize};

/// The state of a resumable upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum ResumableState {
    /// Bytes are missing.
    Receiving,
    /// All bytes are stored. `HEAD` or an empty `PATCH` finishes the upload.
    Received,
    /// The video is accepted.
    Accepted,
    /// The video is refused for good.
    Refused,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ResumableUpload {
    pub success: bool,
    pub state: ResumableState,
    /// The number of bytes that are stored.
    pub offset: u64,
    /// The size of the file in bytes.
    pub length: u64,
    /// The time when an unfinished upload, or the outcome of a finished upload, is deleted.
    pub expires_at_unix: u64,
    /// The result of the upload; null until it is accepted.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub result: Option<UploadResult>,
    /// The reason why the video was rejected; null otherwise.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error_message_code: Option<ErrorCode>,
    /// Details of the error, if there is more to say than the code does.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub detail: Option<String>,
}

#[cfg(feature = "openapi")]
impl ResumableUpload {
    pub fn example() -> Self {
        Self {
            success: true,
            state: ResumableState::Receiving,
            offset: 52_428_800,
            length: 734_003_200,
            expires_at_unix: TOMORROW,
            result: None,
            error_message_code: None,
            detail: None,
        }
    }
}
