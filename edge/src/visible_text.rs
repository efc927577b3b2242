//! Characters that a person cannot see and that change what another person reads.

/// Whether the text contains a NUL, which many programs take for the end, or a control that reverses the direction of
/// the text after it, which can make a caption or a reason read as something else. The marks that languages need which
/// are written from right to left are allowed.
pub(crate) fn has_deceptive_control(text: &str) -> bool {
    text.chars().any(|c| matches!(c, '\0' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
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
