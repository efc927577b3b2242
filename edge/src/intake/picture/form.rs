//! Parses the form that sends a thumbnail. It has two fields: the UUID of the video, and the picture.

use super::super::small_form::{CONTENT_UUID, SmallForm, invalid_uuid, uuid_field};
use crate::ids::ContentUuid;
use crate::intake::form::thumbnail::Thumbnail;
use crate::intake::form::{THUMBNAIL_FILE, duplicate_field, require_plain};
use crate::isolate::QuotaShare;
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;
use multipart::{FieldText, PartHead};

/// The field that is being received.
enum Field {
    ContentUuid(FieldText),
    Picture,
}

/// The form while it arrives.
pub(super) struct PictureForm<'a> {
    content_uuid: Option<ContentUuid>,
    picture: Option<Thumbnail>,
    field: Option<Field>,
    /// The memory of the picture.
    share: QuotaShare<'a>,
}

/// A picture in memory, and the content that it is for.
pub(crate) struct ReceivedPicture<'a> {
    pub(super) content_uuid: ContentUuid,
    pub(super) bytes: Vec<u8>,
    _memory: QuotaShare<'a>,
}

impl<'a> PictureForm<'a> {
    pub(super) fn new(share: QuotaShare<'a>) -> Self {
        Self { content_uuid: None, picture: None, field: None, share }
    }

    /// Returns the fields of the form once all have arrived. A picture that was not sent is an invalid one.
    pub(super) fn finish(self) -> Result<ReceivedPicture<'a>, Refusal> {
        let content_uuid = self.content_uuid.ok_or_else(invalid_uuid)?;
        let bytes = self.picture.unwrap_or_default().finish()?;
        Ok(ReceivedPicture { content_uuid, bytes, _memory: self.share })
    }

    fn append(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Refusal> {
        let picture = self.picture.get_or_insert_default();
        let before = picture.held_bytes();
        picture.append(bytes)?;
        let is_free = self.share.grow(picture.held_bytes().saturating_sub(before), now);
        if is_free { Ok(()) } else { Err(Refusal::overloaded()) }
    }
}

impl SmallForm for PictureForm<'_> {
    /// Other fields are refused, as they are in the body of `update_content`.
    fn begin(&mut self, head: &PartHead) -> Result<(), Refusal> {
        require_plain(head)?;
        let (name, is_duplicate) = match head.name.as_str() {
            CONTENT_UUID => (CONTENT_UUID, self.content_uuid.is_some()),
            THUMBNAIL_FILE => (THUMBNAIL_FILE, self.picture.is_some()),
            other => return Err(unknown_field(other)),
        };
        if is_duplicate {
            return Err(duplicate_field(name));
        }
        self.field = Some(if name == CONTENT_UUID {
            Field::ContentUuid(uuid_field())
        } else {
            self.picture = Some(Thumbnail::default());
            Field::Picture
        });
        Ok(())
    }

    fn data(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Refusal> {
        match &mut self.field {
            Some(Field::ContentUuid(text)) => text.push(bytes).map_err(|_| invalid_uuid()),
            Some(Field::Picture) => self.append(bytes, now),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Refusal> {
        if let Some(Field::ContentUuid(text)) = self.field.take() {
            self.content_uuid = Some(ContentUuid::new(text.into_string().map_err(|_| invalid_uuid())?));
        }
        Ok(())
    }
}

fn unknown_field(name: &str) -> Refusal {
    let detail = format!("Send only the form fields `{CONTENT_UUID}` and `{THUMBNAIL_FILE}`.");
    Refusal::malformed(detail).with_field(name)
}
