//! Keeps the lease of an upload in progress: renews it in time, and refuses the upload once the lease is lost.

use super::reservation::renew;
use crate::base::ids::UploadUuid;
use crate::base::limits::LEASE_SECONDS;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use contract::ErrorCode;
use std::cell::Cell;

/// A lease of this age is renewed. Quick uploads never need a renewal.
pub(crate) const RENEW_AFTER_SECONDS: u64 = 30;

// The sweep can remove an upload's objects once its lease has expired, so a renewal must leave time for R2 to answer.
const _: () = assert!(LEASE_SECONDS > 2 * RENEW_AFTER_SECONDS);

pub(crate) struct Lease<'a, P: Platform> {
    platform: &'a P,
    upload_uuid: &'a UploadUuid,
    /// Whether there is a lease: the upload holds a slot.
    has_slot: bool,
    renewed_at: Cell<UnixSeconds>,
}

impl<'a, P: Platform> Lease<'a, P> {
    /// Returns the lease of an upload that was admitted just now.
    pub(crate) fn new(platform: &'a P, upload_uuid: &'a UploadUuid, has_slot: bool) -> Self {
        Self { platform, upload_uuid, has_slot, renewed_at: Cell::new(platform.now()) }
    }

    /// Renews the lease if it is due. Refuses if it is lost.
    pub(crate) async fn keep(&self) -> Result<(), Refusal> {
        let is_due = self.platform.now() >= self.renewed_at.get() + RENEW_AFTER_SECONDS;
        if self.has_slot && is_due { self.renew(None).await } else { Ok(()) }
    }

    /// Records R2's id of the unfinished object, so that the sweep can abort it.
    pub(crate) async fn record(&self, multipart_id: &str) -> Result<(), Refusal> {
        self.renew(Some(multipart_id)).await
    }

    async fn renew(&self, multipart_id: Option<&str>) -> Result<(), Refusal> {
        let now = self.platform.now();
        self.renewed_at.set(now);
        let has_slot = renew(self.platform.database(), self.upload_uuid, multipart_id, now).await?;
        if has_slot { Ok(()) } else { Err(Refusal::new(ErrorCode::UploadTooSlow)) }
    }
}
