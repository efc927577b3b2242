//! The rules of the site that a rejection or a removal names. The operator keeps the list.

use crate::platform::database::{Batch, Database, DatabaseError, Statement, json_text};
use contract::api::{OTHER_POLICY, Policy};
use serde::Deserialize;

#[derive(Deserialize)]
struct PolicyRow {
    policy_code: String,
    name: String,
    text: String,
    severity: u8,
    may_be_appealed: u8,
}

impl From<PolicyRow> for Policy {
    fn from(row: PolicyRow) -> Self {
        let PolicyRow { policy_code, name, text, severity, may_be_appealed } = row;
        Self { policy_code, name, text, severity, may_be_appealed: may_be_appealed != 0 }
    }
}

const SELECT: &str = "SELECT policy_code, name, text, severity, may_be_appealed FROM policies";

/// Returns the policies in the operator's order.
pub(crate) async fn list(database: &impl Database) -> Result<Vec<Policy>, DatabaseError> {
    let rows: Vec<PolicyRow> =
        database.all(Statement::new(format!("{SELECT} WHERE position > 0 ORDER BY position"))).await?;
    Ok(rows.into_iter().map(Policy::from).collect())
}

/// Returns the policy with this code, or the one of decisions that name none.
pub(crate) async fn find(database: &impl Database, code: Option<&str>) -> Result<Option<Policy>, DatabaseError> {
    let select = Statement::new(format!("{SELECT} WHERE policy_code = ?1"));
    let row: Option<PolicyRow> = database.first(select.bind(code.unwrap_or(OTHER_POLICY))).await?;
    Ok(row.map(Policy::from))
}

/// Replaces the list. Decisions keep the codes and texts that they named.
pub(crate) async fn replace(database: &impl Database, policies: &[Policy], by: &str) -> Result<(), DatabaseError> {
    let json = json_text(policies)?;
    let mut batch = Batch::default();
    batch.execute(Statement::new("DELETE FROM policies"));
    let insert = Statement::new(
        "INSERT INTO policies (policy_code, position, name, text, severity, may_be_appealed)
         SELECT value ->> '$.policy_code', key + 1, value ->> '$.name', value ->> '$.text', value ->> '$.severity',
             value ->> '$.may_be_appealed' FROM json_each(?1)",
    );
    batch.execute(insert.bind(json));
    let record = Statement::new(
        "INSERT INTO trail (actor, action, subject, detail) SELECT ?1, 'policies_set', 'policies', (
             SELECT group_concat(policy_code, ' ' ORDER BY position) FROM policies)",
    );
    batch.execute(record.bind(by));
    database.run(batch).await.map(drop)
}
