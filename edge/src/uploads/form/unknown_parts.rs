//! Form parts that the API does not define. They are refused, unless the client prefers to have them ignored. A part
//! that is probably the video gets a refusal that names the right field.

use super::FILE;
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use contract::ErrorCode;
use contract::limits::MAX_IGNORED_FIELD_BYTES as MAX_BYTES;
use contract::mistake::{FETCHES_NO_URLS, is_url_field, misnamed_file as in_another_field};
use multipart::PartHead;

/// The unknown parts of a form so far.
#[derive(Debug, Default)]
pub(crate) struct UnknownParts {
    handling: UnknownFields,
    bytes: usize,
    /// The name of the first part with a file name, which is probably the video.
    file: Option<String>,
    /// Whether a part has the name under which other APIs take the address of a video.
    has_url: bool,
    /// The refusal of the first part. It is held back until the form has a file, because a missing file is reported
    /// first.
    refusal: Option<Refusal>,
}

/// The unknown part that is being received.
#[derive(Debug)]
pub(crate) struct UnknownPart {
    name: String,
    is_file: bool,
}

impl UnknownParts {
    pub(crate) fn new(handling: UnknownFields) -> Self {
        Self { handling, ..Self::default() }
    }

    /// Begins an unknown part of a form with these fields.
    pub(crate) fn begin(&mut self, head: &PartHead, known: &[&'static str]) -> UnknownPart {
        if let Err(refusal) = self.handling.take_field(&head.name, known) {
            self.refusal.get_or_insert(refusal);
        }
        let is_file = head.filename.is_some();
        self.has_url |= !is_file && is_url_field(&head.name);
        if is_file && self.file.is_none() {
            self.file = Some(head.name.clone());
        }
        UnknownPart { name: head.name.clone(), is_file }
    }

    /// Refuses the form if it has an unknown part, unless the client prefers to have it ignored.
    pub(crate) fn require_none(&self) -> Result<(), Refusal> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    /// Counts data of an unknown part. A file that exceeds the limit is taken for the video, unless the form has had a
    /// video.
    pub(crate) fn count(&mut self, part: &UnknownPart, bytes: usize, has_file: bool) -> Result<(), Refusal> {
        if bytes <= self.bytes_left() {
            self.bytes += bytes;
            return Ok(());
        }
        Err(if part.is_file && !has_file { misnamed_file(&part.name) } else { too_long(&part.name) })
    }

    pub(super) fn bytes_left(&self) -> usize {
        MAX_BYTES.saturating_sub(self.bytes)
    }

    /// Returns the refusal of a form whose video may be in an unknown part.
    pub(super) fn misnamed_file(&self) -> Option<Refusal> {
        let with_url = || {
            self.has_url.then(|| Refusal::new(ErrorCode::FileNotFound).with_field(FILE).with_detail(FETCHES_NO_URLS))
        };
        self.file.as_deref().map(misnamed_file).or_else(with_url)
    }
}

fn misnamed_file(name: &str) -> Refusal {
    Refusal::new(ErrorCode::FileNotFound).with_field(name).with_detail(in_another_field(name))
}

fn too_long(name: &str) -> Refusal {
    let detail =
        "The form has more than 64 KiB in fields that the API does not define. Send only the documented fields.";
    Refusal::malformed(detail).with_field(name)
}
