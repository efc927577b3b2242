//! Reads the boundary from the request's `Content-Type`, with one strict interpretation.
//!
//! Parsers that choose different boundaries see different forms in the same body. An ambiguous header (two boundaries,
//! unusual quoting or characters) is therefore refused. This module must not look at the body.

use crate::grammar::{is_space, split_token};
use core::fmt;

/// The limit of RFC 2046, 5.1.1. It bounds the search pattern, and the bytes that are withheld between two chunks.
const MAX_BOUNDARY_BYTES: usize = 70;

/// A boundary that RFC 2046 allows: 1 to 70 of its characters, not ending in a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary(String);

/// The reason why a `Content-Type` contains no usable boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoundaryError {
    /// Another media type. The body is not a form and need not be read.
    NotFormData,
    /// The header does not have the form `type/subtype; name=value`.
    Malformed,
    /// There is no boundary parameter.
    Missing,
    /// There is more than one boundary parameter.
    Repeated,
    /// The boundary is empty or longer than 70 characters.
    Length,
    /// The boundary contains a character that is not allowed, or ends in a space.
    Character,
}

impl Boundary {
    /// Parses the value of the request's `Content-Type`.
    pub fn from_content_type(value: &str) -> Result<Self, BoundaryError> {
        let (media_type, parameters) = match value.split_once(';') {
            Some((media_type, parameters)) => (media_type, parameters),
            None => (value, ""),
        };
        let media_type = media_type.trim_matches(is_space);
        if !media_type.eq_ignore_ascii_case("multipart/form-data") {
            return Err(BoundaryError::NotFormData);
        }
        let mut boundary = None;
        let mut rest = parameters;
        while let Some((parameter, after)) = next_parameter(rest)? {
            rest = after;
            if parameter.name.eq_ignore_ascii_case("boundary") && boundary.replace(parameter.value).is_some() {
                return Err(BoundaryError::Repeated);
            }
        }
        Self::from_text(boundary.ok_or(BoundaryError::Missing)?)
    }

    fn from_text(text: &str) -> Result<Self, BoundaryError> {
        if text.is_empty() || text.len() > MAX_BOUNDARY_BYTES {
            return Err(BoundaryError::Length);
        }
        if !text.bytes().all(is_boundary_character) || text.ends_with(' ') {
            return Err(BoundaryError::Character);
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the boundary without its leading hyphens.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the byte is in RFC 2046's `bchars`. CR is not; the delimiter search relies on that.
fn is_boundary_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte)
}

struct ContentTypeParameter<'a> {
    name: &'a str,
    value: &'a str,
}

/// Parses the next parameter. Returns it with the rest of the text, which starts at the next semicolon.
fn next_parameter(text: &str) -> Result<Option<(ContentTypeParameter<'_>, &str)>, BoundaryError> {
    let text = text.trim_start_matches([' ', '\t', ';']);
    if text.is_empty() {
        return Ok(None);
    }
    let (name, after_name) = split_token(text);
    let value = after_name.strip_prefix('=').ok_or(BoundaryError::Malformed)?;
    let (value, rest) = match value.strip_prefix('"') {
        // A backslash is not a boundary character, so there is no need to support escapes.
        Some(quoted) => quoted.split_once('"').ok_or(BoundaryError::Malformed)?,
        None => split_token(value),
    };
    let rest = rest.trim_start_matches(is_space);
    if name.is_empty() || !(rest.is_empty() || rest.starts_with(';')) {
        return Err(BoundaryError::Malformed);
    }
    Ok(Some((ContentTypeParameter { name, value }, rest)))
}

impl BoundaryError {
    /// Says what is wrong and what to do, for the client's developer.
    pub fn message(self) -> &'static str {
        match self {
            Self::NotFormData => "the request is not multipart/form-data. Send the fields as a form",
            Self::Malformed => "the header is malformed. Write multipart/form-data; boundary=\"...\"",
            Self::Missing => "the boundary is missing. Let the HTTP client write this header",
            Self::Repeated => "there are two boundaries. Send one",
            Self::Length => "the boundary is empty or too long. Use 1 to 70 characters",
            Self::Character => "the boundary contains a character that RFC 2046 does not allow. Use letters and digits",
        }
    }
}

impl fmt::Display for BoundaryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for BoundaryError {}
