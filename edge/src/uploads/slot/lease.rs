//! Keeps the lease of an upload in progress: renews it in time, records when its client falls silent, and refuses the
//! upload once the lease is lost.

use super::reservation::{note_silence, renew, renewal};
use super::token::{TokenState, add_take, state_of};
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::limits::LEASE_SECONDS;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use crate::platform::database::{Batch, Database};
use contract::ErrorCode;
use std::cell::Cell;

/// A lease of this age is renewed. Quick uploads never need a renewal.
pub(crate) const RENEW_AFTER_SECONDS: u64 = 30;

/// An upload whose client sends nothing for this long leaves its token to a retry. Short enough for a client that waits
/// for the `Retry-After` of its first retry, and longer than most pauses of a mobile network.
const SILENT_AFTER_SECONDS: u64 = 10;

// The sweep can remove an upload's objects once its lease has expired, so a renewal must leave time for R2 to answer.
const _: () = assert!(LEASE_SECONDS > 2 * RENEW_AFTER_SECONDS);

pub(crate) struct Lease<'a, P: Platform> {
    platform: &'a P,
    upload_uuid: &'a UploadUuid,
    /// Whether there is a lease: the upload holds a slot.
    has_slot: bool,
    renewed_at: Cell<UnixSeconds>,
    heard_at: Cell<UnixSeconds>,
    /// Whether it is on record that the client is silent.
    is_silent: Cell<bool>,
    /// The token to take together with the next record, so that both are one batch.
    token: Cell<Option<TokenToTake>>,
    /// The state of the token that was taken with a record.
    taken: Cell<Option<TokenState>>,
}

/// A token of a channel that the upload wants.
pub(crate) struct TokenToTake {
    pub channel_id: ChannelId,
    pub token: String,
}

impl<'a, P: Platform> Lease<'a, P> {
    /// Returns the lease of an upload that was admitted just now.
    pub(crate) fn new(platform: &'a P, upload_uuid: &'a UploadUuid, has_slot: bool) -> Self {
        let now = platform.now();
        Self {
            platform,
            upload_uuid,
            has_slot,
            renewed_at: Cell::new(now),
            heard_at: Cell::new(now),
            is_silent: Cell::new(false),
            token: Cell::default(),
            taken: Cell::default(),
        }
    }

    /// Renews the lease if it is due, or if the client was silent. Refuses if it is lost.
    pub(crate) async fn keep(&self) -> Result<(), Refusal> {
        let now = self.platform.now();
        self.heard_at.set(now);
        let is_due = self.is_silent.take() || now >= self.renewed_at.get() + RENEW_AFTER_SECONDS;
        if self.has_slot && is_due { self.renew(None).await } else { Ok(()) }
    }

    /// Records that the client is silent, once it has been for long enough.
    pub(crate) async fn wait(&self) -> Result<(), Refusal> {
        let is_new = !self.is_silent.get() && self.platform.now() >= self.heard_at.get() + SILENT_AFTER_SECONDS;
        if self.has_slot && is_new {
            self.is_silent.set(true);
            note_silence(self.platform.database(), self.upload_uuid).await?;
        }
        Ok(())
    }

    /// Records R2's id of the unfinished object, so that the sweep can abort it. Takes the announced token too.
    pub(crate) async fn record(&self, multipart_id: &str) -> Result<(), Refusal> {
        let Some(TokenToTake { channel_id, token }) = self.token.take() else {
            return self.renew(Some(multipart_id)).await;
        };
        let (database, now) = (self.platform.database(), self.platform.now());
        self.renewed_at.set(now);
        let mut batch = Batch::default();
        let renewed = batch.query::<()>(renewal(self.upload_uuid, Some(multipart_id), now));
        let holder = add_take(&mut batch, channel_id, &token, self.upload_uuid, now);
        let answers = database.run(batch).await?;
        if !answers.has_rows(renewed) {
            return Err(Refusal::new(ErrorCode::UploadTooSlow));
        }
        self.taken.set(Some(state_of(answers.first(holder)?, self.upload_uuid)));
        Ok(())
    }

    /// Announces the token to take with the next record.
    pub(crate) fn announce(&self, token: TokenToTake) {
        self.token.set(Some(token));
    }

    /// Returns the announced token if there was no record since.
    pub(crate) fn unannounce(&self) -> Option<TokenToTake> {
        self.token.take()
    }

    /// Returns the state of the announced token, once, after it was taken with a record.
    pub(crate) fn taken(&self) -> Option<TokenState> {
        self.taken.take()
    }

    async fn renew(&self, multipart_id: Option<&str>) -> Result<(), Refusal> {
        let now = self.platform.now();
        self.renewed_at.set(now);
        let has_slot = renew(self.platform.database(), self.upload_uuid, multipart_id, now).await?;
        if has_slot { Ok(()) } else { Err(Refusal::new(ErrorCode::UploadTooSlow)) }
    }
}
