//! The sentences about mistakes in a request: what was received, what was expected, and what to send instead.
//!
//! The edge sends them in `detail`, and the client prints them before it sends anything. They depend on the kind of a
//! field and not on the field, so a new field in the table has them already. Every sentence has at most
//! `MAX_CHARACTERS`, and every text from outside passes through `shown`, which escapes, shortens and hides.

mod address;
mod body;
mod file;
mod metadata;
mod name;
mod shown;
mod text;
mod time;
mod value;

pub use address::{AddressHint, nearest_address, unsupported_method, wrong_address};
pub use body::{Received, Shape, duplicate_member, missing_member, not_a_form, not_json, wrong_member};
pub use file::{
    FETCHES_NO_URLS, MAX_NAME_BYTES, NO_FILE, is_short_text, is_url_field, misnamed_file, not_a_file, not_a_picture,
    too_large_picture,
};
pub use metadata::{invalid_metadata, long_metadata};
pub use name::{nearest, unknown_field, unknown_parameter};
pub use shown::{hide_secrets, is_secret, shown};
pub use text::{invalid_text, too_long_text};
pub use time::{Ahead, invalid_clock_time, invalid_unix_time, is_in_smaller_unit, past_the_end, wrong_schedule};
pub use value::{Hints, invalid_number, invalid_uuid, invalid_value, invalid_word, missing_uuid, unknown_category};

/// The maximum length of a sentence. A longer one is not read.
pub const MAX_CHARACTERS: usize = 200;

/// Joins the parts of a sentence, and cuts it off at the limit.
fn sentence(parts: &[&str]) -> String {
    let mut text = parts.concat();
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARACTERS) {
        let last = text.get(..end).and_then(|kept| kept.char_indices().next_back());
        text.truncate(last.map_or(0, |(start, _)| start));
        text.push('…');
    }
    text
}

/// Adds words to a list as long as the list stays short. The rest are called others.
fn list(words: &[&str], max_characters: usize) -> String {
    let mut text = String::new();
    for word in words {
        if text.len() + word.len() > max_characters {
            return text + " and others";
        }
        if !text.is_empty() {
            text += ", ";
        }
        text += &["`", word, "`"].concat();
    }
    text
}

/// Writes a number with commas, such as `2,200`.
fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests;
