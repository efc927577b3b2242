//! Reads facts about a report's content from the database.

use crate::ports::database::{Database, DatabaseError, Statement};
use serde::Deserialize;

/// Returns the duration that was measured during the upload, or `None` for an unknown content.
pub(crate) async fn read_duration(database: &impl Database, content_uuid: &str) -> Result<Option<u64>, DatabaseError> {
    #[derive(Deserialize)]
    struct Duration {
        duration_ms: u64,
    }
    let select = Statement::new("SELECT duration_ms FROM contents WHERE uuid = ?1").bind(content_uuid);
    Ok(database.first::<Duration>(select).await?.map(|row| row.duration_ms))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::{Scene, uuid};
    use futures_executor::block_on;

    #[test]
    fn the_duration_is_that_of_the_upload() {
        let scene = Scene::new();
        let read = |content_uuid: &str| block_on(read_duration(&scene.world.database, content_uuid)).unwrap();
        assert_eq!((read(uuid().as_str()), read("unknown")), (Some(5_000), None));
    }
}
