//! The requests with which an owner changes a content, and their answer.

use super::{Member, Metadata, member};
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, TOMORROW};
#[cfg(feature = "openapi")]
use crate::form_field::{update_properties, uuid};
use crate::state::ContentState;
use crate::{whole_number, with_texts};
use serde::{Deserialize, Serialize};
#[cfg(feature = "openapi")]
use utoipa::PartialSchema as _;
#[cfg(feature = "openapi")]
use utoipa::openapi::{ObjectBuilder, RefOr, Schema};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeleteContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct RescheduleContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The new publication time, 5 minutes to 180 days ahead. Null publishes the video immediately, or as soon as it is
    /// approved, even if it needed a release. The member is required, so that omitting it does not publish the video.
    #[serde(deserialize_with = "whole_number::optional")]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReleaseContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

with_texts! {
    (#[serde(default, skip_serializing_if = "Member::is_missing")] Member<String>)
    /// The fields to change. An omitted member leaves its field unchanged; null removes the value.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub struct UpdateContent {
        pub content_uuid: String,
        #[serde(default, deserialize_with = "member::whole_number", skip_serializing_if = "Member::is_missing")]
        pub super_category_id: Member<u64>,
        #[serde(default, deserialize_with = "member::whole_number", skip_serializing_if = "Member::is_missing")]
        pub scheduled_publish_at_unix: Member<u64>,
        /// `hh:mm:ss`.
        #[serde(default, skip_serializing_if = "Member::is_missing")]
        pub thumbnail_time: Member<String>,
        /// The name of a `Visibility`.
        #[serde(default, skip_serializing_if = "Member::is_missing")]
        pub visibility: Member<String>,
        #[serde(default, skip_serializing_if = "Member::is_missing")]
        pub is_sensitive: Member<bool>,
        #[serde(default, skip_serializing_if = "Member::is_missing")]
        pub is_ai_generated: Member<bool>,
        #[serde(default, skip_serializing_if = "Member::is_missing")]
        pub metadata: Member<Metadata>,
    }
}

impl UpdateContent {
    /// Returns an update that changes nothing.
    pub fn of(content_uuid: impl Into<String>) -> Self {
        Self { content_uuid: content_uuid.into(), ..Self::default() }
    }

    /// Whether it changes nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::of(self.content_uuid.as_str())
    }
}

#[cfg(feature = "openapi")]
impl utoipa::ToSchema for UpdateContent {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Metadata::name().into_owned(), Metadata::schema()));
    }
}

#[cfg(feature = "openapi")]
impl utoipa::PartialSchema for UpdateContent {
    fn schema() -> RefOr<Schema> {
        let description = "The fields to change. An omitted member leaves its field unchanged; null removes the value.";
        let object = ObjectBuilder::new().description(Some(description)).property("content_uuid", uuid());
        let fields = update_properties();
        let object = fields.fold(object, |object, (field, schema)| object.property(field.name(), schema));
        object.required("content_uuid").into()
    }
}

/// A picture of your own as the new thumbnail of a video.
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
    /// A WebVTT or SubRip file in UTF-8, at most 512 KiB. Only text and timings are kept.
    #[schema(value_type = String, format = Binary)]
    captions_file: Vec<u8>,
}

/// The captions to delete.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeleteCaptions {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The language tag of the captions.
    pub language: String,
}

/// The video after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
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

#[cfg(feature = "openapi")]
impl DeleteContent {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl RescheduleContent {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned(), scheduled_publish_at_unix: Some(TOMORROW) }
    }
}

#[cfg(feature = "openapi")]
impl ReleaseContent {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl DeleteCaptions {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned(), language: "de".to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ContentChanged {
    pub fn example() -> Self {
        Self {
            success: true,
            content_uuid: CONTENT_UUID.to_owned(),
            state: ContentState::Scheduled,
            scheduled_publish_at_unix: Some(TOMORROW),
            published_at_unix: None,
        }
    }
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
    fn an_update_is_read_as_it_is_written() {
        let update = UpdateContent {
            caption: Member::Value("new".to_owned()),
            super_category_id: Member::Null,
            metadata: Member::Value([("a", "1")].into_iter().collect()),
            ..UpdateContent::of("c")
        };
        for update in [update, UpdateContent::of("c")] {
            let written = serde_json::to_string(&update).unwrap();
            assert_eq!(serde_json::from_str::<UpdateContent>(&written).unwrap(), update);
            assert_eq!(update.is_empty(), written == r#"{"content_uuid":"c"}"#);
        }
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
