//! Uploads that ended without a content: their slots are released and their objects deleted.

use super::{BATCH, SweepError};
use crate::ids::UploadUuid;
use crate::intake::slot::reservation::forget_garbage;
use crate::intake::stored_objects::remove_objects;
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::ports::platform::Platform;
use serde::Deserialize;

/// An upload's last call to R2 may arrive up to this long after its lease.
const GARBAGE_REST_SECONDS: u64 = 60;

/// Releases the slots of uploads whose lease has expired, and returns how many there were.
pub(super) async fn expire_reservations<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let expire = Statement::new(
        "DELETE FROM uploads WHERE id IN (
             SELECT id FROM uploads WHERE state = 'reserved' AND lease_ends_at_unix <= ?1 LIMIT ?2)
         RETURNING uuid",
    );
    let expired = platform.database().count_returned(expire.bind(platform.now()).bind(BATCH)).await?;
    Ok(expired as u64)
}

#[derive(Deserialize)]
struct GarbageRow {
    upload_uuid: UploadUuid,
    multipart_id: Option<String>,
}

/// Deletes the objects of released uploads, and returns how many uploads there were.
pub(super) async fn remove_garbage<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let select = Statement::new(
        "SELECT upload_uuid, multipart_id FROM garbage
         WHERE lease_ends_at_unix <= ?1 - ?2
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = upload_uuid)
         ORDER BY lease_ends_at_unix LIMIT ?3",
    );
    let select = select.bind(platform.now()).bind(GARBAGE_REST_SECONDS).bind(BATCH);
    let garbage: Vec<GarbageRow> = platform.database().all(select).await?;
    for GarbageRow { upload_uuid, multipart_id } in &garbage {
        if let Err(error) = remove_objects(platform, upload_uuid, multipart_id.as_deref()).await {
            postpone(platform, upload_uuid).await?;
            return Err(error.into());
        }
        forget_garbage(platform.database(), upload_uuid).await?;
    }
    Ok(garbage.len() as u64)
}

/// Moves an upload whose objects cannot be deleted behind the others, so that it does not block them.
async fn postpone<P: Platform>(platform: &P, upload_uuid: &UploadUuid) -> Result<(), DatabaseError> {
    let postpone = Statement::new("UPDATE garbage SET lease_ends_at_unix = ?2 WHERE upload_uuid = ?1");
    platform.database().execute(postpone.bind(upload_uuid).bind(platform.now())).await
}
