//! The decisions of moderators in a month, for reports about moderation.

use super::DecisionAction;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ModerationStatistics {
    pub success: bool,
    /// The month in UTC.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[0-9]{4}-[0-9]{2}$"))]
    pub month: String,
    /// The decisions of people about videos, by action and policy.
    pub decisions: Vec<DecisionCount>,
    /// The number of videos that the checks rejected without a moderator.
    pub automatic_rejections: u64,
    pub appeals: AppealCounts,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DecisionCount {
    pub action: DecisionAction,
    /// The rule that the decisions named; null for decisions that name none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub policy_code: Option<String>,
    pub number: u64,
    /// The median time to a decision: since the video began to wait, since it was flagged, or since the owner's appeal.
    /// Rounded by at most 6 %. Null if none of the videos had waited.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub median_seconds: Option<u64>,
}

/// The appeals that were made in the month, and those that were decided in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AppealCounts {
    pub made: u64,
    pub granted: u64,
    pub rejected: u64,
}

#[cfg(feature = "openapi")]
impl ModerationStatistics {
    pub fn example() -> Self {
        let count = |action, policy_code: Option<&str>, number, median_seconds| DecisionCount {
            action,
            policy_code: policy_code.map(str::to_owned),
            number,
            median_seconds: Some(median_seconds),
        };
        Self {
            success: true,
            month: "2027-01".to_owned(),
            decisions: vec![
                count(DecisionAction::Approve, None, 120, 340),
                count(DecisionAction::Reject, Some("violence"), 12, 410),
            ],
            automatic_rejections: 30,
            appeals: AppealCounts { made: 5, granted: 1, rejected: 2 },
        }
    }
}
