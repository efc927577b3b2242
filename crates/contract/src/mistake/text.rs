//! Sentences about texts.

use super::shown::is_hidden;
use super::{sentence, with_commas};
use crate::is_bidi_embedding;

/// Explains a text that is too long, has a character that is not allowed, or has several lines where one is allowed.
pub fn invalid_text(name: &str, text: &str, max_characters: usize, is_line: bool) -> String {
    let characters = text.chars().count();
    if characters > max_characters {
        let (sent, allowed) = (with_commas(characters as u64), with_commas(max_characters as u64));
        return sentence(&["`", name, "` has ", &sent, " characters; ", &allowed, " are allowed."]);
    }
    let is_wrong = |c: &char| *c == '\0' || is_bidi_embedding(*c) || is_line && c.is_control();
    match text.chars().enumerate().find(|(_, character)| is_wrong(character)) {
        Some((_, '\n' | '\r')) => sentence(&["`", name, "` has several lines. Send it as one line."]),
        Some((position, character)) => {
            let position = with_commas(position as u64 + 1);
            let (code, what) =
                (code_point(character), if is_hidden(character) { "the invisible character " } else { "" });
            sentence(&["`", name, "` has ", what, &code, " at position ", &position, ". Remove it."])
        }
        None => sentence(&["`", name, "` is not a valid text."]),
    }
}

/// Explains a text that was so long that its rest was not read.
pub fn too_long_text(name: &str, max_characters: usize) -> String {
    let allowed = with_commas(max_characters as u64);
    sentence(&["`", name, "` is too long; ", &allowed, " characters are allowed."])
}

/// Writes a character as `U+202E`.
fn code_point(character: char) -> String {
    let digits: String = character.escape_unicode().filter(char::is_ascii_hexdigit).collect();
    let digits = digits.trim_start_matches('u').to_ascii_uppercase();
    ["U+", "0000".get(digits.len().min(4)..).unwrap_or_default(), &digits].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_explained_by_its_length_or_its_character() {
        for (text, is_line, expected) in [
            ("x".repeat(3_000), false, "`caption` has 3,000 characters; 2,200 are allowed."),
            ("a\u{202e}b".into(), false, "`caption` has the invisible character U+202E at position 2. Remove it."),
            ("a\0".into(), false, "`caption` has the invisible character U+0000 at position 2. Remove it."),
            ("a\r\nb".into(), true, "`caption` has several lines. Send it as one line."),
            ("a\tb".into(), true, "`caption` has the invisible character U+0009 at position 2. Remove it."),
        ] {
            assert_eq!(invalid_text("caption", &text, 2_200, is_line), expected);
        }
    }
}
