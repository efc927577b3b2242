//! Creates, finds, lists and revokes named tokens. Triggers write the entries of the trail.

use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::KeyedHash;
use crate::platform::database::{Database, DatabaseError, Statement, json_text, read_column};
use contract::api::{NamedToken, TokenRole};
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// A valid token's holder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenHolder {
    pub name: String,
    pub roles: Vec<TokenRole>,
    /// The named token. The operator's secrets have none.
    pub token: Option<HeldToken>,
    /// The session at the desk that presents the token.
    pub session: Option<HeldSession>,
}

/// A named token that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldToken {
    pub id: u64,
    pub ends_at: UnixSeconds,
}

/// A session at the desk that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeldSession {
    pub id: u64,
    pub ends_at: UnixSeconds,
}

/// A token to create.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewToken<'a> {
    pub name: &'a str,
    pub roles: &'a [TokenRole],
    pub hash: &'a KeyedHash,
    pub ends_at: UnixSeconds,
    pub created_by: &'a str,
}

/// Stores a token and returns its id. Storing the same token again returns the same id.
pub(crate) async fn create(
    database: &impl Database,
    token: NewToken<'_>,
    now: UnixSeconds,
) -> Result<u64, DatabaseError> {
    #[derive(Deserialize)]
    struct IdRow {
        id: u64,
    }
    let roles = json_text(token.roles)?;
    let insert = Statement::new(
        "INSERT INTO access_tokens (name, token_hash, roles, created_at_unix, created_by, ends_at_unix)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (token_hash) DO UPDATE SET name = name RETURNING id",
    );
    let insert = insert.bind(token.name).bind(token.hash.as_str()).bind(roles).bind(now);
    let row: Option<IdRow> = database.first(insert.bind(token.created_by).bind(token.ends_at)).await?;
    row.map(|row| row.id).ok_or_else(|| DatabaseError::Shape("the statement did not return the token".to_owned()))
}

/// Returns the holder of a token that has not ended. A token keeps the pepper that it was made with, because the
/// removal log identifies ended tokens by their hashes.
pub(crate) async fn find(
    database: &impl Database,
    hash: &KeyedHash,
    now: UnixSeconds,
) -> Result<Option<TokenHolder>, DatabaseError> {
    #[derive(Deserialize)]
    struct HolderRow {
        id: u64,
        name: String,
        roles: String,
        ends_at_unix: UnixSeconds,
    }
    let select = Statement::new(
        "SELECT id, name, roles, ends_at_unix FROM access_tokens WHERE token_hash IN (?1, ?3) AND ends_at_unix > ?2",
    );
    let row: Option<HolderRow> =
        database.first(select.bind(hash.as_str()).bind(now).bind(hash.second_or_same())).await?;
    let holder = |row: HolderRow| {
        let token = Some(HeldToken { id: row.id, ends_at: row.ends_at_unix });
        Ok(TokenHolder { roles: read_column(&row.roles)?, name: row.name, token, session: None })
    };
    row.map(holder).transpose()
}

/// Ends a token at once, unless it has ended already. Returns whether the token exists.
pub(crate) async fn end(
    database: &impl Database,
    token_id: u64,
    ended_by: &str,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let end = Statement::new(
        "UPDATE access_tokens SET ended_by = iif(ends_at_unix > ?3, ?2, ended_by), ends_at_unix = min(ends_at_unix, ?3)
         WHERE id = ?1 RETURNING id",
    );
    database.returns_rows(end.bind(token_id).bind(ended_by).bind(now)).await
}

/// Returns the tokens with a smaller id than `before`, the newest first.
pub(crate) async fn list(
    database: &impl Database,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<NamedToken>, DatabaseError> {
    #[derive(Deserialize)]
    struct TokenRow {
        id: u64,
        name: String,
        roles: String,
        created_at_unix: UnixSeconds,
        created_by: String,
        ends_at_unix: UnixSeconds,
    }
    let select = Statement::new(
        "SELECT id, name, roles, created_at_unix, created_by, ends_at_unix FROM access_tokens
         WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
    );
    let rows: Vec<TokenRow> = database.all(select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most)).await?;
    let named = |row: TokenRow| {
        Ok(NamedToken {
            token_id: row.id,
            roles: read_column(&row.roles)?,
            name: row.name,
            created_at_unix: row.created_at_unix.0,
            created_by: row.created_by,
            ends_at_unix: row.ends_at_unix.0,
        })
    };
    rows.into_iter().map(named).collect()
}
