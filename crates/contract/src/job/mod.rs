//! The messages between the edge and an origin about a job.
//!
//! The queue message carries only ids, a version and the trace. The origin gets everything else when it claims the job,
//! so a message is never out of date. Claim, progress, release and report are signed (`signature`) and fenced by the
//! generation: the edge ignores an origin that works on an older one.

mod stored;

pub use stored::{Quality, StoredFile, StoredMedia, StoredPictures, StoredSubtitles};

use crate::ErrorCode;
#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, ORIGIN};
use crate::limits::MAX_SAFE_INTEGER;
use crate::moderation::{Examination, Finding, FrameHash};
use crate::state::{ContentState, Stage};
use serde::{Deserialize, Serialize};

/// The version of the queue message. Increment it when an older program would misread the new format.
pub const JOB_VERSION: u32 = 1;

/// The delivery attempts of a queue message: the first one and the queue's `max_retries`. They decide nothing about the
/// job: while it is not done, the edge sends another message.
pub const MAX_DELIVERY_ATTEMPTS: u32 = 6;

/// The duration of a claim without a heartbeat. An origin sends one every `HEARTBEAT_SECONDS`.
pub const CLAIM_SECONDS: u64 = 60;
/// A heartbeat costs a write to the database, so a third of the claim passes before one: two may be lost.
pub const HEARTBEAT_SECONDS: u64 = CLAIM_SECONDS / 3;

/// The largest signed body. A larger one is refused.
pub const MAX_JOB_BODY_BYTES: usize = 256 * 1024;

/// The longest name that an origin can have.
pub const MAX_ORIGIN_CHARACTERS: usize = 100;

/// The codes that an origin may refuse a file with. A report with any other code is malformed.
pub const REFUSAL_CODES: &[ErrorCode] = &[
    ErrorCode::ContentFileInvalidFormat,
    ErrorCode::ContentFileTooLarge,
    ErrorCode::ContentVideoDurationInvalid,
    ErrorCode::ContentThumbnailTimeInvalid,
    ErrorCode::ContentThumbnailInvalid,
    ErrorCode::ContentCaptionsInvalid,
];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobMessage {
    pub version: u32,
    pub content_id: u64,
    pub content_uuid: String,
    /// The number of the content's job. A newer generation makes the job obsolete.
    pub generation: u64,
    /// Decides which queue brings the job. A message of an older edge does not have it.
    #[serde(default)]
    pub work: JobWork,
    /// The trace of the upload, as `TraceContext` writes it. A message of an older edge has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
}

/// A job, and the origin that the message comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct JobId {
    #[cfg_attr(feature = "openapi", schema(format = "uuid"))]
    pub content_uuid: String,
    pub generation: u64,
    /// The origin's name, to which the key of the signature must belong. It tells apart two origins that received the
    /// same job.
    pub origin: String,
}

impl JobId {
    /// Whether the generation is at least 1 and the origin's name has 1 to 100 visible ASCII characters.
    pub fn is_valid(&self) -> bool {
        (1..=MAX_SAFE_INTEGER).contains(&self.generation) && is_origin_name(&self.origin)
    }
}

/// Whether an origin may have this name: 1 to 100 visible ASCII characters.
pub fn is_origin_name(name: &str) -> bool {
    (1..=MAX_ORIGIN_CHARACTERS).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
#[serde(tag = "answer", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "one answer exists at a time")]
pub enum ClaimAnswer {
    Granted(JobDetails),
    /// Another origin holds the claim. Ask again later, because that origin may die.
    Busy {
        retry_after_seconds: u64,
    },
    /// The job is finished, superseded, deleted or unknown. Acknowledge the message.
    Obsolete,
}

/// Everything that an origin needs to work on a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobDetails {
    /// The files to make. An older edge does not send this member; it asks for all files.
    #[serde(default)]
    pub work: JobWork,
    /// The object that holds the source: the uploaded file, or for another thumbnail the published video.
    pub source_key: String,
    /// The object that holds the client's thumbnail picture, if one was sent. With it, a job for another thumbnail
    /// needs no source.
    pub thumbnail_key: Option<String>,
    pub thumbnail_time_seconds: Option<u32>,
    /// The duration that the edge measured. The API shows it until the origin has measured its own.
    pub duration_ms: u64,
    pub size_bytes: u64,
    /// Empty if it is not known, as for a published video. An origin that does not know `work` then refuses the job.
    pub file_sha256: String,
    /// The caption, for the classifier.
    pub caption: Option<String>,
    /// The owner's summary of what happens in the video, for the classifier.
    #[serde(default)]
    pub summary: Option<String>,
    /// The further input of a captions job. An older edge does not send this member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captions: Option<CaptionsWork>,
    /// Whether earlier attempts failed in a way that the file may have caused. An origin works on one such job at a
    /// time.
    #[serde(default)]
    pub is_suspect: bool,
    /// Whether a job for a video may leave the larger renditions to a completion job. An older edge asks for all files
    /// at once.
    #[serde(default)]
    pub may_be_completed: bool,
    /// The generation of the job whose files a completion job completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_generation: Option<u64>,
}

/// The work that a job asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobWork {
    /// An uploaded video: every file, or those that it needs to be published.
    #[default]
    Video,
    /// The renditions of a video that was published without them, and the files that list them.
    Completion,
    /// The poster and the thumbnails of an approved video, from another frame or from a picture.
    Thumbnail,
    /// The subtitle tracks of an approved video with the captions that its owner sent, and the files that list them.
    Captions,
}

/// The input of a captions job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CaptionsWork {
    /// The generation of the job that processed the video. Its files list the tracks of the source.
    pub media_generation: u64,
    /// The object that holds a picture of the video, for the classifier.
    pub picture_key: String,
    /// The captions to show, one of each language. They replace the tracks of the source in that language.
    pub files: Vec<SentCaptions>,
    /// Whether the text was examined before: viewers see it already, and only the files that list it change.
    #[serde(default)]
    pub is_examined: bool,
}

/// Captions that an owner sent for one language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SentCaptions {
    /// A language tag such as `en` or `pt-BR` (BCP 47).
    pub language: String,
    /// The object that holds them as WebVTT.
    pub key: String,
}

/// A heartbeat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct JobProgress {
    #[serde(flatten)]
    pub id: JobId,
    pub stage: Stage,
    /// The progress within the stage.
    pub percent: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ProgressAnswer {
    /// Whether the origin still holds the job. If not, stop working on it.
    pub is_current: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReleaseAnswer {
    /// Whether the origin held the job.
    pub released: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct JobReport {
    #[serde(flatten)]
    pub id: JobId,
    pub outcome: JobOutcome,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum JobOutcome {
    /// All files are made, verified and stored. The edge decides whether the content may be shown.
    Processed {
        media: StoredMedia,
        findings: Vec<Finding>,
        frames: Vec<FrameHash>,
        /// The scope of the examination. A report without it needs a person.
        #[serde(default)]
        examination: Examination,
    },
    /// The renditions that were missing are made and verified, and all files of the video are stored.
    Completed { media: StoredMedia },
    /// Another poster and its thumbnails are made, verified and stored.
    Thumbnail { pictures: StoredPictures, findings: Vec<Finding>, frames: Vec<FrameHash> },
    /// The subtitle tracks of a video and the files that list them are made, verified and stored.
    Captions {
        subtitles: StoredSubtitles,
        findings: Vec<Finding>,
        /// The checks that were made.
        #[serde(default)]
        examination: Examination,
    },
    /// The file breaks a rule of the service. Final. The owner sees the detail.
    Refused { code: ErrorCode, detail: String },
    /// A technical failure that every attempt would have. Final. Only operators see the detail.
    Failed { detail: String },
    /// A failure that the machine, the network or the file may have caused: nothing tells which. The edge decides
    /// whether and when there is another attempt. Only operators see the detail.
    Undecided { detail: String },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ReportAnswer {
    /// Whether the report took effect. If not, the job was finished already or belongs to another origin. Acknowledge
    /// the message in all cases.
    pub accepted: bool,
    /// The content's state after the report.
    pub state: Option<ContentState>,
}

/// A request of an origin about a job.
pub trait JobRequest {
    /// Returns the job, and the origin that the request names.
    fn job_id(&self) -> &JobId;
}

impl JobRequest for JobId {
    fn job_id(&self) -> &JobId {
        self
    }
}

impl JobRequest for JobProgress {
    fn job_id(&self) -> &JobId {
        &self.id
    }
}

impl JobRequest for JobReport {
    fn job_id(&self) -> &JobId {
        &self.id
    }
}

#[cfg(feature = "openapi")]
impl JobId {
    pub fn example() -> Self {
        Self { content_uuid: CONTENT_UUID.to_owned(), generation: 1, origin: ORIGIN.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ClaimAnswer {
    pub fn example() -> Self {
        Self::Granted(JobDetails {
            source_key: crate::ObjectKey::SourceVideo { upload_uuid: CONTENT_UUID }.path(),
            thumbnail_key: None,
            captions: None,
            work: JobWork::Video,
            thumbnail_time_seconds: Some(2),
            duration_ms: 5_000,
            size_bytes: 146_515,
            file_sha256: "ab".repeat(32),
            caption: Some("My first video #fun".to_owned()),
            summary: None,
            is_suspect: false,
            may_be_completed: true,
            first_generation: None,
        })
    }
}

#[cfg(feature = "openapi")]
impl JobProgress {
    pub fn example() -> Self {
        Self { id: JobId::example(), stage: Stage::Transcode, percent: 40 }
    }
}

#[cfg(feature = "openapi")]
impl ProgressAnswer {
    pub fn example() -> Self {
        Self { is_current: true }
    }
}

#[cfg(feature = "openapi")]
impl ReleaseAnswer {
    pub fn example() -> Self {
        Self { released: true }
    }
}

#[cfg(feature = "openapi")]
impl JobReport {
    pub fn example() -> Self {
        let outcome = JobOutcome::Failed { detail: "ffmpeg was killed.".to_owned() };
        Self { id: JobId::example(), outcome }
    }
}

#[cfg(feature = "openapi")]
impl ReportAnswer {
    pub fn example() -> Self {
        Self { accepted: true, state: Some(ContentState::Failed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job_id(origin: &str, generation: u64) -> JobId {
        JobId { content_uuid: String::new(), generation, origin: origin.to_owned() }
    }

    #[test]
    fn every_request_names_its_job() {
        let id = job_id("a", 3);
        let progress = JobProgress { id: id.clone(), stage: Stage::Store, percent: 5 };
        let report = JobReport { id: id.clone(), outcome: JobOutcome::Failed { detail: String::new() } };
        let requests: [&dyn JobRequest; 3] = [&id, &progress, &report];
        assert!(requests.iter().all(|request| *request.job_id() == id));
    }

    #[test]
    fn a_message_of_an_older_edge_says_neither_its_work_nor_its_trace() {
        let text = r#"{"version":1,"content_id":2,"content_uuid":"a","generation":3}"#;
        let message: JobMessage = serde_json::from_str(text).unwrap();
        assert_eq!((message.work, message.traceparent.as_deref()), (JobWork::Video, None));
        let text = text.replace('}', r#","work":"video"}"#);
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
    }

    #[test]
    fn a_job_id_needs_a_short_visible_origin_name_and_a_positive_generation() {
        assert!(job_id("origin-1.media.example:17", 1).is_valid());
        for (origin, generation) in [("", 1), ("a b", 1), ("a\n", 1), ("ö", 1), ("a", 0), ("a", 1 << 53)] {
            assert!(!job_id(origin, generation).is_valid(), "{origin:?} {generation}");
        }
        assert!(!job_id(&"a".repeat(101), 1).is_valid());
    }
}
