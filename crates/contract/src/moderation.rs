//! The findings of moderation checks, and how they add up to one recommendation.

use crate::picture_hash::PictureHash;
use serde::{Deserialize, Serialize};

/// The recommendation of a finding, from the mildest to the strictest. The strictest finding decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Recommendation {
    Pass,
    /// A check could not run. The content waits until it can.
    Wait,
    /// A person has to decide.
    Review,
    Reject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// A frame resembles a picture on the blocklist.
    Blocklist,
    /// The video shows more distinct pictures than can be compared.
    Pictures,
    Black,
    Frozen,
    Silent,
    /// A part is much louder than the rest of the video.
    Loud,
    /// Flashes that can trigger seizures.
    Flashing,
    Classifier,
    /// The edge found that the report of the origin is incomplete.
    Report,
}

impl Check {
    /// The checks that every job makes in any configuration.
    pub const OF_EVERY_JOB: [Self; 7] =
        [Self::Blocklist, Self::Pictures, Self::Black, Self::Frozen, Self::Silent, Self::Loud, Self::Flashing];

    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blocklist => "blocklist",
            Self::Pictures => "pictures",
            Self::Black => "black",
            Self::Frozen => "frozen",
            Self::Silent => "silent",
            Self::Loud => "loud",
            Self::Flashing => "flashing",
            Self::Classifier => "classifier",
            Self::Report => "report",
        }
    }
}

/// The scope of an origin's examination. The edge does not publish a video without it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Examination {
    /// The checks that were made, with findings or without.
    pub checks: Vec<Check>,
    /// The times of the examined frames that have no hash because they show too little detail.
    pub plain_frames_at_ms: Vec<u64>,
}

/// One piece of evidence from a check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Finding {
    pub check: Check,
    pub recommendation: Recommendation,
    /// The part of the video that the finding is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// A label or a reason, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Finding {
    /// Returns a finding without a score that is not about a particular part of the video.
    pub fn of_whole_video(check: Check, recommendation: Recommendation, note: impl Into<String>) -> Self {
        Self { check, recommendation, from_ms: None, until_ms: None, score: None, note: Some(note.into()) }
    }
}

/// The perceptual hash of one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FrameHash {
    pub at_ms: u64,
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub hash: PictureHash,
}

impl Recommendation {
    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Wait => "wait",
            Self::Review => "review",
            Self::Reject => "reject",
        }
    }
}

/// Returns the strictest recommendation; without findings that is a pass.
pub fn strictest_recommendation(findings: &[Finding]) -> Recommendation {
    let strictest = findings.iter().map(|finding| finding.recommendation).max();
    strictest.unwrap_or(Recommendation::Pass)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(recommendation: Recommendation) -> Finding {
        Finding { check: Check::Classifier, recommendation, from_ms: None, until_ms: None, score: None, note: None }
    }

    #[test]
    fn the_database_name_equals_the_json_name() {
        use Recommendation::{Pass, Reject, Review, Wait};
        for recommendation in [Pass, Wait, Review, Reject] {
            assert_eq!(serde_json::to_value(recommendation).unwrap(), recommendation.as_str());
        }
        for check in Check::OF_EVERY_JOB.into_iter().chain([Check::Classifier, Check::Report]) {
            assert_eq!(serde_json::to_value(check).unwrap(), check.as_str());
        }
    }

    #[test]
    fn the_strictest_finding_decides() {
        use Recommendation::{Pass, Reject, Review, Wait};
        assert_eq!(strictest_recommendation(&[]), Pass);
        assert_eq!(strictest_recommendation(&[finding(Pass), finding(Wait)]), Wait);
        assert_eq!(strictest_recommendation(&[finding(Review), finding(Wait)]), Review);
        assert_eq!(strictest_recommendation(&[finding(Reject), finding(Review)]), Reject);
    }
}
