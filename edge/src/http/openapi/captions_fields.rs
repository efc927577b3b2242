//! The fields of an upload with captions. Their names contain a language, which utoipa has no attribute for.

use contract::FormField;
use contract::subtitles::CAPTIONS_FIELD_PREFIX;
use serde_json::{Value, json};

/// Language tags in their usual form: a language, possibly a script, and possibly a region.
const LANGUAGE: &str = "[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?";

/// Adds the pattern of the names to the form of an upload, if the document has it.
pub(super) fn describe(document: &mut Value) {
    if let Some(form) = document["components"]["schemas"].get_mut("UploadForm") {
        form["patternProperties"] = json!({ pattern(): {
            "description": FormField::CaptionsFile.documentation(),
            "format": "binary",
            "type": "string",
        } });
    }
}

fn pattern() -> String {
    format!("^{CAPTIONS_FIELD_PREFIX}{LANGUAGE}$")
}

#[cfg(test)]
mod tests {
    use super::*;
    use contract::subtitles::language_tag;
    use proptest::prelude::*;
    use proptest::string::string_regex;

    proptest! {
        #[test]
        fn every_name_of_the_pattern_ends_with_a_language_tag_in_its_usual_form(tag in string_regex(LANGUAGE).unwrap()) {
            prop_assert_eq!(language_tag(&tag), Some(tag));
        }
    }
}
