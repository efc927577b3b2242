//! What the checks of moderation say, and how it adds up.

use crate::picture_hash::PictureHash;
use serde::{Deserialize, Serialize};

/// In the order of their weight: the heaviest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
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
pub struct FrameHash {
    pub at_ms: u64,
    pub hash: PictureHash,
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
    fn the_heaviest_finding_decides() {
        use Verdict::{Pass, Reject, Review, Wait};
        assert_eq!(verdict(&[]), Pass);
        assert_eq!(verdict(&[finding(Pass), finding(Wait)]), Wait);
        assert_eq!(verdict(&[finding(Review), finding(Wait)]), Review);
        assert_eq!(verdict(&[finding(Reject), finding(Review)]), Reject);
    }
}
