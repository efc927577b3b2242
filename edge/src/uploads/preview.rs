//! Judges a small upload before it reserves a slot, so that its refusal costs the database one row.
//!
//! Reserving a slot and releasing it writes about ten rows, which a client could cause with a few bytes. A small body
//! usually arrives with the request, so it is parsed and judged once without the database. If it is certainly refused,
//! the refusal is recorded together with the check of the key. Otherwise the upload is admitted as any other, and the
//! same bytes are received again.

use super::admission::{Isolate, Permit};
use super::file::StoreContext;
use super::pace::{Arrived, PacedBody};
use super::permission::Permission;
use super::receive::judge;
use super::request::UploadRequest;
use super::slot::lease::Lease;
use super::slot::reservation::Admission;
use super::upload::Upload;
use crate::base::daily_limit::Usage;
use crate::base::ids::ChannelId;
use crate::base::limits::PREVIEWED_BYTES;
use crate::base::refusal::Refusal;
use crate::people::auth::hash::KeyedHash;
use crate::people::keys::key_store::record_refused_upload;
use crate::people::keys::refused_uploads::{is_counted, too_many_refused};
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use contract::ErrorCode;
use contract::limits::MAX_REFUSED_UPLOADS;
use futures_util::{Stream, stream};
use std::pin::Pin;

/// Returns the chunks that were read from the body, which the caller must receive again; or refuses the upload, in this
/// order: 401 `api_key_invalid`, 403 `channel_suspended`, 429 `content_upload_limit_failure`, 429 `rate_limited`, and
/// the reason that was found in the body.
pub(crate) async fn preview<P, Body, Chunk>(
    platform: &P,
    isolate: &Isolate,
    request: &UploadRequest,
    body: Pin<&mut Body>,
) -> Result<Vec<Chunk>, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let mut chunks = Vec::new();
    let is_small = request.content_length.is_some_and(|length| length <= PREVIEWED_BYTES as u64);
    // Whether an upload with a token is a replay, only the database knows.
    let Permission::Key(key) = &request.permission else { return Ok(chunks) };
    if !is_small || request.token.is_some() {
        return Ok(chunks);
    }
    let Some(memory) = isolate.enter_preview(platform.now()) else { return Ok(chunks) };
    let outcome = match read(platform, request, body, &mut chunks).await {
        // Boxed, because the state of an upload is large.
        Ok(true) => Box::pin(judge_once(platform, request, &memory, &chunks)).await,
        Ok(false) => Ok(()),
        Err(refusal) => Err(refusal),
    };
    match outcome {
        Err(refusal) if is_counted(&refusal) => Err(refuse(platform, key, request, refusal).await),
        _ => {
            request.unknown_fields.forget();
            Ok(chunks)
        }
    }
}

/// Reads the body. Returns false if its client makes a pause, or it is longer than announced.
async fn read<P, Body, Chunk>(
    platform: &P,
    request: &UploadRequest,
    body: Pin<&mut Body>,
    chunks: &mut Vec<Chunk>,
) -> Result<bool, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let mut body = PacedBody::new(platform, body, request.content_length, request.pace);
    let mut bytes = 0;
    while bytes <= PREVIEWED_BYTES {
        match body.next_or_silence().await? {
            Arrived::Silence => return Ok(false),
            Arrived::Chunk(None) => return Ok(true),
            Arrived::Chunk(Some(chunk)) => {
                bytes += chunk.as_ref().len();
                chunks.push(chunk);
            }
        }
    }
    Ok(false)
}

/// Judges the whole body, and stores nothing. An error that does not count means that only the database can decide.
async fn judge_once<P: Platform>(
    platform: &P,
    request: &UploadRequest,
    memory: &Permit<'_>,
    chunks: &[impl AsRef<[u8]>],
) -> Result<(), Refusal> {
    let admission = Admission {
        channel_id: ChannelId(0),
        usage: Usage { day: 0, amount: 0, used: 0 },
        forbidden: None,
        has_slot: true,
        open_uploads: 0,
        // A token may still follow, so the fields are checked only at the end of the form.
        may_be_replay: true,
        token: None,
        category_ids: Vec::new(),
    };
    let lease = Lease::new(platform, &request.names.upload_uuid, false);
    let context = StoreContext { platform, names: &request.names, lease: &lease, memory, parts: request.parts };
    let mut upload = Upload::new(context, &admission, request);
    upload.is_preview = true;
    let body = stream::iter(chunks.iter().map(|chunk| Ok::<_, PlatformError>(chunk.as_ref())));
    upload.take_body(body).await?;
    judge(upload).await.map(drop)
}

/// Counts the refused upload, and returns its refusal, or the reason for which it would not have been admitted.
async fn refuse<P: Platform>(platform: &P, key: &KeyedHash, request: &UploadRequest, refusal: Refusal) -> Refusal {
    let now = platform.now();
    let (channel_use, refused) = match record_refused_upload(platform.database(), key, now).await {
        Ok(Some(recorded)) => recorded,
        Ok(None) => return Refusal::new(ErrorCode::ApiKeyInvalid),
        Err(error) => return error.into(),
    };
    request.caller.note(channel_use.channel_id, request.permission.credential());
    if channel_use.is_suspended {
        return Refusal::new(ErrorCode::ChannelSuspended);
    }
    if channel_use.usage.remaining() == 0 {
        return Refusal::limit_reached(channel_use.usage, now);
    }
    let refusal = if refused > MAX_REFUSED_UPLOADS { too_many_refused(now) } else { refusal };
    refusal.with_usage(channel_use.usage, now)
}
