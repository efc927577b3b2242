//! The input of an upload before its body, and the result of a successful one.

use super::form::owner_fields::OwnerFields;
use super::names::UploadNames;
use super::pace::PaceRules;
use super::permission::Permission;
use crate::base::daily_limit::Usage;
use crate::base::limits::PartSizes;
use crate::base::unknown_fields::UnknownFields;
use crate::people::failed_requests::KnownCaller;
use contract::TraceContext;
use contract::api::UploadResult;
use multipart::Boundary;

/// The properties of an upload that are known before its body is read.
pub(crate) struct UploadRequest {
    pub permission: Permission,
    /// The rules for the fields of an upload with a one-time token.
    pub owner_fields: Option<Box<OwnerFields>>,
    pub names: UploadNames,
    pub boundary: Boundary,
    pub content_length: Option<u64>,
    pub max_file_bytes: u64,
    /// The maximum number of open uploads of a channel.
    pub max_open_uploads: u32,
    pub parts: PartSizes,
    pub pace: PaceRules,
    /// The token in the header, if there is one.
    pub token: Option<String>,
    pub unknown_fields: UnknownFields,
    pub caller: KnownCaller,
    pub trace: TraceContext,
}

/// An accepted upload.
#[derive(Debug)]
pub(crate) struct AcceptedUpload {
    pub result: UploadResult,
    pub usage: Usage,
    /// Whether this is the stored response of an earlier upload with the same token.
    pub is_replay: bool,
}
