//! The short and the long form of a finished content. Neither changes what anybody sees.

use crate::ids::UploadUuid;
use crate::life::change::{Effects, StorageEffect};
use crate::life::life::Life;
use crate::unix_seconds::UnixSeconds;

/// A content whose details are stored.
#[derive(Clone, Debug)]
pub(crate) struct CompactedRow {
    pub(crate) id: u64,
    /// The revision that was read. A content that has changed since is left as it is.
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
pub(in crate::life) fn compact(life: &mut Life, row: &CompactedRow, effects: &mut Effects) {
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
    // A failed change is shown to its owner for good.
    life.jobs.retain(|job| job.is_pending() || job.error_code.is_some());
    effects.storage = Some(StorageEffect::Compacted);
}

/// Gives the row its long form back. Afterwards nothing distinguishes it from one that was never compacted.
pub(in crate::life) fn expand(life: &mut Life, details: &ExpandedDetails, effects: &mut Effects, now: UnixSeconds) {
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
