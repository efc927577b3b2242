//! Metadata: short texts that a client attaches to a content. Only the client interprets them.

use crate::limits::{MAX_METADATA_MEMBERS, MAX_METADATA_NAME_CHARACTERS, MAX_METADATA_VALUE_CHARACTERS};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;
use std::fmt::{Formatter, Result as FmtResult};

/// Your own data: an object whose values are strings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(value_type = std::collections::HashMap<String, String>))]
#[serde(transparent)]
pub struct Metadata(BTreeMap<String, String>);

impl Metadata {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn members(&self) -> impl Iterator<Item = (&String, &String)> {
        self.0.iter()
    }

    /// Whether the members obey the limits on their number, names and values. The caller checks the length as JSON.
    pub fn is_valid(&self) -> bool {
        let fits = |text: &String| text.chars().count() <= MAX_METADATA_VALUE_CHARACTERS && !text.contains('\0');
        self.0.len() <= MAX_METADATA_MEMBERS
            && self.0.keys().all(|name| Self::is_name(name))
            && self.0.values().all(fits)
    }

    /// Whether the name of a member is allowed.
    pub(crate) fn is_name(name: &str) -> bool {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        (1..=MAX_METADATA_NAME_CHARACTERS).contains(&name.len()) && name.bytes().all(is_plain)
    }
}

impl<Name: Into<String>, Text: Into<String>> FromIterator<(Name, Text)> for Metadata {
    fn from_iter<Members: IntoIterator<Item = (Name, Text)>>(members: Members) -> Self {
        Self(members.into_iter().map(|(name, text)| (name.into(), text.into())).collect())
    }
}

impl<'de> Deserialize<'de> for Metadata {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MetadataVisitor)
    }
}

/// Reads metadata. A duplicate name is an error, because two readers could choose different values.
struct MetadataVisitor;

impl<'de> Visitor<'de> for MetadataVisitor {
    type Value = Metadata;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> FmtResult {
        formatter.write_str("an object of texts")
    }

    fn visit_map<Members: MapAccess<'de>>(self, mut members: Members) -> Result<Metadata, Members::Error> {
        let mut texts = BTreeMap::new();
        while let Some((name, text)) = members.next_entry::<String, String>()? {
            if texts.contains_key(&name) {
                return Err(Members::Error::custom("duplicate name in the metadata"));
            }
            texts.insert(name, text);
        }
        Ok(Metadata(texts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(members: &[(&str, &str)]) -> bool {
        members.iter().copied().collect::<Metadata>().is_valid()
    }

    #[test]
    fn names_are_plain_and_texts_short() {
        assert!(is_valid(&[]));
        assert!(is_valid(&[("a.B-9_", ""), ("b", &"é".repeat(500))]));
        assert!(is_valid(&[(&"n".repeat(40), "x")]));
        for name in ["", "a b", "é", "a\n", &"n".repeat(41)] {
            assert!(!is_valid(&[(name, "x")]), "{name}");
        }
        for text in ["a\0b", &"x".repeat(501)] {
            assert!(!is_valid(&[("a", text)]), "{text}");
        }
    }

    #[test]
    fn metadata_is_empty_without_members() {
        assert!(Metadata::default().is_empty());
        assert!(![("a", "")].into_iter().collect::<Metadata>().is_empty());
    }

    #[test]
    fn the_number_of_members_is_bounded() {
        let members = |count: usize| (0..count).map(|number| (format!("n{number}"), "x")).collect::<Metadata>();
        assert!(members(20).is_valid());
        assert!(!members(21).is_valid());
    }

    #[test]
    fn only_an_object_of_texts_without_duplicates_is_read() {
        let parse = serde_json::from_str::<Metadata>;
        assert_eq!(parse(r#"{"b":"2","a":"1"}"#).unwrap(), [("a", "1"), ("b", "2")].into_iter().collect());
        for other in [r#"{"a":1}"#, r#"{"a":null}"#, "[]", "null", r#""a""#, r#"{"a":"1","a":"2"}"#, r#"{"a":{}}"#] {
            assert!(parse(other).is_err(), "{other}");
        }
    }
}
