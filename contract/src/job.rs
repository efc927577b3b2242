//! The message by which the edge tells the origins that there is work: ids and a version, as text.
//!
//! Everything else the origin asks for when it claims the job, so a message can never be out of date.

use serde::{Deserialize, Serialize};

/// Raised when a message of the new form would be misread by a program of the old one.
pub const JOB_VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobMessage {
    pub version: u32,
    pub content_id: u64,
    pub content_uuid: String,
    /// Which of the content's jobs this is; an older one has been overtaken.
    pub generation: u64,
}
