//! Switches a finished content between its short and its long form. Neither changes what users see.

use crate::base::ids::UploadUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::{Effects, StorageEffect};
use crate::contents::life::life::Life;

/// A content whose details are stored.
#[derive(Clone, Debug)]
pub(crate) struct CompactedRow {
    pub(crate) id: u64,
    /// The revision that was read. A content that has changed since is not compacted.
    pub(crate) revision: u64,
    /// The short form, if there is one.
    pub(crate) slug_url: Option<String>,
    pub(crate) media: Option<String>,
}

/// The details of a compacted content, as they were read from the object store.
#[derive(Clone, Debug)]
pub(crate) struct ExpandedDetails {
    pub file_sha256: String,
    pub media: Option<String>,
    pub reports: String,
    pub findings: String,
    pub upload_uuid: Option<UploadUuid>,
}

/// Makes the row short, unless the content has changed since it was read.
pub(in crate::contents::life) fn compact(life: &mut Life, row: &CompactedRow, effects: &mut Effects) {
    let content = &mut life.content;
    if content.is_compacted != 0 || content.revision != row.revision {
        return;
    }
    content.is_compacted = 1;
    content.expanded_at_unix = None;
    if let Some(slug) = &row.slug_url {
        content.slug_url.clone_from(slug);
    }
    content.media.clone_from(&row.media);
    content.file_sha256 = String::new();
    // The owner sees a failed change permanently.
    life.jobs.retain(|job| job.is_pending() || job.error_code.is_some());
    effects.storage = Some(StorageEffect::Compacted);
}

/// Restores the long form of the row.
pub(in crate::contents::life) fn expand(
    life: &mut Life,
    details: &ExpandedDetails,
    effects: &mut Effects,
    now: UnixSeconds,
) {
    let content = &mut life.content;
    if content.is_compacted == 0 {
        return;
    }
    content.slug_url = content.long_slug().into_string();
    content.slug_caption = None;
    content.is_compacted = 0;
    content.expanded_at_unix = Some(now);
    content.media.clone_from(&details.media);
    content.file_sha256.clone_from(&details.file_sha256);
    effects.storage = Some(StorageEffect::Expanded {
        reports: details.reports.clone(),
        findings: details.findings.clone(),
        upload_uuid: details.upload_uuid.clone(),
    });
}
