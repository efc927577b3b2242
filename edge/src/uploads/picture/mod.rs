//! A picture that an owner sends as the thumbnail of an earlier video.
//!
//! 1. `form` receives the form, at the pace of an upload, and holds the small picture. Then the caller checks that the
//!    key is still valid.
//! 2. If the content accepts the picture, the picture is recorded as garbage, and then stored.
//! 3. One transaction changes the content and removes the garbage record.
//!
//! The sweep deletes a picture that is not wanted. A picture that was stored too late is deleted at once, because the
//! sweep may have run before.

mod form;

use super::small_form::{self, SmallFormRequest};
use super::stored_objects::{put_thumbnail, remove_if_late};
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::refusal::Refusal;
use crate::contents::owner_changes::OwnedContent;
use crate::contents::sent_pictures::{commit, reserve};
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::{SentPicture, outcome_without_file};
use crate::people::auth::hash::sha256_hex;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use form::{PictureForm, ReceivedPicture};
use futures_util::Stream;

/// Receives the whole form. Stores nothing.
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

/// Changes the thumbnail of the channel's content to the picture, which is stored under `name`. Sending the same
/// picture again changes nothing.
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
