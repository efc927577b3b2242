//! The number of bytes of a form that follow its file. With the length of the body, this gives the remaining length of
//! the file.

use super::{Form, THUMBNAIL_FILE};
use contract::FormField;
use contract::limits::MAX_THUMBNAIL_BYTES;
use multipart::Caps;

/// The bytes around a boundary: the line end and two hyphens before it, and a line end or two hyphens after it.
const AROUND_BOUNDARY: usize = "\r\n--".len() + "\r\n".len();

/// The headers of a text field, as real clients send them, have less than this.
const USUAL_HEADER_BYTES: usize = 200;

impl Form {
    /// Returns the maximum number of bytes that can follow the file in an accepted form. Call it while the file is
    /// being received, with the length of the boundary without its hyphens.
    ///
    /// Proof: every byte after the file belongs to one of these, because the parser has no other state.
    /// - A delimiter before each further part, and one at the end. `Caps::parts` bounds the parts, and `begin` counts
    ///   them.
    /// - Headers. `Caps::total_header_bytes` bounds the headers of all parts together.
    /// - The data of a text field. `begin` refuses a second field of the same name, and `data` a field longer than its
    ///   `max_text_bytes`.
    /// - The data of unknown fields. `data` enforces the limit on all of them together.
    /// - The data of the picture. `begin` refuses a second picture. `data` refuses a picture longer than
    ///   `MAX_THUMBNAIL_BYTES`, and any picture in a form with a thumbnail time. An empty `thumbnail_time` does not
    ///   exclude a picture.
    /// - The data of captions. `data` limits all languages together to `MAX_CAPTIONS_BYTES`.
    /// - The data of a second file. `begin` refuses it.
    /// - The epilogue. `Caps::epilogue_bytes` bounds it.
    ///
    /// Each of these limits refuses the first byte beyond it, so a form that exceeds the bound is refused at the next
    /// byte.
    pub(crate) fn max_bytes_after_file(&self, boundary_length: usize) -> u64 {
        let caps = Caps::default();
        let delimiters = caps.parts.saturating_sub(self.parts) + 1;
        let files = self.picture_bytes_left() + self.captions.bytes_left();
        let parts = self.text_bytes_left() + self.unknown.bytes_left() + files;
        let bytes =
            delimiters * (boundary_length + AROUND_BOUNDARY) + caps.total_header_bytes + parts + caps.epilogue_bytes;
        bytes as u64
    }

    /// Returns the minimum number of bytes that can follow the file: the closing boundary.
    pub(crate) fn min_bytes_after_file(boundary_length: usize) -> u64 {
        (boundary_length + AROUND_BOUNDARY) as u64
    }

    /// Returns the maximum number of bytes that follow the file in a usual form: the remaining text fields, each at its
    /// maximum length. Call it while the file is being received.
    pub(crate) fn likely_bytes_after_file(&self, boundary_length: usize) -> u64 {
        let fields = self.missing_fields().count();
        let delimiters = (fields + 1) * (boundary_length + AROUND_BOUNDARY);
        (delimiters + fields * USUAL_HEADER_BYTES + self.text_bytes_left()) as u64
    }

    /// Returns the maximum number of bytes of an accepted body besides its file.
    pub(crate) fn max_bytes_beside_file(boundary_length: usize) -> u64 {
        Caps::default().preamble_bytes as u64 + Self::default().max_bytes_after_file(boundary_length)
    }

    fn text_bytes_left(&self) -> usize {
        self.missing_fields().filter_map(FormField::max_text_bytes).sum()
    }

    fn missing_fields(&self) -> impl Iterator<Item = FormField> {
        FormField::texts().filter(|field| !self.seen.contains(&field.name()))
    }

    fn picture_bytes_left(&self) -> usize {
        let is_excluded = self.seen.contains(&THUMBNAIL_FILE) || self.fields.thumbnail_time_seconds.is_some();
        if is_excluded { 0 } else { MAX_THUMBNAIL_BYTES }
    }
}

#[cfg(test)]
mod tests;
