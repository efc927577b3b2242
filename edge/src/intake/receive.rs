//! The story of one upload, from its admission to its answer.

use super::commit::{FinishedUpload, NewContent, commit, find_finished};
use super::fields::FieldName;
use super::file_sink::{ObjectToStore, ReceivedFile};
use super::form::Form;
use super::names::Names;
use super::reservation::{Admission, admit};
use super::thumbnail::Thumbnail;
use super::undo::{Leftovers, Refused, undo};
use super::upload::{Repetition, Upload};
use crate::daily_limit::{Usage, day_of};
use crate::error::ApiError;
use crate::hash::{KeyedHash, sha256_hex};
use crate::outbox::send_job;
use crate::platform::{ObjectStore, PartBuffer, Platform, PlatformError};
use contract::api::UploadResult;
use contract::{ErrorCode, ObjectKey};
use futures_util::Stream;
use multipart::Boundary;

/// What is known of an upload before its body.
pub struct UploadRequest {
    pub names: Names,
    pub boundary: Boundary,
    pub content_length: Option<u64>,
    pub max_file_bytes: u64,
    /// The size of every part of the stored object but the last.
    pub part_bytes: usize,
}

/// The answer of a success.
#[derive(Debug)]
pub struct Accepted {
    pub result: UploadResult,
    pub usage: Usage,
    /// Whether this repeats what an earlier upload with the same token answered.
    pub is_replay: bool,
}

/// Takes an upload in, or refuses it and leaves nothing of it behind.
pub async fn receive<P, Body, Chunk>(
    platform: &P,
    key: &KeyedHash,
    request: &UploadRequest,
    body: Body,
) -> Result<Accepted, ApiError>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let now = platform.now_unix();
    let admitted = admit(platform.database(), key, &request.names.upload_uuid, now).await?;
    let admission = admitted.ok_or_else(|| ApiError::new(ErrorCode::ApiKeyInvalid))?;
    if !admission.has_slot && !admission.may_repeat {
        return Err(ApiError::limit_reached(admission.usage, now));
    }
    let video_key = ObjectKey::SourceVideo {
        upload_uuid: &request.names.upload_uuid,
    }
    .path();
    let mut upload = Upload::new(platform, &admission, request, &video_key);
    let outcome = match upload.take_body(body).await {
        Ok(()) => conclude(upload).await,
        Err(error) => Err(Refused {
            error,
            leftovers: Some(upload.leftovers()),
        }),
    };
    let Refused { error, leftovers } = match outcome {
        Ok(accepted) => return Ok(accepted),
        Err(refused) => refused,
    };
    if let Some(leftovers) = leftovers {
        undo(platform, &admission, &request.names.upload_uuid, &leftovers).await;
    }
    Err(with_usage(error, &admission, platform.now_unix()))
}

/// Tells what is left of the day, unless that day is over: of the new one nothing is known here.
fn with_usage(error: ApiError, admission: &Admission, now_unix: u64) -> ApiError {
    let usage = given_back(admission);
    if usage.day == day_of(now_unix) {
        error.with_usage(usage, now_unix)
    } else {
        error
    }
}

/// The channel's day after the slot went back.
fn given_back(admission: &Admission) -> Usage {
    let used = admission
        .usage
        .used
        .saturating_sub(u32::from(admission.has_slot));
    Usage {
        used,
        ..admission.usage
    }
}

/// The whole form is there: repeat what it repeats, or judge it as a whole, store it and commit it.
async fn conclude<P: Platform>(mut upload: Upload<'_, P>) -> Result<Accepted, Refused> {
    let leftovers = upload.leftovers();
    let Some(repetition) = upload.repeats.take() else {
        return create(upload, leftovers).await;
    };
    let (platform, admission, request) = (upload.platform, upload.admission, upload.request);
    let refused = |error| Refused {
        error,
        leftovers: Some(leftovers.clone()),
    };
    let replayed = replay(upload, &repetition).await.map_err(refused)?;
    undo(platform, admission, &request.names.upload_uuid, &leftovers).await;
    Ok(replayed)
}

async fn create<P: Platform>(
    upload: Upload<'_, P>,
    leftovers: Leftovers,
) -> Result<Accepted, Refused> {
    let refused = |error| Refused {
        error,
        leftovers: Some(leftovers.clone()),
    };
    let Upload {
        platform,
        request,
        mut form,
        file,
        ..
    } = upload;
    let thumbnail = form.thumbnail.take().map(Thumbnail::finish);
    let thumbnail = thumbnail.transpose().map_err(refused)?;
    let (file, object) = file.close().await.map_err(refused)?;
    check_thumbnail_time(&form, &file).map_err(refused)?;
    let fingerprint = fingerprint(&file.sha256, &form, thumbnail.as_deref()).map_err(refused)?;
    let names = &request.names;
    let stored = Leftovers {
        maybe_whole: true,
        ..leftovers.clone()
    };
    if let Err(error) = store(platform, object, &names.upload_uuid, thumbnail.as_deref()).await {
        return Err(Refused {
            error,
            leftovers: Some(stored),
        });
    }
    let content = NewContent {
        names,
        fields: &form.fields,
        has_thumbnail_file: thumbnail.is_some(),
        file: &file,
        fingerprint: &fingerprint,
    };
    let finished = commit_surely(platform, &content, stored).await?;
    Ok(announce(platform, &finished).await)
}

/// Makes the objects whole. What fails here may have been stored nevertheless.
async fn store<P: Platform>(
    platform: &P,
    object: ObjectToStore<'_, P>,
    upload_uuid: &str,
    thumbnail: Option<&[u8]>,
) -> Result<(), ApiError> {
    object.store().await?;
    if let Some(picture) = thumbnail {
        let mut buffer = platform.objects().buffer(picture.len());
        buffer.append(picture);
        platform
            .objects()
            .put(&ObjectKey::SourceThumbnail { upload_uuid }.path(), &buffer)
            .await?;
    }
    Ok(())
}

/// Commits, and asks again when the answer is lost: the second time it finds what the first one did.
async fn commit_surely<P: Platform>(
    platform: &P,
    content: &NewContent<'_>,
    stored: Leftovers,
) -> Result<FinishedUpload, Refused> {
    let mut answer = commit(platform.database(), content, platform.now_unix()).await;
    if answer.is_err() {
        answer = commit(platform.database(), content, platform.now_unix()).await;
    }
    match answer {
        Ok(Some(finished)) => Ok(finished),
        Ok(None) => Err(Refused {
            error: ApiError::new(ErrorCode::UploadTooSlow),
            leftovers: Some(stored),
        }),
        Err(error) => Err(Refused {
            error: ApiError::internal(error),
            leftovers: None,
        }),
    }
}

/// The content exists. Its job is sent at once; what does not get through, the sweep sends.
async fn announce<P: Platform>(platform: &P, finished: &FinishedUpload) -> Accepted {
    if let Err(error) = send_job(platform, &finished.job()).await {
        tracing::warn!(content = finished.job().content_uuid, %error, "a job is left to the sweep");
    }
    Accepted {
        result: finished.result(),
        usage: finished.usage(),
        is_replay: false,
    }
}

/// Answers what the upload was answered that this one repeats. Nothing of it is judged anew.
async fn replay<P: Platform>(
    upload: Upload<'_, P>,
    repetition: &Repetition,
) -> Result<Accepted, ApiError> {
    let Upload {
        platform,
        admission,
        mut form,
        file,
        ..
    } = upload;
    let thumbnail = form.thumbnail.take().map(Thumbnail::into_bytes);
    let sha256 = file.into_hash().await?;
    if repetition.fingerprint != fingerprint(&sha256, &form, thumbnail.as_deref())? {
        return Err(ApiError::new(ErrorCode::UploadTokenMismatch).with_field("upload_token"));
    }
    let finished = find_finished(platform.database(), &repetition.upload_uuid).await?;
    let finished =
        finished.ok_or_else(|| ApiError::internal("a committed upload has no content"))?;
    Ok(Accepted {
        result: finished.result(),
        // The headers tell of today, whenever the upload was.
        usage: given_back(admission),
        is_replay: true,
    })
}

/// The frame must exist.
fn check_thumbnail_time(form: &Form, file: &ReceivedFile) -> Result<(), ApiError> {
    let past_the_end = |seconds: &u32| u64::from(*seconds) * 1000 > file.media.duration_ms;
    match form
        .fields
        .thumbnail_time_seconds
        .as_ref()
        .filter(|seconds| past_the_end(seconds))
    {
        Some(_) => Err(FieldName::ThumbnailTime.refusal()),
        None => Ok(()),
    }
}

/// What makes two uploads the same: the file's bytes, the picture's bytes and every field but the token.
fn fingerprint(sha256: &str, form: &Form, thumbnail: Option<&[u8]>) -> Result<String, ApiError> {
    let parts = (sha256, &form.fields, thumbnail.map(sha256_hex));
    let text = serde_json::to_vec(&parts).map_err(ApiError::internal)?;
    Ok(sha256_hex(&text))
}
