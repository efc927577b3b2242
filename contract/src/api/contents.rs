//! The requests with which an owner changes a content, and their answer.

use super::{Member, Metadata, member};
use crate::state::ContentState;
use crate::whole_number;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RescheduleContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The new publication time, 5 minutes to 180 days ahead. Null publishes the video at once, or as soon as it is
    /// approved. The member is required, so that forgetting it does not publish the video.
    #[serde(deserialize_with = "whole_number::optional")]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
}

/// The fields to change. An omitted member leaves its field unchanged; null removes the value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UpdateContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The caption of the video. The address of its page stays the same.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, required = false, max_length = 2200))]
    pub caption: Member<String>,
    /// An id from the category list.
    #[serde(default, deserialize_with = "member::whole_number")]
    #[cfg_attr(feature = "openapi", schema(
        value_type = Option<u64>, required = false, minimum = 0, maximum = 9_007_199_254_740_991_i64
    ))]
    pub super_category_id: Member<u64>,
    /// A summary of what happens in the video.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, required = false, max_length = 5000))]
    pub ai_summary_of_content: Member<String>,
    /// The publication time, 5 minutes to 180 days ahead. Null publishes the video immediately, or as soon as it is
    /// approved.
    #[serde(default, deserialize_with = "member::whole_number")]
    #[cfg_attr(feature = "openapi", schema(
        value_type = Option<u64>, required = false, minimum = 0, maximum = 9_007_199_254_740_991_i64
    ))]
    pub scheduled_publish_at_unix: Member<u64>,
    /// The time of the new thumbnail frame, `hh:mm:ss` within the video. Null lets the service choose a frame. The old
    /// thumbnail stays until the new one is made; `thumbnail_change` in the status tells when.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(
        value_type = Option<String>, required = false, pattern = "^[0-9]{2}:[0-5][0-9]:[0-5][0-9]$"
    ))]
    pub thumbnail_time: Member<String>,
    /// Your own id of the video.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, required = false, max_length = 128))]
    pub external_id: Member<String>,
    /// Your own data about the video, which replaces all data sent before.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Metadata>, required = false))]
    pub metadata: Member<Metadata>,
}

/// A picture of the owner's own as the new thumbnail of a video.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[allow(dead_code, reason = "only its shape matters")]
pub struct UpdateThumbnailForm {
    #[schema(format = "uuid")]
    content_uuid: String,
    /// The thumbnail picture: JPEG, PNG or WebP, at most 2 MB.
    #[schema(value_type = String, format = Binary)]
    thumbnail_file: Vec<u8>,
}

/// Captions for one language of a video.
// Only for the OpenAPI document.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[allow(dead_code, reason = "only its shape matters")]
pub struct UpdateCaptionsForm {
    #[schema(format = "uuid")]
    content_uuid: String,
    /// A language tag such as `en`, `pt-BR` or `zh-Hant` (BCP 47).
    #[schema(max_length = 12)]
    language: String,
    /// A WebVTT or SubRip file in UTF-8, at most 512 KiB. Only its text and its times are kept.
    #[schema(value_type = String, format = Binary)]
    captions_file: Vec<u8>,
}

/// The captions to delete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteCaptions {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The language tag of the captions.
    pub language: String,
}

/// The content after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContentChanged {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub state: ContentState,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub published_at_unix: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_schedule_is_an_error_and_not_null() {
        let parse = serde_json::from_str::<RescheduleContent>;
        let null = parse(r#"{"content_uuid":"c","scheduled_publish_at_unix":null}"#);
        assert_eq!(null.unwrap().scheduled_publish_at_unix, None);
        assert!(parse(r#"{"content_uuid":"c"}"#).is_err());
    }

    #[test]
    fn a_member_that_is_not_sent_differs_from_null() {
        let parse = |json: &str| serde_json::from_str::<UpdateContent>(json);
        let update = parse(r#"{"content_uuid":"c","caption":null,"super_category_id":3.0,"metadata":{}}"#).unwrap();
        assert_eq!(update.caption, Member::Null);
        assert_eq!(update.super_category_id, Member::Value(3));
        assert_eq!(update.metadata, Member::Value(Metadata::default()));
        assert_eq!(update.scheduled_publish_at_unix, Member::Missing);
        assert!(parse(r#"{"content_uuid":"c","caption":"a","caption":"b"}"#).is_err());
    }
}
