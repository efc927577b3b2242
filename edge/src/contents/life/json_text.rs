//! A field whose column holds JSON as text.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

pub(super) fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&serde_json::to_string(value).map_err(S::Error::custom)?)
}

/// Parses the text into a `Value` first: generating code that reads each type from text as well would make the Worker
/// larger.
pub(super) fn deserialize<'de, T: DeserializeOwned, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    let value: Value = serde_json::from_str(&text).map_err(D::Error::custom)?;
    T::deserialize(value).map_err(D::Error::custom)
}
