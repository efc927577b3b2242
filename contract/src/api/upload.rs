//! The result of an upload.

use super::LimitState;
use serde::{Deserialize, Serialize};

/// The `message_code` of every successful upload.
pub const UPLOAD_SUCCESS: &str = "content_upload_success";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UploadResult {
    pub success: bool,
    /// The upload record.
    pub id: u64,
    pub content_id: u64,
    pub content_uuid: String,
    /// The stored media's generated file name.
    pub media_name: String,
    pub message_code: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    #[serde(flatten)]
    pub limit: LimitState,
    /// The public page will be `{site_url}/meme/<slug_url>`.
    pub slug_url: String,
}

/// The form of `upload_video`, as the API description shows it.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[allow(dead_code, reason = "only its shape matters")]
pub struct UploadForm {
    /// The video.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
    /// At most 2,200 characters; may contain hashtags.
    caption: Option<String>,
    /// An id of the category list.
    super_category_id: Option<u64>,
    /// `hh:mm:ss`, within the video; not together with `thumbnail_file`.
    thumbnail_time: Option<String>,
    /// JPEG, PNG or WebP, at most 2 MB.
    #[schema(value_type = Option<String>, format = Binary)]
    thumbnail_file: Option<Vec<u8>>,
    /// At most 5,000 characters.
    ai_summary_of_content: Option<String>,
    /// 5 minutes to 180 days ahead.
    scheduled_publish_at_unix: Option<u64>,
    /// A UUID of the client's own for this upload: sent again, it makes no second content. Send it before `file`: then a
    /// repetition stores nothing, and is answered on a day without uploads left too.
    upload_token: Option<String>,
}

/// What the sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SweepReport {
    pub success: bool,
    /// Scheduled contents whose time had come: they are public now.
    pub published_contents: u64,
    /// Reservations whose lease was over: their slots are free again.
    pub expired_reservations: u64,
    /// Uploads that came to nothing and whose objects are deleted now.
    pub removed_uploads: u64,
    /// Jobs that had not reached the queue.
    pub resent_jobs: u64,
    /// Contents that got a new job: they had been processing for too long, or waited for a check of moderation.
    pub requeued_contents: u64,
    /// Contents whose last attempt ended without a word: they are `failed` now.
    pub failed_contents: u64,
    /// Contents whose objects were looked through; those that are not needed any more are deleted now.
    pub cleaned_contents: u64,
}
