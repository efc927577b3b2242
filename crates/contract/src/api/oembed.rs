//! The answer to another site that asks for the player of a page (oEmbed 1.0).

#[cfg(feature = "openapi")]
use crate::example::{MEDIA_NAME, SITE, SLUG_URL};
#[cfg(feature = "openapi")]
use crate::paths;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
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
    /// The seconds for which the response may be cached.
    pub cache_age: u32,
    /// The URL of the poster. The poster and its size are omitted if the size is not known, or if the video is
    /// sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub thumbnail_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub thumbnail_width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub thumbnail_height: Option<u32>,
    /// Whether the player shows a warning before the video. Then there is no thumbnail.
    pub is_sensitive: bool,
    /// Whether the video was made with AI.
    pub is_ai_generated: bool,
    /// The HTML that shows the player.
    pub html: String,
    pub width: u32,
    pub height: u32,
}

#[cfg(feature = "openapi")]
impl Oembed {
    pub fn example() -> Self {
        let player = format!("{SITE}{}{SLUG_URL}", paths::EMBED);
        Self {
            version: "1.0".to_owned(),
            kind: "video".to_owned(),
            title: "My first video #fun".to_owned(),
            author_name: Some("Surfing dogs".to_owned()),
            provider_name: "clipgate.example".to_owned(),
            provider_url: SITE.to_owned(),
            cache_age: 60,
            thumbnail_url: Some(format!("{SITE}{}{MEDIA_NAME}/poster.jpg", paths::MEDIA)),
            thumbnail_width: Some(1280),
            thumbnail_height: Some(720),
            is_sensitive: false,
            is_ai_generated: false,
            html: format!("<iframe src=\"{player}\" width=\"640\" height=\"360\" allowfullscreen></iframe>"),
            width: 640,
            height: 360,
        }
    }
}
