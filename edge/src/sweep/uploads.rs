//! Uploads that ended without a content: their slots are released and their objects deleted.

use super::at_once::{Call, run_at_once};
use super::removal::{Removal, delete_groups};
use super::run::Deadline;
use super::{BATCH, ROUNDS, SweepError};
use crate::ids::UploadUuid;
use crate::intake::stored_objects::{abort_multipart, source_keys};
use crate::keys::open_uploads::release_uploads;
use crate::ports::database::{Batch, Database, DatabaseError, Statement, may_have_more};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use serde::Deserialize;

/// An upload's last call to R2 may arrive up to this long after its lease.
const GARBAGE_REST_SECONDS: u64 = 60;

/// Releases the slots of uploads whose lease has expired, and returns how many there were.
pub(super) async fn expire_reservations<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let deadline = Deadline::of_part(platform);
    let mut total = 0;
    for _ in 0..ROUNDS {
        let mut batch = Batch::default();
        let expired = "id IN (SELECT id FROM uploads WHERE state = 'reserved' AND lease_ends_at_unix <= ?1
             ORDER BY lease_ends_at_unix LIMIT ?2)";
        let released = release_uploads(&mut batch, expired, &[platform.now().into(), BATCH.into()]);
        let expired = platform.database().run(batch).await?.count(released);
        total += expired as u64;
        if !may_have_more(expired, BATCH) || deadline.is_over(platform) {
            break;
        }
    }
    Ok(total)
}

#[derive(Deserialize)]
struct GarbageRow {
    upload_uuid: UploadUuid,
    multipart_id: Option<String>,
}

/// Deletes the objects of released uploads, and returns how many uploads there were. An upload whose objects cannot be
/// deleted is tried again after all others.
pub(super) async fn remove_garbage<P: Platform>(platform: &P) -> Result<u64, SweepError> {
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
    first_error.map_or(Ok(removed), |error| Err(error.into()))
}

async fn read_garbage<P: Platform>(platform: &P) -> Result<Vec<GarbageRow>, DatabaseError> {
    let select = Statement::new(
        "SELECT upload_uuid, multipart_id FROM garbage
         WHERE lease_ends_at_unix <= ?1 - ?2
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = upload_uuid)
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
    let groups: Vec<Vec<String>> = garbage.iter().map(|row| source_keys(&row.upload_uuid).into()).collect();
    let mut removal = delete_groups(platform.objects(), &groups).await;
    for (is_deleted, aborted) in removal.is_deleted.iter_mut().zip(aborted) {
        if let Err(error) = aborted {
            *is_deleted = false;
            removal.first_error.get_or_insert(error);
        }
    }
    removal
}

/// Forgets the uploads whose objects are deleted, and moves the others behind all that wait.
async fn record<P: Platform>(platform: &P, garbage: &[GarbageRow], is_deleted: &[bool]) -> Result<(), SweepError> {
    if garbage.is_empty() {
        return Ok(());
    }
    let uuids = |deleted: bool| {
        let rows = garbage.iter().zip(is_deleted).filter(|(_, is_deleted)| **is_deleted == deleted);
        let uuids: Vec<_> = rows.map(|(row, _)| row.upload_uuid.as_str()).collect();
        serde_json::to_string(&uuids).map_err(|error| DatabaseError::Shape(error.to_string()))
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
