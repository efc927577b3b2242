//! Consumes the body of an upload: parses it into form parts, passes them to the form and the file sink, and stops at
//! the first byte that proves the upload invalid.

use super::file::part_plan::{BodyAhead, PartPlan};
use super::file::{FileSink, StoreContext};
use super::form::fields::FieldContext;
use super::form::{DataOwner, Form};
use super::pace::{Arrived, PacedBody, incomplete};
use super::request::UploadRequest;
use super::roll_back::StoredLeftovers;
use super::slot::lease::TokenToTake;
use super::slot::reservation::Admission;
use super::slot::token::{TokenState, in_progress, take_token};
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::Platform;
use crate::platform::error::PlatformError;
use contract::{ErrorCode, FormField};
use futures_util::Stream;
use multipart::{Caps, FormEvent, Parser};
use std::pin::pin;

/// An upload whose body is being received.
pub(super) struct Upload<'a, P: Platform> {
    pub context: StoreContext<'a, P>,
    pub admission: &'a Admission,
    pub request: &'a UploadRequest,
    parser: Parser,
    pub form: Form,
    pub file: FileSink<'a, P>,
    pub replayed: Option<EarlierUpload>,
    /// Whether the body is only judged, without the database.
    pub is_preview: bool,
    /// Whether this may turn out to be a replay, whose fields are not validated again.
    may_be_replay: bool,
    /// The time that a schedule is compared with.
    scheduled_at: UnixSeconds,
    received_bytes: u64,
    /// The part of the form's memory that has been counted.
    form_bytes: usize,
}

/// A finished upload with the same token.
pub(super) struct EarlierUpload {
    pub fingerprint: String,
    pub upload_uuid: UploadUuid,
}

impl<'a, P: Platform> Upload<'a, P> {
    pub(super) fn new(context: StoreContext<'a, P>, admission: &'a Admission, request: &'a UploadRequest) -> Self {
        Self {
            context,
            admission,
            request,
            parser: Parser::new(&request.boundary, Caps::default()),
            form: Form::new(request.token.clone(), request.unknown_fields.clone(), request.owner_fields.clone()),
            file: FileSink::new(context, request.max_file_bytes),
            replayed: None,
            is_preview: false,
            may_be_replay: admission.may_be_replay,
            scheduled_at: request.permission.scheduled_at(context.platform.now()),
            received_bytes: 0,
            form_bytes: 0,
        }
    }

    pub(super) async fn take_body<Chunk: AsRef<[u8]>>(
        &mut self,
        body: impl Stream<Item = Result<Chunk, PlatformError>>,
    ) -> Result<(), Refusal> {
        let body = pin!(body);
        // A token in the header was taken with the slot, so a replay is detected before anything is stored, whichever
        // part comes first.
        if let Some(state) = &self.admission.token {
            self.note_token(state.clone())?;
        }
        let mut body = PacedBody::new(self.context.platform, body, self.request.content_length, self.request.pace);
        loop {
            match body.next_or_silence().await? {
                Arrived::Chunk(Some(chunk)) => {
                    self.context.lease.keep().await?;
                    body.progress(self.take_chunk(chunk.as_ref()).await?);
                }
                Arrived::Chunk(None) => break,
                Arrived::Silence => self.context.lease.wait().await?,
            }
        }
        // An aborted request can look like a clean end. Only the closing boundary proves that the body is complete.
        self.parser.finish().map_err(|error| incomplete(&error))?;
        self.form.require_file()?;
        self.take_announced_token().await?;
        if self.replayed.is_none() {
            self.check_fields()?;
        }
        Ok(())
    }

    /// Takes the bytes of a chunk, and returns how many of them belong to known fields.
    async fn take_chunk(&mut self, mut chunk: &[u8]) -> Result<usize, Refusal> {
        self.received_bytes += chunk.len() as u64;
        let mut known_bytes = 0;
        while let Some(event) = self.parser.next_event(&mut chunk).map_err(unreadable)? {
            match event {
                FormEvent::PartBegin(head) => {
                    if self.form.begin(&head)? == DataOwner::File {
                        self.begin_file(chunk.len())?;
                    }
                }
                FormEvent::Data(bytes) => {
                    let owner = self.form.data(bytes)?;
                    known_bytes += if owner == DataOwner::Nobody { 0 } else { bytes.len() };
                    match owner {
                        DataOwner::File => {
                            let written = self.file.write(bytes).await;
                            written.map_err(|refusal| self.form.explain_file(refusal))?;
                            if let Some(state) = self.context.lease.taken() {
                                self.note_token(state)?;
                            }
                        }
                        DataOwner::Form => self.count_form().await?,
                        DataOwner::Nobody => {}
                    }
                }
                FormEvent::PartEnd => self.end_part(chunk.len()).await?,
                FormEvent::End => {}
            }
        }
        Ok(known_bytes)
    }

    /// Begins the file. `unread` is the rest of the chunk.
    fn begin_file(&mut self, unread: usize) -> Result<(), Refusal> {
        if !self.admission.has_slot && self.replayed.is_none() {
            return Err(self.limit_reached());
        }
        let position = self.received_bytes - unread as u64;
        self.file.begin(self.request.content_length.map(|length| self.ahead(length.saturating_sub(position))));
        Ok(())
    }

    /// Returns what can follow the first byte of the file, if this many bytes of the body are left.
    fn ahead(&self, left: u64) -> BodyAhead {
        let boundary_bytes = self.request.boundary.as_str().len();
        BodyAhead {
            left,
            min_after_file: Form::min_bytes_after_file(boundary_bytes),
            likely_after_file: self.form.likely_bytes_after_file(boundary_bytes),
            max_after_file: self.form.max_bytes_after_file(boundary_bytes),
        }
    }

    /// Counts the memory of the form. It grows with the thumbnail picture and captions, and shrinks when a captions
    /// file has become plain text.
    async fn count_form(&mut self) -> Result<(), Refusal> {
        let bytes = self.form.held_bytes();
        self.context.shrink_memory(self.form_bytes.saturating_sub(bytes));
        let more = bytes.saturating_sub(self.form_bytes);
        if !self.context.grow_memory(more) {
            // The file can free memory, but the form cannot.
            self.file.free_memory().await?;
            if !self.context.grow_memory(more) {
                return Err(Refusal::overloaded());
            }
        }
        self.form_bytes = bytes;
        Ok(())
    }

    /// Ends the form part. `unread` is the rest of the chunk.
    async fn end_part(&mut self, unread: usize) -> Result<(), Refusal> {
        if self.form.is_in_file() {
            self.file.end().map_err(|refusal| self.form.explain_file(refusal))?;
        }
        let ended = self.form.end()?;
        self.count_form().await?;
        if ended == Some(FormField::UploadToken) && self.request.token.is_none() {
            self.resolve_token(unread).await?;
        }
        if self.may_be_replay { Ok(()) } else { self.check_fields() }
    }

    /// Looks up the token of the form as soon as it is known, to decide whether to store the file. If the file is still
    /// to come and will be stored in parts, the token is looked up in the batch that records the first part.
    async fn resolve_token(&mut self, unread: usize) -> Result<(), Refusal> {
        let Some(token) = self.form.fields.upload_token.as_deref() else {
            return Ok(());
        };
        if self.is_preview {
            return Err(Refusal::internal("only the database knows whether the upload is a replay"));
        }
        let token = TokenToTake { channel_id: self.admission.channel_id, token: token.to_owned() };
        if self.admission.has_slot && self.will_be_in_parts(unread) {
            self.context.lease.announce(token);
            return Ok(());
        }
        self.take(token).await
    }

    /// Whether the file is still to come and will be stored in parts, if the rest of the body is the file.
    fn will_be_in_parts(&self, unread: usize) -> bool {
        let left = self.request.content_length.map(|length| length.saturating_sub(self.received_bytes - unread as u64));
        let plan = left.map(|left| PartPlan::new(self.ahead(left), self.context.parts));
        !self.form.has_file() && plan.is_some_and(|plan| plan.has_streamed_parts())
    }

    /// Takes a token that was not needed to record a part.
    async fn take_announced_token(&mut self) -> Result<(), Refusal> {
        match self.context.lease.unannounce() {
            Some(token) => self.take(token).await,
            None => Ok(()),
        }
    }

    async fn take(&mut self, TokenToTake { channel_id, token }: TokenToTake) -> Result<(), Refusal> {
        let (platform, uuid) = (self.context.platform, &self.request.names.upload_uuid);
        let state = take_token(platform.database(), channel_id, &token, uuid, platform.now()).await?;
        self.note_token(state)
    }

    /// Notes who has the token. Refuses the upload if it can neither have it nor be a replay.
    fn note_token(&mut self, state: TokenState) -> Result<(), Refusal> {
        match state {
            TokenState::Ours => {
                self.may_be_replay = false;
                Ok(())
            }
            TokenState::Finished { fingerprint, upload_uuid } => {
                self.file.stop_storing();
                self.replayed = Some(EarlierUpload { fingerprint, upload_uuid });
                Ok(())
            }
            TokenState::InFlight { lease_ends_at } => Err(in_progress(lease_ends_at, self.context.platform.now())),
            TokenState::Free if self.admission.has_slot => Err(Refusal::new(ErrorCode::UploadTooSlow)),
            TokenState::Free => Err(self.limit_reached()),
        }
    }

    fn check_fields(&self) -> Result<(), Refusal> {
        let fields = &self.form.fields;
        // Only the database knows the categories.
        let own_category = fields.super_category_id.as_slice();
        let category_ids = if self.is_preview { own_category } else { &self.admission.category_ids };
        fields.check(FieldContext { category_ids, started_at: self.scheduled_at })
    }

    fn limit_reached(&self) -> Refusal {
        Refusal::limit_reached(self.admission.usage, self.context.platform.now())
    }

    pub(super) fn leftovers(&self) -> StoredLeftovers {
        self.file.leftovers()
    }
}

pub(super) fn unreadable(error: multipart::FormError) -> Refusal {
    Refusal::malformed(format!("The form is malformed: {error}."))
}
