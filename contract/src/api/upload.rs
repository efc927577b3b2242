//! The form and the result of an upload, and the report of the sweep.

use super::LimitState;
use crate::state::ContentState;
use serde::{Deserialize, Serialize};

/// The `message_code` of every successful upload.
pub const UPLOAD_SUCCESS: &str = "content_upload_success";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
    /// The state of the video now. Only the answer to a repeated `upload_token` has it; a new video is `processing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub content_state: Option<ContentState>,
}

/// The fields of an upload, in the order in which they are best sent. An optional field that is empty counts as not
/// sent.
///
/// Captions of your own have a field for each language, such as `captions_file_de` or `captions_file_pt-BR`: see the
/// pattern of the names.
// Only for the OpenAPI document. Optional fields are no `Option`, which would allow null: a form has no null.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[allow(dead_code, reason = "only its shape matters")]
pub struct UploadForm {
    /// A UUID that the client generates for this upload. Retrying with the same token never creates a second video.
    /// Send it before `file`, or in the header `Idempotency-Key`: then a retry stores nothing, and gets a response even
    /// when the daily limit is used up.
    #[schema(required = false, format = "uuid")]
    upload_token: String,
    /// The caption of the video. It may contain hashtags.
    #[schema(required = false, max_length = 2200, example = "My first video #fun")]
    caption: String,
    /// An id from the category list.
    #[schema(required = false, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    super_category_id: u64,
    /// The time of the thumbnail frame, `hh:mm:ss` within the video. Cannot be combined with `thumbnail_file`.
    #[schema(required = false, pattern = "^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$", example = "00:00:02")]
    thumbnail_time: String,
    /// The thumbnail picture: JPEG, PNG or WebP, at most 2 MB. Cannot be combined with `thumbnail_time`.
    #[schema(required = false, value_type = String, format = Binary)]
    thumbnail_file: Vec<u8>,
    /// A summary of what happens in the video.
    #[schema(required = false, max_length = 5000)]
    ai_summary_of_content: String,
    /// The publication time, as Unix time in seconds: 5 minutes to 180 days ahead.
    #[schema(required = false, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    scheduled_publish_at_unix: u64,
    /// Your own id of the video. Status and list return it, and the list can be filtered by it. It need not be unique.
    #[schema(required = false, max_length = 128)]
    external_id: String,
    /// Your own data about the video: a JSON object with at most 20 members, 4,096 bytes in total. Names consist of 1
    /// to 40 letters, digits, `_`, `-` and `.`. Values are strings of at most 500 characters.
    #[schema(required = false, max_length = 4096, example = "{\"campaign\":\"spring\"}")]
    metadata: String,
    /// The video.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// The bytes of a file.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct Bytes(#[allow(dead_code, reason = "only its shape matters")] Vec<u8>);

/// The results of one run of the sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
