//! The media team's requests about jobs that failed, and their answers.

use crate::ErrorCode;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, NOW, ORIGIN};
use crate::job::JobWork;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct RequeueJob {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct JobRequeued {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    /// The generation of the new job. Origins that work on an older generation stop.
    pub generation: u64,
}

/// A job that was abandoned although its file may be valid, and its last error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DeadLetter {
    /// Increases from one dead letter to the next.
    pub number: u64,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub generation: u64,
    pub work: JobWork,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub error_message_code: Option<ErrorCode>,
    /// Details of the last error, reported by the origin or noticed by the edge.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub detail: Option<String>,
    /// The last origin that had the job.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub origin: Option<String>,
    /// The number of undecided failures, such as a killed ffmpeg or a full disk.
    pub undecided_failures: u32,
    /// The number of origins that fell silent while they worked on the job.
    pub silences: u32,
    pub died_at_unix: u64,
}

/// A page of dead letters, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeadLetters {
    pub success: bool,
    pub dead_letters: Vec<DeadLetter>,
    /// The cursor of the next page. Null on the last one.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DropDeadLetter {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct DeadLetterDropped {
    pub success: bool,
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
}

#[cfg(feature = "openapi")]
impl RequeueJob {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl JobRequeued {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned(), generation: 2 }
    }
}

#[cfg(feature = "openapi")]
impl DeadLetters {
    pub fn example() -> Self {
        let dead_letter = DeadLetter {
            number: 3,
            content_uuid: CONTENT_UUID.to_owned(),
            generation: 1,
            work: JobWork::Video,
            error_message_code: Some(ErrorCode::ContentProcessingFailed),
            detail: Some("ffmpeg was killed.".to_owned()),
            origin: Some(ORIGIN.to_owned()),
            undecided_failures: 8,
            silences: 0,
            died_at_unix: NOW,
        };
        Self { success: true, dead_letters: vec![dead_letter], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl DropDeadLetter {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl DeadLetterDropped {
    pub fn example() -> Self {
        Self { success: true, content_uuid: CONTENT_UUID.to_owned() }
    }
}
