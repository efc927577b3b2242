//! An optional member of a JSON object that distinguishes absence from null.

use crate::whole_number;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A member of an update request. Its field needs `#[serde(default, skip_serializing_if = "Member::is_missing")]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Member<T> {
    /// Not sent: leave the value as it is.
    #[default]
    Missing,
    /// Remove the value.
    Null,
    Value(T),
}

impl<T> Member<T> {
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Null => None,
        }
    }

    pub const fn is_sent(&self) -> bool {
        !self.is_missing()
    }

    pub(crate) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing)
    }
}

impl<T> From<Option<T>> for Member<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Member<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(Self::from)
    }
}

impl<T: Serialize> Serialize for Member<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

/// Reads a whole number or null.
pub(super) fn whole_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Member<u64>, D::Error> {
    whole_number::optional(deserializer).map(Member::from)
}

/// Reads a member that can be left out but cannot be null. Its field needs `#[serde(default)]`.
pub(super) fn not_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[derive(Deserialize)]
    struct Update {
        #[serde(default)]
        name: Member<String>,
    }

    #[test]
    fn a_member_that_is_not_sent_differs_from_null() {
        let name = |sent| serde_json::from_value::<Update>(sent).unwrap().name;
        for (sent, expected, is_sent, value) in [
            (json!({}), Member::Missing, false, None),
            (json!({ "name": null }), Member::Null, true, None),
            (json!({ "name": "a" }), Member::Value("a".to_owned()), true, Some("a")),
        ] {
            let name = name(sent);
            assert_eq!((name.is_sent(), name.value().map(String::as_str)), (is_sent, value));
            assert_eq!(name, expected);
        }
    }
}
