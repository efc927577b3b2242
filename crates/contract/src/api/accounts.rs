//! The erasure of an account.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EraseAccount {
    /// The number of the account on the site.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9_007_199_254_740_991_i64))]
    pub account_id: u64,
    /// The reason, as the trail shows it. It is kept, so it should not name a person.
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
}

/// The progress of an account's erasure. After the first response, its key is rejected and its videos are hidden. Each
/// number is at most 1,000, which means 1,000 or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct AccountErasure {
    pub success: bool,
    pub account_id: u64,
    pub channel_id: u64,
    /// Videos that are not deleted yet. The sweep and further requests delete them.
    pub contents_left: u64,
    /// Deleted videos whose files are deleted an hour later, or whose evidence is kept.
    pub contents_waiting: u64,
    /// Deleted videos that a moderator decided on. Their rows are kept without texts.
    pub contents_kept: u64,
    /// Whether everything is erased.
    pub is_finished: bool,
}

#[cfg(feature = "openapi")]
impl EraseAccount {
    pub fn example() -> Self {
        Self { account_id: 4711, reason: "Ticket 815".to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl AccountErasure {
    pub fn example() -> Self {
        Self {
            success: true,
            account_id: 4711,
            channel_id: 12,
            contents_left: 0,
            contents_waiting: 3,
            contents_kept: 1,
            is_finished: false,
        }
    }
}
