//! A form without a video. All its parts are small and held in memory.

use super::names::time_ordered_uuid;
use super::pace::{PaceRules, PacedBody, incomplete};
use crate::base::ids::UploadUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::platform::Platform;
use crate::platform::entropy::Entropy;
use crate::platform::error::PlatformError;
use crate::platform::isolate::Quota;
use futures_util::Stream;
use multipart::{Boundary, Caps, FormEvent, Parser, PartHead};
use std::pin::pin;

/// The maximum length of the UUID field. A longer text is not a UUID.
const MAX_UUID_BYTES: usize = 64;
pub(super) const CONTENT_UUID: &str = "content_uuid";

/// A request with such a form, before its body is read.
pub(crate) struct SmallFormRequest<'a> {
    pub boundary: Boundary,
    pub content_length: Option<u64>,
    pub pace: PaceRules,
    pub unknown_fields: UnknownFields,
    /// The memory that all forms of this kind in an isolate share.
    pub memory: &'a Quota,
}

/// Returns a new name for a file that an owner sends.
pub(crate) fn file_name(entropy: &mut impl Entropy, now_ms: u64) -> UploadUuid {
    UploadUuid::new(time_ordered_uuid(entropy, now_ms).to_string())
}

/// The form while it arrives.
pub(super) trait SmallForm {
    /// Begins a form part.
    fn begin(&mut self, head: &PartHead) -> Result<(), Refusal>;
    /// Takes some bytes of the current part.
    fn data(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Refusal>;
    /// Ends the current part.
    fn end(&mut self) -> Result<(), Refusal>;
}

/// Receives the whole form, at the pace of an upload. Stores nothing. The form is a trait object, so that this code is
/// compiled only once.
pub(super) async fn receive<P, Body, Chunk>(
    platform: &P,
    request: &SmallFormRequest<'_>,
    body: Body,
    form: &mut dyn SmallForm,
) -> Result<(), Refusal>
where
    P: Platform,
    Body: Stream<Item = Result<Chunk, PlatformError>>,
    Chunk: AsRef<[u8]>,
{
    let mut parser = Parser::new(&request.boundary, Caps::default());
    let body = pin!(body);
    let mut body = PacedBody::new(platform, body, request.content_length, request.pace);
    while let Some(chunk) = body.next().await? {
        let mut chunk = chunk.as_ref();
        while let Some(event) = parser.next_event(&mut chunk).map_err(super::upload::unreadable)? {
            match event {
                FormEvent::PartBegin(head) => form.begin(&head)?,
                FormEvent::Data(bytes) => {
                    form.data(bytes, platform.now())?;
                    body.progress(bytes.len());
                }
                FormEvent::PartEnd => form.end()?,
                FormEvent::End => {}
            }
        }
    }
    // An aborted request can look like a clean end. Only the closing boundary proves that the body is complete.
    parser.finish().map_err(|error| incomplete(&error))
}

/// Returns the field that receives the UUID of the video.
pub(super) fn uuid_field() -> multipart::FieldText {
    multipart::FieldText::with_limit(MAX_UUID_BYTES)
}

/// The refusal of a form without a UUID.
pub(super) fn invalid_uuid() -> Refusal {
    let detail = "Send the UUID of the video in a form field named `content_uuid`.";
    Refusal::malformed(detail).with_field(CONTENT_UUID)
}
