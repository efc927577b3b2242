//! What the edge and an origin tell each other about a job.
//!
//! The queue's message carries ids and a version alone. Everything else the origin asks for when it claims the job, so
//! a message can never be out of date. Claim, progress and report are signed (`signature`) and fenced by the
//! generation: whoever works on an older one has nothing to say any more.

use crate::ErrorCode;
use crate::limits::MAX_SAFE_INTEGER;
use crate::moderation::{Finding, FrameHash};
use crate::state::{ContentState, Stage};
use serde::{Deserialize, Serialize};

/// Raised when a message of the new form would be misread by a program of the old one.
pub const JOB_VERSION: u32 = 1;

/// How often a job is given out before it is given up: the first time, and the `max_retries` of the queue. An origin that is
/// killed or restarted costs one, so it is more than failures alone would need.
pub const MAX_DELIVERIES: u32 = 6;

/// How long a claim holds without a sign of life. An origin sends one at least every `HEARTBEAT_SECONDS`.
pub const CLAIM_SECONDS: u64 = 60;
pub const HEARTBEAT_SECONDS: u64 = 10;

/// The largest body of a claim, a progress or a report. A larger one is not even verified.
pub const MAX_JOB_BODY_BYTES: usize = 256 * 1024;

/// The longest name of an origin.
pub const MAX_ORIGIN_CHARACTERS: usize = 100;

/// What an origin may refuse a file with. Anything else is no rule of the service, so the report is malformed.
pub const REFUSAL_CODES: &[ErrorCode] = &[
    ErrorCode::ContentFileInvalidFormat,
    ErrorCode::ContentFileTooLarge,
    ErrorCode::ContentVideoDurationInvalid,
    ErrorCode::ContentThumbnailTimeInvalid,
    ErrorCode::ContentThumbnailInvalid,
];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobMessage {
    pub version: u32,
    pub content_id: u64,
    pub content_uuid: String,
    /// Which of the content's jobs this is; an older one has been overtaken.
    pub generation: u64,
}

/// Which job, and who speaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobId {
    pub content_uuid: String,
    pub generation: u64,
    /// The origin's own name: it tells two origins that were given one job apart.
    pub origin: String,
}

impl JobId {
    /// Whether it can name a job at all: a generation from 1 on, and an origin of 1 to 100 visible ASCII characters.
    pub fn is_sound(&self) -> bool {
        let generations = 1..=MAX_SAFE_INTEGER;
        let lengths = 1..=MAX_ORIGIN_CHARACTERS;
        generations.contains(&self.generation)
            && lengths.contains(&self.origin.len())
            && self.origin.bytes().all(|byte| byte.is_ascii_graphic())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobClaim {
    #[serde(flatten)]
    pub id: JobId,
    /// The how manieth time the queue gave the message out, from 1.
    pub delivery: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum ClaimAnswer {
    Work(JobDetails),
    /// Another origin has it. Look again later; it may die.
    Busy {
        retry_after_seconds: u64,
    },
    /// Finished, overtaken, deleted or unknown: the message can be forgotten.
    Over,
}

/// What an origin has to know about a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobDetails {
    /// The object that was uploaded.
    pub source_key: String,
    /// The picture that came with it.
    pub picture_key: Option<String>,
    pub thumbnail_time_seconds: Option<u32>,
    /// What the edge found; shown until the origin has measured it by itself.
    pub duration_ms: u64,
    pub size_bytes: u64,
    pub file_sha256: String,
    /// For the classifier.
    pub caption: Option<String>,
    /// There is no further attempt: a failure is final.
    pub is_last_attempt: bool,
}

/// A sign of life.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobProgress {
    #[serde(flatten)]
    pub id: JobId,
    pub stage: Stage,
    /// Of the stage.
    pub percent: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProgressAnswer {
    /// False: the job is over or another's; stop and forget it.
    pub go_on: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReleaseAnswer {
    /// False: the origin did not have the job any more.
    pub released: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobReport {
    #[serde(flatten)]
    pub id: JobId,
    pub outcome: JobOutcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JobOutcome {
    /// Everything is made, verified and stored. Whether it may be shown, the edge decides.
    Processed {
        media: StoredMedia,
        findings: Vec<Finding>,
        frames: Vec<FrameHash>,
    },
    /// A rule of the service refuses the file, for good.
    Refused { code: ErrorCode, detail: String },
    /// A technical failure after which there is no further attempt.
    Failed { detail: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReportAnswer {
    /// False: the job was over already, or another's. Either way the message can be forgotten.
    pub accepted: bool,
    /// Where the content stands now.
    pub state: Option<ContentState>,
}

/// What was made of the upload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredMedia {
    pub duration_ms: u64,
    pub width: u32,
    pub height: u32,
    pub has_audio: bool,
    /// Base64 of a ThumbHash.
    pub thumbhash: String,
    /// The names below the content's folder, as `MediaFile` writes them.
    pub files: Vec<StoredFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct StoredFile {
    pub name: String,
    pub size_bytes: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(origin: &str, generation: u64) -> JobId {
        JobId {
            content_uuid: String::new(),
            generation,
            origin: origin.to_owned(),
        }
    }

    #[test]
    fn an_origin_has_a_short_visible_name_and_a_generation_a_number_from_1_on() {
        assert!(named("origin-1.media.example:17", 1).is_sound());
        for (origin, generation) in [
            ("", 1),
            ("a b", 1),
            ("a\n", 1),
            ("ö", 1),
            ("a", 0),
            ("a", 1 << 53),
        ] {
            assert!(
                !named(origin, generation).is_sound(),
                "{origin:?} {generation}"
            );
        }
        assert!(!named(&"a".repeat(101), 1).is_sound());
    }
}
