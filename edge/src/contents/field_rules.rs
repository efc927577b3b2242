//! The rules for a content's texts. Uploads and later changes obey the same rules.

pub(crate) use contract::parse_clock_time as clock_time;

use crate::base::refusal::Refusal;
use crate::base::visible_text::has_deceptive_control;
use contract::api::Metadata;
use contract::limits::MAX_METADATA_BYTES;
use contract::mistake::long_metadata;
use contract::{FieldKind, FormField};

/// Whether the text is a valid value of this text field.
pub(crate) fn is_valid_text(field: FormField, text: &str) -> bool {
    match field.kind() {
        FieldKind::Text { max_characters } => is_text(text, max_characters),
        FieldKind::Line { max_characters } => is_text(text, max_characters) && !text.chars().any(char::is_control),
        _ => false,
    }
}

/// Parses the metadata of a form.
pub(crate) fn parse_metadata(text: &str) -> Result<Metadata, Refusal> {
    let metadata = serde_json::from_slice(text.as_bytes());
    let metadata = metadata.map_err(|_| Refusal::of_value(FormField::Metadata, text))?;
    metadata_json(&metadata).map(|_| metadata)
}

/// Returns valid metadata as JSON.
pub(crate) fn metadata_json(metadata: &Metadata) -> Result<String, Refusal> {
    let json = serde_json::to_string(metadata).map_err(Refusal::internal)?;
    if metadata.is_valid() && json.len() <= MAX_METADATA_BYTES {
        return Ok(json);
    }
    let field = FormField::Metadata;
    Err(Refusal::of_field(field).with_detail(long_metadata(field.name(), metadata, json.len())))
}

/// SQLite's own functions end a text at its first NUL, which is one of the deceptive controls.
fn is_text(text: &str, max_characters: usize) -> bool {
    text.chars().count() <= max_characters && !has_deceptive_control(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_external_id(text: &str) -> bool {
        is_valid_text(FormField::ExternalId, text)
    }

    #[test]
    fn an_external_id_is_one_short_line() {
        for id in ["42", "a/b c", "日本", &"é".repeat(128)] {
            assert!(is_external_id(id), "{id}");
        }
        for id in ["a\nb", "a\0", "\u{7f}", &"x".repeat(129)] {
            assert!(!is_external_id(id), "{id}");
        }
    }

    #[test]
    fn a_caption_and_a_summary_may_have_several_lines_and_no_text_has_a_nul_character() {
        for field in [FormField::Caption, FormField::AiSummaryOfContent] {
            assert!(is_valid_text(field, "line 1\nline 2"));
        }
        for field in FormField::ALL {
            assert!(!is_valid_text(*field, "a\0b"));
        }
    }

    #[test]
    fn metadata_is_json_within_its_limits() {
        assert_eq!(parse_metadata(r#" { "a": "1" } "#).ok(), Some([("a", "1")].into_iter().collect()));
        for text in ["", "a", "[]", r#"{"a":1}"#, r#"{"a b":"1"}"#, r#"{"a":"1"}x"#] {
            assert!(parse_metadata(text).is_err(), "{text}");
        }
        let long = |texts: usize| (0..texts).map(|name| (name.to_string(), "x".repeat(500))).collect::<Metadata>();
        assert!(metadata_json(&long(8)).is_ok());
        assert!(metadata_json(&long(9)).is_err());
    }
}
