//! What was decided, by whom and why: read, never changed.

use crate::database::{Database, DatabaseError, Statement, all_rows};
use contract::api::{Decision, DecisionAction};
use serde::Deserialize;

/// A decision with its number, which sorts by time.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub id: u64,
    pub decision: Decision,
}

#[derive(Deserialize)]
struct Row {
    id: u64,
    action: DecisionAction,
    content_uuid: Option<String>,
    hash: Option<String>,
    made_by: String,
    reason: String,
    decided_at_unix: u64,
}

impl Row {
    fn recorded(self) -> Recorded {
        let decision = Decision {
            action: self.action,
            content_uuid: self.content_uuid,
            hash: self.hash,
            by: self.made_by,
            reason: self.reason,
            decided_at_unix: self.decided_at_unix,
        };
        Recorded {
            id: self.id,
            decision,
        }
    }
}

/// The decisions before that one, the newest first; of one content where one is named.
pub async fn list(
    database: &impl Database,
    content_uuid: Option<&str>,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<Recorded>, DatabaseError> {
    let select = Statement::new(
        "SELECT decisions.id, action, contents.uuid AS content_uuid, hash, made_by, reason, decided_at_unix
         FROM decisions LEFT JOIN contents ON contents.id = content_id
         WHERE (?1 IS NULL OR content_id = (SELECT id FROM contents WHERE uuid = ?1))
             AND decisions.id < coalesce(?2, 9007199254740992)
         ORDER BY decisions.id DESC LIMIT ?3",
    );
    let select = select.bind(content_uuid.map(str::to_owned));
    let select = select.bind(before).bind(at_most);
    let answers = database.batch(vec![select]).await?;
    let rows: Vec<Row> = all_rows(answers.first())?;
    Ok(rows.into_iter().map(Row::recorded).collect())
}
