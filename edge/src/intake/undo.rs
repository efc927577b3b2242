//! What a refused upload leaves, and how it is undone: the slot goes back, the objects go away.

use super::reservation::{Admission, forget_garbage, release, release_unused};
use crate::error::ApiError;
use crate::platform::Platform;
use crate::sweep::remove_objects;

/// A refusal, and what it leaves to be undone: nothing at all once the commit may have happened.
pub struct Refused {
    pub error: ApiError,
    pub leftovers: Option<Leftovers>,
}

/// What an upload may have stored.
#[derive(Clone, Default)]
pub struct Leftovers {
    /// R2's name of an object that was begun.
    pub unfinished: Option<String>,
    /// Whether a whole object may be there, or arrive yet.
    pub maybe_whole: bool,
}

/// Gives the slot back and removes what was stored. Whatever fails here, the sweep does later.
pub async fn undo<P: Platform>(
    platform: &P,
    admission: &Admission,
    upload_uuid: &str,
    leftovers: &Leftovers,
) {
    if !admission.has_slot {
        return;
    }
    if let Err(error) = try_to_undo(platform, upload_uuid, leftovers).await {
        tracing::warn!(
            upload = upload_uuid,
            cause = error.cause(),
            "a refused upload is left to the sweep"
        );
    }
}

/// The slot first: it matters to the next upload.
async fn try_to_undo<P: Platform>(
    platform: &P,
    upload_uuid: &str,
    leftovers: &Leftovers,
) -> Result<(), ApiError> {
    let database = platform.database();
    if leftovers.unfinished.is_none() && !leftovers.maybe_whole {
        return Ok(release_unused(database, upload_uuid).await?);
    }
    release(database, upload_uuid).await?;
    remove_objects(platform, upload_uuid, leftovers.unfinished.as_deref()).await?;
    // An object whose storing gave no answer may arrive yet: its garbage stays on record for the sweep.
    if !leftovers.maybe_whole {
        forget_garbage(database, upload_uuid).await?;
    }
    Ok(())
}
