//! The requests of the moderators' desk: who is signed in, one content with all its evidence, and claims.

#[cfg(feature = "openapi")]
use super::OTHER_POLICY;
use super::moderation::{Decision, FoundContent};
use super::staff::TokenRole;
use super::{AbuseReport, CaseAppeal, Policy};
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, MODERATOR, NOW, review_url};
use crate::moderation::Finding;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeskSignedIn {
    pub success: bool,
    /// The name of the token.
    pub name: String,
    pub roles: Vec<TokenRole>,
    /// The time at which the cookie expires: after 12 hours, or with the token.
    pub ends_at_unix: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeskSignedOut {
    pub success: bool,
}

/// The signed-in moderator, and the numbers of waiting videos. Each number is at most 100, which means 100 or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeskAccount {
    pub success: bool,
    pub name: String,
    pub roles: Vec<TokenRole>,
    /// The time at which the cookie expires; null for a request with a token.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub ends_at_unix: Option<u64>,
    pub waiting_for_person: u64,
    pub waiting_for_check: u64,
    pub flagged: u64,
    pub appealed: u64,
    /// The number of rejections and removals under policies of severity 3 in a day after which the desk suggests a
    /// break; null if it never does.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub rest_after: Option<u64>,
}

/// The moderator who is looking at a video.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReviewClaim {
    /// The name of the token.
    pub by: String,
    /// The time at which the claim expires, unless it is renewed.
    pub until_unix: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ClaimContent {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// Whether to take over another moderator's claim.
    #[serde(default)]
    pub take_over: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ContentClaimed {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub claim: ReviewClaim,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReleaseClaim {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ClaimReleased {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

/// The reasons why an approved video needs another review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CaseFlag {
    pub flagged_at_unix: u64,
    /// A hash that was blocked after the video was approved and matches one of its frames; null if there is none.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub hash: Option<String>,
    /// The number of networks from which viewers reported the video.
    pub reports: u64,
    /// The latest reports, at most 20.
    pub latest_reports: Vec<AbuseReport>,
}

/// The channel of a video, and the number of its videos by state. Each number is at most 100, which means 100 or more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CaseChannel {
    pub channel_id: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub name: Option<String>,
    pub is_suspended: bool,
    pub created_at_unix: u64,
    pub published: u64,
    pub rejected: u64,
    pub taken_down: u64,
    pub processing: u64,
}

/// The text of a subtitle track.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CaseSubtitles {
    pub language: String,
    pub url: String,
}

/// Everything that a moderator needs to know about one video. The file URLs work for 15 minutes without a token. URLs
/// for a moderator who is signed in at the desk expire when they sign out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ModerationCase {
    pub success: bool,
    pub content: FoundContent,
    pub duration_ms: u64,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub scheduled_publish_at_unix: Option<u64>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub waits_since_unix: Option<u64>,
    /// The findings of the checks, in the order of the report.
    pub findings: Vec<Finding>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub flag: Option<CaseFlag>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub appeal: Option<CaseAppeal>,
    /// The latest decisions, at most 20, newest first.
    pub decisions: Vec<Decision>,
    pub channel: CaseChannel,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub poster_url: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_url: Option<String>,
    /// The WebVTT file that maps times to parts of the storyboard.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub storyboard_vtt_url: Option<String>,
    pub subtitles: Vec<CaseSubtitles>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub video_url: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub claim: Option<ReviewClaim>,
}

/// The rules that a rejection or a removal can name, in the operator's order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Policies {
    pub success: bool,
    pub policies: Vec<Policy>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct SetPolicies {
    pub policies: Vec<Policy>,
}

#[cfg(feature = "openapi")]
impl DeskSignedIn {
    pub fn example() -> Self {
        let roles = vec![TokenRole::Look, TokenRole::Decide];
        Self { success: true, name: MODERATOR.to_owned(), roles, ends_at_unix: NOW + 12 * 3_600 }
    }
}

#[cfg(feature = "openapi")]
impl DeskSignedOut {
    pub fn example() -> Self {
        Self { success: true }
    }
}

#[cfg(feature = "openapi")]
impl DeskAccount {
    pub fn example() -> Self {
        Self {
            success: true,
            name: MODERATOR.to_owned(),
            roles: vec![TokenRole::Look, TokenRole::Decide],
            ends_at_unix: Some(NOW + 12 * 3_600),
            waiting_for_person: 12,
            waiting_for_check: 0,
            flagged: 3,
            appealed: 1,
            rest_after: None,
        }
    }
}

#[cfg(feature = "openapi")]
impl ReviewClaim {
    pub fn example() -> Self {
        Self { by: MODERATOR.to_owned(), until_unix: NOW + 300 }
    }
}

#[cfg(feature = "openapi")]
impl ClaimContent {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned(), take_over: false }
    }
}

#[cfg(feature = "openapi")]
impl ContentClaimed {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned(), claim: ReviewClaim::example() }
    }
}

#[cfg(feature = "openapi")]
impl ReleaseClaim {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ClaimReleased {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ModerationCase {
    pub fn example() -> Self {
        let queued = super::ModerationQueue::example().contents.remove(0);
        Self {
            success: true,
            content: super::FoundContents::example().contents.remove(0),
            duration_ms: queued.duration_ms,
            scheduled_publish_at_unix: None,
            waits_since_unix: None,
            findings: queued.findings,
            flag: Some(CaseFlag { flagged_at_unix: NOW, hash: None, reports: 1, latest_reports: vec![] }),
            appeal: None,
            decisions: super::Decisions::example().decisions,
            channel: CaseChannel {
                channel_id: 1,
                name: Some("Dogs".to_owned()),
                is_suspended: false,
                created_at_unix: NOW,
                published: 12,
                rejected: 1,
                taken_down: 0,
                processing: 2,
            },
            poster_url: Some(review_url("poster.jpg")),
            storyboard_url: Some(review_url("storyboard.jpg")),
            storyboard_vtt_url: Some(review_url("storyboard.vtt")),
            subtitles: vec![CaseSubtitles { language: "en".to_owned(), url: review_url("hls/subtitles-1.vtt") }],
            video_url: Some(review_url("video.mp4")),
            claim: None,
        }
    }
}

#[cfg(feature = "openapi")]
impl Policies {
    pub fn example() -> Self {
        Self { success: true, policies: vec![Policy::example()] }
    }
}

#[cfg(feature = "openapi")]
impl SetPolicies {
    pub fn example() -> Self {
        let other = Policy {
            policy_code: OTHER_POLICY.to_owned(),
            name: "Other rules".to_owned(),
            text: "The video breaks another rule of this site.".to_owned(),
            severity: 1,
            may_be_appealed: true,
        };
        Self { policies: vec![Policy::example(), other] }
    }
}
