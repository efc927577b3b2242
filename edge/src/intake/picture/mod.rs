//! A picture of the owner's own that becomes the thumbnail of a video which was uploaded earlier.
//!
//! 1. `form` takes the form while it arrives, at the pace of an upload. It holds the picture, which is small. Then the
//!    caller checks that the key is still valid.
//! 2. The content is asked whether it takes the picture. If so, the picture is recorded as garbage, then stored.
//! 3. One transaction changes the content, and the picture is garbage no longer.
//!
//! The sweep deletes a picture that never became wanted. One that was stored too late is deleted at once, because the
//! sweep may have been there before it.

mod form;

use super::small_form::{self, SmallFormRequest};
use super::stored_objects::{put_thumbnail, remove_if_late};
use crate::auth::hash::sha256_hex;
use crate::contents::owner_changes::OwnedContent;
use crate::contents::sent_pictures::{commit, reserve};
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::{SentPicture, outcome_without_file};
use crate::ids::{ChannelId, UploadUuid};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::refusal::Refusal;
use form::{PictureForm, ReceivedPicture};
use futures_util::Stream;

/// Takes the form to its end. Stores nothing.
pub(crate) async fn receive_picture<'a, P, Body, Chunk>(
    platform: &P,
    request: &SmallFormRequest<'a>,
    body: Body,
) -> Result<ReceivedPicture<'a>, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let share = request.memory.take(0, platform.now()).ok_or_else(Refusal::overloaded)?;
    let mut form = PictureForm::new(share, request.unknown_fields.clone());
    small_form::receive(platform, request, body, &mut form).await?;
    form.finish()
}

/// Changes the thumbnail of the channel's content to the picture, which is stored under this name. The same picture
/// again changes nothing.
pub(crate) async fn change_thumbnail<P: Platform>(
    platform: &P,
    channel_id: ChannelId,
    name: UploadUuid,
    ReceivedPicture { content_uuid, bytes, .. }: &ReceivedPicture<'_>,
) -> Result<UpdateOutcome, Refusal> {
    let content = OwnedContent { channel_id, content_uuid };
    let picture = SentPicture { name, sha256: sha256_hex(bytes) };
    let database = platform.database();
    let reservation = reserve(database, content, &picture, platform.now()).await?;
    if let Some(outcome) = outcome_without_file(database, content, reservation, platform.now()).await? {
        return Ok(outcome);
    }
    put_thumbnail(platform, &picture.name, bytes).await?;
    let outcome = commit(database, content, &picture, platform.now()).await?;
    remove_if_late(platform, &outcome, &picture.name).await;
    Ok(outcome)
}
