//! The input of an upload before its body, and the result of a successful one.

use super::names::UploadNames;
use super::pace::PaceRules;
use crate::auth::hash::KeyedHash;
use crate::keys::daily_limit::Usage;
use crate::limits::PartSizes;
use crate::unknown_fields::UnknownFields;
use contract::TraceContext;
use contract::api::UploadResult;
use multipart::Boundary;

/// The properties of an upload that are known before its body is read.
pub(crate) struct UploadRequest {
    /// The hash of the presented key. It identifies the key's row and its rotation.
    pub key: KeyedHash,
    pub names: UploadNames,
    pub boundary: Boundary,
    pub content_length: Option<u64>,
    pub max_file_bytes: u64,
    /// The most uploads that a channel may have open at once.
    pub max_open_uploads: u32,
    pub parts: PartSizes,
    pub pace: PaceRules,
    /// The token in the header, if there is one.
    pub token: Option<String>,
    pub unknown_fields: UnknownFields,
    pub trace: TraceContext,
}

/// An accepted upload.
#[derive(Debug)]
pub(crate) struct AcceptedUpload {
    pub result: UploadResult,
    pub usage: Usage,
    /// Whether this is the stored answer of an earlier upload with the same token.
    pub is_replay: bool,
}
