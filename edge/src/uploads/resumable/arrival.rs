//! A request that continues an upload, as the core sees it.

use super::location::Location;
use super::record::Record;
use crate::base::refusal::Refusal;
use crate::people::failed_requests::KnownCaller;
use crate::uploads::pace::PaceRules;

/// A request that continues an upload.
#[derive(Clone, Debug)]
pub(crate) struct Arrival {
    pub location: Location,
    pub offset: u64,
    pub content_length: Option<u64>,
    pub max_open_uploads: u32,
    pub pace: PaceRules,
    pub caller: KnownCaller,
}

/// The refusal of a body with more bytes than the upload has left.
pub(super) fn too_long(record: &Record) -> Refusal {
    let detail = format!("The upload has more bytes than its `Upload-Length` of {}.", record.length);
    Refusal::malformed(detail)
}
