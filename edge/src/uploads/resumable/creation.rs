//! Begins a resumable upload: checks what is announced, reserves a slot, and makes the record.

use super::announcement::Announcement;
use super::location::Location;
use super::record::{Progress, StoredRequest, look};
use crate::base::daily_limit::Usage;
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::limits::OPEN_UPLOADS_RETRY_SECONDS;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::test_videos;
use crate::moderation::blocked_files::is_blocked_file;
use crate::people::failed_requests::KnownCaller;
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use crate::uploads::attachments::Attachments;
use crate::uploads::commit::find_finished;
use crate::uploads::fingerprint::{fingerprint, is_same};
use crate::uploads::form::fields::FieldContext;
use crate::uploads::names::UploadNames;
use crate::uploads::permission::Permission;
use crate::uploads::slot::reservation::{
    Admission, SlotRequest, release_unused, reserve, too_many_open, unused_release,
};
use crate::uploads::slot::token::{TokenState, in_progress, take_token};
use contract::limits::{MAX_UNFINISHED_BYTES, MAX_UNFINISHED_UPLOADS, OUTCOME_SECONDS};
use contract::{ErrorCode, TraceContext};

/// An upload that a client wants to begin.
pub(crate) struct NewResumable {
    pub permission: Permission,
    pub names: UploadNames,
    pub tails_uuid: UploadUuid,
    pub location: Location,
    pub announcement: Announcement,
    pub max_open_uploads: u32,
    pub seconds_to_finish: u64,
    pub part_bytes: u64,
    pub trace: TraceContext,
    pub caller: KnownCaller,
}

/// An upload that has begun, or a finished one with the same token.
#[derive(Debug)]
pub(crate) struct Created {
    pub progress: Progress,
    pub usage: Usage,
}

/// Begins the upload, or refuses it and leaves nothing behind.
pub(crate) async fn create<P: Platform>(platform: &P, new: &NewResumable) -> Result<Created, Refusal> {
    let (database, now) = (platform.database(), platform.now());
    let NewResumable { permission, names: UploadNames { upload_uuid, .. }, max_open_uploads, .. } = new;
    let slot = SlotRequest { permission, upload_uuid, token: None, max_open_uploads: *max_open_uploads };
    let admission = reserve(database, slot, now).await?.ok_or_else(|| permission.invalid())?;
    new.caller.note(admission.channel_id, permission.credential());
    admission.require_allowed(now)?;
    let created = match begin(platform, new, &admission).await {
        Ok(usage) => look(database, &new.location, now).await.map(|progress| Created { progress, usage }),
        Err(refusal) => Err(refusal),
    };
    if let Err(refusal) = &created
        && admission.has_slot
    {
        undo(database, new, permission.refusal_count(refusal, now)).await?;
    }
    created.map_err(|refusal| admission.add_usage(refusal, now))
}

/// Removes the slot, and the record if it was made although its answer was lost. Nothing is stored yet.
async fn undo(database: &impl Database, new: &NewResumable, count: Option<Statement>) -> Result<(), DatabaseError> {
    let mut batch = Batch::default();
    let forget = Statement::new("DELETE FROM resumable_uploads WHERE secret_sha256 = ?1");
    batch.execute(forget.bind(new.location.sha256()));
    batch.execute(unused_release(&new.names.upload_uuid));
    if let Some(count) = count {
        batch.execute(count);
    }
    database.run(batch).await.map(drop)
}

/// Makes the record, and returns the usage with it.
async fn begin<P: Platform>(platform: &P, new: &NewResumable, admission: &Admission) -> Result<Usage, Refusal> {
    let (database, announced, now) = (platform.database(), &new.announcement, platform.now());
    if let Some(token) = announced.fields.upload_token.as_deref()
        && let Some(earlier) = resolve_token(database, new, admission, token, now).await?
    {
        if admission.has_slot {
            release_unused(database, &new.names.upload_uuid).await?;
        }
        insert_repeated(database, new, admission.channel_id, &earlier, now).await?;
        return Ok(admission.usage_after_release());
    }
    if !admission.has_slot {
        let usage = admission.usage;
        let is_limit = usage.remaining() == 0;
        return Err(if is_limit { Refusal::limit_reached(usage, now) } else { too_many_open(usage, now) });
    }
    announced
        .fields
        .check(FieldContext { category_ids: &admission.category_ids, started_at: new.permission.scheduled_at(now) })?;
    if let Some(sha256) = &announced.sha256
        && is_blocked_file(database, sha256).await?
    {
        return Err(Refusal::new(ErrorCode::ContentModerationRejected).with_field("file"));
    }
    if let Some(refusal) = test_videos::refusal(announced.fields.test, admission.usage, now) {
        return Err(refusal);
    }
    let is_new = insert(database, new, now).await?;
    if is_new { Ok(admission.usage) } else { Err(too_many_unfinished()) }
}

/// Takes the token for this upload. Returns the earlier upload of the same file and fields, if it was accepted.
async fn resolve_token(
    database: &impl Database,
    new: &NewResumable,
    admission: &Admission,
    token: &str,
    now: UnixSeconds,
) -> Result<Option<UploadUuid>, Refusal> {
    match take_token(database, admission.channel_id, token, &new.names.upload_uuid, now).await? {
        TokenState::Ours | TokenState::Free => Ok(None),
        TokenState::InFlight { lease_ends_at } => Err(in_progress(lease_ends_at, now)),
        TokenState::Finished { fingerprint: stored, upload_uuid } => {
            let sha256 = new.announcement.sha256.as_deref().unwrap_or_default();
            let announced = fingerprint(sha256, &new.announcement.fields, &Attachments::none())?;
            let mismatch = || Refusal::new(ErrorCode::UploadTokenMismatch).with_field("upload_token");
            if !is_same(&stored, &announced) {
                return Err(mismatch());
            }
            let Permission::Key(key) = &new.permission else {
                return Err(Refusal::internal("an upload with a one-time token has no upload token"));
            };
            let finished = find_finished(database, key, &upload_uuid).await?;
            let finished = finished.ok_or_else(|| Refusal::new(ErrorCode::ApiKeyInvalid))?;
            finished.repeated_result(admission.usage_after_release())?;
            Ok(Some(upload_uuid))
        }
    }
}

/// Inserts the record of an upload that holds a slot. Returns false if its channel has begun too much already.
async fn insert(database: &impl Database, new: &NewResumable, now: UnixSeconds) -> Result<bool, DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO resumable_uploads (channel_id, secret_sha256, upload_uuid, tails_uuid, length, request,
             expires_at_unix)
         SELECT channel_id, ?2, uuid, ?3, ?4, ?5, ?6 FROM uploads
         WHERE uuid = ?1 AND state = 'reserved' AND (
             SELECT count(*) < ?7 AND coalesce(sum(length), 0) + ?4 <= ?8 FROM resumable_uploads
             WHERE channel_id = uploads.channel_id AND state = 'open')
         RETURNING upload_uuid",
    );
    let insert = insert.bind(&new.names.upload_uuid).bind(new.location.sha256()).bind(&new.tails_uuid);
    let insert = insert.bind(new.announcement.length).bind(request(new)?).bind(now + new.seconds_to_finish);
    database.returns_rows(insert.bind(MAX_UNFINISHED_UPLOADS).bind(MAX_UNFINISHED_BYTES)).await
}

/// Inserts a record that repeats an accepted upload. It needs no byte.
async fn insert_repeated(
    database: &impl Database,
    new: &NewResumable,
    channel_id: ChannelId,
    earlier: &UploadUuid,
    now: UnixSeconds,
) -> Result<(), DatabaseError> {
    let insert = Statement::new(
        "INSERT INTO resumable_uploads (channel_id, secret_sha256, upload_uuid, tails_uuid, state, length, request,
             expires_at_unix, received)
         VALUES (?1, ?2, ?3, ?4, 'accepted', ?5, ?6, ?7, ?5)",
    );
    let insert = insert.bind(channel_id).bind(new.location.sha256()).bind(earlier).bind(&new.tails_uuid);
    database.execute(insert.bind(new.announcement.length).bind(request(new)?).bind(now + OUTCOME_SECONDS)).await
}

fn request(new: &NewResumable) -> Result<String, DatabaseError> {
    let Announcement { texts, fields, sha256, .. } = new.announcement.clone();
    let request = StoredRequest {
        names: new.names.clone(),
        texts,
        token: fields.upload_token,
        sha256,
        part_bytes: new.part_bytes,
        direct: new.permission.rules().cloned(),
        trace: new.trace.to_string(),
    };
    json_text(&request)
}

fn too_many_unfinished() -> Refusal {
    let detail = format!(
        "The channel has {MAX_UNFINISHED_UPLOADS} unfinished resumable uploads, or unfinished uploads of {} GB. Finish \
         them, or cancel some with `DELETE`.",
        MAX_UNFINISHED_BYTES / 1_000_000_000
    );
    Refusal::new(ErrorCode::TooManyUploads).with_retry_after(OPEN_UPLOADS_RETRY_SECONDS).with_detail(detail)
}
