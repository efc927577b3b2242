//! The few character classes of RFC 9110 and RFC 2046 that more than one file needs.
//!
//! It must not know any header by name.

/// A character of a token: header names, parameter names, unquoted values.
pub(crate) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Optional white space inside a header value. Line ends are never white space here.
pub(crate) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t')
}

/// Splits off the token at the start; it may be empty.
pub(crate) fn split_token(text: &str) -> (&str, &str) {
    let end = text
        .bytes()
        .position(|byte| !is_token(byte))
        .unwrap_or(text.len());
    text.split_at(end)
}
