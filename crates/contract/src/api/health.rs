//! The answers of the health checks.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Health {
    pub success: bool,
    /// The Worker's version.
    pub version: String,
    /// The commit that the Worker was built from, or `unknown`. It ends in `-modified` if there were uncommitted
    /// changes.
    pub commit: String,
}

/// The answer when every part of the platform answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct ServiceHealth {
    pub success: bool,
    /// The parts that were asked.
    pub parts: Vec<String>,
}

#[cfg(feature = "openapi")]
impl Health {
    pub fn example() -> Self {
        Self { success: true, version: env!("CARGO_PKG_VERSION").to_owned(), commit: "0123456789ab".to_owned() }
    }
}

#[cfg(feature = "openapi")]
impl ServiceHealth {
    pub fn example() -> Self {
        Self { success: true, parts: ["d1", "r2", "kv", "queue"].map(str::to_owned).into() }
    }
}
