//! Appeals: an owner asks for another decision about a rejected or removed video. Another moderator makes it, if there
//! is one.

use super::FoundContent;
use super::desk::ReviewClaim;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, MODERATOR, NOW, review_url};
use serde::{Deserialize, Serialize};

/// The state of an appeal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AppealState {
    /// A moderator has to decide.
    Pending,
    /// The decision was reversed.
    Granted,
    /// The decision stands.
    Rejected,
}

impl AppealState {
    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Granted => "granted",
            Self::Rejected => "rejected",
        }
    }
}

/// An appeal against the latest rejection or removal of a video.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Appeal {
    pub state: AppealState,
    pub made_at_unix: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub decided_at_unix: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct AppealContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The reason why the decision is wrong, for the moderators.
    #[cfg_attr(feature = "openapi", schema(max_length = 1_000, pattern = "\\S"))]
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ContentAppealed {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub appeal: Appeal,
}

/// A video whose owner has appealed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AppealedContent {
    pub content: FoundContent,
    /// The owner's words.
    pub text: String,
    pub made_at_unix: u64,
    /// The rule that the decision named.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub policy_code: Option<String>,
    /// The moderator who decided. If possible, another moderator decides on the appeal.
    pub decided_by: String,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub poster_url: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub claim: Option<ReviewClaim>,
}

/// The oldest pending appeals, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct AppealedContents {
    pub success: bool,
    pub contents: Vec<AppealedContent>,
    /// Whether there are more. They follow once these are decided.
    pub has_more: bool,
}

/// The appeal of a case, with the owner's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CaseAppeal {
    pub state: AppealState,
    pub text: String,
    pub made_at_unix: u64,
    /// The moderator who made the appealed decision.
    pub decided_by: String,
}

#[cfg(feature = "openapi")]
impl AppealContent {
    pub fn example() -> Self {
        let text = "The fight is a scene of our theatre group. The summary says so.".to_owned();
        Self { content_uuid: CONTENT_UUID.to_owned(), text }
    }
}

#[cfg(feature = "openapi")]
impl ContentAppealed {
    pub fn example() -> Self {
        let appeal = Appeal { state: AppealState::Pending, made_at_unix: NOW, decided_at_unix: None };
        Self { success: true, content_uuid: CONTENT_UUID.to_owned(), appeal }
    }
}

#[cfg(feature = "openapi")]
impl CaseAppeal {
    pub fn example() -> Self {
        Self {
            state: AppealState::Pending,
            text: AppealContent::example().text,
            made_at_unix: NOW,
            decided_by: MODERATOR.to_owned(),
        }
    }
}

#[cfg(feature = "openapi")]
impl AppealedContents {
    pub fn example() -> Self {
        let appealed = AppealedContent {
            content: super::FoundContents::example().contents.remove(0),
            text: AppealContent::example().text,
            made_at_unix: NOW,
            policy_code: Some("violence".to_owned()),
            decided_by: MODERATOR.to_owned(),
            poster_url: Some(review_url("poster.jpg")),
            claim: None,
        };
        Self { success: true, contents: vec![appealed], has_more: false }
    }
}

#[cfg(test)]
mod tests {
    use super::AppealState::{Granted, Pending, Rejected};

    #[test]
    fn the_database_name_equals_the_json_name() {
        for state in [Pending, Granted, Rejected] {
            assert_eq!(serde_json::to_value(state).unwrap(), state.as_str());
        }
    }
}
