//! Sentences about metadata.

use super::{sentence, shown, with_commas};
use crate::api::Metadata;
use crate::limits::{
    MAX_METADATA_BYTES, MAX_METADATA_MEMBERS, MAX_METADATA_NAME_CHARACTERS, MAX_METADATA_VALUE_CHARACTERS,
};

/// Explains a text that is not metadata as JSON. Only its outline is read: the parser has refused it already.
pub fn invalid_metadata(name: &str, received: &str) -> String {
    let text = received.trim();
    let example = "Send an object such as `{\"campaign\":\"spring\"}`.";
    let problem = match text.as_bytes().first() {
        Some(b'{') => return inside(name, text),
        Some(b'[') => " is a JSON array, not an object. ",
        Some(b'"') => " is a JSON string, not an object. It may have been encoded twice. ",
        Some(b'0'..=b'9' | b'-') => " is a number, not a JSON object. ",
        _ => " is not JSON. ",
    };
    sentence(&["`", name, "`", problem, example])
}

/// Explains an object that is not metadata: its first member that is not a text, or its quotes.
fn inside(name: &str, text: &str) -> String {
    let mut rest = text.get(1..).unwrap_or_default().trim_start();
    while let Some((member, after)) = quoted(rest) {
        let Some(value) = after.trim_start().strip_prefix(':').map(str::trim_start) else { break };
        let Some((_, after)) = quoted(value) else {
            let (kind, advice) = match value.as_bytes().first() {
                Some(b'0'..=b'9' | b'-') => ("a number", "Put it in double quotes."),
                Some(b't' | b'f') => ("true or false", "Put it in double quotes."),
                Some(b'n') => ("null", "Omit it."),
                Some(b'{') => ("an object", "Metadata has only one level."),
                Some(b'[') => ("an array", "Metadata has only one level."),
                _ => break,
            };
            return sentence(&[&shown(member), " in `", name, "` is ", kind, ", not a string. ", advice]);
        };
        rest = after.trim_start().strip_prefix(',').unwrap_or_default().trim_start();
    }
    let is_single_quoted = text.contains('\'') && !text.contains('"');
    let advice = if is_single_quoted {
        "JSON needs double quotes."
    } else {
        "Check its quotes and commas, and remove duplicate names."
    };
    sentence(&["`", name, "` is not a JSON object of strings. ", advice])
}

/// Splits a text in double quotes from what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix('"')?;
    let mut is_escaped = false;
    for (at, character) in inner.char_indices() {
        match character {
            '"' if !is_escaped => return Some((inner.get(..at)?, inner.get(at + 1..)?)),
            _ => is_escaped = character == '\\' && !is_escaped,
        }
    }
    None
}

/// Explains metadata beyond a limit. `json_bytes` is its length as JSON.
pub fn long_metadata(name: &str, metadata: &Metadata, json_bytes: usize) -> String {
    let count = |number: usize| with_commas(number as u64);
    if metadata.len() > MAX_METADATA_MEMBERS {
        let (sent, most) = (count(metadata.len()), count(MAX_METADATA_MEMBERS));
        return sentence(&["`", name, "` has ", &sent, " members; ", &most, " are allowed."]);
    }
    for (member, text) in metadata.members() {
        let (value, characters) = (shown(member), text.chars().count());
        if !Metadata::is_name(member) {
            let most = count(MAX_METADATA_NAME_CHARACTERS);
            return sentence(&[
                "The name ",
                &value,
                " in `",
                name,
                "` is not allowed. Use 1 to ",
                &most,
                " letters, digits, `_`, `-` and `.`.",
            ]);
        }
        if characters > MAX_METADATA_VALUE_CHARACTERS {
            let (sent, most) = (count(characters), count(MAX_METADATA_VALUE_CHARACTERS));
            return sentence(&[&value, " in `", name, "` has ", &sent, " characters; ", &most, " are allowed."]);
        }
        if text.contains('\0') {
            return sentence(&[&value, " in `", name, "` contains a NUL character. Remove it."]);
        }
    }
    let (sent, most) = (count(json_bytes), count(MAX_METADATA_BYTES));
    sentence(&["`", name, "` has ", &sent, " bytes as JSON; ", &most, " are allowed."])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_no_metadata_is_explained_by_its_outline() {
        for (text, part) in [
            ("campaign=spring", "is not JSON. Send an object such as"),
            ("[]", "is a JSON array"),
            ("\"{}\"", "encoded twice"),
            ("7", "is a number"),
            (r#"{"a":"1","n":5}"#, "`n` in `metadata` is a number, not a string."),
            (r#"{ "a\"b" : null }"#, "` in `metadata` is null"),
            (r#"{"a":{"b":"c"}}"#, "`a` in `metadata` is an object"),
            ("{'a':'1'}", "JSON needs double quotes"),
            (r#"{"a":"1","a":"2"}"#, "remove duplicate names"),
            (r#"{"a":"1""#, "Check its quotes"),
        ] {
            let told = invalid_metadata("metadata", text);
            assert!(told.contains(part), "{text}: {told}");
        }
    }

    #[test]
    fn metadata_beyond_a_limit_is_explained_by_its_member() {
        let of = |name: &str, text: &str| [(name, text)].into_iter().collect::<Metadata>();
        let many = (0..25).map(|number| (format!("n{number}"), "x")).collect::<Metadata>();
        for (metadata, part) in [
            (many, "has 25 members; 20 are allowed."),
            (of("a b", "x"), "The name `a b` in `metadata` is not allowed."),
            (of("a", &"x".repeat(501)), "`a` in `metadata` has 501 characters; 500 are allowed."),
            (of("a", "x\0"), "`a` in `metadata` contains a NUL character."),
            (of("a", "x"), "has 5,000 bytes as JSON; 4,096 are allowed."),
        ] {
            let told = long_metadata("metadata", &metadata, 5_000);
            assert!(told.contains(part), "{told}");
        }
    }
}
