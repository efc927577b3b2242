//! Shortens the reasons of errors that come from outside.

/// Longer reasons are truncated, so that an error page does not fill the log.
const MAX_REASON_CHARACTERS: usize = 300;

/// Returns the beginning of an external text as a single line.
pub(super) fn truncate(text: &str) -> String {
    let printable = |character: char| {
        if character.is_control() { ' ' } else { character }
    };
    text.chars().take(MAX_REASON_CHARACTERS).map(printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fixtures::cases;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(cases(64, 1024)))]

        #[test]
        fn a_reason_is_one_short_line(text: String) {
            let reason = truncate(&text);
            prop_assert!(reason.chars().count() <= MAX_REASON_CHARACTERS);
            prop_assert!(!reason.chars().any(char::is_control));
        }
    }
}
