//! Reads the details of a compacted content back into its row, before a change that needs them: a moderator's decision,
//! or a job for another thumbnail. Afterwards nothing distinguishes the row from one that was never compacted.

use super::details::{FinishedDetails, read_details};
use super::{details_generation, read_media};
use crate::ids::ContentUuid;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::ports::error::PlatformError;
use crate::ports::object_store::ObjectStore;
use crate::slug::{Slug, slug_column};
use crate::unix_seconds::UnixSeconds;
use serde::Deserialize;

#[derive(Deserialize)]
struct CompactedContent {
    generation: u64,
    slug_url: Slug,
    media: Option<String>,
}

/// The content is still compacted. Its details cannot have been replaced: it is not compacted again within a day.
macro_rules! where_compacted {
    () => {
        " WHERE contents.uuid = ?1 AND is_compacted = 1"
    };
}

const INSERT_REPORTS: &str = concat!(
    "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, recommendation, received_at_unix,
         blocklist_version)
     SELECT contents.id, value ->> '$.generation', value ->> '$.origin', value ->> '$.fingerprint', value ->> '$.kind',
         value ->> '$.recommendation', value ->> '$.received_at_unix', value ->> '$.blocklist_version'
     FROM contents JOIN json_each(?2)",
    where_compacted!(),
    " ON CONFLICT DO NOTHING"
);
const INSERT_FINDINGS: &str = concat!(
    "INSERT INTO findings (content_id, generation, number, check_name, recommendation, from_ms, until_ms, score, note)
     SELECT contents.id, value ->> '$.generation', value ->> '$.number', value ->> '$.check_name',
         value ->> '$.recommendation', value ->> '$.from_ms', value ->> '$.until_ms', value ->> '$.score',
         value ->> '$.note'
     FROM contents JOIN json_each(?2)",
    where_compacted!(),
    " ON CONFLICT DO NOTHING"
);
const RESTORE_UPLOAD: &str = concat!(
    "UPDATE uploads SET uuid = ?2 WHERE id = (SELECT upload_id FROM contents",
    where_compacted!(),
    ") AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = ?2)"
);
const RESTORE_CONTENT: &str = concat!(
    "UPDATE contents SET is_compacted = 0, expanded_at_unix = ?4, media = ?3, file_sha256 = ?2, slug_url = ?5,
         slug_caption = NULL",
    where_compacted!()
);

/// Expands the content if it is compacted. Repeating it changes nothing. Without the object, the content gets its media
/// and its slug back, and nothing else.
pub(crate) async fn expand(
    database: &impl Database,
    objects: &impl ObjectStore,
    content_uuid: &ContentUuid,
    now: UnixSeconds,
) -> Result<(), PlatformError> {
    let select = Statement::new(concat!(
        "SELECT ",
        details_generation!(),
        " AS generation, media, ",
        slug_column!(),
        " FROM contents",
        where_compacted!()
    ));
    let content: Option<CompactedContent> =
        database.first(select.bind(content_uuid)).await.map_err(DatabaseError::into_platform_error)?;
    let Some(content) = content else { return Ok(()) };
    let details = read_details(objects, content_uuid, content.generation).await?;
    if details.is_empty() {
        tracing::error!(content = %content_uuid, "R2 does not have the details of a compacted content");
    }
    let batch = content.batch(content_uuid, &details, now);
    let batch = batch.map_err(DatabaseError::into_platform_error)?;
    database.run(batch).await.map(drop).map_err(DatabaseError::into_platform_error)
}

impl CompactedContent {
    fn batch(
        &self,
        content_uuid: &ContentUuid,
        details: &FinishedDetails,
        now: UnixSeconds,
    ) -> Result<Batch, DatabaseError> {
        let media = self.media.as_deref().map(read_media).transpose()?;
        let media = media.map(|media| serde_json::to_string(&media)).transpose();
        let media = media.map_err(|error| DatabaseError::Shape(error.to_string()))?;
        let statement = |sql| Statement::new(sql).bind(content_uuid);
        let mut batch = Batch::default();
        batch.execute(statement(INSERT_REPORTS).bind(details.rows("reports")));
        batch.execute(statement(INSERT_FINDINGS).bind(details.rows("findings")));
        if !details.is_empty() {
            batch.execute(statement(RESTORE_UPLOAD).bind(details.upload_uuid()));
        }
        batch.execute(
            statement(RESTORE_CONTENT).bind(details.file_sha256()).bind(media).bind(now).bind(self.slug_url.as_str()),
        );
        Ok(batch)
    }
}
