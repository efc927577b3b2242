//! The sessions of moderators at the desk: a cookie stands for a named token, for at most 12 hours.
//!
//! A session is in the database and not in KV, so that signing out and revoking the token end it everywhere at once.

use super::access_token::{AccessToken, SecretKind};
use super::tokens::{HeldSession, HeldToken, TokenHolder};
use crate::base::unix_seconds::UnixSeconds;
use crate::people::auth::hash::{KeyedHash, Pepper};
use crate::platform::database::{Batch, Database, DatabaseError, Statement, read_column};
use crate::platform::entropy::Entropy;
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

const COOKIE: &str = "__Host-desk";
const SESSION_SECONDS: u64 = 12 * 3_600;
/// The browser sends the cookie only with requests of the service's own pages, and no script can read it.
const ATTRIBUTES: &str = "Path=/; Secure; HttpOnly; SameSite=Strict";

/// Whether a `Cookie` header has the cookie, well-formed or not.
pub(crate) fn is_in_cookies(header: &[u8]) -> bool {
    value_in_cookies(header).is_some()
}

/// Returns the secret in a `Cookie` header, if the service made it.
pub(crate) fn secret_in_cookies(header: &[u8], pepper: &Pepper) -> Option<AccessToken> {
    let value = std::str::from_utf8(value_in_cookies(header)?).ok()?;
    AccessToken::parse(SecretKind::DeskSession, value, pepper)
}

/// The header is read as bytes, because other cookies may contain any bytes.
fn value_in_cookies(header: &[u8]) -> Option<&[u8]> {
    let mut pairs = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
    pairs.find_map(|pair| pair.strip_prefix(COOKIE.as_bytes())?.strip_prefix(b"="))
}

/// Returns the value of `Set-Cookie` that gives the secret to a browser.
pub(crate) fn cookie(secret: &AccessToken, session: HeldSession, now: UnixSeconds) -> String {
    let seconds = session.ends_at.0.saturating_sub(now.0);
    format!("{COOKIE}={}; Max-Age={seconds}; {ATTRIBUTES}", secret.reveal())
}

/// Returns the value of `Set-Cookie` that removes the cookie.
pub(crate) fn no_cookie() -> String {
    format!("{COOKIE}=; Max-Age=0; {ATTRIBUTES}")
}

/// Starts a session, which ends with its token. Deletes sessions that have ended.
pub(crate) async fn start(
    database: &impl Database,
    token: HeldToken,
    (id, hash): (u64, &KeyedHash),
    now: UnixSeconds,
) -> Result<HeldSession, DatabaseError> {
    let ends_at = token.ends_at.min(now + SESSION_SECONDS);
    let mut batch = Batch::default();
    batch.execute(Statement::new("DELETE FROM desk_sessions WHERE ends_at_unix <= ?1").bind(now));
    // If its response is lost, the batch is sent again and must not fail.
    let insert = Statement::new(
        "INSERT INTO desk_sessions (id, token_id, secret_hash, started_at_unix, ends_at_unix)
         VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (secret_hash) DO NOTHING",
    );
    batch.execute(insert.bind(id).bind(token.id).bind(hash.as_str()).bind(now).bind(ends_at));
    database.run(batch).await?;
    Ok(HeldSession { id, ends_at })
}

/// Returns a random id, which addresses of files name. It is no secret.
pub(crate) fn new_id(entropy: &mut impl Entropy) -> u64 {
    let mut bytes = [0; 8];
    entropy.fill(&mut bytes);
    u64::from_le_bytes(bytes) % MAX_SAFE_INTEGER
}

/// Returns the holder of a session that has not ended, and whose token has not.
pub(crate) async fn find(
    database: &impl Database,
    hash: &KeyedHash,
    now: UnixSeconds,
) -> Result<Option<TokenHolder>, DatabaseError> {
    #[derive(Deserialize)]
    struct SessionRow {
        id: u64,
        ends_at_unix: UnixSeconds,
        token_id: u64,
        token_ends_at_unix: UnixSeconds,
        name: String,
        roles: String,
    }
    let select = Statement::new(
        "SELECT desk_sessions.id, desk_sessions.ends_at_unix, token_id, access_tokens.ends_at_unix AS token_ends_at_unix,
             name, roles
         FROM desk_sessions JOIN access_tokens ON access_tokens.id = token_id
         WHERE secret_hash IN (?1, ?3) AND desk_sessions.ends_at_unix > ?2 AND access_tokens.ends_at_unix > ?2",
    );
    let row: Option<SessionRow> =
        database.first(select.bind(hash.as_str()).bind(now).bind(hash.second_or_same())).await?;
    let holder = |row: SessionRow| {
        Ok(TokenHolder {
            roles: read_column(&row.roles)?,
            name: row.name,
            token: Some(HeldToken { id: row.token_id, ends_at: row.token_ends_at_unix }),
            session: Some(HeldSession { id: row.id, ends_at: row.ends_at_unix }),
        })
    };
    row.map(holder).transpose()
}

/// Whether the session has not ended, and its token has not.
pub(crate) async fn is_live(
    database: &impl Database,
    session_id: u64,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let select = Statement::new(
        "SELECT desk_sessions.id FROM desk_sessions JOIN access_tokens ON access_tokens.id = token_id
         WHERE desk_sessions.id = ?1 AND desk_sessions.ends_at_unix > ?2 AND access_tokens.ends_at_unix > ?2",
    );
    database.returns_rows(select.bind(session_id).bind(now)).await
}

/// Ends a session at once.
pub(crate) async fn end(database: &impl Database, session_id: u64) -> Result<(), DatabaseError> {
    database.execute(Statement::new("DELETE FROM desk_sessions WHERE id = ?1").bind(session_id)).await
}
