//! Reports of viewers, and the contents that a person should look at again.

use super::ReviewClaim;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, NOW, SITE, review_url, video_url};
#[cfg(feature = "openapi")]
use crate::paths;
use crate::state::ContentState;
use serde::{Deserialize, Serialize};

/// A viewer's reason for reporting a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReportReason {
    Illegal,
    Violence,
    Sexual,
    Hate,
    Harassment,
    Copyright,
    Spam,
    Other,
}

impl ReportReason {
    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Illegal => "illegal",
            Self::Violence => "violence",
            Self::Sexual => "sexual",
            Self::Hate => "hate",
            Self::Harassment => "harassment",
            Self::Copyright => "copyright",
            Self::Spam => "spam",
            Self::Other => "other",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReportPage {
    /// The URL of the page, of its player or of one of its files.
    #[cfg_attr(feature = "openapi", schema(max_length = 2_000))]
    pub page: String,
    pub reason: ReportReason,
    /// A description of the problem in the viewer's words. May be empty.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(max_length = 2_000))]
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct PageReported {
    pub success: bool,
    /// Show it to the viewer. Anyone who has it can read the outcome of the report.
    pub receipt: String,
}

/// The outcome of a viewer's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ReportOutcome {
    /// A moderator still has to review the video, even if its owner has deleted it.
    Waiting,
    /// The video was removed.
    Removed,
    /// A moderator reviewed the video and did not remove it, or the removal was reversed.
    Kept,
    /// The owner deleted the video, and no moderator removed it.
    Deleted,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReportStatus {
    pub success: bool,
    pub outcome: ReportOutcome,
    pub reported_at_unix: u64,
}

/// A viewer's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AbuseReport {
    pub reason: ReportReason,
    pub text: String,
    pub reported_at_unix: u64,
}

/// A published or scheduled video that needs another review, or such a video that its owner has deleted since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FlaggedContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub channel_id: u64,
    pub state: ContentState,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub caption: Option<String>,
    pub slug_url: String,
    pub flagged_at_unix: u64,
    /// A hash that was blocked after the video was approved and matches one of its frames; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub hash: Option<String>,
    /// The number of networks from which viewers reported the video.
    pub reports: u64,
    /// The latest reports, at most 20.
    pub latest_reports: Vec<AbuseReport>,
    /// The URL of the picture that viewers see before the video plays. It works for 15 minutes without a token.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub poster_url: Option<String>,
    /// The URL of the video with its sound. It works for 15 minutes without a token. Null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub video_url: Option<String>,
    /// The moderator who is looking at the video; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub claim: Option<ReviewClaim>,
}

/// The first flagged videos: published videos before others, most reported first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct FlaggedContents {
    pub success: bool,
    pub contents: Vec<FlaggedContent>,
    /// Whether there are more. They follow once these are decided or dismissed.
    pub has_more: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct FlagDismissed {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[cfg(feature = "openapi")]
impl ReportPage {
    pub fn example() -> Self {
        Self {
            page: format!("{SITE}{}a-dog-that-surfs-x1y2z3", paths::PAGE),
            reason: ReportReason::Violence,
            text: "They fight for real.".to_owned(),
        }
    }
}

#[cfg(feature = "openapi")]
impl PageReported {
    pub fn example() -> Self {
        Self { success: true, receipt: "7-6b01a2d5-4f0c2a9e81d37b65".to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ReportStatus {
    pub fn example() -> Self {
        Self { success: true, outcome: ReportOutcome::Removed, reported_at_unix: NOW }
    }
}

#[cfg(feature = "openapi")]
impl FlaggedContents {
    pub fn example() -> Self {
        let text = "They fight for real.".to_owned();
        let flagged = FlaggedContent {
            content_uuid: CONTENT_UUID.to_owned(),
            channel_id: 12,
            state: ContentState::Published,
            caption: Some("A dog that surfs".to_owned()),
            slug_url: "a-dog-that-surfs-x1y2z3".to_owned(),
            flagged_at_unix: NOW,
            hash: None,
            reports: 2,
            latest_reports: vec![AbuseReport { reason: ReportReason::Violence, text, reported_at_unix: NOW }],
            poster_url: Some(review_url("poster.jpg")),
            video_url: Some(video_url()),
            claim: None,
        };
        Self { success: true, contents: vec![flagged], has_more: false }
    }
}

#[cfg(feature = "openapi")]
impl FlagDismissed {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::ReportReason::{Copyright, Harassment, Hate, Illegal, Other, Sexual, Spam, Violence};

    #[test]
    fn the_database_name_of_a_reason_equals_the_json_name() {
        for reason in [Illegal, Violence, Sexual, Hate, Harassment, Copyright, Spam, Other] {
            assert_eq!(serde_json::to_value(reason).unwrap(), reason.as_str());
        }
    }
}
