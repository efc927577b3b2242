//! Character classes of RFC 9110 and RFC 2046 that several files use.
//!
//! This module must not depend on any particular header.

/// Whether the byte may occur in a token: a header name, parameter name or unquoted value.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether the character is optional white space inside a header value. Line ends are not.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// Splits off the token at the start, which may be empty.
pub(crate) fn split_token(text: &str) -> (&str, &str) {
    let end = text.bytes().position(|byte| !is_token(byte)).unwrap_or(text.len());
    text.split_at(end)
}
