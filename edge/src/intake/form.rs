//! The form as it streams past: which part is what, and what has come so far.
//!
//! Knows the rules of the form; not where the file's bytes go.

use super::fields::{FieldName, Fields};
use super::thumbnail::Thumbnail;
use crate::error::ApiError;
use contract::ErrorCode;
use multipart::{FieldText, FieldTextError, PartHead, TransferEncoding};

/// What the bytes of the part under way are.
#[derive(Debug)]
enum Part {
    File,
    Thumbnail,
    Text(FieldName, FieldText),
    /// A field that nobody here knows, held only so long as to bound it.
    Unknown(FieldText),
}

/// Everything of the form but the file's bytes.
#[derive(Debug, Default)]
pub struct Form {
    pub fields: Fields,
    pub thumbnail: Option<Thumbnail>,
    seen: Vec<&'static str>,
    part: Option<Part>,
    file_may_be_absent: bool,
}

/// What the caller has to do with a piece of a part.
#[derive(Debug, PartialEq, Eq)]
pub enum Taken {
    /// It is dealt with.
    Here,
    /// It is the file's.
    File,
}

const FILE: &str = "file";
const THUMBNAIL_FILE: &str = "thumbnail_file";

impl Form {
    /// A part begins. Says whether it is the file.
    pub fn begin(&mut self, head: &PartHead) -> Result<Taken, ApiError> {
        if head.transfer_encoding != TransferEncoding::Identity {
            let detail = "Parts must be sent as they are, without a Content-Transfer-Encoding of base64 or the like.";
            return Err(ApiError::malformed(detail));
        }
        let part = match head.name.as_str() {
            FILE => Part::File,
            THUMBNAIL_FILE => Part::Thumbnail,
            name => match FieldName::parse(name) {
                Some(field) => Part::Text(field, FieldText::default()),
                None => Part::Unknown(FieldText::default()),
            },
        };
        if let Some(name) = part.name() {
            self.note(name)?;
        }
        let taken = if matches!(part, Part::File) {
            Taken::File
        } else {
            Taken::Here
        };
        // A browser sends a file input that was left empty as a part with no name and no bytes.
        let left_empty = head.filename.as_deref() == Some("");
        match &part {
            Part::File => self.file_may_be_absent = left_empty,
            Part::Thumbnail => self.thumbnail = Some(Thumbnail::default()),
            Part::Text(..) | Part::Unknown(_) => {}
        }
        self.part = Some(part);
        Ok(taken)
    }

    pub fn data(&mut self, bytes: &[u8]) -> Result<Taken, ApiError> {
        match &mut self.part {
            Some(Part::File) => return Ok(Taken::File),
            Some(Part::Thumbnail) => {
                if let Some(thumbnail) = &mut self.thumbnail {
                    thumbnail.append(bytes)?;
                }
            }
            Some(Part::Text(name, text)) => text.push(bytes).map_err(|_| name.refusal())?,
            Some(Part::Unknown(text)) => text.push(bytes).map_err(unknown_too_long)?,
            None => {}
        }
        Ok(Taken::Here)
    }

    /// A part is whole: its value is checked now, so that a wrong one costs the sender no more bytes.
    /// Says which field it was.
    pub fn end(&mut self) -> Result<Option<FieldName>, ApiError> {
        let ended = self.part.take();
        if self.thumbnail.as_ref().is_some_and(Thumbnail::is_empty) {
            self.thumbnail = None;
        }
        let mut field = None;
        if let Some(Part::Text(name, text)) = ended {
            let text = text.into_string().map_err(|_| name.refusal())?;
            self.fields.set(name, text)?;
            field = Some(name);
        }
        if self.thumbnail.is_some() && self.fields.thumbnail_time_seconds.is_some() {
            return Err(
                ApiError::new(ErrorCode::ContentThumbnailConflict).with_field("thumbnail_time")
            );
        }
        Ok(field)
    }

    /// The form came to its end: was there a file? An empty one without a name is none.
    pub fn require_file(&self, is_empty: bool) -> Result<(), ApiError> {
        let absent = !self.seen.contains(&FILE) || (is_empty && self.file_may_be_absent);
        if absent {
            Err(ApiError::new(ErrorCode::FileNotFound).with_field(FILE))
        } else {
            Ok(())
        }
    }

    fn note(&mut self, name: &'static str) -> Result<(), ApiError> {
        if self.seen.contains(&name) {
            let detail = format!("The field `{name}` came twice.");
            return Err(ApiError::malformed(detail).with_field(name));
        }
        self.seen.push(name);
        Ok(())
    }
}

impl Part {
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::File => Some(FILE),
            Self::Thumbnail => Some(THUMBNAIL_FILE),
            Self::Text(name, _) => Some(name.as_str()),
            Self::Unknown(_) => None,
        }
    }
}

fn unknown_too_long(_: FieldTextError) -> ApiError {
    ApiError::malformed("A field that is not known here is longer than 64 KiB.")
}
