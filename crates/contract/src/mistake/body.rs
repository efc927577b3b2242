//! Sentences about bodies: another format than the expected one, and members of JSON that are missing or wrong.

use super::{FETCHES_NO_URLS, Hints, invalid_value, list, nearest, sentence, shown};
use crate::{FieldKind, FormField};

/// The kind of value that a member of a JSON object should have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    #[default]
    Unknown,
    Text,
    Number,
    Truth,
    List,
    Object,
    OneOf(&'static [&'static str]),
}

/// A value as it was received.
#[derive(Clone, Copy, Debug)]
pub enum Received<'a> {
    Json(&'a str),
    /// The value of a query parameter.
    Text(&'a str),
}

impl<'a> Received<'a> {
    /// Returns the text without its quotes, or `None` if the value is not a text.
    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Json(json) => json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')),
        }
    }

    /// Names the value. An object and a list are not shown.
    fn named(self) -> String {
        let Self::Json(json) = self else { return shown(self.text().unwrap_or_default()) };
        match json.as_bytes().first() {
            Some(b'"') => ["the string ", &shown(self.text().unwrap_or_default())].concat(),
            Some(b'{') => "an object".to_owned(),
            Some(b'[') => "an array".to_owned(),
            Some(b'n') => "null".to_owned(),
            _ => shown(json),
        }
    }
}

/// Explains a member or a query parameter whose value has the wrong shape.
pub fn wrong_member(name: &str, received: Received<'_>, shape: Shape, hints: Hints<'_>) -> String {
    let field = FormField::named(name);
    if let (Shape::Number, Some(field), Some(text)) = (shape, field, received.text().or(number(received))) {
        return invalid_value(field, text, hints);
    }
    if let (Shape::Object, Some(field), Received::Json(json)) = (shape, field, received)
        && field.kind() == FieldKind::JsonObject
    {
        return invalid_value(field, json, hints);
    }
    let named = received.named();
    if let (Shape::OneOf(words), Some(text)) = (shape, received.text()) {
        let meant = nearest(text, words).map(|word| [" Did you mean `", word, "`?"].concat()).unwrap_or_default();
        return sentence(&[&shown(text), " is not a value of `", name, "`.", &meant, " Send ", &list(words, 110), "."]);
    }
    let expected = match shape {
        Shape::Text => "a string in double quotes",
        Shape::Number => "a whole number, without quotes",
        Shape::Truth => "`true` or `false`, without quotes",
        Shape::List => "an array in square brackets",
        Shape::Object => "an object in braces",
        Shape::OneOf(words) => return sentence(&["`", name, "` is ", &named, ". Send ", &list(words, 110), "."]),
        Shape::Unknown => "a value as the documentation of this endpoint shows",
    };
    sentence(&["`", name, "` is ", &named, ". Send ", expected, "."])
}

fn number(received: Received<'_>) -> Option<&str> {
    let Received::Json(json) = received else { return None };
    json.starts_with(|c: char| c.is_ascii_digit() || c == '-').then_some(json)
}

/// Explains a required member that is missing.
pub fn missing_member(name: &str, is_body_empty: bool) -> String {
    if is_body_empty {
        return sentence(&[
            "The body is empty or `{}`. Send JSON with `",
            name,
            "` and `Content-Type: application/json`.",
        ]);
    }
    sentence(&["`", name, "` is missing. Send it."])
}

/// Explains a name that occurs twice.
pub fn duplicate_member(name: &str) -> String {
    sentence(&["Duplicate ", &shown(name), ". Send it once."])
}

/// Explains a body that is not a JSON object. `content_type` is that of the request.
pub fn not_json(content_type: &str, body: &[u8]) -> String {
    let send = "Send JSON with `Content-Type: application/json`";
    let media_type = content_type.to_ascii_lowercase();
    let start = body.trim_ascii_start();
    let is_form = media_type.starts_with("multipart/") || start.starts_with(b"--");
    let problem = match start {
        [] => "The body is empty.",
        _ if is_form => "The body is a form, not JSON.",
        [0xef, 0xbb, 0xbf, ..] => "The body begins with a byte order mark. Write it as UTF-8 without one.",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'{', 0, ..] | [0, b'{', ..] => {
            "The body is UTF-16. Encode it as UTF-8."
        }
        [0x1f, 0x8b, ..] => "The body is compressed. Send it without compression.",
        _ if std::str::from_utf8(body).is_err() => "The body is not UTF-8. Encode it as UTF-8.",
        [b'\'', ..] => "The body begins with a single quote. In Windows' cmd, quote with `\"` and write `\\\"` inside.",
        [b'@', ..] => "The body is a file name with `@`. Use curl's `--data @file`, not `--data-raw`.",
        [b'[', ..] => "The body is an array, not an object.",
        [b'"', ..] => "The body is a string, not an object. It may have been encoded twice.",
        [b'<', ..] => "The body is XML or HTML, not JSON.",
        [b'{', ..] => return malformed_object(start, send),
        _ if start.contains(&b'=') => "The body is form data such as `a=b`, not JSON.",
        _ => "The body is not a JSON object.",
    };
    sentence(&[problem, " ", send, "."])
}

/// Explains an object that cannot be read by its usual slips.
fn malformed_object(body: &[u8], send: &str) -> String {
    let text = String::from_utf8_lossy(body);
    let plain: String = text.split_whitespace().collect();
    let is_open = !text.trim_end().ends_with('}');
    let problem = if !text.contains('"') && text.contains('\'') {
        "it has single quotes. Write names and strings in double quotes"
    } else if !text.contains('"') {
        "it has no quotes, which a shell may have removed. Quote the body with `'…'`"
    } else if is_open {
        "it does not end with `}`. Send all of it"
    } else if plain.contains(",}") || plain.contains(",]") {
        "it has a comma after the last member. Remove it"
    } else if plain.contains(":None")
        || plain.contains(":True")
        || plain.contains(":False")
        || plain.contains("undefined")
    {
        "it has `None`, `True`, `False` or `undefined`. Write `null`, `true` or `false`"
    } else {
        "check its quotes, commas and braces"
    };
    sentence(&["The body is not JSON: ", problem, ". ", send, "."])
}

/// Explains a body that is not a form with files. `fetches` says whether the endpoint takes a video.
pub fn not_a_form(content_type: &str, takes_video: bool) -> String {
    let media_type = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let curl = if takes_video { "With curl, use `-F file=@clip.mp4`." } else { "With curl, use `-F`." };
    match media_type.as_str() {
        "application/json" if takes_video => FETCHES_NO_URLS.to_owned(),
        "application/x-www-form-urlencoded" => {
            sentence(&["The body is `application/x-www-form-urlencoded`, which curl's `-d` sends. Send `multipart/form-data`. ", curl])
        }
        "multipart/form-data" => {
            "The boundary is missing in `Content-Type`. Do not set this header: the HTTP client writes it with the boundary."
                .to_owned()
        }
        "" => sentence(&["The request has no `Content-Type`. Send `multipart/form-data`. ", curl]),
        other => sentence(&["The body is ", &shown(other), ". Send it in a form, as `multipart/form-data`. ", curl]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_of_the_wrong_shape_is_named_with_what_to_send() {
        let told = |name, json, shape| wrong_member(name, Received::Json(json), shape, Hints::default());
        for (name, json, shape, expected) in [
            ("caption", "5", Shape::Text, "`caption` is `5`. Send a string in double quotes."),
            (
                "is_active",
                "\"true\"",
                Shape::Truth,
                "`is_active` is the string `true`. Send `true` or `false`, without quotes.",
            ),
            ("limit", "\"5\"", Shape::Number, "`limit` is the string `5`. Send a whole number, without quotes."),
            ("event_types", "\"a\"", Shape::List, "`event_types` is the string `a`. Send an array in square brackets."),
            ("t", "\"cgk_a\"", Shape::Number, "`t` is the string (hidden). Send a whole number, without quotes."),
            (
                "e",
                "\"b.c\"",
                Shape::OneOf(&["b.d", "x"]),
                "`b.c` is not a value of `e`. Did you mean `b.d`? Send `b.d`, `x`.",
            ),
            (
                "scheduled_publish_at_unix",
                "\"2027-01-01T00:00:00Z\"",
                Shape::Number,
                "`2027-01-01T00:00:00Z` is a date. Send Unix seconds: `1798761600`.",
            ),
        ] {
            assert_eq!(told(name, json, shape), expected);
        }
        assert!(told("metadata", r#"{"n":5}"#, Shape::Object).starts_with("`n` in `metadata` is a number"));
    }

    #[test]
    fn a_body_that_is_not_json_is_explained_without_a_parser() {
        for (content_type, body, part) in [
            ("application/x-www-form-urlencoded", &b"content_uuid=5"[..], "form data such as `a=b`"),
            ("multipart/form-data; boundary=x", b"--x", "is a form"),
            ("application/json", b"{'a':1}", "single quotes"),
            ("application/json", b"{content_uuid:5}", "no quotes"),
            ("application/json", b"{\"a\":1,}", "a comma after the last member"),
            ("application/json", b"{\"a\":None}", "`None`"),
            ("application/json", b"{\"a\":1", "does not end"),
            ("application/json", b"'{}'", "single quote"),
            ("application/json", b"\"{}\"", "encoded twice"),
            ("application/json", b"\xff\xfe{\0", "UTF-16"),
            ("application/json", b"\xef\xbb\xbf{}", "byte order mark"),
            ("application/json", b"\xe9", "not UTF-8"),
            ("text/xml", b"<a/>", "XML"),
        ] {
            let told = not_json(content_type, body);
            assert!(told.contains(part) && told.contains("Send JSON with `Content-Type: application/json`."), "{told}");
        }
    }

    #[test]
    fn a_body_that_is_not_a_form_is_answered_with_curl() {
        assert_eq!(not_a_form("application/json", true), FETCHES_NO_URLS);
        for content_type in ["video/mp4", "", "application/x-www-form-urlencoded; charset=utf-8"] {
            assert!(not_a_form(content_type, true).ends_with("With curl, use `-F file=@clip.mp4`."), "{content_type}");
        }
        assert!(not_a_form("multipart/form-data", true).contains("Do not set this header"));
    }
}
