//! Decides whether an upload may begin. Three conditions are checked in this order: its key is valid, the daily limit
//! and the number of open uploads leave room for it, and the isolate has memory for it, of which one channel cannot
//! take all. So a caller without a valid key takes nothing from the isolate.

mod isolate;
mod memory_budget;
mod open_in_isolate;

pub(crate) use isolate::Isolate;
pub(crate) use memory_budget::Permit;

use super::request::UploadRequest;
use super::roll_back::{StoredLeftovers, roll_back};
use super::slot::reservation::{Admission, reserve};
use crate::limits::OPEN_UPLOADS_RETRY_SECONDS;
use crate::ports::platform::Platform;
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use open_in_isolate::Place;

/// An upload that may send its body.
pub(crate) struct AdmittedUpload<'a> {
    pub admission: Admission,
    memory: Permit<'a>,
    /// Held by an upload without a slot.
    slotless: Option<Place<'a>>,
    /// Held by an upload of unknown length.
    lengthless: Option<Place<'a>>,
}

impl<'a> AdmittedUpload<'a> {
    pub(super) fn memory(&self) -> &Permit<'a> {
        &self.memory
    }

    /// Keeps what the upload holds in the isolate from expiring. Call it whenever bytes arrive.
    pub(super) fn keep_alive(&self, now: UnixSeconds) {
        self.memory.keep_alive(now);
        for place in [&self.slotless, &self.lengthless].into_iter().flatten() {
            place.renew(now);
        }
    }
}

/// Admits the upload, or refuses it and leaves nothing behind. In this order: 401 `api_key_invalid`,
/// 403 `channel_suspended`, 429 `content_upload_limit_failure`, 429 `too_many_uploads`, 503 `service_overloaded`.
pub(crate) async fn admit<'a, P: Platform>(
    platform: &P,
    isolate: &'a Isolate,
    request: &UploadRequest,
) -> Result<AdmittedUpload<'a>, Refusal> {
    let now = platform.now();
    let reserved = reserve(platform.database(), request, now).await?;
    let admission = reserved.ok_or_else(|| Refusal::new(ErrorCode::ApiKeyInvalid))?;
    if admission.is_suspended {
        return Err(Refusal::new(ErrorCode::ChannelSuspended));
    }
    let slotless = if admission.has_slot { None } else { Some(enter_without_slot(isolate, &admission, request, now)?) };
    match isolate.enter(admission.channel_id, request.content_length, now) {
        Ok((memory, lengthless)) => Ok(AdmittedUpload { admission, memory, slotless, lengthless }),
        Err(refusal) => {
            roll_back(platform, &admission, &request.names.upload_uuid, &StoredLeftovers::default()).await;
            Err(admission.add_usage(refusal, platform.now()))
        }
    }
}

/// Admits an upload that got no slot, if the daily limit is the reason and it may be a replay. Together with the
/// channel's open uploads, these uploads may not exceed its limit of open uploads.
fn enter_without_slot<'a>(
    isolate: &'a Isolate,
    admission: &Admission,
    request: &UploadRequest,
    now: UnixSeconds,
) -> Result<Place<'a>, Refusal> {
    let too_many = || {
        let refusal = Refusal::new(ErrorCode::TooManyUploads).with_retry_after(OPEN_UPLOADS_RETRY_SECONDS);
        refusal.with_usage(admission.usage, now)
    };
    if admission.usage.remaining() > 0 {
        return Err(too_many());
    }
    if !admission.may_be_replay {
        return Err(Refusal::limit_reached(admission.usage, now));
    }
    let left = request.max_open_uploads.saturating_sub(admission.open_uploads);
    let place = isolate.slotless.open(admission.channel_id, left, now);
    place.ok_or_else(too_many)
}
