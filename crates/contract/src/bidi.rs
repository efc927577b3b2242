//! The invisible characters that change the direction of a text, grouped by their effect.
//!
//! Together they have Unicode's property `Bidi_Control`.

/// Whether the character changes the direction of the text after it in any way. Text that is shown within other text,
/// such as a title, must contain none.
pub const fn is_bidi_control(character: char) -> bool {
    is_bidi_mark(character) || is_bidi_embedding(character)
}

/// Whether the character embeds, overrides or isolates the text after it, which can make it look like different text.
pub const fn is_bidi_embedding(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether the character overrides the direction of the letters themselves. Honest texts do not need it, while
/// subtitles in right-to-left languages do contain other embeddings.
pub const fn is_bidi_override(character: char) -> bool {
    matches!(character, '\u{202d}' | '\u{202e}')
}

/// Whether the character is a mark, which right-to-left languages need between letters and punctuation.
const fn is_bidi_mark(character: char) -> bool {
    matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_controls_are_those_of_unicode() {
        let controls: String = ('\0'..=char::MAX).filter(|character| is_bidi_control(*character)).collect();
        let expected =
            "\u{61c}\u{200e}\u{200f}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";
        assert_eq!(controls, expected);
    }

    #[test]
    fn every_override_is_an_embedding_and_no_mark_is() {
        for character in ['\u{202d}', '\u{202e}'] {
            assert!(is_bidi_override(character) && is_bidi_embedding(character), "{character:?}");
        }
        for character in ['\u{61c}', '\u{200e}', '\u{200f}', '\u{202b}', '\u{2067}', 'a'] {
            assert!(!is_bidi_override(character), "{character:?}");
        }
        assert!(!is_bidi_embedding('\u{200f}') && is_bidi_embedding('\u{2067}'));
    }
}
