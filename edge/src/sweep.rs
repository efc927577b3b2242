//! What the clock does: what is due is published; and what restores the truth after any crash: expired slots go back,
//! garbage is deleted, silent jobs are given up or made anew, unsent ones are sent, and objects that no content needs
//! any more go away. Runs every minute and on demand; running it twice does nothing twice.
//!
//! It never touches a live upload: a slot goes only when its lease is over, and objects go only with a slot that is
//! gone, or by the rule of `jobs::cleanup`.

use crate::database::{Database, DatabaseError, Rows, Statement};
use crate::intake::reservation::forget_garbage;
use crate::jobs::cleanup::clean_up;
use crate::jobs::renew::renew_silent;
use crate::outbox::send_job;
use crate::platform::{ObjectStore, Platform, PlatformError};
use crate::publication::publish_due;
use contract::api::SweepReport;
use contract::{JOB_VERSION, JobMessage, ObjectKey};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// An upload's last call to R2 may arrive this much after its lease.
const GARBAGE_REST_SECONDS: u64 = 60;
/// A job this young is probably being sent by its own upload at this moment.
const OUTBOX_REST_SECONDS: u64 = 30;
/// One run stays within a request's number of calls; the next run goes on.
const BATCH: u32 = 100;
/// Of contents whose objects are looked through, each costs one call.
const CLEANUPS: u32 = 300;

#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

/// Does all of it once. What fails does not keep the rest from being done; the first failure is the answer, and the
/// next run begins where this one stopped.
pub async fn sweep<P: Platform>(platform: &P) -> Result<SweepReport, SweepError> {
    let (database, now_unix) = (platform.database(), platform.now_unix());
    let mut failed = None;
    // First: nothing else here has a promised minute.
    let published_contents = attempt(publish_due(database, now_unix).await, &mut failed);
    let expired_reservations = attempt(expire_reservations(platform).await, &mut failed);
    let removed_uploads = attempt(remove_garbage(platform).await, &mut failed);
    let renewed = attempt(renew_silent(database, now_unix, BATCH).await, &mut failed);
    let resent_jobs = attempt(send_outbox(platform).await, &mut failed);
    let cleaned_contents = attempt(clean_up(platform, CLEANUPS).await, &mut failed);
    failed.map_or(Ok(()), Err)?;
    Ok(SweepReport {
        success: true,
        published_contents,
        expired_reservations,
        removed_uploads,
        resent_jobs,
        requeued_contents: renewed.requeued,
        failed_contents: renewed.failed,
        cleaned_contents,
    })
}

/// What was done, or nothing where it failed; the first failure is kept.
fn attempt<T: Default>(
    done: Result<T, impl Into<SweepError>>,
    failed: &mut Option<SweepError>,
) -> T {
    done.unwrap_or_else(|error| {
        let error = error.into();
        tracing::warn!(%error, "a part of the sweep failed");
        failed.get_or_insert(error);
        T::default()
    })
}

async fn expire_reservations<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let expire = Statement::new(
        "DELETE FROM uploads WHERE id IN (
             SELECT id FROM uploads WHERE state = 'reserved' AND lease_ends_at_unix <= ?1 LIMIT ?2)
         RETURNING uuid",
    );
    let answers = platform
        .database()
        .batch(vec![expire.bind(platform.now_unix()).bind(BATCH)])
        .await?;
    Ok(answers.first().map_or(0, |rows| rows.0.len() as u64))
}

#[derive(Deserialize)]
struct Garbage {
    upload_uuid: String,
    multipart_id: Option<String>,
}

async fn remove_garbage<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let select = Statement::new(
        "SELECT upload_uuid, multipart_id FROM garbage
         WHERE lease_ends_at_unix <= ?1 - ?2
             AND NOT EXISTS (SELECT 1 FROM uploads WHERE uuid = upload_uuid)
         ORDER BY lease_ends_at_unix LIMIT ?3",
    );
    let select = select
        .bind(platform.now_unix())
        .bind(GARBAGE_REST_SECONDS)
        .bind(BATCH);
    let garbage: Vec<Garbage> = rows(platform, vec![select]).await?;
    for Garbage {
        upload_uuid,
        multipart_id,
    } in &garbage
    {
        if let Err(error) = remove_objects(platform, upload_uuid, multipart_id.as_deref()).await {
            postpone(platform, upload_uuid).await?;
            return Err(error.into());
        }
        forget_garbage(platform.database(), upload_uuid).await?;
    }
    Ok(garbage.len() as u64)
}

/// What cannot be removed goes behind the others: it must not keep them from it.
async fn postpone<P: Platform>(platform: &P, upload_uuid: &str) -> Result<(), DatabaseError> {
    let later = Statement::new("UPDATE garbage SET lease_ends_at_unix = ?2 WHERE upload_uuid = ?1");
    let later = later.bind(upload_uuid).bind(platform.now_unix());
    platform.database().batch(vec![later]).await.map(drop)
}

/// Deletes everything that an upload may have stored.
pub async fn remove_objects<P: Platform>(
    platform: &P,
    upload_uuid: &str,
    multipart_id: Option<&str>,
) -> Result<(), PlatformError> {
    let keys = source_keys(upload_uuid);
    if let (Some(id), [video, _]) = (multipart_id, &keys) {
        platform.objects().abort(video, id).await?;
    }
    platform.objects().delete(&keys).await
}

/// The names of what an upload stores: the video, then the picture.
pub fn source_keys(upload_uuid: &str) -> [String; 2] {
    [
        ObjectKey::SourceVideo { upload_uuid }.path(),
        ObjectKey::SourceThumbnail { upload_uuid }.path(),
    ]
}

#[derive(Deserialize)]
struct Unsent {
    content_id: u64,
    content_uuid: String,
    generation: u64,
}

async fn send_outbox<P: Platform>(platform: &P) -> Result<u64, SweepError> {
    let select = Statement::new(
        "SELECT content_id, contents.uuid AS content_uuid, outbox.generation
         FROM outbox JOIN contents ON contents.id = content_id
         WHERE written_at_unix <= ?1 - ?2
         ORDER BY written_at_unix LIMIT ?3",
    );
    let select = select
        .bind(platform.now_unix())
        .bind(OUTBOX_REST_SECONDS)
        .bind(BATCH);
    let unsent: Vec<Unsent> = rows(platform, vec![select]).await?;
    for Unsent {
        content_id,
        content_uuid,
        generation,
    } in &unsent
    {
        let content_uuid = content_uuid.clone();
        let job = JobMessage {
            version: JOB_VERSION,
            content_id: *content_id,
            content_uuid,
            generation: *generation,
        };
        send_job(platform, &job).await?;
    }
    Ok(unsent.len() as u64)
}

/// The rows of a batch's last statement.
pub async fn rows<P: Platform, Row: DeserializeOwned>(
    platform: &P,
    statements: Vec<Statement>,
) -> Result<Vec<Row>, DatabaseError> {
    let answers = platform.database().batch(statements).await?;
    let Rows(rows) = answers.into_iter().next_back().unwrap_or_default();
    let misfit = |error: serde_json::Error| DatabaseError::Shape(error.to_string());
    let read = |row| Row::deserialize(row).map_err(misfit);
    rows.iter().map(read).collect()
}
