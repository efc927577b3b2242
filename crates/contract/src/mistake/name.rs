//! Sentences about names that the API does not define, and the name that was probably meant.

use super::{list, sentence, shown};

/// Names of other APIs and the name here. They are compared in lower case without `_` and `-`.
const SYNONYMS: &[(&str, &str)] = &[
    ("title", "caption"),
    ("name", "caption"),
    ("description", "caption"),
    ("text", "caption"),
    ("tags", "caption"),
    ("hashtags", "caption"),
    ("summary", "ai_summary_of_content"),
    ("category", "super_category_id"),
    ("categoryid", "super_category_id"),
    ("privacy", "visibility"),
    ("privacystatus", "visibility"),
    ("unlisted", "visibility"),
    ("private", "visibility"),
    ("nsfw", "is_sensitive"),
    ("sensitive", "is_sensitive"),
    ("agerestricted", "is_sensitive"),
    ("isnsfw", "is_sensitive"),
    ("aigenerated", "is_ai_generated"),
    ("isaigc", "is_ai_generated"),
    ("publishat", "scheduled_publish_at_unix"),
    ("publishedat", "scheduled_publish_at_unix"),
    ("publishtime", "scheduled_publish_at_unix"),
    ("scheduledat", "scheduled_publish_at_unix"),
    ("schedule", "scheduled_publish_at_unix"),
    ("id", "content_uuid"),
    ("uuid", "content_uuid"),
    ("contentid", "content_uuid"),
    ("videoid", "content_uuid"),
    ("uploadid", "content_uuid"),
    ("mediaid", "content_uuid"),
    ("video", "file"),
    ("media", "file"),
    ("upload", "file"),
    ("attachment", "file"),
    ("thumbnail", "thumbnail_file"),
    ("cover", "thumbnail_file"),
    ("poster", "thumbnail_file"),
    ("idempotencykey", "upload_token"),
    ("token", "upload_token"),
    ("reference", "external_id"),
    ("referenceid", "external_id"),
    ("lang", "language"),
    ("locale", "language"),
    ("perpage", "limit"),
    ("pagesize", "limit"),
    ("count", "limit"),
    ("maxresults", "limit"),
    ("page", "cursor"),
    ("offset", "cursor"),
    ("pagetoken", "cursor"),
    ("status", "state"),
    ("since", "created_from_unix"),
    ("events", "event_types"),
    ("types", "event_types"),
    ("endpoint", "url"),
    ("callbackurl", "url"),
    ("webhookid", "webhook_uuid"),
    ("enabled", "is_active"),
    ("active", "is_active"),
];

/// Longer names are not compared.
const MAX_COMPARED_BYTES: usize = 64;

const LENIENT: &str = " To ignore unknown names, send `Prefer: handling=lenient`.";

/// Explains a field that the API does not define.
pub fn unknown_field(name: &str, known: &[&'static str]) -> String {
    let shown = shown(name);
    match nearest(name, known) {
        Some(meant) => sentence(&["Unknown field ", &shown, ". Did you mean `", meant, "`?", LENIENT]),
        None => sentence(&["Unknown field ", &shown, ". Remove it.", &others("field", known, &shown), LENIENT]),
    }
}

/// Explains a query parameter that the API does not define.
pub fn unknown_parameter(name: &str, known: &[&'static str]) -> String {
    let shown = shown(name);
    match nearest(name, known) {
        Some(meant) => sentence(&["Unknown query parameter ", &shown, ". Did you mean `", meant, "`?", LENIENT]),
        None if known.is_empty() => {
            sentence(&["Unknown query parameter ", &shown, ". Remove it: this endpoint has no parameters.", LENIENT])
        }
        None => {
            let names = others("parameter", known, &shown);
            sentence(&["Unknown query parameter ", &shown, ". Remove it.", &names, LENIENT])
        }
    }
}

/// Names the known names, if all of them fit into the sentence.
fn others(what: &str, known: &[&'static str], shown: &str) -> String {
    let names = list(known, 60_usize.saturating_sub(shown.len()));
    if names.is_empty() || names.ends_with("others") {
        return String::new();
    }
    let names = [" Known ", what, if known.len() == 1 { ": " } else { "s: " }, &names, "."];
    names.concat()
}

/// Returns the known name that was probably meant: another API's name for it, one that contains the name, or one of
/// which at most a third of the letters differ.
pub fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let plain = name.replace(['_', '-'], "");
    let is_synonym = |(other, here): &&(&str, &str)| *other == plain && known.contains(here);
    if let Some((_, here)) = SYNONYMS.iter().find(is_synonym) {
        return Some(here);
    }
    let (mut least, mut nearest) = (usize::MAX, None);
    for known in known {
        let distance = distance(&name, known);
        if distance < least && distance * 3 <= name.len().max(known.len()) {
            (least, nearest) = (distance, Some(*known));
        }
    }
    nearest
}

/// Returns the edits between two names (Levenshtein). A word that the other name contains counts as one edit.
pub(super) fn distance(name: &str, known: &str) -> usize {
    if name.len() > 3 && known.contains(name) {
        return usize::from(name != known);
    }
    let mut row = vec![0; known.len() + 1];
    row.iter_mut().enumerate().for_each(|(index, cell)| *cell = index);
    for (index, letter) in name.bytes().enumerate() {
        let (mut diagonal, mut left) = (index, index + 1);
        for (cell, other) in row.iter_mut().skip(1).zip(known.bytes()) {
            left = (diagonal + usize::from(letter != other)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, left);
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FormField;
    use proptest::prelude::*;

    const KNOWN: [&str; 7] =
        ["file", "caption", "super_category_id", "thumbnail_time", "upload_token", "content_uuid", "state"];

    #[test]
    fn a_slip_of_the_pen_or_a_name_of_another_api_is_answered_with_the_name_that_was_meant() {
        for (name, meant) in [
            ("captoin", Some("caption")),
            ("captions", Some("caption")),
            ("title", Some("caption")),
            ("File", Some("file")),
            ("video", Some("file")),
            ("UPLOAD-TOKEN", Some("upload_token")),
            ("uploadToken", Some("upload_token")),
            ("Idempotency-Key", Some("upload_token")),
            ("category", Some("super_category_id")),
            ("thumbnail", Some("thumbnail_time")),
            ("content_id", Some("content_uuid")),
            ("videoId", Some("content_uuid")),
            ("status", Some("state")),
            ("audience", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, &KNOWN), meant, "{name}");
        }
        assert_eq!((nearest("a", &[]), nearest("page", &["state"])), (None, None));
    }

    #[test]
    fn a_sentence_names_what_was_sent_and_what_was_meant() {
        let told = unknown_field("title", FormField::NAMES);
        assert!(told.starts_with("Unknown field `title`. Did you mean `caption`? "), "{told}");
        let told = unknown_parameter("content_id", &["content_uuid"]);
        assert!(told.starts_with("Unknown query parameter `content_id`. Did you mean `content_uuid`? "), "{told}");
        let told = unknown_field("force", &["content_uuid"]);
        assert!(told.contains("Remove it. Known field: `content_uuid`. "), "{told}");
        assert!(unknown_parameter("page", &[]).contains("this endpoint has no parameters"));
        assert!(unknown_field("labels", FormField::NAMES).starts_with("Unknown field `labels`. Remove it. To ignore"));
    }

    proptest! {
        #[test]
        fn a_distance_is_zero_for_equal_names_and_symmetric(one in "[a-d]{1,3}", other in "[a-d]{1,3}") {
            prop_assert_eq!(distance(&one, &other), distance(&other, &one));
            prop_assert_eq!(distance(&one, &other) == 0, one == other);
        }
    }
}
