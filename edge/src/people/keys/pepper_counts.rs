//! Counts the keys that have not moved to the current pepper yet. When there are none, the old pepper can be deleted.

use crate::platform::database::{Database, DatabaseError, Statement};
use serde::Deserialize;

/// Numbers of keys, each capped at 1,000 like every gauge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct UnmovedKeys {
    /// Keys whose hashes were made with the second pepper.
    pub second: u64,
    /// Keys that were last stored before their rows had the id of a pepper.
    pub unknown: u64,
}

/// Counts the keys that still use the pepper with this id. Without an id, there is nothing to move.
pub(crate) async fn count_unmoved(
    database: &impl Database,
    second_pepper: Option<&str>,
) -> Result<UnmovedKeys, DatabaseError> {
    let Some(pepper_id) = second_pepper else { return Ok(UnmovedKeys::default()) };
    Ok(database.first(select_unmoved(pepper_id)).await?.unwrap_or_default())
}

fn select_unmoved(pepper_id: &str) -> Statement {
    let select = Statement::new(
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM api_keys WHERE pepper_id = ?1 LIMIT 1000)) AS second,
             (SELECT count(*) FROM (SELECT 1 FROM api_keys WHERE pepper_id IS NULL LIMIT 1000)) AS unknown",
    );
    select.bind(pepper_id)
}

#[cfg(test)]
mod tests {
    use super::{UnmovedKeys, count_unmoved, select_unmoved};
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;

    #[test]
    fn keys_are_counted_from_the_index_alone() {
        let plan = Sqlite::migrated().plan(&select_unmoved("id"));
        let searches = plan.matches("SEARCH api_keys USING COVERING INDEX api_keys_by_pepper").count();
        assert!(searches == 2 && !plan.contains("SCAN api_keys"), "{plan}");
    }

    #[test]
    fn without_a_second_pepper_nothing_is_left_to_move() {
        let database = Sqlite::migrated();
        assert_eq!(block_on(count_unmoved(&database, None)).unwrap(), UnmovedKeys::default());
        assert_eq!(block_on(count_unmoved(&database, Some("id"))).unwrap(), UnmovedKeys::default());
    }
}
