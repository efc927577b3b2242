//! The segments of the blocklist that the database names and R2 does not have: they were replaced after the backup.

use super::{Permission, difference};
use crate::platform::Platform;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use crate::platform::error::PlatformError;
use crate::platform::object_store::ObjectStore;
use crate::upkeep::removals::Contradiction;
use contract::ObjectKey;
use contract::api::Difference;

/// Returns the missing segments. To mend the list, all its hashes are added once more, and packed again later.
pub(super) async fn compare<P: Platform>(
    platform: &P,
    permission: Permission,
) -> Result<Vec<Difference>, PlatformError> {
    let select = Statement::new(
        "SELECT 'segment' AS kind, first_number || '-' || last_number AS subject,
             'R2 does not have this segment of the blocklist' AS detail FROM blocklist_segments",
    );
    let mut missing: Vec<Contradiction> = platform.database().all(select).await?;
    let stored = platform.objects().list(ObjectKey::BLOCKLIST_FOLDER).await?;
    missing.retain(|segment| !stored.iter().any(|key| key.ends_with(&format!("/{}", segment.subject))));
    if permission.mend && !missing.is_empty() {
        add_again(platform.database(), &missing).await?;
    }
    Ok(missing.into_iter().map(|segment| difference(segment, permission.mend)).collect())
}

async fn add_again(database: &impl Database, missing: &[Contradiction]) -> Result<(), DatabaseError> {
    let mut batch = Batch::default();
    for segment in missing {
        let delete = Statement::new("DELETE FROM blocklist_segments WHERE first_number || '-' || last_number = ?1");
        batch.execute(delete.bind(segment.subject.as_str()));
    }
    // All of the list is needed. The condition makes it a search in the primary key.
    let add = "INSERT INTO blocklist_additions (hash) SELECT DISTINCT hash FROM blocked_hashes WHERE hash > ''";
    batch.execute(Statement::new(add));
    database.run(batch).await.map(drop)
}
