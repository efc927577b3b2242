//! Direct uploads: an API client lets one of its users upload one video, with a one-time token.

#[cfg(feature = "openapi")]
use crate::error_code::ErrorCode;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, DIRECT_UPLOAD_ID, NOW};
use crate::state::ContentState;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The state of a direct upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum DirectUploadState {
    /// The token can be used.
    Open,
    /// A video was uploaded with the token.
    Used,
    /// The token has expired.
    Expired,
    /// The owner ended it, or the API key was deleted or rotated.
    Revoked,
}

impl DirectUploadState {
    pub const ALL: [Self; 4] = [Self::Open, Self::Used, Self::Expired, Self::Revoked];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Used => "used",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

/// The request for a one-time token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct CreateDirectUpload {
    /// The lifetime of the token: an upload must begin within this time. The default is 3600.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 60, maximum = 86_400))]
    pub expires_in_seconds: Option<u64>,
    /// The maximum size of the file. The default is the service's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub max_bytes: Option<u64>,
    /// The maximum duration of the video. The default is the service's limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 2_000, maximum = 120_000))]
    pub max_duration_ms: Option<u64>,
    /// The origin of your pages, for example `https://app.example`. Without it, browsers cannot use the token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_origin: Option<String>,
    /// The fields of the upload form that you set, as strings by field name. The user cannot change them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, String>,
    /// The names of the form fields that the user may set, for example `caption`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub user_may_set: Vec<String>,
    /// Your own id for the video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 128))]
    pub external_id: Option<String>,
    /// Whether the video is published only after you call `release_content`.
    #[serde(default)]
    pub requires_release: bool,
}

/// A new direct upload, with its token, which is shown only once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DirectUploadCreated {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub direct_upload_id: String,
    /// The one-time token: `cgd_` and 46 letters and digits.
    pub token: String,
    /// The URL to which the user's device posts the upload form.
    pub upload_url: String,
    /// The endpoint for tus clients.
    pub tus_endpoint: String,
    pub expires_at_unix: u64,
}

/// A direct upload, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DirectUpload {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub direct_upload_id: String,
    pub state: DirectUploadState,
    pub created_at_unix: u64,
    pub expires_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub max_bytes: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub max_duration_ms: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub allowed_origin: Option<String>,
    pub fields: BTreeMap<String, String>,
    pub user_may_set: Vec<String>,
    pub requires_release: bool,
    /// The UUID of the video; null until one is accepted.
    #[cfg_attr(feature = "openapi", schema(required, format = "uuid"))]
    pub content_uuid: Option<String>,
}

/// A page of direct uploads, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DirectUploads {
    pub success: bool,
    pub direct_uploads: Vec<DirectUpload>,
    /// The value to send as `cursor` in the next request; null at the end of the list.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

/// The revoked direct upload. A video that was uploaded with it stays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DirectUploadRevoked {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub direct_upload_id: String,
    pub state: DirectUploadState,
}

/// The response to the user's device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DirectUploadResult {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub content_state: ContentState,
}

/// The state of a direct upload and its video, for the user's device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DirectUploadStatus {
    pub success: bool,
    pub state: DirectUploadState,
    /// The UUID of the video; null until one is accepted.
    #[cfg_attr(feature = "openapi", schema(required, format = "uuid"))]
    pub content_uuid: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub content_state: Option<ContentState>,
    /// The reason why the video was rejected or failed; null otherwise.
    #[cfg_attr(feature = "openapi", schema(required, value_type = Option<ErrorCode>))]
    pub error_message_code: Option<String>,
    /// The seconds to wait before the next request; null if the state no longer changes by itself.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub check_after_seconds: Option<u64>,
}

#[cfg(feature = "openapi")]
impl CreateDirectUpload {
    pub fn example() -> Self {
        Self {
            expires_in_seconds: Some(3_600),
            max_bytes: Some(200_000_000),
            max_duration_ms: Some(60_000),
            allowed_origin: Some("https://app.example".to_owned()),
            fields: BTreeMap::from([("super_category_id".to_owned(), "7".to_owned())]),
            user_may_set: vec!["caption".to_owned()],
            external_id: Some("order-7".to_owned()),
            requires_release: true,
        }
    }
}

#[cfg(feature = "openapi")]
impl DirectUploadCreated {
    pub fn example() -> Self {
        Self {
            success: true,
            direct_upload_id: DIRECT_UPLOAD_ID.to_owned(),
            token: "cgd_4fGh7JkLmN0pQrS2tUvW5xYzA1bC3dE6fGh8JkLm0a1b2c".to_owned(),
            upload_url: format!("https://upload.example{}", crate::paths::DIRECT_UPLOAD),
            tus_endpoint: format!("https://upload.example{}", crate::paths::RESUMABLE_DIRECT_UPLOAD),
            expires_at_unix: NOW + 3_600,
        }
    }
}

#[cfg(feature = "openapi")]
impl DirectUpload {
    pub fn example() -> Self {
        let CreateDirectUpload { max_bytes, max_duration_ms, allowed_origin, mut fields, user_may_set, .. } =
            CreateDirectUpload::example();
        fields.insert("external_id".to_owned(), "order-7".to_owned());
        Self {
            direct_upload_id: DIRECT_UPLOAD_ID.to_owned(),
            state: DirectUploadState::Used,
            created_at_unix: NOW,
            expires_at_unix: NOW + 3_600,
            max_bytes,
            max_duration_ms,
            allowed_origin,
            fields,
            user_may_set,
            requires_release: true,
            content_uuid: Some(CONTENT_UUID.to_owned()),
        }
    }
}

#[cfg(feature = "openapi")]
impl DirectUploads {
    pub fn example() -> Self {
        Self { success: true, direct_uploads: vec![DirectUpload::example()], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl DirectUploadRevoked {
    pub fn example() -> Self {
        Self { success: true, direct_upload_id: DIRECT_UPLOAD_ID.to_owned(), state: DirectUploadState::Revoked }
    }
}

impl DirectUploadResult {
    /// The result of an upload that was just accepted.
    pub fn accepted(content_uuid: impl Into<String>) -> Self {
        Self { success: true, content_uuid: content_uuid.into(), content_state: ContentState::Processing }
    }
}

#[cfg(feature = "openapi")]
impl DirectUploadResult {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned(), content_state: ContentState::Processing }
    }
}

#[cfg(feature = "openapi")]
impl DirectUploadStatus {
    pub fn example() -> Self {
        Self {
            success: true,
            state: DirectUploadState::Used,
            content_uuid: Some(CONTENT_UUID.to_owned()),
            content_state: Some(ContentState::Processing),
            error_message_code: None,
            check_after_seconds: Some(5),
        }
    }
}
