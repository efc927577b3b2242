//! Tells the entries of the log that can be repeated from those that cannot.
//!
//! R2 may hold an entry that is damaged, or that another version wrote. It is set aside, so that all others are
//! repeated.

use crate::base::ids::is_sha256;
use contract::ContentState;
use serde_json::Value;

/// The highest number of an epoch: the ids of the next one would exceed what a number of JSON can hold exactly.
const MAX_EPOCH: u64 = 9_000;

/// The entries of one object.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Entries {
    pub readable: Vec<Value>,
    /// The positions of the other entries, and what is wrong with them.
    pub unreadable: Vec<(usize, &'static str)>,
}

/// Reads the entries of an object.
pub(super) fn read_entries(bytes: &[u8]) -> Entries {
    let mut entries = Entries::default();
    let Ok(Value::Array(all)) = serde_json::from_slice(bytes) else {
        entries.unreadable.push((0, "the object is not a JSON array"));
        return entries;
    };
    for (position, entry) in all.into_iter().enumerate() {
        match fault(&entry) {
            None => entries.readable.push(entry),
            Some(fault) => entries.unreadable.push((position, fault)),
        }
    }
    entries
}

/// The form of a field of `data`.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Hash,
    State,
    Number,
    /// May be absent.
    AnyNumber,
    AnyText,
}

/// The fields of `data` that the repetition of each kind reads.
const FIELDS: [(&str, &[(&str, Form)]); 16] = [
    ("key", &[("key_hash", Form::Text)]),
    (
        "content",
        &[
            ("state", Form::State),
            ("error_code", Form::AnyText),
            ("error_detail", Form::AnyText),
            ("policy_code", Form::AnyText),
        ],
    ),
    ("evidence", &[("state", Form::State), ("deleted_at_unix", Form::Number), ("kept_until_unix", Form::Number)]),
    ("schedule", &[("publish_at_unix", Form::AnyNumber)]),
    (
        "presentation",
        &[("is_unlisted", Form::Number), ("is_sensitive", Form::Number), ("is_ai_generated", Form::Number)],
    ),
    (
        "hash",
        &[
            ("hash", Form::Hash),
            ("content_uuid", Form::Text),
            ("reason", Form::Text),
            ("added_by", Form::Text),
            ("at_ms", Form::AnyNumber),
        ],
    ),
    ("file", &[("sha256", Form::Text), ("content_uuid", Form::Text), ("reason", Form::Text), ("added_by", Form::Text)]),
    ("channel", &[("is_erased", Form::AnyNumber), ("evidence_until_unix", Form::AnyNumber)]),
    ("token", &[]),
    ("origin_key", &[]),
    ("webhook", &[]),
    ("webhook_url", &[]),
    ("webhook_secret", &[("version", Form::Number)]),
    ("epoch", &[]),
    ("caption", &[]),
    ("captions", &[]),
];

/// Returns why an entry cannot be repeated, or `None` if it can.
fn fault(entry: &Value) -> Option<&'static str> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let number = |name: &str| entry.get(name).and_then(Value::as_u64);
    let (Some(_), Some(kind), Some(subject)) = (text("name"), text("kind"), text("subject")) else {
        return Some("name, kind or subject is missing");
    };
    if number("happened_at_unix").is_none() || number("is_removed").is_none_or(|flag| flag > 1) {
        return Some("is_removed or happened_at_unix is missing");
    }
    let Some(data) = entry.get("data").filter(|data| data.is_object()) else {
        return Some("data is missing");
    };
    let Some((_, fields)) = FIELDS.iter().find(|(known, _)| *known == kind) else {
        return Some("the kind is unknown");
    };
    let has_known_subject = match kind {
        "key" | "channel" | "origin_key" => subject.parse::<u64>().is_ok(),
        "epoch" => subject.parse().is_ok_and(|number: u64| number <= MAX_EPOCH),
        _ => true,
    };
    if !has_known_subject {
        return Some("the subject is not a number in its range");
    }
    // A reversal is not repeated, so its data is not needed.
    let is_complete = number("is_removed") == Some(0) || fields.iter().all(|(name, form)| form.fits(data.get(*name)));
    if is_complete { None } else { Some("a field of data is missing or has a wrong form") }
}

impl Form {
    fn fits(self, value: Option<&Value>) -> bool {
        let value = value.filter(|value| !value.is_null());
        let text = value.and_then(Value::as_str);
        match self {
            Self::Text => text.is_some(),
            Self::Hash => text.is_some_and(is_sha256),
            Self::State => text.is_some_and(|text| ContentState::ALL.iter().any(|state| state.as_str() == text)),
            Self::Number => value.is_some_and(Value::is_u64),
            Self::AnyNumber => value.is_none_or(Value::is_u64),
            Self::AnyText => value.is_none_or(Value::is_string),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(kind: &str, subject: &str, is_removed: u32, data: &Value) -> Value {
        json!({"name": "n", "kind": kind, "subject": subject, "is_removed": is_removed, "data": data,
            "happened_at_unix": 1})
    }

    #[test]
    fn an_entry_that_lacks_what_its_repetition_needs_is_set_aside() {
        let good = entry("token", "t", 1, &json!({}));
        let without = |name: &str| {
            let mut entry = good.clone();
            entry.as_object_mut().unwrap().remove(name);
            entry
        };
        assert_eq!(fault(&good), None);
        for name in ["name", "kind", "subject", "is_removed", "data", "happened_at_unix"] {
            assert!(fault(&without(name)).is_some(), "{name}");
        }
        for (kind, subject, data) in [
            ("new", "s", json!({})),
            ("key", "x", json!({"key_hash": "h"})),
            ("key", "1", json!({})),
            ("content", "c", json!({"state": "gone"})),
            ("content", "c", json!({"state": "deleted", "error_code": 7})),
            ("evidence", "c", json!({"state": "deleted", "deleted_at_unix": 1})),
            ("schedule", "c", json!({"publish_at_unix": "x"})),
            ("hash", "h", json!({"hash": "ab", "content_uuid": "", "reason": "r", "added_by": "m"})),
            ("file", "f", json!({"sha256": "f", "content_uuid": "c", "reason": "r"})),
            ("channel", "1", json!({"is_erased": 1, "evidence_until_unix": "x"})),
            ("webhook_secret", "w", json!({"version": "x"})),
            ("epoch", "9001", json!({})),
            ("epoch", "-1", json!({})),
        ] {
            assert!(fault(&entry(kind, subject, 1, &data)).is_some(), "{kind} {data}");
        }
        assert_eq!(fault(&entry("hash", "h", 0, &json!({}))), None, "reversals are not repeated");
    }

    #[test]
    fn an_object_that_is_no_array_is_set_aside_as_a_whole() {
        for bytes in [b"".as_slice(), b"{", b"{}", b"\xff", b"7"] {
            let entries = read_entries(bytes);
            assert_eq!((entries.readable.len(), entries.unreadable.len()), (0, 1), "{bytes:?}");
        }
        let mixed = json!([entry("token", "t", 1, &json!({})), "text", entry("token", "u", 1, &json!({}))]);
        let entries = read_entries(mixed.to_string().as_bytes());
        assert_eq!((entries.readable.len(), entries.unreadable[0].0), (2, 1));
    }
}
