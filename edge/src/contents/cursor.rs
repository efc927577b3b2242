//! The place in a channel's list of uploads at which the next page begins, as a text that means nothing to others.
//!
//! It names the last content that was told and not a number of rows: new uploads move nothing.

use contract::limits::MAX_SAFE_INTEGER;

/// The form; another one may follow some day.
const VERSION: &str = "u1";

/// What follows the content of that id.
pub fn after(content_id: u64) -> String {
    format!("{VERSION}{content_id:x}")
}

/// The id of the content that a cursor stands at; `None` for a text that is no cursor.
pub fn parse(cursor: &str) -> Option<u64> {
    let digits = cursor.strip_prefix(VERSION)?;
    let content_id = u64::from_str_radix(digits, 16).ok()?;
    // One text a cursor: no sign, no leading zero, no capitals.
    let is_ours = content_id <= MAX_SAFE_INTEGER && after(content_id) == cursor;
    is_ours.then_some(content_id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn no_other_text_is_a_cursor() {
        for text in [
            "",
            "u1",
            "1",
            "u1+1",
            "u101",
            "u1A",
            "u1 1",
            "u2ff",
            "u120000000000001",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_cursor_leads_back(content_id in 0..=MAX_SAFE_INTEGER) {
            prop_assert_eq!(parse(&after(content_id)), Some(content_id));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in ".{0,30}") {
            if let Some(content_id) = parse(&text) {
                prop_assert_eq!(after(content_id), text);
            }
        }
    }
}
