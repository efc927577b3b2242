//! Deletes the objects that a content's state no longer needs.
//!
//! It never deletes a live object, even in a race with origins: `retention` keeps everything that a reachable state
//! needs, and files of a newer generation than in the row are not touched.

use super::at_once::{Call, run_at_once};
use super::removal::delete_groups;
use super::retention::{Generations, RetainedObjects, retained_objects};
use super::run::Deadline;
use super::{BATCH, ROUNDS};
use crate::base::ids::{ContentUuid, UploadUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text, may_have_more};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{LIST_LENGTH, ObjectStore};
use crate::uploads::stored_objects::source_keys;
use contract::limits::REVERSIBLE_SECONDS;
use contract::{ContentState, ObjectKey};
use serde::Deserialize;

/// The delay before the objects of a content are deleted. By then, the response to a heartbeat has stopped any origin
/// with an obsolete job, and its last write has arrived.
pub(super) const REST_SECONDS: u64 = 3600;
/// The delay before the files of a removed content are deleted: a little longer than the removal can be reversed.
pub(super) const REMOVED_REST_SECONDS: u64 = REVERSIBLE_SECONDS + REST_SECONDS;

/// A content whose state or generation changed.
#[derive(Deserialize)]
struct ChangedContent {
    id: u64,
    uuid: ContentUuid,
    upload_uuid: UploadUuid,
    state: ContentState,
    generation: u64,
    media_generation: Option<u64>,
    thumbnail_generation: Option<u64>,
    captions_generation: Option<u64>,
    is_change_pending: u8,
    is_incomplete: u8,
    wanted_picture: Option<UploadUuid>,
    noticed_at_unix: UnixSeconds,
}

/// The objects of a content to delete.
#[derive(Default)]
struct UnneededObjects {
    keys: Vec<String>,
    /// Whether these are all of the content's unneeded objects.
    is_complete: bool,
}

impl ChangedContent {
    /// Returns the keys of the objects to delete.
    async fn unneeded_objects<P: Platform>(&self, platform: &P) -> Result<UnneededObjects, PlatformError> {
        let retained = retained_objects(self.state, self.generations());
        let mut keys = Vec::new();
        if self.may_have_unneeded_files(retained) {
            keys = platform.objects().list(&ObjectKey::media_folder(self.uuid.as_str())).await?;
        }
        let is_complete = keys.len() < LIST_LENGTH;
        keys.retain(|key| self.is_unneeded(key, retained));
        if !retained.source {
            keys.extend(source_keys(&self.upload_uuid));
        }
        if !retained.wanted_picture {
            keys.extend(self.wanted_picture.iter().flat_map(source_keys));
        }
        Ok(UnneededObjects { keys, is_complete })
    }

    fn generations(&self) -> Generations {
        Generations {
            latest: self.generation,
            media: self.media_generation,
            thumbnail: self.thumbnail_generation,
            captions: self.captions_generation,
            is_change_pending: self.is_change_pending != 0,
            is_incomplete: self.is_incomplete != 0,
        }
    }

    /// Whether another generation than the retained one can have files. Most contents are published with their first
    /// generation, and then only their source is deleted, without a list.
    fn may_have_unneeded_files(&self, retained: RetainedObjects) -> bool {
        self.generation > 1 || !retained.has(self.generation)
    }

    /// Whether an object may be deleted. An object of a newer generation than this row belongs to a job that runs now.
    fn is_unneeded(&self, key: &str, retained: RetainedObjects) -> bool {
        let generation = ObjectKey::media_generation(key, self.uuid.as_str());
        generation.is_some_and(|one| one <= self.generation && !retained.has(one))
    }
}

/// Deletes the unneeded objects of the changed contents whose rest is over, and returns how many contents there were.
/// A content whose objects cannot be listed or deleted is tried again after all others.
pub(super) async fn clean_up<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let deadline = Deadline::of_part(platform);
    let (mut cleaned, mut first_error) = (0, None);
    for _ in 0..ROUNDS {
        let contents = read_rested(platform.database(), platform.now()).await?;
        let (outcomes, error) = remove_unneeded(platform, &contents).await;
        record(platform, &contents, &outcomes).await?;
        first_error = first_error.or(error);
        let count = outcomes.iter().filter(|outcome| **outcome != Outcome::Failed).count();
        cleaned += count as u64;
        if !may_have_more(contents.len(), BATCH) || count == 0 || deadline.is_over(platform) {
            break;
        }
    }
    first_error.map_or(Ok(cleaned), Err)
}

/// The outcome of the clean-up of one content.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Complete,
    /// The next run lists the objects that were not listed.
    Partial,
    Failed,
}

async fn remove_unneeded<P: Platform>(
    platform: &P,
    contents: &[ChangedContent],
) -> (Vec<Outcome>, Option<PlatformError>) {
    let lists = contents.iter().map(|content| -> Call<'_, Result<UnneededObjects, PlatformError>> {
        Box::pin(content.unneeded_objects(platform))
    });
    let listed = run_at_once(lists).await;
    let mut list_error = None;
    let mut outcome_if_deleted = Vec::new();
    let mut groups = Vec::new();
    for list in listed {
        outcome_if_deleted.push(match &list {
            Ok(UnneededObjects { is_complete: true, .. }) => Outcome::Complete,
            Ok(_) => Outcome::Partial,
            Err(error) => {
                list_error.get_or_insert(error.clone());
                Outcome::Failed
            }
        });
        groups.push(list.map(|unneeded| unneeded.keys).unwrap_or_default());
    }
    let removal = delete_groups(platform.objects(), &groups).await;
    let outcomes = outcome_if_deleted.into_iter().zip(removal.is_deleted);
    let outcomes = outcomes.map(|(outcome, is_deleted)| if is_deleted { outcome } else { Outcome::Failed });
    (outcomes.collect(), list_error.or(removal.first_error))
}

/// Records when new changes were first seen, and returns the contents whose rest is over. The length of the rest
/// depends on the content's state, and every change of the state begins a new rest.
async fn read_rested(database: &impl Database, now: UnixSeconds) -> Result<Vec<ChangedContent>, DatabaseError> {
    let notice = Statement::new(
        "UPDATE cleanups SET noticed_at_unix = coalesce(noticed_at_unix, ?1),
             due_at_unix = max(coalesce(noticed_at_unix, ?1) + (
                 SELECT iif(state IN ('rejected', 'taken_down') AND media IS NOT NULL, ?3, ?2)
                 FROM contents WHERE id = content_id),
                 coalesce((SELECT kept_until_unix FROM evidence WHERE evidence.content_id = cleanups.content_id), 0))
         WHERE noticed_at_unix IS NULL OR due_at_unix IS NULL",
    );
    let read = Statement::new(
        "SELECT contents.id, contents.uuid, uploads.uuid AS upload_uuid, contents.state, contents.generation,
             media_generation, thumbnail ->> '$.generation' AS thumbnail_generation, captions_generation,
             EXISTS (SELECT 1 FROM jobs WHERE jobs.content_id = contents.id AND kind <> 'video'
                 AND jobs.state IN ('waiting', 'later', 'held', 'due', 'claimed')) AS is_change_pending,
             EXISTS (SELECT 1 FROM jobs WHERE jobs.content_id = contents.id AND kind = 'completion'
                 AND jobs.state <> 'done') AS is_incomplete,
             (SELECT input ->> '$.picture' FROM jobs WHERE jobs.content_id = contents.id AND kind = 'thumbnail')
                 AS wanted_picture, noticed_at_unix
         FROM cleanups JOIN contents ON contents.id = cleanups.content_id JOIN uploads ON uploads.id = contents.id
         WHERE cleanups.due_at_unix <= ?1
         ORDER BY cleanups.due_at_unix LIMIT ?2",
    );
    let mut batch = Batch::default();
    batch.execute(notice.bind(now).bind(REST_SECONDS).bind(REMOVED_REST_SECONDS));
    let rested = batch.query(read.bind(now).bind(BATCH));
    database.run(batch).await?.all(rested)
}

/// The condition for the clean-ups in the JSON list `?1`, except for contents that have changed since.
const WHERE_UNCHANGED: &str = " WHERE (content_id, noticed_at_unix) IN
     (SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(?1))";

/// The captions of removed contents. Captions of other contents are still needed.
const OF_REMOVED_CONTENTS: &str = constcat::concat!(
    " FROM captions WHERE content_id IN (
         SELECT content_id FROM cleanups JOIN contents ON contents.id = content_id",
    WHERE_UNCHANGED,
    " AND contents.state IN ('rejected', 'taken_down', 'deleted'))"
);

/// Deletes the rows of complete clean-ups and postpones failed ones, except for contents that have changed since.
async fn record<P: Platform>(
    platform: &P,
    contents: &[ChangedContent],
    outcomes: &[Outcome],
) -> Result<(), DatabaseError> {
    if contents.is_empty() {
        return Ok(());
    }
    let with = |outcome: Outcome| {
        let ended = contents.iter().zip(outcomes).filter(|(_, one)| **one == outcome);
        let ended: Vec<_> = ended.map(|(content, _)| (content.id, content.noticed_at_unix)).collect();
        json_text(&ended)
    };
    // The sweep's next run deletes the files.
    let release_captions = Statement::new(constcat::concat!(
        "INSERT INTO garbage (upload_uuid, lease_ends_at_unix) SELECT name, 0",
        OF_REMOVED_CONTENTS,
        " ON CONFLICT (upload_uuid) DO NOTHING"
    ));
    let forget_captions = Statement::new(constcat::concat!("DELETE", OF_REMOVED_CONTENTS));
    let delete = Statement::new(constcat::concat!("DELETE FROM cleanups", WHERE_UNCHANGED));
    let postpone = Statement::new(constcat::concat!("UPDATE cleanups SET due_at_unix = ?2", WHERE_UNCHANGED));
    let mut batch = Batch::default();
    batch.execute(release_captions.bind(with(Outcome::Complete)?));
    batch.execute(forget_captions.bind(with(Outcome::Complete)?));
    batch.execute(delete.bind(with(Outcome::Complete)?));
    batch.execute(postpone.bind(with(Outcome::Failed)?).bind(platform.now()));
    platform.database().run(batch).await.map(drop)
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
            thumbnail_generation: None,
            captions_generation: None,
            is_change_pending: 0,
            is_incomplete: 0,
            wanted_picture: None,
            noticed_at_unix: UnixSeconds(0),
        };
        let retained = retained_objects(content.state, content.generations());
        assert!(content.is_unneeded("media/c/1/video.mp4", retained));
        assert!(content.is_unneeded("media/c/2/video.mp4", retained));
        for other in ["media/c/3/video.mp4", "media/d/1/video.mp4", "sources/u/video"] {
            assert!(!content.is_unneeded(other, retained), "{other}");
        }
    }
}
