//! Captions of the owner's own for a video that was uploaded earlier.
//!
//! 1. `form` takes the form while it arrives. What is kept of the file is its text and its times, written anew as
//!    plain WebVTT: nothing else of a stranger's file is ever stored.
//! 2. The content is asked whether it takes the captions. If so, their name is recorded as garbage, then they are
//!    stored.
//! 3. One transaction changes what the content wants, and the file is garbage no longer.
//!
//! The sweep deletes a file that never became wanted. One that was stored too late is deleted at once, because the
//! sweep may have been there before it.

mod form;

use super::small_form::{self, SmallFormRequest};
use super::stored_objects::{put_captions, remove_if_late};
use crate::auth::hash::sha256_hex;
use crate::contents::captions::{CaptionsFile, WantedCaptions, change_captions, reserve_captions};
use crate::contents::owner_changes::OwnedContent;
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::outcome_without_file;
use crate::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::ports::error::PlatformError;
use crate::ports::platform::Platform;
use crate::refusal::Refusal;
use contract::subtitles::language_tag;
use form::{CaptionsForm, ReceivedCaptions, invalid_language};
use futures_util::Stream;

/// Takes the form to its end. Stores nothing.
pub(crate) async fn receive_captions<'a, P, Body, Chunk>(
    platform: &P,
    request: &SmallFormRequest<'a>,
    body: Body,
) -> Result<ReceivedCaptions<'a>, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let share = request.memory.take(0, platform.now()).ok_or_else(Refusal::overloaded)?;
    let mut form = CaptionsForm::new(share, request.unknown_fields.clone());
    small_form::receive(platform, request, body, &mut form).await?;
    form.finish()
}

/// Changes the captions of one language of the channel's content to these, which are stored under this name. The same
/// captions again change nothing.
pub(crate) async fn send_captions<P: Platform>(
    platform: &P,
    channel_id: ChannelId,
    name: UploadUuid,
    ReceivedCaptions { content_uuid, language, webvtt, .. }: &ReceivedCaptions<'_>,
) -> Result<UpdateOutcome, Refusal> {
    let content = OwnedContent { channel_id, content_uuid };
    let file = CaptionsFile { name, sha256: sha256_hex(webvtt.as_bytes()) };
    let wanted = WantedCaptions { language, file: Some(&file) };
    let database = platform.database();
    let reservation = reserve_captions(database, content, wanted, platform.now()).await?;
    if let Some(outcome) = outcome_without_file(database, content, reservation, platform.now()).await? {
        return Ok(outcome);
    }
    put_captions(platform, &file.name, webvtt.as_bytes()).await?;
    let outcome = change_captions(database, content, wanted, platform.now()).await?;
    remove_if_late(platform, &outcome, &file.name).await;
    Ok(outcome)
}

/// Removes the captions of one language. Without any, this changes nothing.
pub(crate) async fn remove_captions<P: Platform>(
    platform: &P,
    channel_id: ChannelId,
    content_uuid: &ContentUuid,
    language: &str,
) -> Result<UpdateOutcome, Refusal> {
    let language = language_tag(language).ok_or_else(invalid_language)?;
    let content = OwnedContent { channel_id, content_uuid };
    let wanted = WantedCaptions { language: &language, file: None };
    Ok(change_captions(platform.database(), content, wanted, platform.now()).await?)
}
