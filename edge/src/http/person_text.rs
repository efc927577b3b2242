//! The texts that people write in requests, such as reasons and names.

use crate::base::refusal::Refusal;
use crate::base::visible_text::has_deceptive_control;

/// Returns 400 unless the text is visible, short, and looks the same to all readers.
pub(super) fn require_text(text: &str, field: &'static str, max_characters: usize) -> Result<(), Refusal> {
    let is_visible = !text.trim().is_empty() && !has_deceptive_control(text);
    let is_valid = is_visible && text.chars().count() <= max_characters;
    let detail = format!("`{field}` must be text of 1 to {max_characters} characters that all readers see alike.");
    is_valid.then_some(()).ok_or_else(|| Refusal::malformed(detail).with_field(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_to_so_many_characters_that_can_be_seen() {
        for (text, is_accepted) in
            [("", false), (" ", false), ("é", true), ("ééé", true), ("éééé", false), ("a\u{202e}", false)]
        {
            assert_eq!(require_text(text, "reason", 3).is_ok(), is_accepted, "{text:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_field() {
        assert_eq!(require_text("", "reason", 3).unwrap_err().field.as_deref(), Some("reason"));
    }
}
