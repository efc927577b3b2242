//! A new job for a content, as the media team asks for it.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RequeueJob {
    pub content_uuid: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct JobRequeued {
    pub success: bool,
    pub content_uuid: String,
    /// The new job's; whoever works on an older one is told to stop.
    pub generation: u64,
}
