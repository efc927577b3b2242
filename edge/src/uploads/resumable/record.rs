//! The record of a resumable upload, as a request reads it.

use super::location::Location;
use super::part_numbers::SavedPart;
use super::refusal::StoredRefusal;
use crate::base::daily_limit::{Usage, day_of};
use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::people::failed_requests::KnownCaller;
use crate::platform::database::{Database, DatabaseError, Statement, read_column};
use crate::uploads::direct::Rules;
use crate::uploads::names::UploadNames;
use crate::uploads::slot::reservation::too_many_open;
use contract::api::PresentedCredential;
use contract::{ErrorCode, TraceContext};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that is known before the first byte. The names of the content are chosen then, so that a commit can be
/// repeated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct StoredRequest {
    pub names: UploadNames,
    pub texts: BTreeMap<String, String>,
    pub token: Option<String>,
    pub sha256: Option<String>,
    /// The size of the parts. A later version of the service may prefer another one.
    pub part_bytes: u64,
    /// The owner's rules for an upload with a one-time token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<Rules>,
    pub trace: String,
}

impl StoredRequest {
    pub(super) fn trace(&self) -> Result<TraceContext, Refusal> {
        TraceContext::parse(&self.trace).ok_or_else(|| Refusal::internal("a stored trace cannot be read"))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    Open,
    Received,
    Accepted,
    Refused,
}

/// The record, and the slot and the content of its upload.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Record {
    pub secret_sha256: String,
    pub channel_id: ChannelId,
    pub upload_uuid: UploadUuid,
    pub tails_uuid: UploadUuid,
    pub state: State,
    pub length: u64,
    request: String,
    expires_at_unix: UnixSeconds,
    pub epoch: u64,
    is_writing: u8,
    is_fast: u8,
    pub received: u64,
    pub multipart_id: Option<String>,
    parts: String,
    pub tail: Option<String>,
    pub checked: Option<String>,
    refusal: Option<String>,
    has_slot: u8,
    pub slot_token: Option<String>,
    content_uuid: Option<ContentUuid>,
    amount: u32,
    used: u32,
    is_suspended: u8,
}

/// The progress of an upload, for its client.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    pub upload_uuid: UploadUuid,
    pub received: u64,
    pub length: u64,
    pub expires_at: UnixSeconds,
    pub outcome: Outcome,
    /// Whether the client has a one-time token only, and sees little of the outcome.
    pub is_direct: bool,
    pub channel_id: ChannelId,
}

impl Progress {
    /// Notes the channel of the upload, and the credential that it began with.
    pub(crate) fn note(&self, caller: &KnownCaller) {
        let credential =
            if self.is_direct { PresentedCredential::DirectUploadToken } else { PresentedCredential::ApiKey };
        caller.note(self.channel_id, credential);
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// Bytes are missing.
    Open,
    /// All bytes are stored. The next request makes the content.
    Received,
    Accepted(ContentUuid),
    Refused(StoredRefusal),
}

impl Record {
    pub(super) fn request(&self) -> Result<StoredRequest, DatabaseError> {
        read_column(&self.request)
    }

    pub(super) fn parts(&self) -> Result<Vec<SavedPart>, DatabaseError> {
        read_column(&self.parts)
    }

    pub(super) fn is_writing(&self) -> bool {
        self.is_writing == 1
    }

    pub(super) fn is_fast(&self) -> bool {
        self.is_fast == 1
    }

    pub(super) fn has_slot(&self) -> bool {
        self.has_slot == 1
    }

    /// Returns the refusal of a request that needs a slot and did not get one.
    pub(super) fn without_slot(&self, now: UnixSeconds) -> Result<Refusal, DatabaseError> {
        let usage = Usage { day: day_of(now), amount: self.amount, used: self.used };
        let refusal = if self.is_suspended == 1 {
            Refusal::new(ErrorCode::ChannelSuspended)
        } else if usage.remaining() == 0 {
            Refusal::limit_reached(usage, now)
        } else {
            too_many_open(usage, now)
        };
        Ok(if self.request()?.direct.is_some() { refusal.without_usage() } else { refusal })
    }

    pub(super) fn progress(&self) -> Result<Progress, DatabaseError> {
        let outcome = match (&self.refusal, &self.content_uuid) {
            (Some(refusal), _) => Outcome::Refused(read_column(refusal)?),
            (None, Some(uuid)) => Outcome::Accepted(uuid.clone()),
            (None, None) if self.state == State::Received => Outcome::Received,
            (None, None) => Outcome::Open,
        };
        let Self { upload_uuid, received, length, expires_at_unix: expires_at, channel_id, .. } = self.clone();
        let is_direct = self.request()?.direct.is_some();
        Ok(Progress { upload_uuid, received, length, expires_at, outcome, is_direct, channel_id })
    }
}

/// The query for the record with the secret `?1` at the time `?2`, with today's usage of its channel.
const SELECT: &str = "SELECT secret_sha256, resumable_uploads.channel_id, upload_uuid, tails_uuid,
         resumable_uploads.state, length, request, expires_at_unix, epoch, is_writing, is_fast, received,
         resumable_uploads.multipart_id, parts, tail, checked, refusal,
         coalesce(uploads.state = 'reserved' AND lease_ends_at_unix > ?2, 0) AS has_slot,
         uploads.upload_token AS slot_token, coalesce(contents.uuid, test_videos.uuid) AS content_uuid, daily_upload_limit AS amount,
         coalesce((SELECT used FROM daily_usage WHERE channel_id = channels.id AND day = ?3), 0) AS used,
         suspended_at_unix IS NOT NULL AS is_suspended
     FROM resumable_uploads JOIN channels ON channels.id = resumable_uploads.channel_id
     LEFT JOIN uploads ON uploads.uuid = upload_uuid LEFT JOIN contents ON contents.id = uploads.id
     LEFT JOIN test_videos ON test_videos.id = uploads.id
     WHERE secret_sha256 = ?1 AND expires_at_unix > ?2";

pub(super) fn select(location: &Location, now: UnixSeconds) -> Statement {
    Statement::new(SELECT).bind(location.sha256()).bind(now).bind(day_of(now))
}

/// Returns the progress of an upload.
pub(crate) async fn look(database: &impl Database, location: &Location, now: UnixSeconds) -> Result<Progress, Refusal> {
    Ok(find(database, location, now).await?.progress()?)
}

/// The origin of the pages that may continue an upload, and the channel of the upload.
#[derive(Debug, Deserialize)]
pub(crate) struct AllowedPage {
    pub origin: String,
    pub channel_id: ChannelId,
}

/// Returns the pages that may continue an upload, if it has a one-time token and is for pages.
pub(crate) async fn allowed_page(
    database: &impl Database,
    location: &Location,
) -> Result<Option<AllowedPage>, DatabaseError> {
    let select = Statement::new(
        "SELECT request ->> '$.direct.allowed_origin' AS origin, channel_id FROM resumable_uploads
         WHERE secret_sha256 = ?1 AND request ->> '$.direct.allowed_origin' IS NOT NULL",
    );
    database.first(select.bind(location.sha256())).await
}

/// Returns the record of an upload.
pub(super) async fn find(database: &impl Database, location: &Location, now: UnixSeconds) -> Result<Record, Refusal> {
    database.first(select(location, now)).await?.ok_or_else(not_found)
}

pub(super) fn not_found() -> Refusal {
    Refusal::new(ErrorCode::UploadNotFound)
}
