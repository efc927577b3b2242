//! Gathers the value of a text field, up to a limit.
//!
//! The parser itself never holds content; a caller who wants a field as a string puts its
//! `Data` in here. It must not know which field it is.

use crate::caps::MAX_FIELD_TEXT_BYTES;
use core::fmt;

/// A text field's value while it arrives.
#[derive(Debug)]
pub struct FieldText {
    bytes: Vec<u8>,
    max_bytes: usize,
}

/// Why a field's content is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldTextError {
    /// Longer than the limit.
    TooLong,
    /// Not UTF-8, or with a NUL in it.
    NotText,
}

impl Default for FieldText {
    fn default() -> Self {
        Self::with_limit(MAX_FIELD_TEXT_BYTES)
    }
}

impl FieldText {
    /// An empty value that may grow to `max_bytes`.
    pub fn with_limit(max_bytes: usize) -> Self {
        Self {
            bytes: Vec::new(),
            max_bytes,
        }
    }

    /// Adds content; on an error nothing of it.
    pub fn push(&mut self, data: &[u8]) -> Result<(), FieldTextError> {
        if data.len() > self.max_bytes.saturating_sub(self.bytes.len()) {
            return Err(FieldTextError::TooLong);
        }
        self.bytes.extend_from_slice(data);
        Ok(())
    }

    /// The value, once the part has ended: only then is a split character whole.
    pub fn into_string(self) -> Result<String, FieldTextError> {
        let text = String::from_utf8(self.bytes).map_err(|_| FieldTextError::NotText)?;
        if text.contains('\0') {
            Err(FieldTextError::NotText)
        } else {
            Ok(text)
        }
    }
}

impl FieldTextError {
    /// What is wrong and what to do, for the sender's developer.
    pub fn message(self) -> &'static str {
        match self {
            Self::TooLong => "a text field is too long: shorten it, or send it as the file field",
            Self::NotText => "a text field is not text: send it as UTF-8 without NUL",
        }
    }
}

impl fmt::Display for FieldTextError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for FieldTextError {}
