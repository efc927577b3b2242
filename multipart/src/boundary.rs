//! The boundary, taken from the request's `Content-Type` by one strict reading.
//!
//! Parsers that disagree about which boundary holds see different forms in one body, so a
//! header that leaves a choice (two boundaries, odd quoting, odd characters) is refused.
//! It must not know the body.

use crate::grammar::{is_space, split_token};
use core::fmt;

/// RFC 2046, 5.1.1. Without it the needle, and what is held between two chunks, has no bound.
const MAX_BOUNDARY_BYTES: usize = 70;

/// A boundary that RFC 2046 allows: 1 to 70 of its characters, not ending in a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Boundary(String);

/// Why a `Content-Type` does not give a boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoundaryError {
    /// Another media type: the body is no form at all, and need not be read.
    NotFormData,
    /// The header is not `type/subtype; name=value`.
    Malformed,
    /// No boundary parameter.
    Missing,
    /// More than one boundary parameter.
    Repeated,
    /// Empty, or longer than 70 characters.
    Length,
    /// A character that no boundary may have, or a space at its end.
    Character,
}

impl Boundary {
    /// Reads the value of the request's `Content-Type`.
    pub fn from_content_type(value: &str) -> Result<Self, BoundaryError> {
        let (media_type, parameters) = match value.split_once(';') {
            Some((media_type, parameters)) => (media_type, parameters),
            None => (value, ""),
        };
        let media_type = media_type.trim_matches(is_space);
        if !media_type.eq_ignore_ascii_case("multipart/form-data") {
            return Err(BoundaryError::NotFormData);
        }
        let mut found = None;
        let mut rest = parameters;
        while let Some((parameter, after)) = next_parameter(rest)? {
            rest = after;
            if parameter.name.eq_ignore_ascii_case("boundary")
                && found.replace(parameter.value).is_some()
            {
                return Err(BoundaryError::Repeated);
            }
        }
        Self::from_text(found.ok_or(BoundaryError::Missing)?)
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

    /// The boundary without the hyphens in front of it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// RFC 2046's `bchars`. None of them is CR, which the delimiter search relies on.
fn is_boundary_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte)
}

struct Parameter<'a> {
    name: &'a str,
    value: &'a str,
}

/// The parameter after a semicolon, and what follows it, from its own semicolon on.
fn next_parameter(text: &str) -> Result<Option<(Parameter<'_>, &str)>, BoundaryError> {
    let text = text.trim_start_matches([' ', '\t', ';']);
    if text.is_empty() {
        return Ok(None);
    }
    let (name, after_name) = split_token(text);
    let value = after_name
        .strip_prefix('=')
        .ok_or(BoundaryError::Malformed)?;
    let (value, rest) = match value.strip_prefix('"') {
        // A backslash is no boundary character, so an escape can only hide a difference.
        Some(quoted) => quoted.split_once('"').ok_or(BoundaryError::Malformed)?,
        None => split_token(value),
    };
    let rest = rest.trim_start_matches(is_space);
    if name.is_empty() || !(rest.is_empty() || rest.starts_with(';')) {
        return Err(BoundaryError::Malformed);
    }
    Ok(Some((Parameter { name, value }, rest)))
}

impl BoundaryError {
    /// What is wrong and what to do, for the sender's developer.
    pub fn message(self) -> &'static str {
        match self {
            Self::NotFormData => {
                "the request is not multipart/form-data: send the fields as a form"
            }
            Self::Malformed => {
                "Content-Type cannot be read: write multipart/form-data; boundary=\"...\""
            }
            Self::Missing => {
                "Content-Type names no boundary: let the HTTP client write this header itself"
            }
            Self::Repeated => "Content-Type names two boundaries: send one",
            Self::Length => "the boundary must have 1 to 70 characters",
            Self::Character => "the boundary has a character that RFC 2046 does not allow",
        }
    }
}

impl fmt::Display for BoundaryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for BoundaryError {}
