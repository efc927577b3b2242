//! The requests with which an owner changes a content, and their answer.

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
}
