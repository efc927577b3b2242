//! What an owner does with a content of the channel.

use crate::state::ContentState;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeleteContent {
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RescheduleContent {
    pub content_uuid: String,
    /// 5 minutes to 180 days ahead; null publishes as soon as it is approved, at once if it is. It must be there: who
    /// forgets it does not publish by that.
    #[serde(deserialize_with = "Option::deserialize")]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
}

/// The content as it stands afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContentChanged {
    pub success: bool,
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
    fn a_schedule_that_is_not_named_is_not_null() {
        let parse = serde_json::from_str::<RescheduleContent>;
        let null = parse(r#"{"content_uuid":"c","scheduled_publish_at_unix":null}"#);
        assert_eq!(null.unwrap().scheduled_publish_at_unix, None);
        assert!(parse(r#"{"content_uuid":"c"}"#).is_err());
    }
}
