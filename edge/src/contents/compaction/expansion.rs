//! Reads the details of a compacted content back into its row, before a change that needs them: a moderator's decision,
//! or a job. Afterwards the row looks as if it had never been compacted, except for `expanded_at_unix`.

use super::DETAILS_GENERATION;
use super::details::{FinishedDetails, read_details};
use crate::base::ids::{ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Command;
use crate::contents::life::door::{self, Find};
use crate::contents::life::packed_media::read_media;
use crate::contents::life::rules::storage::ExpandedDetails;
use crate::platform::database::{Database, DatabaseError, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use serde::Deserialize;

#[derive(Deserialize)]
struct CompactedContent {
    generation: u64,
    media: Option<String>,
}

/// Expands the content if it is compacted. Repeating it changes nothing. If the object is lost, only the media and the
/// slug are restored.
pub(crate) async fn expand(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
    now: UnixSeconds,
) -> Result<(), PlatformError> {
    let select = Statement::new(constcat::concat!(
        "SELECT ",
        DETAILS_GENERATION,
        " AS generation, media FROM contents WHERE contents.uuid = ?1 AND is_compacted = 1"
    ));
    let content: Option<CompactedContent> = database.first(select.bind(content_uuid)).await?;
    let Some(content) = content else { return Ok(()) };
    let details = read_details(objects, content_uuid, content.generation).await?;
    if details.is_empty() {
        tracing::error!(content = %content_uuid, "R2 does not have the details of a compacted content");
    }
    let details = content.expanded(&details)?;
    let command = Command::Expand(&details);
    let expanded = door::apply(database, Find::Uuid(content_uuid), &command, now).await;
    expanded.map(drop).map_err(PlatformError::from)
}

impl CompactedContent {
    fn expanded(&self, details: &FinishedDetails) -> Result<ExpandedDetails, DatabaseError> {
        let media = self.media.as_deref().map(read_media).transpose()?;
        let media = media.map(|media| serde_json::to_string(&media)).transpose();
        Ok(ExpandedDetails {
            file_sha256: details.file_sha256().to_owned(),
            media: media.map_err(|error| DatabaseError::Shape(error.to_string()))?,
            reports: details.rows("reports"),
            findings: details.rows("findings"),
            upload_uuid: (!details.is_empty()).then(|| UploadUuid::new(details.upload_uuid())),
        })
    }
}
