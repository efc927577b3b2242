//! The history of moderation decisions. It is read and never changed.

use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::api::{Decision, DecisionAction};
use serde::Deserialize;

/// A decision with its id. Ids increase over time.
#[derive(Clone, Debug)]
pub(crate) struct HistoryEntry {
    pub id: u64,
    pub decision: Decision,
}

#[derive(Deserialize)]
struct DecisionRow {
    id: u64,
    action: DecisionAction,
    content_uuid: Option<String>,
    hash: Option<String>,
    made_by: String,
    reason: String,
    policy_code: Option<String>,
    decided_at_unix: UnixSeconds,
}

impl From<DecisionRow> for HistoryEntry {
    fn from(row: DecisionRow) -> Self {
        let decision = Decision {
            action: row.action,
            content_uuid: row.content_uuid,
            hash: row.hash,
            by: row.made_by,
            reason: row.reason,
            policy_code: row.policy_code,
            decided_at_unix: row.decided_at_unix.0,
        };
        Self { id: row.id, decision }
    }
}

/// Selects decisions that meet a condition. With and without one, they are read in the order of an index.
fn select_decisions(condition: &str) -> Statement {
    Statement::new(format!(
        "SELECT decisions.id, action, contents.uuid AS content_uuid, hash, made_by, reason, decisions.policy_code, decided_at_unix
         FROM decisions LEFT JOIN contents ON contents.id = content_id
         WHERE {condition} decisions.id < coalesce(?2, 9007199254740992) ORDER BY decisions.id DESC LIMIT ?3"
    ))
}

/// Returns the decisions with a smaller id than `before`, the newest first. If a UUID is given,
/// returns only decisions about that content.
pub(crate) async fn list(
    database: &impl Database,
    content_uuid: Option<&ContentUuid>,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<HistoryEntry>, DatabaseError> {
    let select = select_decisions(match content_uuid {
        Some(_) => "content_id = (SELECT id FROM contents WHERE uuid = ?1) AND",
        None => "",
    });
    let rows: Vec<DecisionRow> = database.all(select.bind(content_uuid).bind(before).bind(at_most)).await?;
    Ok(rows.into_iter().map(HistoryEntry::from).collect())
}
