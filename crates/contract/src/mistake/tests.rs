//! Laws of all sentences, whatever is received.

use super::shown::is_hidden;
use super::*;
use crate::api::{Category, Metadata};
use crate::{ContentState, FormField, paths};
use proptest::prelude::*;

/// Returns every sentence about a text.
fn all(text: &str) -> Vec<String> {
    let categories = [Category { id: 12, name: text.to_owned() }];
    let hints = Hints { now_unix: 1_798_000_000, categories: &categories };
    let states: Vec<_> = ContentState::ALL.iter().map(|state| state.as_str()).collect();
    let metadata: Metadata = [(text, text)].into_iter().collect();
    let json = format!("{text:?}");
    let mut sentences: Vec<String> = FormField::ALL.iter().map(|field| invalid_value(*field, text, hints)).collect();
    let shapes = [
        Shape::Text,
        Shape::Number,
        Shape::Truth,
        Shape::List,
        Shape::Object,
        Shape::Unknown,
        Shape::OneOf(FormField::NAMES),
    ];
    for name in FormField::NAMES.iter().chain(&["limit"]) {
        for (shape, received) in
            shapes.iter().flat_map(|shape| [(*shape, Received::Json(&json)), (*shape, Received::Text(text))])
        {
            sentences.push(wrong_member(name, received, shape, hints));
        }
    }
    sentences.extend([
        unknown_field(text, FormField::NAMES),
        unknown_field(text, &["content_uuid"]),
        unknown_parameter(text, FormField::NAMES),
        invalid_word("state", text, &states),
        invalid_number("limit", text, Some((1, 100))),
        invalid_uuid("content_uuid", text),
        invalid_metadata("metadata", &format!("{{{json}: 5}}")),
        long_metadata("metadata", &metadata, 5_000),
        misnamed_file(text),
        not_a_file("file", text.as_bytes(), true),
        not_a_picture("thumbnail_file", text.as_bytes(), false),
        not_json(text, text.as_bytes()),
        not_json("application/json", format!("{{{text}").as_bytes()),
        not_a_form(text, true),
        duplicate_member(text),
        unsupported_method(text, "GET,POST"),
        wrong_address(
            nearest_address(text, &[paths::UPLOAD_VIDEO]),
            "https://upload.clipgate.example",
            "https://clipgate.example",
        ),
    ]);
    sentences
}

#[test]
fn numbers_have_commas() {
    for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (2_200_000, "2,200,000")] {
        assert_eq!(with_commas(number), text);
    }
}

#[test]
fn a_sentence_ends_at_the_limit() {
    let cut = sentence(&["é".repeat(300).as_str()]);
    assert_eq!((cut.chars().count(), cut.ends_with('…')), (MAX_CHARACTERS, true));
    assert_eq!(sentence(&["é".repeat(200).as_str()]).chars().filter(|c| *c == 'é').count(), 200);
}

proptest! {
    #[test]
    fn a_sentence_is_short_and_has_no_character_that_hides(text in any::<String>(), more in ".{0,300}") {
        for sentence in all(&text).into_iter().chain(all(&more)) {
            prop_assert!(sentence.chars().count() <= MAX_CHARACTERS, "{}", sentence);
            prop_assert!(!sentence.chars().any(is_hidden), "{:?}", sentence);
            prop_assert!(sentence.ends_with(['.', '?', '…']), "{}", sentence);
        }
    }

    #[test]
    fn no_sentence_has_a_secret(before in ".{0,10}", key in "cg[kdt]_[0-9A-Za-z]{46}", after in ".{0,10}") {
        let cookie = format!("__Host-session={}", key.trim_start_matches("cg"));
        for text in [format!("{before}{key}{after}"), format!("Bearer {after}{}", &key[4..]), cookie] {
            for sentence in all(&text) {
                prop_assert!(!sentence.contains(&key[4..14]), "{}", sentence);
            }
        }
    }
}
