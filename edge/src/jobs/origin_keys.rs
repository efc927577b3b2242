//! Creates, lists and revokes the keys of origins. `platform::signer` checks them. Triggers write the entries of the
//! trail. The jobs of an origin without a valid key go to other origins.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::claim::take_from_revoked;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::api::OriginKeyEntry;
use contract::limits::MAX_SAFE_INTEGER;
use serde::Deserialize;

/// Registers a key for an origin and returns its id.
pub(crate) async fn create(
    database: &impl Database,
    name: &str,
    created_by: &str,
    now: UnixSeconds,
) -> Result<u64, DatabaseError> {
    #[derive(Deserialize)]
    struct IdRow {
        id: u64,
    }
    let insert =
        Statement::new("INSERT INTO origin_keys (name, created_at_unix, created_by) VALUES (?1, ?2, ?3) RETURNING id");
    let row: Option<IdRow> = database.first(insert.bind(name).bind(now).bind(created_by)).await?;
    row.map(|row| row.id).ok_or_else(|| DatabaseError::Shape("the statement did not return the key".to_owned()))
}

/// Revokes a key. Returns whether the key exists.
pub(crate) async fn end(
    database: &impl Database,
    key_id: u64,
    ended_by: &str,
    now: UnixSeconds,
) -> Result<bool, DatabaseError> {
    let end = Statement::new(
        "UPDATE origin_keys SET ended_at_unix = ?2, ended_by = ?3 WHERE id = ?1 AND ended_at_unix IS NULL",
    );
    let find = Statement::new("SELECT id FROM origin_keys WHERE id = ?1").bind(key_id);
    let statements = vec![end.bind(key_id).bind(now).bind(ended_by), take_from_revoked(key_id), find];
    let rows = database.batch(statements).await?;
    Ok(rows.last().is_some_and(|rows| !rows.0.is_empty()))
}

/// Returns the keys with a smaller id than `before`, the newest first.
pub(crate) async fn list(
    database: &impl Database,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<OriginKeyEntry>, DatabaseError> {
    let select = Statement::new(
        "SELECT id AS key_id, name, created_at_unix, created_by, ended_at_unix FROM origin_keys
         WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
    );
    database.all(select.bind(before.unwrap_or(MAX_SAFE_INTEGER)).bind(at_most)).await
}
