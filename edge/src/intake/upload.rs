//! An upload while its body streams past: bytes become parts, parts become fields and a file, and whatever proves the
//! upload unfit ends it there.

use super::fields::{Circumstances, FieldName};
use super::file_sink::FileSink;
use super::form::{Form, Taken};
use super::receive::UploadRequest;
use super::reservation::Admission;
use super::token::{TokenState, claim};
use super::undo::Leftovers;
use crate::error::ApiError;
use crate::platform::{Platform, PlatformError};
use contract::ErrorCode;
use futures_util::{Stream, StreamExt};
use multipart::{Caps, Event, Parser};
use std::pin::pin;

/// An upload while its body streams past.
pub struct Upload<'a, P: Platform> {
    pub platform: &'a P,
    pub admission: &'a Admission,
    pub request: &'a UploadRequest,
    parser: Parser,
    pub form: Form,
    pub file: FileSink<'a, P>,
    pub repeats: Option<Repetition>,
    /// Whether this may be or is a repetition, which is answered as it was and not judged anew.
    may_repeat: bool,
    began_at_unix: u64,
}

/// The finished upload that this one may be a repetition of.
pub struct Repetition {
    pub fingerprint: String,
    pub upload_uuid: String,
}

impl<'a, P: Platform> Upload<'a, P> {
    pub fn new(
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
            may_repeat: admission.may_repeat,
            began_at_unix: platform.now_unix(),
        }
    }

    pub async fn take_body<Chunk: AsRef<[u8]>>(
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
        self.form.require_file(self.file.is_empty())?;
        if self.repeats.is_none() {
            self.check_fields()?;
        }
        Ok(())
    }

    async fn take_chunk(&mut self, mut chunk: &[u8]) -> Result<(), ApiError> {
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
                    if self.form.end()? == Some(FieldName::UploadToken) {
                        self.take_token().await?;
                    }
                    if !self.may_repeat {
                        self.check_fields()?;
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
            TokenState::Ours => {
                self.may_repeat = false;
                Ok(())
            }
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

    fn check_fields(&self) -> Result<(), ApiError> {
        self.form.fields.check(Circumstances {
            category_ids: &self.admission.category_ids,
            began_at_unix: self.began_at_unix,
        })
    }

    fn limit_reached(&self) -> ApiError {
        ApiError::limit_reached(self.admission.usage, self.platform.now_unix())
    }

    pub fn leftovers(&self) -> Leftovers {
        Leftovers {
            unfinished: self.file.unfinished_object().map(str::to_owned),
            maybe_whole: false,
        }
    }
}

fn incomplete(cause: &impl std::fmt::Display) -> ApiError {
    ApiError::malformed(format!("The body did not arrive whole: {cause}"))
}

fn unreadable(error: multipart::Error) -> ApiError {
    ApiError::malformed(format!("The form could not be read: {error}"))
}
