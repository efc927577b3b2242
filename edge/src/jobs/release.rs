//! An origin gives a job back: it ends, or has to try again later. Whoever gets the message next need not wait until the
//! claim is over.

use super::Heard;
use crate::database::{Database, DatabaseError, Statement};
use contract::job::{JobId, ReleaseAnswer};

/// Ends the origin's claim. Nothing changes when it has none any more.
pub async fn release(
    database: &impl Database,
    id: &JobId,
    heard: Heard,
) -> Result<ReleaseAnswer, DatabaseError> {
    let answers = database.batch(vec![end_claim(id, heard)]).await?;
    let released = answers.first().is_some_and(|rows| !rows.0.is_empty());
    Ok(ReleaseAnswer { released })
}

/// A release that was signed before the last word is a repetition: the origin may have claimed the job again since.
fn end_claim(id: &JobId, heard: Heard) -> Statement {
    Statement::new(
        "UPDATE contents SET claim_ends_at_unix = ?4, heard_at_unix = ?5
         WHERE uuid = ?1 AND generation = ?2 AND claimed_by = ?3 AND state = 'processing' AND waits_for IS NULL
             AND claim_ends_at_unix > ?4 AND heard_at_unix <= ?5
         RETURNING generation",
    )
    .bind(id.content_uuid.as_str())
    .bind(id.generation)
    .bind(id.origin.as_str())
    .bind(heard.now_unix)
    .bind(heard.signed_at_unix)
}
