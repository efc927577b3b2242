//! Decodes RFC 5987's `UTF-8''percent%20encoded`, which some clients use for `filename*`.
//!
//! RFC 7578 forbids it in forms, but some clients use it for file names that are not ASCII. It is therefore accepted,
//! as UTF-8 only. This module must not depend on the parameter's name.

use crate::error::FormError;

/// Decodes an extended value.
pub(crate) fn decode(value: &str) -> Result<String, FormError> {
    let malformed = FormError::FilenameExtendedMalformed;
    let (charset, rest) = value.split_once('\'').ok_or(malformed)?;
    let (_language, encoded) = rest.split_once('\'').ok_or(malformed)?;
    if !charset.eq_ignore_ascii_case("utf-8") {
        return Err(malformed);
    }
    let bytes = percent_decode(encoded.as_bytes()).ok_or(malformed)?;
    let text = String::from_utf8(bytes).map_err(|_| malformed)?;
    if text.chars().any(char::is_control) { Err(malformed) } else { Ok(text) }
}

/// Returns `None` if a percent sign is not followed by two hexadecimal digits.
fn percent_decode(encoded: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let [high, low, after @ ..] = after else {
                return None;
            };
            bytes.push(hex_digit(*high)? << 4 | hex_digit(*low)?);
            rest = after;
        } else {
            bytes.push(byte);
            rest = after;
        }
    }
    Some(bytes)
}

fn hex_digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}
