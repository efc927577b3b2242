//! The requests that read and change the blocklist of picture hashes, and their answers.

#[cfg(feature = "openapi")]
use crate::example::{MODERATOR, NOW, REASON};
use serde::{Deserialize, Serialize};

/// A request to add a hash to the blocklist or to remove it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ChangeHash {
    #[cfg_attr(feature = "openapi", schema(pattern = "^[0-9a-f]{64}$"))]
    pub hash: String,
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct HashChanged {
    pub success: bool,
    pub hash: String,
    /// Whether the hash is on the blocklist now.
    pub is_blocked: bool,
}

/// A PDQ hash, as lists of hashes describe it.
#[cfg(feature = "openapi")]
#[derive(Debug, utoipa::ToSchema)]
#[schema(as = PictureHash, pattern = "^[0-9a-f]{64}$")]
pub struct DescribedHash(pub String);

/// A request to add hashes to the blocklist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ImportHashes {
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<DescribedHash>, min_items = 1, max_items = 1000))]
    pub hashes: Vec<String>,
    #[cfg_attr(feature = "openapi", schema(max_length = 500, pattern = "\\S"))]
    pub reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct HashesImported {
    pub success: bool,
    /// The number of hashes that no moderator had added before.
    pub added: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BlockedHash {
    pub hash: String,
    pub reason: String,
    pub by: String,
    pub added_at_unix: u64,
    /// The rejected video that the hash was taken from; null for a hash that a person added.
    #[cfg_attr(feature = "openapi", schema(required, format = "uuid"))]
    pub content_uuid: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub at_ms: Option<u64>,
    /// The number of videos that were rejected, sent to a person or flagged because of the hash. Counting stops at 100.
    /// Omitted from exports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub caught: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Blocklist {
    pub success: bool,
    pub hashes: Vec<BlockedHash>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[cfg(feature = "openapi")]
impl ChangeHash {
    pub fn example() -> Self {
        Self { hash: "0f".repeat(32), reason: REASON.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl HashChanged {
    pub fn example() -> Self {
        Self { success: true, hash: "0f".repeat(32), is_blocked: true }
    }
}

#[cfg(feature = "openapi")]
impl ImportHashes {
    pub fn example() -> Self {
        Self { hashes: vec!["0f".repeat(32)], reason: REASON.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl HashesImported {
    pub fn example() -> Self {
        Self { success: true, added: 1 }
    }
}

#[cfg(feature = "openapi")]
impl BlockedHash {
    pub fn example() -> Self {
        Self {
            hash: "0f".repeat(32),
            reason: REASON.to_owned(),
            by: MODERATOR.to_owned(),
            added_at_unix: NOW,
            content_uuid: None,
            at_ms: None,
            caught: Some(2),
        }
    }
}

#[cfg(feature = "openapi")]
impl Blocklist {
    pub fn example() -> Self {
        Self { success: true, hashes: vec![BlockedHash::example()], next_cursor: None }
    }
}
