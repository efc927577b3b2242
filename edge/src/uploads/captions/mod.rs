//! Captions that an owner sends for an earlier video.
//!
//! 1. `form` receives the form. Only the file's text and times are kept, rewritten as plain WebVTT. Nothing else of the
//!    untrusted file is ever stored.
//! 2. If the content accepts the captions, their name is recorded as garbage, and then they are stored.
//! 3. One transaction makes them the wanted captions of the content, and removes the garbage record.
//!
//! The sweep deletes a file that is not wanted. A file that was stored too late is deleted at once, because the sweep
//! may have run before.

mod form;

use super::small_form::{self, SmallFormRequest};
use super::stored_objects::{put_captions, remove_if_late};
use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::refusal::Refusal;
use crate::contents::captions::{CaptionsFile, WantedCaptions, change_captions, reserve_captions};
use crate::contents::owner_changes::OwnedContent;
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::outcome_without_file;
use crate::people::auth::hash::sha256_hex;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use contract::subtitles::language_tag;
use form::{CaptionsForm, ReceivedCaptions, invalid_language};
use futures_util::Stream;

/// Receives the whole form. Stores nothing.
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

/// Replaces the captions of one language of the channel's content. They are stored under `name`. Sending the same
/// captions again changes nothing.
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

/// Removes the captions of one language, if there are any.
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
