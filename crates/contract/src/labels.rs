//! The labels and the visibility of a video.

use serde::{Deserialize, Serialize};

/// The people who can find a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody. Search engines may list the page.
    #[default]
    Public,
    /// Everybody who has the link. Search engines are asked not to list the page.
    Unlisted,
}

impl Visibility {
    pub const ALL: [Self; 2] = [Self::Public, Self::Unlisted];
    pub const NAMES: [&str; 2] = [Self::Public.as_str(), Self::Unlisted.as_str()];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Unlisted => "unlisted",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|visibility| visibility.as_str() == name)
    }
}

/// A label of a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Label {
    /// Viewers see a warning before the video.
    #[serde(rename = "is_sensitive")]
    Sensitive,
    /// Viewers are told that the video was made with AI.
    #[serde(rename = "is_ai_generated")]
    AiGenerated,
}

impl Label {
    /// Returns the name of the field that sets the label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sensitive => "is_sensitive",
            Self::AiGenerated => "is_ai_generated",
        }
    }
}

/// Reads a label as a form sends it: `true` or `false`.
pub fn parse_flag(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
