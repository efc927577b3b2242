//! Deletes the objects that a content's state no longer needs.
//!
//! It never deletes a live object, however the sweep and the origins interleave: `retention` keeps everything that a
//! reachable state needs, and files of a newer generation than that of the row that was read are left alone.

use super::SweepError;
use super::retention::{RetainedObjects, retained_objects};
use crate::ids::{ContentUuid, UploadUuid};
use crate::intake::stored_objects::source_keys;
use crate::moderation::decisions::REVERSIBLE_SECONDS;
use crate::ports::database::{Batch, Database, DatabaseError, Statement};
use crate::ports::object_store::{LIST_LENGTH, ObjectStore};
use crate::ports::platform::Platform;
use crate::unix_seconds::UnixSeconds;
use contract::{ContentState, ObjectKey};
use serde::{Deserialize, Serialize};

/// The time that a content rests before its objects are deleted. By then, an origin with an obsolete job has been
/// stopped by the answer to its heartbeat, and its last write has arrived.
pub(super) const REST_SECONDS: u64 = 3600;
/// The time that the files of a removed content rest: a little longer than the removal can be reversed.
pub(super) const REMOVED_REST_SECONDS: u64 = REVERSIBLE_SECONDS + REST_SECONDS;
/// The number of contents that one run cleans up. Each costs one list request.
const MAX_CONTENTS: u32 = 300;

/// A content whose state or generation changed.
#[derive(Deserialize)]
struct ChangedContent {
    id: u64,
    uuid: ContentUuid,
    upload_uuid: UploadUuid,
    state: ContentState,
    generation: u64,
    media_generation: Option<u64>,
    noticed_at_unix: UnixSeconds,
}

/// A clean-up that is complete, unless the content has changed again since.
#[derive(Serialize)]
struct CompletedCleanup(u64, UnixSeconds);

impl ChangedContent {
    /// Returns the keys of the objects to delete, and whether the list is complete.
    async fn unneeded_keys<P: Platform>(&self, platform: &P) -> Result<(Vec<String>, bool), SweepError> {
        let retained = retained_objects(self.state, self.generation, self.media_generation);
        let folder = ObjectKey::media_folder(self.uuid.as_str());
        let mut keys = platform.objects().list(&folder).await?;
        let is_complete = keys.len() < LIST_LENGTH;
        keys.retain(|key| self.is_unneeded(key, retained));
        if !retained.source {
            keys.extend(source_keys(&self.upload_uuid));
        }
        Ok((keys, is_complete))
    }

    /// Whether an object may be deleted. An object of a newer generation than this row belongs to a job that runs now.
    fn is_unneeded(&self, key: &str, retained: RetainedObjects) -> bool {
        let generation = ObjectKey::media_generation(key, self.uuid.as_str());
        generation.is_some_and(|one| one <= self.generation && Some(one) != retained.generation)
    }
}

/// Deletes the unneeded objects of the changed contents whose rest is over, and returns how many contents there were.
pub(super) async fn clean_up<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let contents = read_rested(platform.database(), platform.now()).await?;
    let (mut unneeded, mut completed) = (Vec::new(), Vec::new());
    for content in &contents {
        let (keys, is_complete) = content.unneeded_keys(platform).await?;
        unneeded.extend(keys);
        // The next run lists the objects that were not listed.
        if is_complete {
            completed.push(CompletedCleanup(content.id, content.noticed_at_unix));
        }
    }
    for keys in unneeded.chunks(LIST_LENGTH) {
        platform.objects().delete(keys).await?;
    }
    delete_completed(platform.database(), &completed).await?;
    Ok(contents.len() as u64)
}

/// Records when new changes were first seen, and returns the contents whose rest is over.
async fn read_rested(database: &impl Database, now: UnixSeconds) -> Result<Vec<ChangedContent>, DatabaseError> {
    let notice = Statement::new("UPDATE cleanups SET noticed_at_unix = ?1 WHERE noticed_at_unix IS NULL");
    let read = Statement::new(
        "SELECT contents.id, contents.uuid, uploads.uuid AS upload_uuid, contents.state, contents.generation,
             media_generation, noticed_at_unix
         FROM cleanups JOIN contents ON contents.id = content_id JOIN uploads ON uploads.id = upload_id
         WHERE noticed_at_unix <= ?1 - ?2
             AND (noticed_at_unix <= ?1 - ?4 OR contents.state NOT IN ('rejected', 'taken_down') OR media IS NULL)
         ORDER BY noticed_at_unix LIMIT ?3",
    );
    let mut batch = Batch::default();
    batch.execute(notice.bind(now));
    let rested = batch.query(read.bind(now).bind(REST_SECONDS).bind(MAX_CONTENTS).bind(REMOVED_REST_SECONDS));
    database.run(batch).await?.all(rested)
}

/// Deletes the rows of completed clean-ups, except of contents that have changed since.
async fn delete_completed(database: &impl Database, completed: &[CompletedCleanup]) -> Result<(), SweepError> {
    if completed.is_empty() {
        return Ok(());
    }
    let completed = serde_json::to_string(completed).map_err(|error| DatabaseError::Shape(error.to_string()))?;
    let delete = Statement::new(
        "DELETE FROM cleanups WHERE (content_id, noticed_at_unix) IN
             (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))",
    );
    Ok(database.execute(delete.bind(completed)).await?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_of_a_newer_generation_is_left_alone() {
        let content = ChangedContent {
            id: 1,
            uuid: ContentUuid::new("c"),
            upload_uuid: UploadUuid::new("u"),
            state: ContentState::Failed,
            generation: 2,
            media_generation: None,
            noticed_at_unix: UnixSeconds(0),
        };
        let retained = retained_objects(content.state, 2, None);
        assert!(content.is_unneeded("media/c/1/video.mp4", retained));
        assert!(content.is_unneeded("media/c/2/video.mp4", retained));
        for other in ["media/c/3/video.mp4", "media/d/1/video.mp4", "sources/u/video"] {
            assert!(!content.is_unneeded(other, retained), "{other}");
        }
    }
}
