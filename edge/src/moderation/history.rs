//! What was decided, by whom and why: read, never changed.

use crate::database::{Database, DatabaseError, Rows, Statement};
use contract::api::Decision;
use serde::Deserialize;

/// A decision with its number, which sorts by time.
#[derive(Clone, Debug, Deserialize)]
pub struct Recorded {
    pub id: u64,
    #[serde(flatten)]
    pub decision: Decision,
}

/// The decisions before that one, the newest first; of one content where one is named.
pub async fn list(
    database: &impl Database,
    content_uuid: Option<&str>,
    before: Option<u64>,
    at_most: u32,
) -> Result<Vec<Recorded>, DatabaseError> {
    let select = Statement::new(
        "SELECT decisions.id, action, contents.uuid AS content_uuid, hash, made_by AS \"by\", reason, decided_at_unix
         FROM decisions LEFT JOIN contents ON contents.id = content_id
         WHERE (?1 IS NULL OR content_id = (SELECT id FROM contents WHERE uuid = ?1))
             AND (?2 IS NULL OR decisions.id < ?2)
         ORDER BY decisions.id DESC LIMIT ?3",
    );
    let select = select.bind(content_uuid.map(str::to_owned));
    let select = select.bind(before).bind(at_most);
    let answers = database.batch(vec![select]).await?;
    let Rows(rows) = answers.into_iter().next().unwrap_or_default();
    let read =
        |row| serde_json::from_value(row).map_err(|error| DatabaseError::Shape(error.to_string()));
    rows.into_iter().map(read).collect()
}
