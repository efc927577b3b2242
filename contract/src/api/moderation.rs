//! What moderators ask and say.

use super::Thumbnail;
use crate::moderation::Finding;
use crate::state::ContentState;
use serde::{Deserialize, Serialize};

/// Why a content waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// A check that could not be made; it is tried again by itself.
    Check,
    /// Somebody who looks at it.
    Person,
}

/// A content that waits, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueuedContent {
    pub content_id: u64,
    pub content_uuid: String,
    pub channel_id: u64,
    pub waits_for: WaitsFor,
    pub waits_since_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub caption: Option<String>,
    pub created_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    pub duration_ms: u64,
    /// What the checks found, in the order of the report.
    pub findings: Vec<Finding>,
    /// They open with the admin token.
    pub thumbnails: Vec<Thumbnail>,
    /// Pictures of the whole video in one.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_url: Option<String>,
}

/// Who waits, the longest waiting first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModerationQueue {
    pub success: bool,
    pub contents: Vec<QueuedContent>,
    /// Send it as `cursor` for those that follow; null at the end.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ModerateContent {
    pub content_uuid: String,
    pub reason: String,
    /// Who decides.
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ContentModerated {
    pub success: bool,
    pub content_uuid: String,
    pub state: ContentState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecisionAction {
    Approve,
    Reject,
    TakeDown,
    BlockHash,
    UnblockHash,
}

impl DecisionAction {
    /// As it stands in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::TakeDown => "take_down",
            Self::BlockHash => "block_hash",
            Self::UnblockHash => "unblock_hash",
        }
    }
}

/// What somebody decided, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Decision {
    pub action: DecisionAction,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub content_uuid: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub hash: Option<String>,
    pub by: String,
    pub reason: String,
    pub decided_at_unix: u64,
}

/// The newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Decisions {
    pub success: bool,
    pub decisions: Vec<Decision>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

/// A hash to be put on the blocklist, or taken off it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ChangeHash {
    pub hash: String,
    pub reason: String,
    pub by: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HashChanged {
    pub success: bool,
    pub hash: String,
    /// Whether it stands on the blocklist now.
    pub is_blocked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlockedHash {
    pub hash: String,
    pub reason: String,
    pub by: String,
    pub added_at_unix: u64,
    /// The rejected content that it comes from, and the time in it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub content_uuid: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub at_ms: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Blocklist {
    pub success: bool,
    pub hashes: Vec<BlockedHash>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actions_name_is_the_one_that_is_serialised() {
        use DecisionAction::{Approve, BlockHash, Reject, TakeDown, UnblockHash};
        for action in [Approve, Reject, TakeDown, BlockHash, UnblockHash] {
            assert_eq!(serde_json::to_value(action).unwrap(), action.as_str());
        }
    }
}
