//! Identifiers as types, so that one cannot be passed where another belongs.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Whether the text is a SHA-256 in lower-case hexadecimal digits.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Declares an identifier that is text on the wire and in the database.
macro_rules! text_id {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub(crate) struct $name(String);

        impl $name {
            pub(crate) fn new(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub(crate) fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

text_id! {
    /// Identifies a content in the API, in the database and in the keys of its media objects.
    ContentUuid
}

impl ContentUuid {
    pub(crate) fn into_string(self) -> String {
        self.0
    }
}

text_id! {
    /// Identifies an upload in the database and in the keys of its source objects. It is generated before any of them
    /// is stored.
    UploadUuid
}

/// The id of a channel's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct ChannelId(pub u64);

impl fmt::Display for ChannelId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}
