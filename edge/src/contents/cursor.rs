//! The cursor of a channel's list of uploads: an opaque string that says where the next page begins.
//!
//! A cursor names the last content of a page instead of a row number, so that new uploads do not shift the pages.

use contract::limits::MAX_SAFE_INTEGER;

/// The version of the format, so that a later format can be distinguished.
const VERSION: &str = "u1";

/// Returns the cursor of the page that follows the content with this id.
pub(crate) fn after(content_id: u64) -> String {
    format!("{VERSION}{content_id:x}")
}

/// Returns the id of the content that the cursor follows, or `None` if the text is not a cursor.
pub(crate) fn parse(cursor: &str) -> Option<u64> {
    let digits = cursor.strip_prefix(VERSION)?;
    let content_id = u64::from_str_radix(digits, 16).ok()?;
    // A position has exactly one cursor: no sign, no leading zero, no capital letters.
    let is_canonical = content_id <= MAX_SAFE_INTEGER && after(content_id) == cursor;
    is_canonical.then_some(content_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_other_text_is_a_cursor() {
        for text in ["", "u1", "1", "u1+1", "u101", "u1A", "u1 1", "u2ff", "u120000000000001", "u120000000000000"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_largest_safe_integer_has_a_cursor() {
        assert_eq!(parse(&after(MAX_SAFE_INTEGER)), Some(MAX_SAFE_INTEGER));
    }

    proptest! {
        #[test]
        fn a_cursor_parses_to_its_content(content_id in 0..=MAX_SAFE_INTEGER) {
            prop_assert_eq!(parse(&after(content_id)), Some(content_id));
        }

        #[test]
        fn any_text_is_parsed_without_a_panic(text in ".{0,30}") {
            if let Some(content_id) = parse(&text) {
                prop_assert_eq!(after(content_id), text);
            }
        }
    }
}
