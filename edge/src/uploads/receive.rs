//! Runs one admitted upload: body, storing, commit, and the roll-back of a refused one.

use super::admission::AdmittedUpload;
use super::attachments::Attachments;
use super::commit::{FinishedUpload, commit, find_finished};
use super::direct;
use super::file::{ObjectToStore, ReceivedFile, StoreContext};
use super::fingerprint::{fingerprint, is_same};
use super::form::fields::Fields;
use super::new_content::{DirectContent, NewContent};
use super::permission::Permission;
use super::request::{AcceptedUpload, UploadRequest};
use super::roll_back::{RefusedUpload, StoredLeftovers, roll_back};
use super::slot::lease::Lease;
use super::test_upload::{self, discard};
use super::upload::{EarlierUpload, Upload};
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::contents::test_videos;
use crate::jobs::send_or_leave;
use crate::moderation::blocked_files::is_blocked_file;
use crate::people::keys::key_store;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use contract::mistake::past_the_end;
use contract::{ErrorCode, FormField};
use futures_util::{Stream, StreamExt};
use probe::Media;
use probe::judge::seconds;

/// Accepts the upload, or refuses it and leaves nothing behind.
pub(crate) async fn receive<P, Body, Chunk>(
    platform: &P,
    request: &UploadRequest,
    admitted: &AdmittedUpload<'_>,
    body: Body,
) -> Result<AcceptedUpload, Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let (admission, names) = (&admitted.admission, &request.names);
    let body = body.inspect(|_| admitted.keep_alive(platform.now()));
    let lease = Lease::new(platform, &names.upload_uuid, admission.has_slot);
    let (memory, parts) = (admitted.memory(), request.parts);
    let mut upload = Upload::new(StoreContext { platform, names, lease: &lease, memory, parts }, admission, request);
    let outcome = match upload.take_body(body).await {
        Ok(()) => finish(upload).await,
        Err(error) => Err(RefusedUpload { error, leftovers: Some(upload.leftovers()) }),
    };
    let RefusedUpload { error, leftovers } = match outcome {
        Ok(accepted) => return Ok(accepted),
        Err(refused) => refused,
    };
    if let Some(leftovers) = leftovers {
        let count = request.permission.refusal_count(&error, platform.now());
        roll_back(platform, admission, &request.names.upload_uuid, &leftovers, count).await;
    }
    let error = check_permission(platform, request, error).await;
    Err(admission.add_usage(error, platform.now()))
}

/// Replaces the refusal for a lost lease by 401 if the key or the token is no longer valid, 403 `channel_suspended`, or
/// 409 `upload_superseded`. All of these release the slot, which the upload cannot distinguish from an expired lease.
async fn check_permission<P: Platform>(platform: &P, request: &UploadRequest, error: Refusal) -> Refusal {
    if error.code != ErrorCode::UploadTooSlow {
        return error;
    }
    let (database, uuid) = (platform.database(), &request.names.upload_uuid);
    let reason = match &request.permission {
        Permission::Key(key) => key_store::find_channel(database, key).await.map(|channel| match channel {
            Some(channel) => channel.is_suspended.then_some(ErrorCode::ChannelSuspended),
            None => Some(ErrorCode::ApiKeyInvalid),
        }),
        Permission::DirectUpload(grant) => direct::why_ended(database, &grant.token, uuid).await,
    };
    match reason {
        Ok(reason) => reason.map_or(error, Refusal::new),
        Err(failure) => failure.into(),
    }
}

/// Finishes an upload whose form is complete: replays an earlier upload, or validates, stores and commits this one.
async fn finish<P: Platform>(mut upload: Upload<'_, P>) -> Result<AcceptedUpload, RefusedUpload> {
    let leftovers = upload.leftovers();
    let Some(earlier) = upload.replayed.take() else {
        return create(upload, leftovers).await;
    };
    let (platform, admission, request) = (upload.context.platform, upload.admission, upload.request);
    let refused = |error| RefusedUpload { error, leftovers: Some(leftovers.clone()) };
    let replayed = replay(upload, &earlier).await.map_err(refused)?;
    roll_back(platform, admission, &request.names.upload_uuid, &leftovers, None).await;
    Ok(replayed)
}

async fn create<P: Platform>(
    upload: Upload<'_, P>,
    leftovers: StoredLeftovers,
) -> Result<AcceptedUpload, RefusedUpload> {
    let Upload { context: StoreContext { platform, .. }, admission, request, .. } = upload;
    let names = &request.names;
    let refused = |error| RefusedUpload { error, leftovers: Some(leftovers.clone()) };
    let JudgedUpload { fields, attachments, file, object, fingerprint } = judge(upload).await.map_err(refused)?;
    let captions = attachments.first_captions();
    let names_of_captions = captions.iter().map(|captions| captions.name.clone()).collect();
    let is_test = fields.test.is_some();
    if let Some(error) = test_videos::refusal(fields.test, admission.usage, platform.now()) {
        return Err(refused(error));
    }
    let stored = StoredLeftovers { may_be_complete: !is_test, captions: names_of_captions, ..leftovers.clone() };
    // Nothing will ever use the file of a test.
    if !is_test && let Err(error) = store(platform, object, &names.upload_uuid, &attachments).await {
        return Err(RefusedUpload { error, leftovers: Some(stored) });
    }
    let content = NewContent {
        names,
        fields: &fields,
        picture_sha256: attachments.picture_sha256.as_deref(),
        captions: &captions,
        file: &file,
        fingerprint: &fingerprint,
        direct: request.permission.rules().map(DirectContent::of),
        trace: request.trace,
    };
    let finished = commit_with_retry(platform, &content).await.map_err(|failure| match failure {
        NotCommitted::Lost(error) => RefusedUpload { error, leftovers: Some(stored) },
        NotCommitted::Unknown(error) => RefusedUpload { error, leftovers: None },
    })?;
    if is_test {
        discard(platform, &names.upload_uuid, &leftovers).await;
    }
    Ok(enqueue_job(platform, &finished).await)
}

/// A complete upload that is valid as far as its bytes tell.
pub(super) struct JudgedUpload<'a, P: Platform> {
    fields: Fields,
    attachments: Attachments,
    file: ReceivedFile,
    object: ObjectToStore<'a, P>,
    fingerprint: String,
}

/// Judges an upload whose form is complete.
pub(super) async fn judge<P: Platform>(upload: Upload<'_, P>) -> Result<JudgedUpload<'_, P>, Refusal> {
    let Upload { request, mut form, file, .. } = upload;
    let attachments = Attachments::checked(&mut form, &request.names)?;
    let (file, object) = file.close().await.map_err(|refusal| form.explain_file(refusal))?;
    check_thumbnail_time(&form.fields, &file.media)?;
    request.permission.rules().map_or(Ok(()), |rules| rules.require_duration(&file.media))?;
    let fingerprint = fingerprint(&file.sha256, &form.fields, &attachments)?;
    Ok(JudgedUpload { fields: form.fields, attachments, file, object, fingerprint })
}

/// Completes the objects. If this fails, an object may have been stored anyway.
async fn store<P: Platform>(
    platform: &P,
    object: ObjectToStore<'_, P>,
    upload_uuid: &UploadUuid,
    attachments: &Attachments,
) -> Result<(), Refusal> {
    object.store().await?;
    attachments.store(platform, upload_uuid).await
}

/// The refusal of an upload that could not be committed.
pub(super) enum NotCommitted {
    /// It certainly was not.
    Lost(Refusal),
    /// The database failed, so it may have been.
    Unknown(Refusal),
}

/// Commits, and retries once if the response is lost. The commit is idempotent.
pub(super) async fn commit_with_retry<P: Platform>(
    platform: &P,
    content: &NewContent<'_>,
) -> Result<FinishedUpload, NotCommitted> {
    let mut answer = commit(platform.database(), content, platform.now()).await;
    if answer.is_err() {
        answer = commit(platform.database(), content, platform.now()).await;
    }
    match answer {
        Ok(Some(finished)) => Ok(finished),
        Ok(None) => Err(NotCommitted::Lost(explain_lost_upload(platform, content).await)),
        Err(error) => Err(NotCommitted::Unknown(error.into())),
    }
}

/// Returns the reason why an upload was not committed: a moderator removed the same file, the channel has too many test
/// videos, or it was too slow.
async fn explain_lost_upload<P: Platform>(platform: &P, content: &NewContent<'_>) -> Refusal {
    let database = platform.database();
    let explained = async {
        if is_blocked_file(database, &content.file.sha256).await? {
            return Ok(Some(Refusal::new(ErrorCode::ContentModerationRejected).with_field("file")));
        }
        if content.fields.test.is_some() {
            return test_upload::why_too_many(database, &content.names.upload_uuid).await;
        }
        Ok(None)
    };
    match explained.await {
        Ok(refusal) => refusal.unwrap_or_else(|| Refusal::new(ErrorCode::UploadTooSlow)),
        Err(error) => error.into(),
    }
}

pub(super) async fn enqueue_job<P: Platform>(platform: &P, finished: &FinishedUpload) -> AcceptedUpload {
    if let Some(job) = finished.job.clone() {
        send_or_leave(platform, &[job]).await;
    }
    AcceptedUpload { result: finished.result(), usage: finished.usage(), is_replay: false }
}

/// Returns the response of the earlier upload with the same token. The file and fields are compared, not validated.
async fn replay<P: Platform>(upload: Upload<'_, P>, earlier: &EarlierUpload) -> Result<AcceptedUpload, Refusal> {
    let Upload { context: StoreContext { platform, .. }, admission, request, mut form, file, .. } = upload;
    let attachments = Attachments::unchecked(&mut form, &request.names);
    let sha256 = file.into_hash().await?;
    if !is_same(&earlier.fingerprint, &fingerprint(&sha256, &form.fields, &attachments)?) {
        return Err(Refusal::new(ErrorCode::UploadTokenMismatch).with_field("upload_token"));
    }
    let Permission::Key(key) = &request.permission else {
        return Err(Refusal::internal("an upload with a one-time token has no upload token"));
    };
    let finished = find_finished(platform.database(), key, &earlier.upload_uuid).await?;
    // A committed upload always has a content, so only the key can be missing.
    let finished = finished.ok_or_else(|| Refusal::new(ErrorCode::ApiKeyInvalid))?;
    // Report today's limit, even if the earlier upload was on another day.
    let usage = admission.usage_after_release();
    Ok(AcceptedUpload { result: finished.repeated_result(usage)?, usage, is_replay: true })
}

/// Refuses a thumbnail time past the end of the video.
pub(super) fn check_thumbnail_time(fields: &Fields, media: &Media) -> Result<(), Refusal> {
    let is_past_the_end = |time| u64::from(time) * 1000 > media.duration_ms;
    if fields.thumbnail_time_seconds.is_some_and(is_past_the_end) {
        let (field, length) = (FormField::ThumbnailTime, seconds(media.duration_ms));
        return Err(Refusal::of_field(field).with_detail(past_the_end(field.name(), &length)));
    }
    Ok(())
}
