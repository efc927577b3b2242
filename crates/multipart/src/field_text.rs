//! Collects the value of a text field, up to a limit.
//!
//! The parser itself never stores content. A caller that needs a field as a string passes its `Data` to this type. This
//! module must not depend on which field it collects.

use crate::caps::MAX_FIELD_TEXT_BYTES;
use core::fmt;

/// The value of a text field while it arrives.
#[derive(Debug)]
pub struct FieldText {
    bytes: Vec<u8>,
    max_bytes: usize,
}

/// The reason why a field's content is not acceptable as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldTextError {
    /// The content is longer than the limit.
    TooLong,
    /// The content is not UTF-8.
    NotUtf8,
    /// The content contains NUL, which ends a text for some programs.
    ContainsNul,
}

impl Default for FieldText {
    fn default() -> Self {
        Self::with_limit(MAX_FIELD_TEXT_BYTES)
    }
}

impl FieldText {
    /// Creates an empty value that may grow to `max_bytes`.
    pub fn with_limit(max_bytes: usize) -> Self {
        Self { bytes: Vec::new(), max_bytes }
    }

    /// Appends content, or leaves the value unchanged on an error.
    pub fn push(&mut self, data: &[u8]) -> Result<(), FieldTextError> {
        if data.len() > self.max_bytes.saturating_sub(self.bytes.len()) {
            return Err(FieldTextError::TooLong);
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    /// Returns the value. Call it after the end of the part, because chunks may split a character.
    pub fn into_string(self) -> Result<String, FieldTextError> {
        let text = String::from_utf8(self.bytes).map_err(|_| FieldTextError::NotUtf8)?;
        if text.contains('\0') { Err(FieldTextError::ContainsNul) } else { Ok(text) }
    }
}

impl FieldTextError {
    /// Says what is wrong and what to do, for the client's developer.
    pub fn message(self) -> &'static str {
        match self {
            Self::TooLong => "a text field is too long. Shorten it, or send it as the file field",
            Self::NotUtf8 => "a text field is not UTF-8. Encode it as UTF-8",
            Self::ContainsNul => "a text field contains NUL. Remove it",
        }
    }
}

impl fmt::Display for FieldTextError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for FieldTextError {}
