//! Numbers in the names of files.

/// Parses a number in canonical form only: no sign, no leading zero.
pub(crate) fn canonical_number(text: &str) -> Option<u32> {
    let number: u32 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}
