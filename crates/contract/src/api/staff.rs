//! The tokens of moderators and of the site's back end, and the trail of what was done with them.

#[cfg(feature = "openapi")]
use crate::example::{CONTENT_UUID, MODERATOR, NOW, REASON};
#[cfg(feature = "openapi")]
use crate::paths;
use serde::{Deserialize, Serialize};

/// A permission of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TokenRole {
    /// View the queue, videos, decisions, the blocklist and the trail.
    Look,
    /// Decide on videos, and suspend channels.
    Decide,
    /// Change the blocklist.
    Blocklist,
    /// Create and revoke tokens and origin keys, and edit the policies.
    Operate,
    /// Read metrics and health, and nothing else.
    Watch,
    /// Call the routes of the site's back end. A token with this role has no other role.
    Service,
}

impl TokenRole {
    pub const ALL: [Self; 6] = [Self::Look, Self::Decide, Self::Blocklist, Self::Operate, Self::Watch, Self::Service];

    /// Returns the name in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Look => "look",
            Self::Decide => "decide",
            Self::Blocklist => "blocklist",
            Self::Operate => "operate",
            Self::Watch => "watch",
            Self::Service => "service",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct CreateToken {
    /// The name of the person or system that will use the token, as the trail shows it. Several tokens may have the
    /// same name, so that a new one can replace another without a gap.
    #[cfg_attr(feature = "openapi", schema(max_length = 100, pattern = "\\S"))]
    pub name: String,
    /// At least one role, each once.
    pub roles: Vec<TokenRole>,
    /// The token's lifetime: an hour to 400 days.
    #[cfg_attr(feature = "openapi", schema(minimum = 3_600, maximum = 34_560_000))]
    pub ttl_seconds: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct TokenCreated {
    pub success: bool,
    pub token_id: u64,
    /// The token. It cannot be shown again.
    pub token: String,
    pub ends_at_unix: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct EndToken {
    #[cfg_attr(feature = "openapi", schema(maximum = 9_007_199_254_740_991_i64))]
    pub token_id: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct TokenEnded {
    pub success: bool,
    pub token_id: u64,
}

/// A token without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NamedToken {
    pub token_id: u64,
    pub name: String,
    pub roles: Vec<TokenRole>,
    pub created_at_unix: u64,
    pub created_by: String,
    /// The time at which the token ends or ended.
    pub ends_at_unix: u64,
}

/// Tokens, newest first. Expired and revoked tokens stay listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct NamedTokens {
    pub success: bool,
    pub tokens: Vec<NamedToken>,
    /// Send it as `cursor` to get the next page; null on the last page.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

/// An action, and the person or system that took it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TrailEntry {
    /// Increases from entry to entry.
    pub number: u64,
    pub happened_at_unix: u64,
    /// The name of the token that was used. `operator` means the secret `ADMIN_TOKEN`, and
    /// `account:7` the owner of account 7.
    pub actor: String,
    /// The action, such as `reject` or `token_created`. More kinds may be added.
    pub action: String,
    /// The object of the action: `content:` with a UUID, `hash:` with a hash, `channel:` or `token:` with a number, or
    /// `origin:` with a name.
    pub subject: String,
    /// The reason that was given, or the thing that was created.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub detail: Option<String>,
    /// The first 24 bits of the client's IPv4 address, or the first 48 of its IPv6 address. Null if it is unknown, or
    /// if the service itself made the change.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub network: Option<String>,
    /// The method and the path of the request. Null if the service itself made the change.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub route: Option<String>,
}

/// A page of the trail, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(example = json!(Self::example())))]
pub struct Trail {
    pub success: bool,
    pub entries: Vec<TrailEntry>,
    #[cfg_attr(feature = "openapi", schema(required))]
    pub next_cursor: Option<String>,
}

#[cfg(feature = "openapi")]
impl CreateToken {
    pub fn example() -> Self {
        let roles = vec![TokenRole::Look, TokenRole::Decide];
        Self { name: MODERATOR.to_owned(), roles, ttl_seconds: 7_776_000 }
    }
}

#[cfg(feature = "openapi")]
impl TokenCreated {
    pub fn example() -> Self {
        let token = format!("cgt_{}", "0".repeat(59));
        Self { success: true, token_id: 3, token, ends_at_unix: NOW + 7_776_000 }
    }
}

#[cfg(feature = "openapi")]
impl EndToken {
    pub fn example() -> Self {
        Self { token_id: 3 }
    }
}

#[cfg(feature = "openapi")]
impl TokenEnded {
    pub fn example() -> Self {
        Self { success: true, token_id: 3 }
    }
}

#[cfg(feature = "openapi")]
impl NamedTokens {
    pub fn example() -> Self {
        let token = NamedToken {
            token_id: 3,
            name: MODERATOR.to_owned(),
            roles: vec![TokenRole::Look, TokenRole::Decide],
            created_at_unix: NOW,
            created_by: "operator".to_owned(),
            ends_at_unix: NOW + 7_776_000,
        };
        Self { success: true, tokens: vec![token], next_cursor: None }
    }
}

#[cfg(feature = "openapi")]
impl Trail {
    pub fn example() -> Self {
        let entry = TrailEntry {
            number: 81,
            happened_at_unix: NOW,
            actor: MODERATOR.to_owned(),
            action: "take_down".to_owned(),
            subject: format!("content:{CONTENT_UUID}"),
            detail: Some(REASON.to_owned()),
            network: Some("203.0.113.0/24".to_owned()),
            route: Some(format!("POST {}", paths::MODERATION_TAKE_DOWN)),
        };
        Self { success: true, entries: vec![entry], next_cursor: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_database_name_of_a_role_equals_the_json_name() {
        for role in TokenRole::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
        }
    }
}
