//! The keys of origins, as the operator makes and ends them.

#[cfg(feature = "openapi")]
use crate::example::{NOW, ORIGIN};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct CreateOriginKey {
    /// The name of the origin, as in its setting `ORIGIN_NAME`. An origin may have several keys, so that a new one can
    /// replace another without a gap.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 100, pattern = "^[!-~]+$"))]
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct OriginKeyCreated {
    pub success: bool,
    pub key_id: u64,
    pub name: String,
    /// The key, for the origin's setting `ORIGIN_KEY`. It cannot be shown again.
    pub origin_key: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EndOriginKey {
    #[cfg_attr(feature = "openapi", schema(maximum = 9_007_199_254_740_991_i64))]
    pub key_id: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct OriginKeyEnded {
    pub success: bool,
    pub key_id: u64,
}

/// A key without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct OriginKeyEntry {
    pub key_id: u64,
    /// The name of the origin.
    pub name: String,
    pub created_at_unix: u64,
    pub created_by: String,
    /// Null while the key is valid.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub ended_at_unix: Option<u64>,
}

/// The keys of origins, newest first. Revoked keys stay listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct OriginKeys {
    pub success: bool,
    pub keys: Vec<OriginKeyEntry>,
    /// Send it as `cursor` to get the next page; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[cfg(feature = "openapi")]
impl CreateOriginKey {
    pub fn example() -> Self {
        Self { name: ORIGIN.to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl OriginKeyCreated {
    pub fn example() -> Self {
        let origin_key = format!("cgo_7_{}", "0".repeat(64));
        Self { success: true, key_id: 7, name: ORIGIN.to_owned(), origin_key }
    }
}

#[cfg(feature = "openapi")]
impl EndOriginKey {
    pub fn example() -> Self {
        Self { key_id: 7 }
    }
}

#[cfg(feature = "openapi")]
impl OriginKeyEnded {
    pub fn example() -> Self {
        Self { success: true, key_id: 7 }
    }
}

#[cfg(feature = "openapi")]
impl OriginKeys {
    pub fn example() -> Self {
        let key = OriginKeyEntry {
            key_id: 7,
            name: ORIGIN.to_owned(),
            created_at_unix: NOW,
            created_by: "operator".to_owned(),
            ended_at_unix: None,
        };
        Self { success: true, keys: vec![key], next_cursor: None }
    }
}
