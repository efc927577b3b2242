//! Parses the form that sends captions. It has three fields: the UUID of the video, the language, and the file.

use super::super::small_form::{CONTENT_UUID, SmallForm, invalid_uuid, uuid_field};
use crate::base::ids::ContentUuid;
use crate::base::refusal::Refusal;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::unknown_fields::UnknownFields;
use crate::platform::isolate::QuotaShare;
use crate::uploads::form::captions::{CAPTIONS_FILE, plain_webvtt};
use crate::uploads::form::unknown_parts::{UnknownPart, UnknownParts};
use crate::uploads::form::{duplicate_field, require_plain};
use contract::ErrorCode;
use contract::limits::MAX_CAPTIONS_BYTES;
use contract::subtitles::language_tag;
use multipart::{FieldText, PartHead};

const LANGUAGE: &str = "language";
/// Longer than any language tag.
const MAX_LANGUAGE_BYTES: usize = 64;
/// The memory that a file takes while it is parsed, for each of its bytes.
const MEMORY_FACTOR: usize = 6;

/// The field that is being received.
enum Field {
    ContentUuid(FieldText),
    Language(FieldText),
    File,
    Unknown(UnknownPart),
}

/// The form while it arrives.
pub(super) struct CaptionsForm<'a> {
    content_uuid: Option<ContentUuid>,
    language: Option<String>,
    file: Option<Vec<u8>>,
    field: Option<Field>,
    unknown: UnknownParts,
    /// The memory of the file.
    share: QuotaShare<'a>,
}

/// Captions in memory as plain WebVTT, and their content.
pub(crate) struct ReceivedCaptions<'a> {
    pub(crate) content_uuid: ContentUuid,
    pub(super) language: String,
    pub(super) webvtt: String,
    _memory: QuotaShare<'a>,
}

impl<'a> CaptionsForm<'a> {
    pub(super) fn new(share: QuotaShare<'a>, unknown_fields: UnknownFields) -> Self {
        let unknown = UnknownParts::new(unknown_fields);
        Self { content_uuid: None, language: None, file: None, field: None, unknown, share }
    }

    /// Returns the fields of the form once all have arrived, with the file as plain WebVTT.
    pub(super) fn finish(self) -> Result<ReceivedCaptions<'a>, Refusal> {
        let content_uuid = self.content_uuid.ok_or_else(invalid_uuid)?;
        let language = self.language.ok_or_else(invalid_language)?;
        let webvtt = self.file.as_deref().and_then(plain_webvtt).ok_or_else(invalid_file)?;
        Ok(ReceivedCaptions { content_uuid, language, webvtt, _memory: self.share })
    }

    fn append(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Refusal> {
        let file = self.file.get_or_insert_default();
        if file.len() + bytes.len() > MAX_CAPTIONS_BYTES {
            return Err(invalid_file());
        }
        file.extend_from_slice(bytes);
        if self.share.grow(bytes.len() * MEMORY_FACTOR, now) { Ok(()) } else { Err(Refusal::overloaded()) }
    }
}

impl SmallForm for CaptionsForm<'_> {
    fn begin(&mut self, head: &PartHead) -> Result<(), Refusal> {
        require_plain(head)?;
        let (field, is_duplicate) = match head.name.as_str() {
            CONTENT_UUID => (Field::ContentUuid(uuid_field()), self.content_uuid.is_some()),
            LANGUAGE => (Field::Language(FieldText::with_limit(MAX_LANGUAGE_BYTES)), self.language.is_some()),
            CAPTIONS_FILE => (Field::File, self.file.is_some()),
            _ => (Field::Unknown(self.unknown.begin(head, &[CONTENT_UUID, LANGUAGE, CAPTIONS_FILE])), false),
        };
        self.unknown.require_none()?;
        if is_duplicate {
            return Err(duplicate_field(&head.name));
        }
        if matches!(field, Field::File) {
            self.file = Some(Vec::new());
        }
        self.field = Some(field);
        Ok(())
    }

    fn data(&mut self, bytes: &[u8], now: UnixSeconds) -> Result<(), Refusal> {
        match &mut self.field {
            Some(Field::ContentUuid(text)) => text.push(bytes).map_err(|_| invalid_uuid()),
            Some(Field::Language(text)) => text.push(bytes).map_err(|_| invalid_language()),
            Some(Field::File) => self.append(bytes, now),
            Some(Field::Unknown(part)) => self.unknown.count(part, bytes.len(), true),
            None => Ok(()),
        }
    }

    fn end(&mut self) -> Result<(), Refusal> {
        match self.field.take() {
            Some(Field::ContentUuid(text)) => {
                self.content_uuid = Some(ContentUuid::new(text.into_string().map_err(|_| invalid_uuid())?));
            }
            Some(Field::Language(text)) => {
                let text = text.into_string().map_err(|_| invalid_language())?;
                self.language = Some(language_tag(&text).ok_or_else(invalid_language)?);
            }
            Some(Field::File | Field::Unknown(_)) | None => {}
        }
        Ok(())
    }
}

fn invalid_file() -> Refusal {
    Refusal::new(ErrorCode::ContentCaptionsInvalid).with_field(CAPTIONS_FILE)
}

/// The refusal of a text that is not a language tag.
pub(super) fn invalid_language() -> Refusal {
    Refusal::new(ErrorCode::ContentCaptionsLanguageInvalid).with_field(LANGUAGE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::isolate::Quota;

    const NOW: UnixSeconds = UnixSeconds(0);

    fn code(appended: Result<(), Refusal>) -> Option<ErrorCode> {
        appended.err().map(|refusal| refusal.code)
    }

    #[test]
    fn a_file_has_a_largest_size_and_takes_six_times_its_memory() {
        let memory = Quota::new(7 * MAX_CAPTIONS_BYTES, 60);
        let mut form = CaptionsForm::new(memory.take(0, NOW).unwrap(), UnknownFields::default());
        for (bytes, in_use) in [(10, 60), (MAX_CAPTIONS_BYTES - 10, 6 * MAX_CAPTIONS_BYTES)] {
            assert_eq!(code(form.append(&vec![b'x'; bytes], NOW)), None);
            assert_eq!(memory.in_use(NOW), in_use);
        }
        assert_eq!(code(form.append(b"x", NOW)), Some(ErrorCode::ContentCaptionsInvalid));
    }

    #[test]
    fn a_file_without_memory_is_refused() {
        let memory = Quota::new(59, 60);
        let mut form = CaptionsForm::new(memory.take(0, NOW).unwrap(), UnknownFields::default());
        assert_eq!(code(form.append(&[b'x'; 10], NOW)), Some(ErrorCode::ServiceOverloaded));
    }
}
