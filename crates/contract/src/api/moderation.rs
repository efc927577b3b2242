//! The requests of moderators, and their answers.

use super::{ReviewClaim, Thumbnail, member};
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, MODERATOR, NOW, REASON, review_url, video_url};
use crate::moderation::Finding;
#[cfg(feature = "openapi")]
use crate::moderation::{Check, Recommendation};
use crate::state::ContentState;
use crate::{Label, Visibility};
use serde::{Deserialize, Serialize};

/// The check or decision that a video waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// A check that could not run. It is retried automatically.
    Check,
    /// A moderator's decision.
    Person,
}

impl WaitsFor {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Person => "person",
        }
    }
}

/// A video that waits for a decision, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedContent {
    pub content_id: u64,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub channel_id: u64,
    pub waits_for: WaitsFor,
    pub waits_since_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub caption: Option<String>,
    /// The owner's summary of what happens in the video.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub summary: Option<String>,
    pub created_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    pub duration_ms: u64,
    /// The findings of the checks, in the order of the report.
    pub findings: Vec<Finding>,
    /// Thumbnails of the video. Fetch them with the admin token.
    pub thumbnails: Vec<Thumbnail>,
    /// The URL of the picture that viewers see before the video plays. It works for 15 minutes without a token.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub poster_url: Option<String>,
    /// The URL of an image with frames of the whole video. It works for 15 minutes without a token.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_url: Option<String>,
    /// The URL of the video with its sound. It works for 15 minutes without a token. Null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub video_url: Option<String>,
    /// The moderator who is looking at the video; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub claim: Option<ReviewClaim>,
}

/// The waiting videos, longest-waiting first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ModerationQueue {
    pub success: bool,
    pub contents: Vec<QueuedContent>,
    /// Send it as `cursor` to get the next page; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

/// A video in any state, as a result of a moderator's search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FoundContent {
    pub content_id: u64,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub channel_id: u64,
    pub state: ContentState,
    /// The check or decision that the video waits for; null if it does not wait.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub waits_for: Option<WaitsFor>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub caption: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub summary: Option<String>,
    pub slug_url: String,
    pub media_name: String,
    pub visibility: Visibility,
    pub is_sensitive: bool,
    pub is_ai_generated: bool,
    /// The labels that a moderator set.
    pub moderator_labels: Vec<Label>,
    pub created_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub published_at_unix: Option<u64>,
    /// The URL of the video with its sound. It works for 15 minutes without a token. Null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub video_url: Option<String>,
}

/// The evidence of a video that was removed or flagged before its owner deleted it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeptEvidence {
    pub content_id: u64,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub channel_id: u64,
    /// `rejected` or `taken_down`. A flagged video has its state before the deletion, `published` or `scheduled`, until
    /// a person decides.
    pub state: ContentState,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub caption: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub summary: Option<String>,
    pub deleted_at_unix: u64,
    pub kept_until_unix: u64,
    /// The URL of the video with its sound. It works for 15 minutes without a token. Null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub video_url: Option<String>,
}

/// The evidence, newest video first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EvidencePage {
    pub success: bool,
    pub contents: Vec<KeptEvidence>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

/// The results of a moderator's search, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct FoundContents {
    pub success: bool,
    pub contents: Vec<FoundContent>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ModerateContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// A note for colleagues. The owner does not see it.
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
    /// The rule that the video breaks, for a rejection or a removal only. The owner reads its code and text. Without
    /// it, the decision names `other`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub policy_code: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ContentModerated {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub state: ContentState,
}

/// The labels to change. An omitted label stays as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct LabelContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// A note for colleagues. The owner does not see it.
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
    /// Whether viewers see a warning before the video. The owner cannot remove a label that a moderator set.
    #[serde(default, deserialize_with = "member::not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_sensitive: Option<bool>,
    /// Whether the page says that the video was made with AI.
    #[serde(default, deserialize_with = "member::not_null", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub is_ai_generated: Option<bool>,
}

/// The labels of a video after the change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ContentLabeled {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub is_sensitive: bool,
    pub is_ai_generated: bool,
    /// The labels that a moderator set.
    pub moderator_labels: Vec<Label>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ModerateChannel {
    #[cfg_attr(feature = "openapi", schema(maximum = 9_007_199_254_740_991_i64))]
    pub channel_id: u64,
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
}

/// A request to take down the published and scheduled videos of a channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct TakeDownChannel {
    #[cfg_attr(feature = "openapi", schema(maximum = 9_007_199_254_740_991_i64))]
    pub channel_id: u64,
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
    /// The rule that the videos break, as in a decision about one video.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub policy_code: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ChannelModerated {
    pub success: bool,
    pub channel_id: u64,
    pub is_suspended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ChannelTakenDown {
    pub success: bool,
    pub channel_id: u64,
    /// The number of videos that this request took down.
    pub taken_down: u64,
    /// Whether published or scheduled videos are left. Repeat the request until this is false.
    pub has_more: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecisionAction {
    Approve,
    Reject,
    TakeDown,
    Restore,
    RejectAppeal,
    Label,
    BlockHash,
    UnblockHash,
}

impl DecisionAction {
    pub const ALL: [Self; 8] = [
        Self::Approve,
        Self::Reject,
        Self::TakeDown,
        Self::Restore,
        Self::RejectAppeal,
        Self::Label,
        Self::BlockHash,
        Self::UnblockHash,
    ];

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == name)
    }

    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::TakeDown => "take_down",
            Self::Restore => "restore",
            Self::RejectAppeal => "reject_appeal",
            Self::Label => "label",
            Self::BlockHash => "block_hash",
            Self::UnblockHash => "unblock_hash",
        }
    }
}

/// A recorded decision of a moderator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Decision {
    pub action: DecisionAction,
    #[cfg_attr(feature = "openapi", schema(required, format = "uuid"))]
    pub content_uuid: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub hash: Option<String>,
    /// The name of the token that was used.
    pub by: String,
    pub reason: String,
    /// The rule that a rejection or a removal named; null for other decisions.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub policy_code: Option<String>,
    pub decided_at_unix: u64,
}

/// Recorded decisions, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Decisions {
    pub success: bool,
    pub decisions: Vec<Decision>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[cfg(feature = "openapi")]
impl ModerationQueue {
    pub fn example() -> Self {
        let finding = Finding {
            check: Check::Black,
            recommendation: Recommendation::Review,
            from_ms: Some(0),
            until_ms: Some(5_000),
            score: None,
            note: None,
        };
        let queued = QueuedContent {
            content_id: 7,
            content_uuid: CONTENT_UUID.to_owned(),
            channel_id: 12,
            waits_for: WaitsFor::Person,
            waits_since_unix: NOW + 20,
            caption: None,
            summary: Some("A dog surfs.".to_owned()),
            video_url: Some(video_url()),
            created_at_unix: NOW,
            scheduled_publish_at_unix: None,
            duration_ms: 5_000,
            findings: vec![finding],
            thumbnails: vec![],
            poster_url: Some(review_url("poster.jpg")),
            storyboard_url: Some(review_url("storyboard.jpg")),
            claim: None,
        };
        Self { success: true, contents: vec![queued], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl LabelContent {
    pub fn example() -> Self {
        Self {
            content_uuid: CONTENT_UUID.to_owned(),
            reason: REASON.to_owned(),
            is_sensitive: Some(true),
            is_ai_generated: None,
        }
    }
}

#[cfg(feature = "openapi")]
impl ContentLabeled {
    pub fn example() -> Self {
        Self {
            success: true,
            content_uuid: CONTENT_UUID.to_owned(),
            is_sensitive: true,
            is_ai_generated: false,
            moderator_labels: vec![Label::Sensitive],
        }
    }
}

#[cfg(feature = "openapi")]
impl FoundContents {
    pub fn example() -> Self {
        let found = FoundContent {
            content_id: 7,
            content_uuid: CONTENT_UUID.to_owned(),
            channel_id: 1,
            state: ContentState::Published,
            waits_for: None,
            caption: None,
            summary: None,
            video_url: Some(video_url()),
            slug_url: "a-clip-x1".to_owned(),
            media_name: "aB3.mp4".to_owned(),
            visibility: Visibility::Public,
            is_sensitive: true,
            is_ai_generated: false,
            moderator_labels: vec![Label::Sensitive],
            created_at_unix: NOW,
            published_at_unix: Some(NOW),
        };
        Self { success: true, contents: vec![found], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl EvidencePage {
    pub fn example() -> Self {
        let evidence = KeptEvidence {
            content_id: 99,
            content_uuid: CONTENT_UUID.to_owned(),
            channel_id: 12,
            state: ContentState::TakenDown,
            caption: Some("A staged fall".to_owned()),
            summary: None,
            deleted_at_unix: NOW,
            kept_until_unix: NOW + 90 * 86_400,
            video_url: Some(video_url()),
        };
        Self { success: true, contents: vec![evidence], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl ModerateContent {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned(), reason: REASON.to_owned(), policy_code: None }
    }
}

#[cfg(feature = "openapi")]
impl TakeDownChannel {
    pub fn example() -> Self {
        Self { channel_id: 12, reason: REASON.to_owned(), policy_code: Some("spam".to_owned()) }
    }
}

#[cfg(feature = "openapi")]
impl ContentModerated {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned(), state: ContentState::Published }
    }
}

#[cfg(feature = "openapi")]
impl ModerateChannel {
    pub fn example() -> Self {
        Self { channel_id: 12, reason: REASON.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ChannelModerated {
    pub fn example() -> Self {
        Self { success: true, channel_id: 12, is_suspended: true }
    }
}

#[cfg(feature = "openapi")]
impl ChannelTakenDown {
    pub fn example() -> Self {
        Self { success: true, channel_id: 12, taken_down: 20, has_more: true }
    }
}

#[cfg(feature = "openapi")]
impl Decisions {
    pub fn example() -> Self {
        let decision = Decision {
            action: DecisionAction::Approve,
            content_uuid: Some(CONTENT_UUID.to_owned()),
            hash: None,
            by: MODERATOR.to_owned(),
            reason: REASON.to_owned(),
            policy_code: None,
            decided_at_unix: NOW,
        };
        Self { success: true, decisions: vec![decision], next_cursor: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_name_equals_the_json_name() {
        use DecisionAction::{Approve, BlockHash, Reject, RejectAppeal, Restore, TakeDown, UnblockHash};
        for action in [Approve, Reject, TakeDown, Restore, RejectAppeal, BlockHash, UnblockHash] {
            assert_eq!(serde_json::to_value(action).unwrap(), action.as_str());
        }
        for waits_for in [WaitsFor::Check, WaitsFor::Person] {
            assert_eq!(serde_json::to_value(waits_for).unwrap(), waits_for.as_str());
        }
    }
}
