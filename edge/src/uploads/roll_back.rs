//! Rolls back a refused upload: releases its slot and deletes its objects.

use super::slot::reservation::{Admission, forget_garbage, unused_release};
use super::stored_objects::remove_objects;
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::people::keys::open_uploads::release_uploads;
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, Statement};

/// A refusal, and the objects to roll back. `None` once the upload may have been committed.
pub(super) struct RefusedUpload {
    pub error: Refusal,
    pub leftovers: Option<StoredLeftovers>,
}

/// The objects that an upload may have stored.
#[derive(Clone, Default)]
pub(crate) struct StoredLeftovers {
    /// R2's id of a started multipart upload.
    pub unfinished: Option<String>,
    /// Whether a complete object may exist, or may still appear.
    pub may_be_complete: bool,
    /// The names of captions that may be stored.
    pub captions: Vec<UploadUuid>,
}

impl StoredLeftovers {
    /// Returns the leftovers of a file before any object can be complete.
    pub(super) fn unfinished(multipart_id: Option<&str>) -> Self {
        Self { unfinished: multipart_id.map(str::to_owned), ..Self::default() }
    }
}

/// Releases the slot and deletes the objects. If this fails, the sweep does it later. `count` is the statement that
/// counts the refusal, if it counts.
pub(super) async fn roll_back<P: Platform>(
    platform: &P,
    admission: &Admission,
    upload_uuid: &UploadUuid,
    leftovers: &StoredLeftovers,
    count: Option<Statement>,
) {
    if !admission.has_slot {
        return;
    }
    if let Err(error) = try_roll_back(platform, upload_uuid, leftovers, count).await {
        tracing::warn!(
            upload = %upload_uuid,
            cause = error.cause,
            "a refused upload could not be rolled back; the sweep will clean it up"
        );
    }
}

/// Releases the slot first, because the next upload needs it.
async fn try_roll_back<P: Platform>(
    platform: &P,
    upload_uuid: &UploadUuid,
    leftovers: &StoredLeftovers,
    count: Option<Statement>,
) -> Result<(), Refusal> {
    let database = platform.database();
    let is_unused = leftovers.unfinished.is_none() && !leftovers.may_be_complete;
    let mut batch = Batch::default();
    if is_unused {
        batch.execute(unused_release(upload_uuid));
    } else {
        // The upload's objects are garbage from then on.
        release_uploads(&mut batch, "uuid = ?1", &[upload_uuid.into()]);
    }
    if let Some(count) = count {
        batch.execute(count);
    }
    database.run(batch).await?;
    if is_unused {
        return Ok(());
    }
    remove_objects(platform, upload_uuid, leftovers.unfinished.as_deref(), &leftovers.captions).await?;
    // If a put got no response, its object may still appear, so the garbage record stays for the sweep.
    if !leftovers.may_be_complete {
        forget_garbage(database, upload_uuid).await?;
    }
    Ok(())
}
