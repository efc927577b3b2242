//! The requests of the site's back end to mint and end sessions, and their answers.

#[cfg(feature = "openapi")]
use crate::example::NOW;
use crate::whole_number;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct MintSession {
    /// The site's id of the account.
    #[serde(deserialize_with = "whole_number::required")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 9_007_199_254_740_991_i64))]
    pub account_id: u64,
    /// Sets the channel's daily upload limit, if present.
    #[serde(default, deserialize_with = "whole_number::optional_u32")]
    #[cfg_attr(feature = "openapi", schema(maximum = 1_000_000))]
    pub daily_upload_limit: Option<u32>,
    /// Sets the name that the channel has on the pages of its videos, if present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 80))]
    pub channel_name: Option<String>,
    /// The lifetime of the session in seconds; 86,400 by default.
    #[serde(default, deserialize_with = "whole_number::optional_u32")]
    #[cfg_attr(feature = "openapi", schema(minimum = 60, maximum = 2_592_000))]
    pub ttl_seconds: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct SessionMinted {
    pub success: bool,
    /// `name=value`, ready for a `Cookie` header.
    pub session_cookie: String,
    pub channel_id: u64,
    pub expires_at_unix: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EndSession {
    /// `name=value`, as returned when the session was minted.
    #[cfg_attr(feature = "openapi", schema(pattern = "^__Host-session=[0-9A-Za-z]{43}$"))]
    pub session_cookie: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct SessionEnded {
    pub success: bool,
}

#[cfg(feature = "openapi")]
impl MintSession {
    pub fn example() -> Self {
        Self {
            account_id: 4711,
            daily_upload_limit: Some(50),
            channel_name: Some("Surfing dogs".to_owned()),
            ttl_seconds: Some(86_400),
        }
    }
}

#[cfg(feature = "openapi")]
impl SessionMinted {
    pub fn example() -> Self {
        let EndSession { session_cookie } = EndSession::example();
        Self { success: true, session_cookie, channel_id: 12, expires_at_unix: NOW + 86_400 }
    }
}

#[cfg(feature = "openapi")]
impl EndSession {
    pub fn example() -> Self {
        Self { session_cookie: format!("__Host-session={}", "0".repeat(43)) }
    }
}

#[cfg(feature = "openapi")]
impl SessionEnded {
    pub fn example() -> Self {
        Self { success: true }
    }
}
