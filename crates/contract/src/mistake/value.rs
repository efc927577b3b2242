//! Sentences about values of the other kinds: numbers, UUIDs, categories and words of a fixed set.

use super::{
    invalid_clock_time, invalid_metadata, invalid_text, invalid_unix_time, list, nearest, not_a_file, sentence, shown,
    with_commas,
};
use crate::api::Category;
use crate::{FieldKind, FormField, TestOutcome, Visibility, paths};

/// Facts that are known beside the value. Nothing of it is looked up for the sentence.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hints<'a> {
    /// 0 if the time is not known.
    pub now_unix: u64,
    /// Empty if the list is not known.
    pub categories: &'a [Category],
}

/// Explains a value of a field that cannot be read.
pub fn invalid_value(field: FormField, received: &str, hints: Hints<'_>) -> String {
    let name = field.name();
    match field.kind() {
        FieldKind::Text { max_characters } => invalid_text(name, received, max_characters, false),
        FieldKind::Line { max_characters } => invalid_text(name, received, max_characters, true),
        FieldKind::Number if field == FormField::SuperCategoryId => unknown_category(received, hints.categories),
        FieldKind::Number => invalid_number(name, received, None),
        FieldKind::ClockTime => invalid_clock_time(name, received),
        FieldKind::UnixTime => invalid_unix_time(name, received, hints.now_unix),
        FieldKind::Flag => not_one_of(name, received, &["true", "false"]),
        FieldKind::Visibility => not_one_of(name, received, &Visibility::NAMES),
        FieldKind::TestOutcome => invalid_word("test outcome", received, &TestOutcome::values()),
        FieldKind::JsonObject => invalid_metadata(name, received),
        FieldKind::Uuid => invalid_uuid(name, received),
        FieldKind::File | FieldKind::FilePerLanguage => not_a_file(name, received.as_bytes(), false),
    }
}

/// Explains a category that is not in the list, and suggests the one that was meant by its name.
pub fn unknown_category(received: &str, categories: &[Category]) -> String {
    let value = shown(received);
    let is_number = !received.is_empty() && received.bytes().all(|byte| byte.is_ascii_digit());
    let problem = if is_number { " is not in the category list." } else { " is not a category id." };
    let meant = meant_category(received, categories).map(|category| {
        [" Did you mean ", category.id.to_string().as_str(), " (", shown(&category.name).trim_matches('`'), ")?"]
            .concat()
    });
    sentence(&[&value, problem, meant.as_deref().unwrap_or_default(), " `GET ", paths::CATEGORIES, "` lists all."])
}

/// Returns the category with this name, or the only one whose name contains it.
fn meant_category<'a>(received: &str, categories: &'a [Category]) -> Option<&'a Category> {
    let wanted = received.trim().to_lowercase();
    if wanted.is_empty() {
        return None;
    }
    let named = |category: &&Category| category.name.to_lowercase() == wanted;
    let mut similar = categories.iter().filter(|category| category.name.to_lowercase().contains(&wanted));
    let only = similar.next().filter(|_| similar.next().is_none() && wanted.chars().count() > 2);
    categories.iter().find(named).or(only)
}

/// Explains a value that is not a whole number, or not within the range.
pub fn invalid_number(name: &str, received: &str, range: Option<(u64, u64)>) -> String {
    let value = shown(received);
    let number = received.parse::<u64>().ok();
    let Some((least, most)) = range else {
        return sentence(&[&value, " is not a whole number. Send `", name, "` in digits only."]);
    };
    let problem = match number {
        Some(number) if number > most => " is too large",
        Some(number) if number < least => " is too small",
        _ => " is not a whole number",
    };
    sentence(&[&value, problem, ". Send `", name, "` from ", &with_commas(least), " to ", &with_commas(most), "."])
}

/// Explains a value that is not a UUID in lower case with hyphens.
pub fn invalid_uuid(name: &str, received: &str) -> String {
    let value = shown(received);
    let digits: String =
        received.chars().filter(|c| !"-{}() \"'".contains(*c)).collect::<String>().to_ascii_lowercase();
    let digits = digits.strip_prefix("urn:uuid:").unwrap_or(&digits);
    if digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let parts = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| digits.get(range).unwrap_or_default());
        return sentence(&["This UUID is not in its usual form. Send `", name, "` as `", &parts.join("-"), "`."]);
    }
    let is_number = received.bytes().all(|byte| byte.is_ascii_digit()) && !received.is_empty();
    let problem = if is_number { " is a number, not a UUID" } else { " is not a UUID" };
    sentence(&[&value, problem, ". Send `", name, "` such as `0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60`."])
}

/// Explains that the UUID of a video is missing.
pub fn missing_uuid(name: &str) -> String {
    sentence(&["`", name, "` is missing. Send the UUID that the upload returned."])
}

/// Explains a value of a field that has only these two.
fn not_one_of(name: &str, received: &str, [one, other]: &[&str; 2]) -> String {
    sentence(&["`", name, "` cannot be ", &shown(received), ". Send `", one, "` or `", other, "`."])
}

/// Explains a value that is not among the words of a set, such as the states. `what` is the kind of a word.
pub fn invalid_word(what: &str, received: &str, words: &[&'static str]) -> String {
    let value = shown(received);
    let meant = nearest(received, words).map(|word| [" Did you mean `", word, "`?"].concat());
    let plural = [" The ", what, "s are "].concat();
    let words = list(words, 120);
    sentence(&[&value, " is not a ", what, ".", meant.as_deref().unwrap_or_default(), &plural, &words, "."])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ContentState;

    fn categories() -> Vec<Category> {
        [(1, "Animals"), (12, "Music"), (13, "Music videos")]
            .map(|(id, name)| Category { id, name: name.into() })
            .into()
    }

    #[test]
    fn a_category_by_its_name_is_answered_with_its_id() {
        for (text, meant) in [("music", Some("12 (Music)")), ("anim", Some("1 (Animals)")), ("mus", None), ("99", None)]
        {
            let told = unknown_category(text, &categories());
            assert_eq!(told.contains("Did you mean"), meant.is_some(), "{told}");
            assert!(told.contains(meant.unwrap_or(text)) && told.ends_with("/categories` lists all."), "{told}");
        }
        assert!(unknown_category("music", &[]).starts_with("`music` is not a category id. `GET "));
    }

    #[test]
    fn a_word_of_a_set_is_answered_with_the_set() {
        let states: Vec<_> = ContentState::ALL.iter().map(|state| state.as_str()).collect();
        let told = invalid_word("state", "done", &states);
        assert!(told.starts_with("`done` is not a state. The states are `processing`, `scheduled`, "), "{told}");
        assert!(told.ends_with("`taken_down`, `deleted`."), "{told}");
        assert!(invalid_word("state", "publishd", &states).contains("Did you mean `published`?"));
    }

    #[test]
    fn a_number_and_a_uuid_are_explained() {
        assert_eq!(invalid_number("limit", "1000", Some((1, 100))), "`1000` is too large. Send `limit` from 1 to 100.");
        assert_eq!(
            invalid_number("limit", "ten", Some((1, 100))),
            "`ten` is not a whole number. Send `limit` from 1 to 100."
        );
        for spelling in ["0190F0A87C3B7D1E8A111B2C3D4E5F60", "{0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60}"] {
            let told = invalid_uuid("upload_token", spelling);
            assert!(told.ends_with("as `0190f0a8-7c3b-7d1e-8a11-1b2c3d4e5f60`."), "{told}");
        }
        assert!(invalid_uuid("content_uuid", "5").starts_with("`5` is a number, not a UUID."));
    }
}
