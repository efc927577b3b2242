//! Uploads that ended without a content: their slots are released and their objects deleted.

use super::at_once::{Call, run_at_once};
use super::removal::{Removal, delete_groups};
use super::run::Deadline;
use super::{BATCH, ROUNDS};
use crate::base::ids::UploadUuid;
use crate::people::keys::open_uploads::{end_resumable_uploads, release_uploads};
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text, may_have_more};
use crate::platform::error::PlatformError;
use crate::platform::object_store::{LIST_LENGTH, ObjectStore};
use crate::uploads::direct;
use crate::uploads::stored_objects::{abort_multipart, source_keys};
use contract::ObjectKey;
use serde::Deserialize;

/// An upload's last call to R2 may arrive up to this long after its lease.
const GARBAGE_REST_SECONDS: u64 = 60;

/// Releases the slots of uploads whose lease has expired, and returns how many there were. Expires one-time tokens, and
/// forgets the resumable uploads whose time is over.
pub(super) async fn expire_reservations<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let deadline = Deadline::of_part(platform);
    let mut total = 0;
    for _ in 0..ROUNDS {
        let mut batch = Batch::default();
        let expired = "id IN (SELECT id FROM uploads WHERE state = 'reserved' AND lease_ends_at_unix <= ?1
             ORDER BY lease_ends_at_unix LIMIT ?2)";
        let over = "secret_sha256 IN (SELECT secret_sha256 FROM resumable_uploads WHERE expires_at_unix <= ?1
             ORDER BY expires_at_unix LIMIT ?2)";
        let ended = end_resumable_uploads(&mut batch, over, &[platform.now().into(), BATCH.into()]);
        let released = release_uploads(&mut batch, expired, &[platform.now().into(), BATCH.into()]);
        let tokens = direct::expire(&mut batch, BATCH, platform.now());
        let answers = platform.database().run(batch).await?;
        let expired = answers.count(released);
        total += expired as u64;
        let others = [ended, tokens.expired, tokens.forgotten].map(|query| answers.count(query));
        if !may_have_more(others.into_iter().fold(expired, usize::max), BATCH) || deadline.is_over(platform) {
            break;
        }
    }
    Ok(total)
}

#[derive(Deserialize)]
struct GarbageRow {
    upload_uuid: UploadUuid,
    multipart_id: Option<String>,
    is_tails: u8,
}

/// Deletes the objects of released uploads, and returns how many uploads there were. An upload whose objects cannot be
/// deleted is tried again after all others.
pub(super) async fn remove_garbage<P: Platform>(platform: &P) -> Result<u64, PlatformError> {
    let deadline = Deadline::of_part(platform);
    let (mut removed, mut first_error) = (0, None);
    for _ in 0..ROUNDS {
        let garbage = read_garbage(platform).await?;
        let removal = remove_objects(platform, &garbage).await;
        record(platform, &garbage, &removal.is_deleted).await?;
        let count = removal.is_deleted.iter().filter(|is_deleted| **is_deleted).count();
        removed += count as u64;
        first_error = first_error.or(removal.first_error);
        if !may_have_more(garbage.len(), BATCH) || count == 0 || deadline.is_over(platform) {
            break;
        }
    }
    first_error.map_or(Ok(removed), Err)
}

async fn read_garbage<P: Platform>(platform: &P) -> Result<Vec<GarbageRow>, DatabaseError> {
    let select = Statement::new(
        "SELECT upload_uuid, multipart_id, is_tails FROM garbage
         WHERE lease_ends_at_unix <= ?1 - ?2
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = upload_uuid AND is_test = 0)
         ORDER BY lease_ends_at_unix LIMIT ?3",
    );
    platform.database().all(select.bind(platform.now()).bind(GARBAGE_REST_SECONDS).bind(BATCH)).await
}

/// Aborts the unfinished objects, then deletes the others. An upload counts as removed only if both succeed.
async fn remove_objects<P: Platform>(platform: &P, garbage: &[GarbageRow]) -> Removal {
    let aborts = garbage.iter().map(|row| -> Call<'_, Result<(), PlatformError>> {
        Box::pin(abort_multipart(platform, &row.upload_uuid, row.multipart_id.as_deref()))
    });
    let aborted = run_at_once(aborts).await;
    let listed = run_at_once(
        garbage
            .iter()
            .map(|row| -> Call<'_, Result<Vec<String>, PlatformError>> { Box::pin(object_keys(platform, row)) }),
    );
    let listed = listed.await;
    let groups: Vec<Vec<String>> = listed.iter().map(|keys| keys.clone().unwrap_or_default()).collect();
    let mut removal = delete_groups(platform.objects(), &groups).await;
    let failed = aborted.into_iter().zip(listed).map(|(aborted, listed)| aborted.and(listed.map(drop)));
    for (is_deleted, outcome) in removal.is_deleted.iter_mut().zip(failed) {
        if let Err(error) = outcome {
            *is_deleted = false;
            removal.first_error.get_or_insert(error);
        }
    }
    removal
}

/// Returns the keys of the objects that may exist. Only their folder tells which tails there are.
async fn object_keys<P: Platform>(platform: &P, row: &GarbageRow) -> Result<Vec<String>, PlatformError> {
    if row.is_tails == 0 {
        return Ok(source_keys(&row.upload_uuid).into());
    }
    let objects = platform.objects();
    let keys = objects.list(&ObjectKey::tails_folder(row.upload_uuid.as_str())).await?;
    if keys.len() < LIST_LENGTH {
        return Ok(keys);
    }
    objects.delete(&keys).await?;
    Err(PlatformError::Failed("an upload has left more tails than fit into one list".to_owned()))
}

/// Forgets the uploads whose objects are deleted, and postpones the others.
async fn record<P: Platform>(platform: &P, garbage: &[GarbageRow], is_deleted: &[bool]) -> Result<(), PlatformError> {
    if garbage.is_empty() {
        return Ok(());
    }
    let uuids = |deleted: bool| {
        let rows = garbage.iter().zip(is_deleted).filter(|(_, is_deleted)| **is_deleted == deleted);
        let uuids: Vec<_> = rows.map(|(row, _)| row.upload_uuid.as_str()).collect();
        json_text(&uuids)
    };
    let forget = Statement::new("DELETE FROM garbage WHERE upload_uuid IN (SELECT value FROM json_each(?1))");
    let postpone = Statement::new(
        "UPDATE garbage SET lease_ends_at_unix = ?2 WHERE upload_uuid IN (SELECT value FROM json_each(?1))",
    );
    let mut batch = Batch::default();
    batch.execute(forget.bind(uuids(true)?));
    batch.execute(postpone.bind(uuids(false)?).bind(platform.now()));
    platform.database().run(batch).await?;
    Ok(())
}
