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

/// Parses exactly `LENGTH` bytes of lower-case hexadecimal digits.
pub(crate) fn parse_hexadecimal<const LENGTH: usize>(text: &str) -> Option<[u8; LENGTH]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != LENGTH || !rest.is_empty() {
        return None;
    }
    let mut bytes = [0; LENGTH];
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = digit(*high)? * 16 + digit(*low)?;
    }
    Some(bytes)
}

fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn each_byte_has_two_lower_case_digits() {
        assert_eq!(hexadecimal(&[0x09, 0xaf, 0x00]), "09af00");
        assert_eq!(parse_hexadecimal("09af00"), Some([0x09, 0xaf, 0x00]));
        for wrong in
            ["", "09af", "09af0", "09af0000", "09AF00", "09ag00", "09a/00", "09a:00", "09a`00", "+9af00", "é09af"]
        {
            assert_eq!(parse_hexadecimal::<3>(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_was_formatted_is_parsed(bytes: [u8; 16]) {
            prop_assert_eq!(parse_hexadecimal(&hexadecimal(&bytes)), Some(bytes));
        }
    }
}
