//! The rules that a rejection or a removal names.

use serde::{Deserialize, Serialize};

/// The policy of rejections that no person has made.
pub const AUTOMATIC_POLICY: &str = "automatic";

/// The policy of a decision that names none.
pub const OTHER_POLICY: &str = "other";

/// A rule of the site, with the text that owners read when a video breaks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Policy {
    /// Lowercase letters, digits and underscores. Its meaning never changes.
    #[cfg_attr(feature = "openapi", schema(max_length = 40, pattern = "^[a-z][a-z0-9_]*$"))]
    pub policy_code: String,
    /// The name for moderators at the desk.
    #[cfg_attr(feature = "openapi", schema(max_length = 60, pattern = "\\S"))]
    pub name: String,
    /// The text that the owner of the video reads.
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub text: String,
    /// The severity of breaking the rule, from 1 to 3. 3 is the most severe.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 3))]
    pub severity: u8,
    /// Whether the owner may appeal the decision.
    pub may_be_appealed: bool,
}

#[cfg(feature = "openapi")]
impl Policy {
    pub fn example() -> Self {
        Self {
            policy_code: "violence".to_owned(),
            name: "Violence".to_owned(),
            text: "The video shows violence that this site does not allow.".to_owned(),
            severity: 2,
            may_be_appealed: true,
        }
    }
}
