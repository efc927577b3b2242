//! How the site's back end mints and ends sessions.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct MintSession {
    /// The site's own number of the account.
    pub account_id: u64,
    /// (Re)sets the channel's daily limit when given.
    #[serde(default)]
    pub daily_upload_limit: Option<u32>,
    /// How long the session lives; 86,400 when not given.
    #[serde(default)]
    pub ttl_seconds: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionMinted {
    pub success: bool,
    /// `name=value`, as it goes into a `Cookie` header.
    pub session_cookie: String,
    pub channel_id: u64,
    pub expires_at_unix: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EndSession {
    /// `name=value`, as minting answered it.
    pub session_cookie: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SessionEnded {
    pub success: bool,
}
