//! The answer to another site that asks for the player of a page (oEmbed 1.0).

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Oembed {
    /// Always `1.0`.
    pub version: String,
    /// Always `video`.
    #[serde(rename = "type")]
    pub kind: String,
    pub title: String,
    /// The name of the channel, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub author_name: Option<String>,
    pub provider_name: String,
    pub provider_url: String,
    /// The seconds for which the answer may be kept.
    pub cache_age: u32,
    /// The poster and its size. Left out if the size is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub thumbnail_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub thumbnail_width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub thumbnail_height: Option<u32>,
    /// The HTML that shows the player.
    pub html: String,
    pub width: u32,
    pub height: u32,
}
