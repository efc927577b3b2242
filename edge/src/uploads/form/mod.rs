//! The multipart form while it streams past: identifies each form part and collects the small ones.
//!
//! Knows the rules of the form, but not where the bytes of the file go.

pub(crate) mod captions;
pub(crate) mod fields;
mod file_start;
pub(crate) mod owner_fields;
mod remaining;
pub(crate) mod thumbnail;
pub(crate) mod unknown_parts;

use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use captions::{FormCaptions, language_in};
use contract::mistake::NO_FILE;
use contract::{ErrorCode, FormField};
use fields::{Fields, refusal_of_text};
use file_start::FileStart;
use multipart::{FieldText, PartHead, TransferEncoding};
use owner_fields::OwnerFields;
use thumbnail::Thumbnail;
use unknown_parts::{UnknownPart, UnknownParts};

/// The form part that is being received.
#[derive(Debug)]
enum CurrentPart {
    File,
    Thumbnail,
    Captions,
    Text(FormField, FieldText),
    /// The one-time token, which was read before the form, and how many more bytes it may have.
    Token(usize),
    /// A field that the API does not define. Unless the form is refused for it, its data is dropped.
    Unknown(UnknownPart),
}

/// The form, except for the bytes of the file.
#[derive(Debug, Default)]
pub(crate) struct Form {
    pub fields: Fields,
    pub thumbnail: Option<Thumbnail>,
    pub captions: FormCaptions,
    /// The number of form parts so far, with the current one.
    parts: usize,
    seen: Vec<&'static str>,
    unknown: UnknownParts,
    /// Restricts the fields of an upload with a one-time token.
    owner: Option<Box<OwnerFields>>,
    part: Option<CurrentPart>,
    /// Whether the file has an empty file name, like the empty file input of a browser.
    is_empty_input: bool,
    file_has_data: bool,
    file_start: FileStart,
}

/// The code that processes the data of a form part.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum DataOwner {
    /// The form itself, which has processed it already.
    Form,
    /// The caller: the data belongs to the file.
    File,
    /// No code: the field is unknown.
    Nobody,
}

/// The field with the one-time token, in a form that a page posts without a script. It must be the first one.
pub(crate) const DIRECT_UPLOAD_TOKEN: &str = "direct_upload_token";
/// A token has 50 bytes, and a page may have put spaces around it.
pub(crate) const MAX_TOKEN_BYTES: usize = 200;
const FILE: &str = FormField::File.name();
pub(crate) const THUMBNAIL_FILE: &str = FormField::ThumbnailFile.name();

impl Form {
    /// Returns a form without parts, of an upload with this token in its header.
    pub(crate) fn new(token: Option<String>, unknown_fields: UnknownFields, owner: Option<Box<OwnerFields>>) -> Self {
        let fixed = owner.as_ref().map(|owner| owner.fixed.clone()).unwrap_or_default();
        let fields = Fields { upload_token: token, ..fixed };
        Self { fields, owner, unknown: UnknownParts::new(unknown_fields), ..Self::default() }
    }

    /// Begins a form part, and returns who processes its data.
    pub(crate) fn begin(&mut self, head: &PartHead) -> Result<DataOwner, Refusal> {
        require_plain(head)?;
        self.parts += 1;
        let part = match FormField::named(&head.name) {
            None if self.is_token(head) => CurrentPart::Token(MAX_TOKEN_BYTES),
            Some(FormField::File) => CurrentPart::File,
            Some(FormField::ThumbnailFile) => CurrentPart::Thumbnail,
            field => self.begin_other(field, head)?,
        };
        if let Some(name) = part.name() {
            self.note(name)?;
        }
        self.require_settable(&part, &head.name)?;
        let owner = if matches!(part, CurrentPart::File) { DataOwner::File } else { DataOwner::Form };
        match &part {
            CurrentPart::File => {
                self.is_empty_input = head.filename.as_deref() == Some("");
                self.file_start = FileStart { is_file: head.filename.is_some(), bytes: Vec::new() };
            }
            CurrentPart::Thumbnail => self.thumbnail = Some(Thumbnail::new(head.filename.is_some())),
            CurrentPart::Captions | CurrentPart::Text(..) | CurrentPart::Token(_) | CurrentPart::Unknown(_) => {}
        }
        self.part = Some(part);
        if self.has_file() {
            self.unknown.require_none()?;
        }
        Ok(owner)
    }

    fn is_token(&self, head: &PartHead) -> bool {
        self.owner.is_some() && self.parts == 1 && head.name == DIRECT_UPLOAD_TOKEN
    }

    /// Refuses a known field that the user may not set.
    fn require_settable(&self, part: &CurrentPart, name: &str) -> Result<(), Refusal> {
        match (&self.owner, part) {
            (None, _) | (_, CurrentPart::Token(_) | CurrentPart::Unknown(_)) => Ok(()),
            (Some(owner), _) => owner.require_settable(name),
        }
    }

    fn begin_other(&mut self, field: Option<FormField>, head: &PartHead) -> Result<CurrentPart, Refusal> {
        if let Some(language) = language_in(&head.name) {
            self.captions.begin(&head.name, language, head.filename.is_some())?;
            return Ok(CurrentPart::Captions);
        }
        let text = field.and_then(|field| Some((field, field.max_text_bytes()?)));
        Ok(match text {
            Some((field, max_bytes)) => CurrentPart::Text(field, FieldText::with_limit(max_bytes)),
            None => CurrentPart::Unknown(self.unknown.begin(head, FormField::NAMES)),
        })
    }

    /// Processes data of the current form part, which is not empty.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> Result<DataOwner, Refusal> {
        let has_file = self.has_file();
        match &mut self.part {
            Some(CurrentPart::File) => {
                self.file_has_data = true;
                self.file_start.append(bytes);
                return Ok(DataOwner::File);
            }
            Some(CurrentPart::Thumbnail) => self.append_to_thumbnail(bytes)?,
            Some(CurrentPart::Captions) => self.captions.append(bytes)?,
            Some(CurrentPart::Text(field, text)) => text.push(bytes).map_err(|error| refusal_of_text(*field, error))?,
            Some(CurrentPart::Unknown(part)) => {
                self.unknown.count(part, bytes.len(), has_file)?;
                return Ok(DataOwner::Nobody);
            }
            Some(CurrentPart::Token(left)) => {
                let too_long = || Refusal::new(ErrorCode::DirectUploadTokenInvalid).with_field(DIRECT_UPLOAD_TOKEN);
                *left = left.checked_sub(bytes.len()).ok_or_else(too_long)?;
            }
            None => {}
        }
        Ok(DataOwner::Form)
    }

    /// Whether the form part that is being received is the file.
    pub(crate) fn is_in_file(&self) -> bool {
        matches!(self.part, Some(CurrentPart::File))
    }

    /// Returns the memory that the form holds, apart from texts, which are short.
    pub(crate) fn held_bytes(&self) -> usize {
        self.thumbnail.as_ref().map_or(0, Thumbnail::held_bytes) + self.captions.held_bytes()
    }

    /// Ends a form part and validates its value at once, so that an invalid one costs the client no more bytes.
    /// Returns the field, if it was a text field.
    pub(crate) fn end(&mut self) -> Result<Option<FormField>, Refusal> {
        let ended = self.part.take();
        if self.thumbnail.as_ref().is_some_and(Thumbnail::is_empty) {
            self.thumbnail = None;
        }
        self.captions.end()?;
        let mut ended_field = None;
        if let Some(CurrentPart::Text(field, text)) = ended {
            let text = text.into_string().map_err(|error| refusal_of_text(field, error))?;
            self.fields.set(field, &text)?;
            ended_field = Some(field);
        }
        if self.thumbnail.is_some() && self.fields.thumbnail_time_seconds.is_some() {
            return Err(thumbnail_conflict());
        }
        Ok(ended_field)
    }

    /// Refuses a form without a file, then one with unknown fields.
    pub(crate) fn require_file(&self) -> Result<(), Refusal> {
        if self.has_file() {
            return self.unknown.require_none();
        }
        let misnamed = self.unknown.misnamed_file();
        let missing = || Refusal::new(ErrorCode::FileNotFound).with_field(FILE).with_detail(NO_FILE);
        Err(misnamed.unwrap_or_else(missing))
    }

    /// Whether the form has had a file. The empty file input of a browser does not count: it is a part with an empty
    /// file name and no bytes.
    pub(crate) fn has_file(&self) -> bool {
        self.file_has_data || (self.seen.contains(&FILE) && !self.is_empty_input)
    }

    /// Explains the refusal of a file that is a text, such as its name.
    pub(crate) fn explain_file(&self, refusal: Refusal) -> Refusal {
        match self.file_start.explain(FILE) {
            Some(detail) if refusal.code == ErrorCode::ContentFileInvalidFormat => refusal.with_detail(detail),
            _ => refusal,
        }
    }

    /// Refuses a picture in a form with a thumbnail time at its first byte, not at its end.
    fn append_to_thumbnail(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        if self.fields.thumbnail_time_seconds.is_some() {
            return Err(thumbnail_conflict());
        }
        self.thumbnail.get_or_insert_default().append(bytes)
    }

    fn note(&mut self, name: &'static str) -> Result<(), Refusal> {
        if self.seen.contains(&name) {
            return Err(duplicate_field(name));
        }
        self.seen.push(name);
        Ok(())
    }
}

impl CurrentPart {
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::File => Some(FILE),
            Self::Thumbnail => Some(THUMBNAIL_FILE),
            Self::Text(field, _) => Some(field.name()),
            // Captions are distinguished by language, and unknown parts may repeat.
            Self::Captions | Self::Token(_) | Self::Unknown(_) => None,
        }
    }
}

/// Refuses a form part with a `Content-Transfer-Encoding` such as base64.
pub(crate) fn require_plain(head: &PartHead) -> Result<(), Refusal> {
    if head.transfer_encoding == TransferEncoding::Identity {
        return Ok(());
    }
    let detail = "Form parts with a Content-Transfer-Encoding such as base64 are not supported. Send the raw bytes.";
    Err(Refusal::malformed(detail))
}

pub(crate) fn duplicate_field(name: &str) -> Refusal {
    Refusal::malformed(format!("Duplicate form field `{name}`. Send it once.")).with_field(name)
}

fn thumbnail_conflict() -> Refusal {
    Refusal::new(ErrorCode::ContentThumbnailConflict).with_field(FormField::ThumbnailTime.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_file_is_received_as_the_file() {
        for (name, is_file) in [("file", true), ("thumbnail_file", false), ("caption", false), ("unknown", false)] {
            let mut form = Form::default();
            assert!(!form.is_in_file(), "before {name}");
            let head = PartHead {
                name: name.to_owned(),
                filename: None,
                content_type: None,
                transfer_encoding: TransferEncoding::Identity,
            };
            form.begin(&head).unwrap();
            assert_eq!(form.is_in_file(), is_file, "{name}");
        }
    }
}
