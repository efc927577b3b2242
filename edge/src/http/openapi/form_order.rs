//! The order of a form's fields in the document, in which generated clients send them: the token first, because it
//! identifies a retry, and the file last, because the service checks it against the other fields.

use serde::{Serialize, Serializer};
use serde_json::Value;

/// A part of the document with the fields of forms in that order, and everything else by name.
pub(super) struct FormOrder<'a>(pub &'a Value);

impl Serialize for FormOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                if members.iter().any(|(_, schema)| is_file(schema)) {
                    members.sort_by_key(|(name, schema)| rank(name, schema));
                }
                serializer.collect_map(members.into_iter().map(|(name, member)| (name, FormOrder(member))))
            }
            Value::Array(items) => serializer.collect_seq(items.iter().map(FormOrder)),
            other => other.serialize(serializer),
        }
    }
}

fn is_file(schema: &Value) -> bool {
    schema["format"] == "binary"
}

fn rank(name: &str, schema: &Value) -> u8 {
    match name {
        "upload_token" => 0,
        "file" => 3,
        _ => 1 + u8::from(is_file(schema)),
    }
}

#[cfg(test)]
mod tests {
    use crate::http::openapi::public;
    use contract::FormField;

    /// The names of a form's fields in the order of the document's text.
    fn fields(form: &str) -> Vec<String> {
        let text = public();
        let schema = &text[text.find(&format!("\n      \"{form}\": {{")).unwrap()..];
        let schema = &schema[..schema.find("\n      }").unwrap()];
        let properties = &schema[schema.find("\"properties\"").unwrap()..];
        let names = properties.lines().filter_map(|line| line.strip_prefix("          \"")?.strip_suffix("\": {"));
        names.map(str::to_owned).collect()
    }

    #[test]
    fn a_form_begins_with_its_token_and_ends_with_its_file() {
        let upload = fields("UploadForm");
        assert_eq!(upload.first().map(String::as_str), Some("upload_token"));
        assert_eq!(&upload[upload.len() - 2..], ["thumbnail_file", "file"]);
        // The fields of captions have a pattern instead of a name.
        assert_eq!(upload.len(), FormField::ALL.len() - 1);
        assert_eq!(fields("UpdateThumbnailForm"), ["content_uuid", "thumbnail_file"]);
        assert_eq!(fields("UpdateCaptionsForm"), ["content_uuid", "language", "captions_file"]);
    }
}
