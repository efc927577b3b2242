//! Detects invisible characters that change how people read a text.

use contract::is_bidi_embedding;

/// Whether the text contains a NUL, which ends the text for many programs, or a control that changes the direction of
/// the text after it, which can make a caption or a reason look like a different one. The marks that right-to-left
/// languages need are allowed.
pub(crate) fn has_deceptive_control(text: &str) -> bool {
    text.chars().any(|c| c == '\0' || is_bidi_embedding(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_nul_and_controls_of_direction_are_deceptive() {
        for text in ["a\0b", "\u{202e}gpj.exe", "\u{202a}", "\u{2066}x\u{2069}"] {
            assert!(has_deceptive_control(text), "{text:?}");
        }
        for text in ["", "a\tb\n", "\u{5e9}\u{200f}!", "\u{627}\u{61c}", "\u{1f468}\u{200d}\u{1f467}"] {
            assert!(!has_deceptive_control(text), "{text:?}");
        }
    }
}
