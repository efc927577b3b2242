//! The test videos of a channel as their owner sees them, and their deletion.

use super::steps::advance;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{ChangeOutcome, OwnedContent, PublicationStatus};
use crate::contents::status::StoredContent;
use crate::journal;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::ContentState;
use contract::limits::TEST_VIDEO_SECONDS;

/// The columns of a `StoredContent`. Two kinds of jobs are shown: that of a video which is processing, and that of one
/// which has only its first quality.
const SELECT_STATUS: &str = "
    SELECT id, uuid, state, waits_for, error_code, error_detail, policy_code, 0 AS may_be_appealed, NULL AS appeal,
        NULL AS media_generation, created_at_unix, finished_at_unix,
        content ->> '$.scheduled_publish_at_unix' AS scheduled_publish_at_unix, 0 AS needs_release,
        content ->> '$.is_unlisted' AS is_unlisted, content ->> '$.is_sensitive' AS is_sensitive,
        content ->> '$.is_ai_generated' AS is_ai_generated, published_at_unix,
        content ->> '$.duration_ms' AS duration_ms, content ->> '$.source' AS source,
        content ->> '$.caption' AS caption, content ->> '$.super_category_id' AS super_category_id,
        content ->> '$.ai_summary_of_content' AS ai_summary_of_content, content ->> '$.external_id' AS external_id,
        content ->> '$.metadata' AS metadata, content ->> '$.media_name' AS media_name,
        content ->> '$.slug_url' AS slug_url,
        iif(quality IS NULL, NULL, json_set(content ->> '$.media', '$.quality', quality)) AS media,
        content ->> '$.captions' AS captions, 1 AS is_test,
        CASE WHEN quality = 'first' THEN json_array(json_object('kind', 'completion', 'state', 'claimed',
                 'stage', 'transcode', 'percent', 50, 'enqueued_at_unix', created_at_unix))
             WHEN state = 'processing' AND waits_for IS NULL THEN json_array(json_object('kind', 'video',
                 'state', 'claimed', 'stage', 'transcode', 'percent', 50, 'enqueued_at_unix', created_at_unix))
             ELSE '[]' END AS jobs
    FROM test_videos WHERE uuid = ?1 AND channel_id = ?2";

/// Returns the test video of the channel, after the steps that are due.
pub(crate) async fn find(
    database: &impl Database,
    OwnedContent { content_uuid, channel_id }: OwnedContent<'_>,
    now: UnixSeconds,
) -> Result<Option<StoredContent>, DatabaseError> {
    let select = || Statement::new(SELECT_STATUS).bind(content_uuid).bind(channel_id);
    if !database.returns_rows(select()).await? {
        return Ok(None);
    }
    advance(database, content_uuid, now).await?;
    database.first(select()).await
}

/// Deletes the test video, if the channel has one with this UUID: its row stays without the owner's words until its
/// time is over. Deleting it again changes nothing.
pub(crate) async fn delete(
    database: &impl Database,
    OwnedContent { content_uuid, channel_id }: OwnedContent<'_>,
) -> Result<ChangeOutcome, DatabaseError> {
    let mut batch = Batch::default();
    let event = "SELECT channel_id, id AS content_id, steps + 1 AS content_sequence, 'content.deleted' AS type,
             json_object('content_id', id, 'content_uuid', uuid, 'slug_url', content ->> '$.slug_url',
                 'external_id', content ->> '$.external_id', 'is_test', json('true')) AS data
         FROM test_videos WHERE uuid = ?1 AND channel_id = ?2 AND state <> 'deleted'";
    journal::events::add_selected(&mut batch, event, &[content_uuid.into(), channel_id.into()]);
    let delete = Statement::new(
        "UPDATE test_videos SET state = 'deleted', steps = steps + 1, quality = NULL, waits_for = NULL,
             due_at_unix = created_at_unix + ?3, content = json_remove(content, '$.caption', '$.ai_summary_of_content', '$.external_id', '$.metadata')
         WHERE uuid = ?1 AND channel_id = ?2 AND state <> 'deleted'",
    );
    batch.execute(delete.bind(content_uuid).bind(channel_id).bind(TEST_VIDEO_SECONDS));
    let select = Statement::new("SELECT id FROM test_videos WHERE uuid = ?1 AND channel_id = ?2");
    let found = batch.query::<()>(select.bind(content_uuid).bind(channel_id));
    let is_found = database.run(batch).await?.has_rows(found);
    Ok(if is_found { DELETED } else { ChangeOutcome::UnknownContent })
}

const DELETED: ChangeOutcome = ChangeOutcome::Done(PublicationStatus {
    state: ContentState::Deleted,
    scheduled_publish_at_unix: None,
    published_at_unix: None,
});

/// Whether the channel has a test video with this UUID.
pub(crate) async fn is_test_video(
    database: &impl Database,
    OwnedContent { content_uuid, channel_id }: OwnedContent<'_>,
) -> Result<bool, DatabaseError> {
    let select = Statement::new("SELECT 1 FROM test_videos WHERE uuid = ?1 AND channel_id = ?2");
    database.returns_rows(select.bind(content_uuid).bind(channel_id)).await
}
