//! How a content is doing, as its owner asks.

use crate::ErrorCode;
use crate::state::{ContentState, Stage};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UploadStatus {
    pub success: bool,
    #[serde(flatten)]
    pub content: ContentStatus,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContentStatus {
    pub content_id: u64,
    pub content_uuid: String,
    pub state: ContentState,
    /// How far it is, while it is being processed.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub stage: Option<Stage>,
    pub progress_percent: u8,
    /// Why it ended badly, if it did.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error_message_code: Option<ErrorCode>,
    /// More about that, or what it is waiting for.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub detail: Option<String>,
    pub created_at_unix: u64,
    /// When processing ended, well or badly.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub finished_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub published_at_unix: Option<u64>,
    pub duration_ms: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub width: Option<u32>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub height: Option<u32>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub caption: Option<String>,
    pub media_name: String,
    pub slug_url: String,
    /// Base64 of a ThumbHash: a blurred placeholder until the pictures are there.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub thumbhash: Option<String>,
    /// Its pictures; only the owner sees them before it is public.
    pub thumbnails: Vec<Thumbnail>,
    /// Where everybody finds it; null unless it is public.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub urls: Option<PublicUrls>,
    /// Asking again earlier will show nothing new; null when nothing more will happen by itself.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub check_after_seconds: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Thumbnail {
    pub width: u32,
    pub url: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PublicUrls {
    pub page: String,
    pub video: String,
    pub hls: String,
    pub poster: String,
}

/// A channel's uploads, the newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Uploads {
    pub success: bool,
    pub uploads: Vec<ContentStatus>,
    /// Send it as `cursor` for those that follow; null at the end.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}
