//! Continues an upload at its current offset, and makes the content once all bytes are stored.

use super::arrival::{Arrival, too_long};
use super::changes::take_over;
use super::finish::finish;
use super::record::{Outcome, Progress, Record, State, find};
use super::storing::store;
use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use crate::uploads::admission::Isolate;
use crate::uploads::request::AcceptedUpload;
use crate::uploads::slot::token::{TokenState, in_progress, take_token};
use contract::ErrorCode;
use contract::limits::OUTCOME_SECONDS;
use futures_util::{Stream, StreamExt};
use std::pin::pin;

/// A resumable upload holds no part in memory, so each takes as little as an upload of known length.
const KNOWN_LENGTH: Option<u64> = Some(0);

/// The upload after the request.
#[derive(Debug)]
pub(crate) struct Appended {
    pub progress: Progress,
    /// The content, if this request made it.
    pub accepted: Option<AcceptedUpload>,
}

impl Appended {
    /// Whether an earlier request had already made the content. Then the body of this request is unread.
    pub(crate) fn is_replay(&self) -> bool {
        self.accepted.is_none() && matches!(self.progress.outcome, Outcome::Accepted(_))
    }
}

/// Stores the bytes of the body. Makes the content if they are the last ones. If the request fails, the record has the
/// number of bytes that are stored.
pub(crate) async fn append<P, Body, Chunk>(
    platform: &P,
    isolate: &Isolate,
    arrival: &Arrival,
    body: Body,
) -> Result<Appended, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let (database, now) = (platform.database(), platform.now());
    // A full isolate refuses the request before writing anything.
    if !isolate.has_memory(KNOWN_LENGTH, now) {
        return Err(Refusal::overloaded());
    }
    let record = take_over(database, &arrival.location, arrival.offset, arrival.max_open_uploads, now).await?;
    let progress = record.progress()?;
    progress.note(&arrival.caller);
    match &progress.outcome {
        Outcome::Refused(refusal) => return Err(refusal.clone().into_refusal()),
        Outcome::Accepted(_) => return Ok(Appended { progress, accepted: None }),
        Outcome::Open | Outcome::Received => check(&record, arrival, now)?,
    }
    hold_token(platform, &record, now).await?;
    let mut received = record.received;
    if record.state == State::Open {
        let (memory, _) = isolate.enter(record.channel_id, KNOWN_LENGTH, now)?;
        let body = body.inspect(|_| memory.keep_alive(platform.now()));
        received = store(platform, &record, arrival, pin!(body)).await?;
    }
    if received < record.length {
        return Ok(Appended { progress: Progress { received, ..progress }, accepted: None });
    }
    let stored = find(database, &arrival.location, now).await?;
    let accepted = finish(platform, &stored).await?;
    let outcome = Outcome::Accepted(ContentUuid::new(accepted.result.content_uuid.clone()));
    let progress = Progress { received, outcome, expires_at: now + OUTCOME_SECONDS, ..progress };
    Ok(Appended { progress, accepted: Some(accepted) })
}

/// Refuses a request with another offset than the current one, with too many bytes, or without a slot.
fn check(record: &Record, arrival: &Arrival, now: UnixSeconds) -> Result<(), Refusal> {
    if record.received != arrival.offset {
        let detail = format!("The current offset is {}, not {}.", record.received, arrival.offset);
        return Err(Refusal::new(ErrorCode::UploadOffsetMismatch).with_detail(detail));
    }
    if arrival.content_length.is_some_and(|more| more > record.length - record.received) {
        return Err(too_long(record));
    }
    if record.has_slot() { Ok(()) } else { Err(record.without_slot(now)?) }
}

/// Takes the token again if the upload was parked. Another upload may have used it meanwhile.
async fn hold_token<P: Platform>(platform: &P, record: &Record, now: UnixSeconds) -> Result<(), Refusal> {
    let Some(token) = record.request()?.token.filter(|token| record.slot_token.as_ref() != Some(token)) else {
        return Ok(());
    };
    match take_token(platform.database(), record.channel_id, &token, &record.upload_uuid, now).await? {
        TokenState::Ours => Ok(()),
        TokenState::InFlight { lease_ends_at } => Err(in_progress(lease_ends_at, now)),
        TokenState::Finished { .. } => {
            let detail = "Another upload with this `upload_token` was accepted while this one was interrupted. Create the \
                          upload again to get its result.";
            Err(Refusal::new(ErrorCode::UploadTokenMismatch).with_field("upload_token").with_detail(detail))
        }
        TokenState::Free => Err(Refusal::new(ErrorCode::UploadTooSlow)),
    }
}
