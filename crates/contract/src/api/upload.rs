//! The form and the result of an upload, and the report of the sweep.

use super::LimitState;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, MEDIA_NAME, SLUG_URL};
use crate::state::ContentState;
#[cfg(feature = "openapi")]
use crate::{FormField, form_field::upload_properties};
use serde::{Deserialize, Serialize};
#[cfg(feature = "openapi")]
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

/// The `message_code` of every successful upload.
pub const UPLOAD_SUCCESS: &str = "content_upload_success";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct UploadResult {
    pub success: bool,
    /// The id of the upload record.
    pub id: u64,
    pub content_id: u64,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The generated file name of the stored video.
    pub media_name: String,
    pub message_code: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    #[serde(flatten)]
    pub limit: LimitState,
    /// The slug of the public page: `{site_url}/meme/<slug_url>`.
    pub slug_url: String,
    /// The current state of the video, only in the response to a repeated `upload_token`. A new video is `processing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub content_state: Option<ContentState>,
    /// True if this is a test video. Omitted otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "openapi", schema(required = false))]
    pub is_test: bool,
}

/// The form of an upload.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug)]
pub struct UploadForm;

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for UploadForm {}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for UploadForm {
    fn schema() -> RefOr<Schema> {
        let description = "The fields of an upload, in the recommended order. An empty optional field counts as \
             omitted.\n\n\
             Send captions in a separate field for each language, such as `captions_file_de` or `captions_file_pt-BR`: \
             see the pattern of the names.";
        let form = ObjectBuilder::new().description(Some(description));
        let form = upload_properties().fold(form, |form, (field, schema)| form.property(field.name(), schema));
        form.required(FormField::File.name()).into()
    }
}

/// The bytes of a file.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct Bytes(#[allow(dead_code, reason = "only its shape matters")] Vec<u8>);

/// The results of one run of the sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct SweepReport {
    pub success: bool,
    /// Scheduled contents that were published because their time had come.
    pub published_contents: u64,
    /// Changed contents that were removed from the cache. Each is removed twice.
    pub purged_tags: u64,
    /// Reservations whose lease had expired; their slots are free again.
    pub expired_reservations: u64,
    /// Failed uploads whose objects were deleted.
    pub removed_uploads: u64,
    /// Jobs that were sent again because they had not reached the queue.
    pub resent_jobs: u64,
    /// Contents that got a new job because they had been processing for too long or waited for a moderation check.
    pub requeued_contents: u64,
    /// Contents that became `failed` because their last attempt never reported.
    pub failed_contents: u64,
    /// Events that were deleted because they were older than 30 days.
    pub deleted_events: u64,
    /// Contents whose objects were checked; objects that are no longer needed were deleted.
    pub cleaned_contents: u64,
}

#[cfg(feature = "openapi")]
impl UploadResult {
    pub fn example() -> Self {
        Self {
            success: true,
            id: 7,
            content_id: 7,
            content_uuid: CONTENT_UUID.to_owned(),
            media_name: format!("{MEDIA_NAME}.mp4"),
            message_code: UPLOAD_SUCCESS.to_owned(),
            scheduled_publish_at_unix: None,
            limit: LimitState::example(),
            slug_url: SLUG_URL.to_owned(),
            content_state: None,
            is_test: false,
        }
    }
}

#[cfg(feature = "openapi")]
impl SweepReport {
    pub fn example() -> Self {
        Self { success: true, published_contents: 1, ..Self::default() }
    }
}
