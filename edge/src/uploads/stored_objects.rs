//! The objects that an upload may have stored: their keys, and how they are removed.

use crate::base::ids::UploadUuid;
use crate::contents::update_outcome::UpdateOutcome;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use crate::platform::object_store::{ObjectStore, Segment};
use contract::{ErrorCode, ObjectKey};

/// Deletes every object that an upload may have stored, with the captions of these names.
pub(crate) async fn remove_objects<P: Platform>(
    platform: &P,
    upload_uuid: &UploadUuid,
    multipart_id: Option<&str>,
    captions: &[UploadUuid],
) -> Result<(), PlatformError> {
    abort_multipart(platform, upload_uuid, multipart_id).await?;
    let mut keys = Vec::from(source_keys(upload_uuid));
    keys.extend(captions.iter().map(captions_key));
    platform.objects().delete(&keys).await
}

/// Deletes a file that was stored too late for its update.
pub(super) async fn remove_if_late<P: Platform>(platform: &P, outcome: &UpdateOutcome, name: &UploadUuid) {
    if !matches!(outcome, UpdateOutcome::Refused { code: ErrorCode::UploadTooSlow, .. }) {
        return;
    }
    if let Err(error) = remove_objects(platform, name, None, &[]).await {
        tracing::warn!(file = %name, %error, "a file that came too late could not be deleted");
    }
}

/// Stores the picture of a thumbnail.
pub(crate) async fn put_thumbnail<P: Platform>(
    platform: &P,
    upload_uuid: &UploadUuid,
    picture: &[u8],
) -> Result<(), PlatformError> {
    let key = ObjectKey::SourceThumbnail { upload_uuid: upload_uuid.as_str() }.path();
    put(platform, &key, picture).await
}

/// Stores the captions of one language.
pub(crate) async fn put_captions<P: Platform>(
    platform: &P,
    name: &UploadUuid,
    webvtt: &[u8],
) -> Result<(), PlatformError> {
    put(platform, &captions_key(name), webvtt).await
}

fn captions_key(name: &UploadUuid) -> String {
    ObjectKey::SourceCaptions { upload_uuid: name.as_str() }.path()
}

async fn put<P: Platform>(platform: &P, key: &str, bytes: &[u8]) -> Result<(), PlatformError> {
    let mut segment = platform.objects().segment(bytes.len());
    segment.append(bytes);
    platform.objects().put(key, &[segment]).await
}

/// Aborts the unfinished object of an upload, if there is one.
pub(crate) async fn abort_multipart<P: Platform>(
    platform: &P,
    upload_uuid: &UploadUuid,
    multipart_id: Option<&str>,
) -> Result<(), PlatformError> {
    let Some(id) = multipart_id else { return Ok(()) };
    let [video, ..] = source_keys(upload_uuid);
    platform.objects().abort(&video, id).await
}

/// Returns the keys of the objects that may be stored under the name of an upload or of a file that was sent later. The
/// video comes first.
pub(crate) fn source_keys(upload_uuid: &UploadUuid) -> [String; 4] {
    let upload_uuid = upload_uuid.as_str();
    [
        ObjectKey::SourceVideo { upload_uuid },
        ObjectKey::SourcePadded { upload_uuid },
        ObjectKey::SourceThumbnail { upload_uuid },
        ObjectKey::SourceCaptions { upload_uuid },
    ]
    .map(|key| key.path())
}
