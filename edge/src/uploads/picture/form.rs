//! Parses the form that sends a thumbnail. It has two fields: the UUID of the video, and the picture.

use super::super::small_form::{CONTENT_UUID, SmallForm, invalid_uuid, uuid_field};
use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::platform::isolate::QuotaShare;
use crate::uploads::form::thumbnail::Thumbnail;
use crate::uploads::form::unknown_parts::{UnknownPart, UnknownParts};
use crate::uploads::form::{THUMBNAIL_FILE, duplicate_field, require_plain};
use multipart::{FieldText, PartHead};

/// The field that is being received.
enum Field {
    ContentUuid(FieldText),
    Picture,
    Unknown(UnknownPart),
}

/// The form while it arrives.
pub(super) struct PictureForm<'a> {
    content_uuid: Option<ContentUuid>,
    picture: Option<Thumbnail>,
    field: Option<Field>,
    unknown: UnknownParts,
    /// The memory of the picture.
    share: QuotaShare<'a>,
}

/// A picture in memory, and its content.
pub(crate) struct ReceivedPicture<'a> {
    pub(crate) content_uuid: ContentUuid,
    pub(super) bytes: Vec<u8>,
    _memory: QuotaShare<'a>,
}

impl<'a> PictureForm<'a> {
    pub(super) fn new(share: QuotaShare<'a>, unknown_fields: UnknownFields) -> Self {
        Self { content_uuid: None, picture: None, field: None, unknown: UnknownParts::new(unknown_fields), share }
    }

    /// Returns the fields of the form once all have arrived. A missing picture counts as invalid.
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
    fn begin(&mut self, head: &PartHead) -> Result<(), Refusal> {
        require_plain(head)?;
        let (field, is_duplicate) = match head.name.as_str() {
            CONTENT_UUID => (Field::ContentUuid(uuid_field()), self.content_uuid.is_some()),
            THUMBNAIL_FILE => (Field::Picture, self.picture.is_some()),
            _ => (Field::Unknown(self.unknown.begin(head, &[CONTENT_UUID, THUMBNAIL_FILE])), false),
        };
        self.unknown.require_none()?;
        if is_duplicate {
            return Err(duplicate_field(&head.name));
        }
        if matches!(field, Field::Picture) {
            self.picture = Some(Thumbnail::new(head.filename.is_some()));
        }
        self.field = Some(field);
        Ok(())
    }

    fn data(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Refusal> {
        match &mut self.field {
            Some(Field::ContentUuid(text)) => text.push(bytes).map_err(|_| invalid_uuid()),
            Some(Field::Picture) => self.append(bytes, now),
            Some(Field::Unknown(part)) => self.unknown.count(part, bytes.len(), true),
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
