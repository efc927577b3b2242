//! What the checks of moderation say, and how it adds up.

use crate::picture_hash::PictureHash;
use serde::{Deserialize, Serialize};

/// In the order of their weight: the heaviest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Pass,
    /// A check could not be made. The content waits until it can.
    Wait,
    /// A person has to look.
    Review,
    Reject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A frame looks like one of the blocklist.
    Blocklist,
    Black,
    Frozen,
    Silent,
    /// Flashes that can harm people.
    Flashing,
    Classifier,
}

/// What one check found, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    pub check: Check,
    pub verdict: Verdict,
    /// The part of the video that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// A label or a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What one frame looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FrameHash {
    pub at_ms: u64,
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub hash: PictureHash,
}

impl Verdict {
    /// As it stands in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Wait => "wait",
            Self::Review => "review",
            Self::Reject => "reject",
        }
    }
}

/// The heaviest verdict; nothing found is a pass.
pub fn verdict(findings: &[Finding]) -> Verdict {
    let heaviest = findings.iter().map(|finding| finding.verdict).max();
    heaviest.unwrap_or(Verdict::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(verdict: Verdict) -> Finding {
        Finding {
            check: Check::Classifier,
            verdict,
            from_ms: None,
            until_ms: None,
            score: None,
            note: None,
        }
    }

    #[test]
    fn a_verdicts_name_is_the_one_that_is_serialised() {
        use Verdict::{Pass, Reject, Review, Wait};
        for verdict in [Pass, Wait, Review, Reject] {
            assert_eq!(serde_json::to_value(verdict).unwrap(), verdict.as_str());
        }
    }

    #[test]
    fn the_heaviest_finding_decides() {
        use Verdict::{Pass, Reject, Review, Wait};
        assert_eq!(verdict(&[]), Pass);
        assert_eq!(verdict(&[finding(Pass), finding(Wait)]), Wait);
        assert_eq!(verdict(&[finding(Review), finding(Wait)]), Review);
        assert_eq!(verdict(&[finding(Reject), finding(Review)]), Reject);
    }
}
