//! The row of a content, as the rules see it. Its columns have the names of the fields.

use super::json_text;
use crate::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::slug::{self, Slug};
use crate::unix_seconds::UnixSeconds;
use contract::ContentState;
use contract::api::WaitsFor;
use contract::moderation::FrameHash;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Content {
    pub id: u64,
    pub uuid: ContentUuid,
    pub channel_id: ChannelId,
    pub revision: u64,
    pub state: ContentState,
    pub generation: u64,
    pub slug_url: String,
    pub slug_caption: Option<String>,
    pub media_name: String,
    pub caption: Option<String>,
    pub super_category_id: Option<u64>,
    #[expect(clippy::struct_field_names, reason = "the field of the API is called so")]
    pub ai_summary_of_content: Option<String>,
    pub external_id: Option<String>,
    pub metadata: Option<String>,
    pub scheduled_publish_at_unix: Option<UnixSeconds>,
    pub duration_ms: u64,
    pub file_sha256: String,
    pub media: Option<String>,
    pub media_generation: Option<u64>,
    #[serde(with = "json_text")]
    pub thumbnail: Thumbnail,
    pub captions_generation: Option<u64>,
    pub waits_for: Option<WaitsFor>,
    pub waits_since_unix: Option<UnixSeconds>,
    pub error_code: Option<String>,
    pub error_detail: Option<String>,
    pub finished_at_unix: Option<UnixSeconds>,
    pub published_at_unix: Option<UnixSeconds>,
    pub events_count: u64,
    pub is_compacted: u8,
    pub expanded_at_unix: Option<UnixSeconds>,
}

/// The thumbnail that the owner asked for and that is shown, or will be once the first job is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thumbnail {
    /// The time of the frame. Without it and without a picture, the service has chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// SHA-256 of the picture that the owner sent. The same picture again changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture_sha256: Option<String>,
    /// The generation whose folder has the poster and the thumbnails, if it is not that of the other files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// The frame hashes of a thumbnail that was made later than the video. If a moderator removes the content, they go
    /// onto the blocklist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameHash>,
}

/// The uploaded file, as it was measured while it arrived.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Source {
    pub container: String,
    pub width: Option<u32>,
    pub height: Option<u32>,
    pub size_bytes: u64,
}

/// Captions of one language that the owner sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Captions {
    /// The name under which the file is stored.
    pub name: UploadUuid,
    pub language: String,
    pub sha256: String,
    /// Whether the owner wants them, and whether viewers see them. They differ while a change is being made.
    pub is_wanted: u8,
    pub is_shown: u8,
}

impl Content {
    pub(crate) fn is_approved(&self) -> bool {
        matches!(self.state, ContentState::Scheduled | ContentState::Published)
    }

    /// Whether the content is shown to nobody any more, by the decision of somebody.
    pub(crate) fn is_removed(&self) -> bool {
        matches!(self.state, ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted)
    }

    /// Whether its job is done, but somebody has to decide, or a check has to be repeated.
    pub(crate) fn is_waiting(&self) -> bool {
        self.state == ContentState::Processing && self.waits_for.is_some()
    }

    /// Returns the slug in its long form.
    pub(crate) fn long_slug(&self) -> Slug {
        let caption = self.slug_caption.as_deref().or(self.caption.as_deref());
        slug::long_form(&self.slug_url, caption)
    }
}
