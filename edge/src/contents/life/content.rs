//! The row of a content for the rules. Its columns have the names of the fields.

use super::json_text;
use super::label::LabelState;
use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::slug::{self, Slug};
use crate::base::unix_seconds::UnixSeconds;
use contract::api::WaitsFor;
use contract::job::StoredMedia;
use contract::moderation::FrameHash;
use contract::{ContentState, ErrorCode};
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
    pub needs_release: u8,
    pub is_unlisted: u8,
    pub is_sensitive: LabelState,
    pub is_ai_generated: LabelState,
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
    pub policy_code: Option<String>,
    pub finished_at_unix: Option<UnixSeconds>,
    pub published_at_unix: Option<UnixSeconds>,
    pub events_count: u64,
    pub is_compacted: u8,
    pub expanded_at_unix: Option<UnixSeconds>,
}

/// The owner's choice of thumbnail that is shown, or will be once the first job is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Thumbnail {
    /// The time of the frame. Without a time and a picture, the service chooses the frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u32>,
    /// SHA-256 of the picture that the owner sent. Sending the same picture again changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture_sha256: Option<String>,
    /// The generation whose folder has the poster and the thumbnails, if it differs from `media_generation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<u64>,
    /// The frame hashes of a thumbnail that was made later than the video. If a moderator removes the content, they go
    /// onto the blocklist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<FrameHash>,
}

/// The visibility and the labels of a content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the columns are called so")]
pub(crate) struct Presentation {
    pub is_unlisted: u8,
    pub is_sensitive: LabelState,
    pub is_ai_generated: LabelState,
}

/// The properties of the uploaded file, measured while it arrived.
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
    /// Returns the visibility and the labels.
    pub(crate) const fn presentation(&self) -> Presentation {
        Presentation {
            is_unlisted: self.is_unlisted,
            is_sensitive: self.is_sensitive,
            is_ai_generated: self.is_ai_generated,
        }
    }

    pub(crate) fn is_approved(&self) -> bool {
        matches!(self.state, ContentState::Scheduled | ContentState::Published)
    }

    /// Whether the content was rejected, taken down or deleted.
    pub(crate) fn is_removed(&self) -> bool {
        matches!(self.state, ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted)
    }

    /// Whether an approval does not publish it yet, because its time is to come or its owner has to release it first.
    pub(crate) fn is_for_later(&self, now: UnixSeconds) -> bool {
        self.needs_release != 0 || self.scheduled_publish_at_unix.is_some_and(|time| time > now)
    }

    /// Whether its job is done, but a moderator has to decide or a check has to be repeated.
    pub(crate) fn is_waiting(&self) -> bool {
        self.state == ContentState::Processing && self.waits_for.is_some()
    }

    pub(crate) fn set_media(&mut self, media: &StoredMedia) -> Result<(), ErrorCode> {
        self.media = Some(serde_json::to_string(media).map_err(|_| ErrorCode::InternalError)?);
        Ok(())
    }

    /// Returns the slug in its long form.
    pub(crate) fn long_slug(&self) -> Slug {
        let caption = self.slug_caption.as_deref().or(self.caption.as_deref());
        slug::long_form(&self.slug_url, caption)
    }
}
