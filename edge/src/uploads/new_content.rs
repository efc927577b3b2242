//! An upload that is ready for its commit, and the columns of the content that it becomes.

use super::direct::Rules;
use super::file::ReceivedFile;
use super::form::fields::Fields;
use super::names::UploadNames;
use crate::contents::field_rules::metadata_json;
use crate::contents::first_captions::FirstCaptions;
use crate::contents::life::label::LabelState;
use crate::contents::life::{Source, Thumbnail};
use crate::platform::database::{DatabaseError, json_text};
use contract::{TraceContext, Visibility};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The data that the commit writes.
pub(crate) struct NewContent<'a> {
    pub names: &'a UploadNames,
    pub fields: &'a Fields,
    /// The SHA-256 of the thumbnail picture, if one was sent.
    pub picture_sha256: Option<&'a str>,
    pub captions: &'a [FirstCaptions],
    pub file: &'a ReceivedFile,
    pub fingerprint: &'a str,
    /// The consequences of a one-time token for the content.
    pub direct: Option<DirectContent>,
    pub trace: TraceContext,
}

/// The consequences of an upload with a one-time token for its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DirectContent {
    requires_release: bool,
}

impl DirectContent {
    pub(crate) fn of(rules: &Rules) -> Self {
        Self { requires_release: rules.requires_release }
    }
}

impl NewContent<'_> {
    /// Returns the columns of the content that follow from its upload.
    pub(super) fn columns(&self) -> Result<Map<String, Value>, DatabaseError> {
        let NewContent { names, fields, file, .. } = self;
        let video = file.media.video();
        let metadata = fields.metadata.as_ref().filter(|metadata| !metadata.is_empty());
        let source = Source {
            container: file.media.container.name().to_owned(),
            width: video.and_then(|track| track.width),
            height: video.and_then(|track| track.height),
            size_bytes: file.size_bytes,
        };
        let thumbnail = Thumbnail {
            seconds: fields.thumbnail_time_seconds,
            picture_sha256: self.picture_sha256.map(str::to_owned),
            ..Thumbnail::default()
        };
        let columns = json!({
            "slug_url": names.slug(fields.caption.as_deref()),
            "media_name": names.media_name,
            "caption": fields.caption,
            "super_category_id": fields.super_category_id,
            "ai_summary_of_content": fields.ai_summary_of_content,
            "external_id": fields.external_id,
            "metadata": metadata.and_then(|metadata| metadata_json(metadata).ok()),
            "scheduled_publish_at_unix": fields.scheduled_publish_at_unix,
            "source": json_text(&source)?,
            "duration_ms": file.media.duration_ms,
            "file_sha256": file.sha256,
            "thumbnail": json_text(&thumbnail)?,
            "is_unlisted": u8::from(fields.visibility == Some(Visibility::Unlisted)),
            "is_sensitive": LabelState::by_owner(fields.is_sensitive == Some(true)),
            "is_ai_generated": LabelState::by_owner(fields.is_ai_generated == Some(true)),
            "needs_release": u8::from(self.direct.is_some_and(|direct| direct.requires_release)),
        });
        match columns {
            Value::Object(columns) => Ok(columns),
            _ => Ok(Map::new()),
        }
    }
}
