//! Bytes as hexadecimal text.

use std::fmt::Write;

/// Formats bytes as lower-case hexadecimal.
pub fn hexadecimal(bytes: &[u8]) -> String {
    let text = String::with_capacity(bytes.len() * 2);
    bytes.iter().fold(text, |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
