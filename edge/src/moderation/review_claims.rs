//! Claims: which moderator is looking at a content, so that two do not decide about the same one.
//!
//! A claim ends by itself, and another moderator may take it over. Correctness does not depend on it: a content is
//! decided once because of its revision.

use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Batch, Database, DatabaseError, Statement, read_column};
use contract::api::ReviewClaim;
use serde::Deserialize;

/// The time for which a content is claimed. The desk renews the claim while the content is open.
pub(crate) const CLAIM_SECONDS: u64 = 5 * 60;

/// Selects the claim on `contents.id` as JSON, for `read_claim`.
pub(crate) const CLAIM_COLUMN: &str = "
    (SELECT json_object('by', claimed_by, 'until_unix', until_unix) FROM review_claims
     WHERE review_claims.content_id = contents.id) AS claim";

/// Reads `CLAIM_COLUMN`. A claim that has ended is none.
pub(crate) fn read_claim(column: Option<&str>, now: UnixSeconds) -> Result<Option<ReviewClaim>, DatabaseError> {
    let claim: Option<ReviewClaim> = column.map(read_column).transpose()?;
    Ok(claim.filter(|claim| claim.until_unix > now.0))
}

/// The result of claiming a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Claimed {
    Done(ReviewClaim),
    /// Another moderator has it.
    ByAnother(ReviewClaim),
    UnknownContent,
}

#[derive(Deserialize)]
struct ClaimRow {
    claimed_by: Option<String>,
    until_unix: Option<UnixSeconds>,
}

impl ClaimRow {
    fn claim(self) -> Option<ReviewClaim> {
        Some(ReviewClaim { by: self.claimed_by?, until_unix: self.until_unix?.0 })
    }
}

/// Claims a content for a few minutes, or renews the claim. Deletes claims that have ended.
pub(crate) async fn claim(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
    takes_over: bool,
    now: UnixSeconds,
) -> Result<Claimed, DatabaseError> {
    let mut batch = Batch::default();
    batch.execute(Statement::new("DELETE FROM review_claims WHERE until_unix <= ?1").bind(now));
    let insert = Statement::new(
        "INSERT INTO review_claims (content_id, claimed_by, until_unix) SELECT id, ?2, ?3 FROM contents WHERE uuid = ?1
         ON CONFLICT (content_id) DO UPDATE SET claimed_by = excluded.claimed_by, until_unix = excluded.until_unix
         WHERE claimed_by = excluded.claimed_by OR ?4",
    );
    let insert = insert.bind(content_uuid).bind(by).bind(now + CLAIM_SECONDS).bind(u64::from(takes_over));
    batch.execute(insert);
    let claim = batch.query::<ClaimRow>(select(content_uuid, now));
    let Some(row) = database.run(batch).await?.first(claim)? else { return Ok(Claimed::UnknownContent) };
    let claim = row.claim().ok_or_else(|| DatabaseError::Shape("the content is not claimed".to_owned()))?;
    Ok(if claim.by == by { Claimed::Done(claim) } else { Claimed::ByAnother(claim) })
}

/// Ends a moderator's own claim. Returns whether there is such a content.
pub(crate) async fn release(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
) -> Result<bool, DatabaseError> {
    let delete = Statement::new(
        "DELETE FROM review_claims WHERE claimed_by = ?2 AND content_id = (SELECT id FROM contents WHERE uuid = ?1)",
    );
    let mut batch = Batch::default();
    batch.execute(delete.bind(content_uuid).bind(by));
    let found = batch.query::<()>(Statement::new("SELECT id FROM contents WHERE uuid = ?1").bind(content_uuid));
    Ok(database.run(batch).await?.has_rows(found))
}

/// Returns the claim of another moderator that keeps this one from deciding.
pub(crate) async fn claim_of_another(
    database: &impl Database,
    content_uuid: &ContentUuid,
    by: &str,
    now: UnixSeconds,
) -> Result<Option<ReviewClaim>, DatabaseError> {
    let row: Option<ClaimRow> = database.first(select(content_uuid, now)).await?;
    Ok(row.and_then(ClaimRow::claim).filter(|claim| claim.by != by))
}

/// Selects the claim on a content. Returns no row if there is no such content.
fn select(content_uuid: &ContentUuid, now: UnixSeconds) -> Statement {
    let select = Statement::new(
        "SELECT claimed_by, until_unix FROM contents
             LEFT JOIN review_claims ON review_claims.content_id = contents.id AND until_unix > ?2
         WHERE uuid = ?1",
    );
    select.bind(content_uuid).bind(now)
}
