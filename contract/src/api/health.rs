//! The answers of the health checks.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
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
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ServiceHealth {
    pub success: bool,
    /// The parts that were asked.
    pub parts: Vec<String>,
}
