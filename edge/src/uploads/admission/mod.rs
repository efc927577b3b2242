//! Decides whether an upload may begin. Three conditions are checked in this order: the key is valid, the daily limit
//! and the number of open uploads leave room, and the isolate has memory, which one channel cannot use up. So a caller
//! without a valid key takes nothing from the isolate.

mod isolate;
mod memory_budget;
mod open_in_isolate;

pub(crate) use isolate::Isolate;
pub(crate) use memory_budget::Permit;

use super::names::UploadNames;
use super::request::UploadRequest;
use super::roll_back::{StoredLeftovers, roll_back};
use super::slot::reservation::{Admission, SlotRequest, reserve, too_many_open};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
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
/// 403 `channel_suspended`, 429 `rate_limited`, 429 `content_upload_limit_failure`, 429 `too_many_uploads`,
/// 503 `service_overloaded`.
pub(crate) async fn admit<'a, P: Platform>(
    platform: &P,
    isolate: &'a Isolate,
    request: &UploadRequest,
) -> Result<AdmittedUpload<'a>, Refusal> {
    let now = platform.now();
    let UploadRequest { permission, names: UploadNames { upload_uuid, .. }, max_open_uploads, .. } = request;
    let token = request.token.as_deref();
    let slot = SlotRequest { permission, upload_uuid, token, max_open_uploads: *max_open_uploads };
    let reserved = reserve(platform.database(), slot, now).await?;
    let admission = reserved.ok_or_else(|| permission.invalid())?;
    request.caller.note(admission.channel_id, permission.credential());
    admission.require_allowed(now)?;
    let slotless = if admission.has_slot { None } else { Some(enter_without_slot(isolate, &admission, request, now)?) };
    match isolate.enter(admission.channel_id, request.content_length, now) {
        Ok((memory, lengthless)) => Ok(AdmittedUpload { admission, memory, slotless, lengthless }),
        Err(refusal) => {
            roll_back(platform, &admission, &request.names.upload_uuid, &StoredLeftovers::default(), None).await;
            Err(admission.add_usage(refusal, platform.now()))
        }
    }
}

/// Admits an upload without a slot, if the daily limit is the reason and the upload may be a replay. Such uploads count
/// against the channel's limit of open uploads.
fn enter_without_slot<'a>(
    isolate: &'a Isolate,
    admission: &Admission,
    request: &UploadRequest,
    now: UnixSeconds,
) -> Result<Place<'a>, Refusal> {
    let too_many = || too_many_open(admission.usage, now);
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
