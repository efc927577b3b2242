//! The story of one upload, from its admission to its answer.

use super::commit::{FinishedUpload, NewContent, commit, find_finished};
use super::fields::{FieldName, FieldRules};
use super::file_sink::{FileSink, ObjectToStore, ReceivedFile};
use super::form::{Form, Taken};
use super::names::Names;
use super::reservation::{Admission, admit, forget_garbage, release, release_unused};
use super::thumbnail::Thumbnail;
use super::token::{TokenState, claim};
use crate::daily_limit::Usage;
use crate::error::ApiError;
use crate::hash::{KeyedHash, sha256_hex};
use crate::outbox::send_job;
use crate::platform::{ObjectStore, PartBuffer, Platform, PlatformError};
use crate::sweep::remove_objects;
use contract::api::UploadResult;
use contract::{ErrorCode, ObjectKey};
use futures_util::{Stream, StreamExt};
use multipart::{Boundary, Caps, Event, Parser};
use std::pin::pin;

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
    let received = upload.take_body(body).await;
    let outcome = match received {
        Ok(()) => upload.conclude().await,
        Err(error) => Err(Refused {
            error,
            leftovers: Some(upload.leftovers()),
        }),
    };
    match outcome {
        Ok(accepted) => Ok(accepted),
        Err(Refused { error, leftovers }) => {
            if let Some(leftovers) = leftovers {
                undo(platform, &admission, &request.names.upload_uuid, &leftovers).await;
            }
            Err(error.with_usage(given_back(&admission), now))
        }
    }
}

/// A refusal, and what it leaves to be undone: nothing at all once the commit may have happened.
struct Refused {
    error: ApiError,
    leftovers: Option<Leftovers>,
}

/// What an upload may have stored.
#[derive(Clone, Default)]
struct Leftovers {
    /// R2's name of an object that was begun.
    unfinished: Option<String>,
    /// Whether a whole object may be there, or arrive yet.
    maybe_whole: bool,
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

/// Gives the slot back and removes what was stored. Whatever fails here, the sweep does later.
async fn undo<P: Platform>(
    platform: &P,
    admission: &Admission,
    upload_uuid: &str,
    leftovers: &Leftovers,
) {
    if !admission.has_slot {
        return;
    }
    if let Err(error) = try_to_undo(platform, upload_uuid, leftovers).await {
        tracing::warn!(
            upload = upload_uuid,
            cause = error.cause(),
            "a refused upload is left to the sweep"
        );
    }
}

/// The slot first: it matters to the next upload.
async fn try_to_undo<P: Platform>(
    platform: &P,
    upload_uuid: &str,
    leftovers: &Leftovers,
) -> Result<(), ApiError> {
    let database = platform.database();
    if leftovers.unfinished.is_none() && !leftovers.maybe_whole {
        return Ok(release_unused(database, upload_uuid).await?);
    }
    release(database, upload_uuid).await?;
    remove_objects(platform, upload_uuid, leftovers.unfinished.as_deref()).await?;
    // An object whose storing gave no answer may arrive yet: its garbage stays on record for the sweep.
    if !leftovers.maybe_whole {
        forget_garbage(database, upload_uuid).await?;
    }
    Ok(())
}

/// An upload while its body streams past.
struct Upload<'a, P: Platform> {
    platform: &'a P,
    admission: &'a Admission,
    request: &'a UploadRequest,
    parser: Parser,
    form: Form,
    file: FileSink<'a, P>,
    repeats: Option<Repetition>,
}

/// The finished upload that this one may be a repetition of.
struct Repetition {
    fingerprint: String,
    upload_uuid: String,
}

impl<'a, P: Platform> Upload<'a, P> {
    fn new(
        platform: &'a P,
        admission: &'a Admission,
        request: &'a UploadRequest,
        video_key: &'a str,
    ) -> Self {
        let uuid = request.names.upload_uuid.as_str();
        let capacity = request
            .content_length
            .and_then(|length| usize::try_from(length).ok());
        let capacity = capacity.map_or(request.part_bytes, |length| {
            length.clamp(1, request.part_bytes)
        });
        Self {
            platform,
            admission,
            request,
            parser: Parser::new(&request.boundary, Caps::default()),
            form: Form::default(),
            file: FileSink::new(platform, uuid, video_key, request.max_file_bytes, capacity),
            repeats: None,
        }
    }

    async fn take_body<Chunk: AsRef<[u8]>>(
        &mut self,
        body: impl Stream<Item = Result<Chunk, PlatformError>>,
    ) -> Result<(), ApiError> {
        let mut body = pin!(body);
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|error| incomplete(&error.0))?;
            if self.admission.has_slot {
                self.file.keep_alive().await?;
            }
            self.take_chunk(chunk.as_ref()).await?;
        }
        // An aborted request can look like a clean end: only the closing boundary proves that all of it came.
        self.parser.finish().map_err(|error| incomplete(&error))?;
        self.form.require_file(self.file.is_empty())
    }

    async fn take_chunk(&mut self, mut chunk: &[u8]) -> Result<(), ApiError> {
        let rules = FieldRules {
            category_ids: &self.admission.category_ids,
            now_unix: self.platform.now_unix(),
        };
        while let Some(event) = self.parser.next_event(&mut chunk).map_err(unreadable)? {
            match event {
                Event::PartBegin(head) => {
                    if self.form.begin(&head)? == Taken::File
                        && !self.admission.has_slot
                        && self.repeats.is_none()
                    {
                        return Err(self.limit_reached());
                    }
                }
                Event::Data(bytes) => {
                    if self.form.data(bytes)? == Taken::File {
                        self.file.write(bytes).await?;
                    }
                }
                Event::PartEnd => {
                    if self.form.end(rules)? == Some(FieldName::UploadToken) {
                        self.take_token().await?;
                    }
                }
                Event::End => {}
            }
        }
        Ok(())
    }

    /// As soon as the token is known, so is whether the rest has to be stored.
    async fn take_token(&mut self) -> Result<(), ApiError> {
        let Some(token) = self.form.fields.upload_token.as_deref() else {
            return Ok(());
        };
        let (uuid, now) = (
            self.request.names.upload_uuid.as_str(),
            self.platform.now_unix(),
        );
        match claim(
            self.platform.database(),
            self.admission.channel_id,
            token,
            uuid,
            now,
        )
        .await?
        {
            TokenState::Ours => Ok(()),
            TokenState::Finished {
                fingerprint,
                upload_uuid,
            } => {
                self.file.stop_storing();
                self.repeats = Some(Repetition {
                    fingerprint,
                    upload_uuid,
                });
                Ok(())
            }
            TokenState::InFlight { lease_ends_at_unix } => {
                let seconds = lease_ends_at_unix.saturating_sub(now).max(1);
                Err(ApiError::new(ErrorCode::UploadInProgress).with_retry_after(seconds))
            }
            TokenState::Free if self.admission.has_slot => {
                Err(ApiError::new(ErrorCode::UploadTooSlow))
            }
            TokenState::Free => Err(self.limit_reached()),
        }
    }

    fn limit_reached(&self) -> ApiError {
        ApiError::limit_reached(self.admission.usage, self.platform.now_unix())
    }

    fn leftovers(&self) -> Leftovers {
        Leftovers {
            unfinished: self.file.unfinished_object().map(str::to_owned),
            maybe_whole: false,
        }
    }

    /// The whole form is there: judge it as a whole, then store and commit it, or repeat what it repeats.
    async fn conclude(self) -> Result<Accepted, Refused> {
        let leftovers = self.leftovers();
        let refused = |error| Refused {
            error,
            leftovers: Some(leftovers.clone()),
        };
        let Self {
            platform,
            admission,
            request,
            mut form,
            file,
            repeats,
            ..
        } = self;
        let thumbnail = form
            .thumbnail
            .take()
            .map(Thumbnail::finish)
            .transpose()
            .map_err(refused)?;
        let (file, object) = file.close().await.map_err(refused)?;
        check_thumbnail_time(&form, &file).map_err(refused)?;
        let fingerprint = fingerprint(&file, &form, thumbnail.as_deref());
        let upload_uuid = request.names.upload_uuid.as_str();
        if let Some(repetition) = repeats {
            let replayed = replay(platform, &repetition, &fingerprint)
                .await
                .map_err(refused)?;
            undo(platform, admission, upload_uuid, &leftovers).await;
            return Ok(replayed);
        }
        let stored = Leftovers {
            maybe_whole: true,
            ..leftovers.clone()
        };
        if let Err(error) = store(platform, object, upload_uuid, thumbnail.as_deref()).await {
            return Err(Refused {
                error,
                leftovers: Some(stored),
            });
        }
        let content = NewContent {
            names: &request.names,
            fields: &form.fields,
            has_thumbnail_file: thumbnail.is_some(),
            file: &file,
            fingerprint: &fingerprint,
        };
        let finished = commit_surely(platform, &content, stored).await?;
        Ok(announce(platform, &finished).await)
    }
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

async fn replay<P: Platform>(
    platform: &P,
    repetition: &Repetition,
    fingerprint: &str,
) -> Result<Accepted, ApiError> {
    if repetition.fingerprint != fingerprint {
        return Err(ApiError::new(ErrorCode::UploadTokenMismatch).with_field("upload_token"));
    }
    let finished = find_finished(platform.database(), &repetition.upload_uuid).await?;
    let finished =
        finished.ok_or_else(|| ApiError::internal("a committed upload has no content"))?;
    Ok(Accepted {
        result: finished.result(),
        usage: finished.usage(),
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
fn fingerprint(file: &ReceivedFile, form: &Form, thumbnail: Option<&[u8]>) -> String {
    let parts = (&file.sha256, &form.fields, thumbnail.map(sha256_hex));
    sha256_hex(&serde_json::to_vec(&parts).unwrap_or_default())
}

fn incomplete(cause: &impl std::fmt::Display) -> ApiError {
    ApiError::malformed(format!("The body did not arrive whole: {cause}"))
}

fn unreadable(error: multipart::Error) -> ApiError {
    ApiError::malformed(format!("The form could not be read: {error}"))
}
