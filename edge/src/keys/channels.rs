//! Channels: one per account, created when the site first signs the account in.

use crate::ports::database::{Database, DatabaseError, Statement};
use crate::unix_seconds::UnixSeconds;
use contract::limits::DEFAULT_DAILY_UPLOAD_LIMIT;
use serde::Deserialize;

#[derive(Deserialize)]
struct ChannelRow {
    id: u64,
}

/// Returns the account's channel and creates it if necessary. Sets the channel's daily limit if one is given.
pub(crate) async fn ensure_channel(
    database: &impl Database,
    account_id: u64,
    daily_upload_limit: Option<u32>,
    now: UnixSeconds,
) -> Result<u64, DatabaseError> {
    let statement = Statement::new(
        "INSERT INTO channels (account_id, daily_upload_limit, created_at_unix)
         VALUES (?1, coalesce(?2, ?3), ?4)
         ON CONFLICT (account_id) DO UPDATE SET daily_upload_limit = coalesce(?2, daily_upload_limit)
         RETURNING id",
    )
    .bind(account_id)
    .bind(daily_upload_limit)
    .bind(DEFAULT_DAILY_UPLOAD_LIMIT)
    .bind(now);
    let row: Option<ChannelRow> = database.first(statement).await?;
    row.map(|row| row.id).ok_or_else(|| DatabaseError::Shape("the statement did not return the channel".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;

    #[derive(Deserialize)]
    struct Limit {
        daily_upload_limit: u32,
    }

    fn limit_of(database: &Sqlite, account: u64) -> u32 {
        let select = Statement::new("SELECT daily_upload_limit FROM channels WHERE account_id = ?1");
        let row: Option<Limit> = block_on(database.first(select.bind(account))).unwrap();
        row.unwrap().daily_upload_limit
    }

    #[test]
    fn an_account_keeps_its_one_channel_when_it_signs_in_again() {
        let database = Sqlite::migrated();
        let first = block_on(ensure_channel(&database, 123, None, UnixSeconds(10))).unwrap();
        let second = block_on(ensure_channel(&database, 123, None, UnixSeconds(20))).unwrap();
        let other = block_on(ensure_channel(&database, 124, None, UnixSeconds(20))).unwrap();
        assert_eq!(first, second);
        assert_ne!(first, other);
    }

    #[test]
    fn a_limit_is_set_if_given_and_kept_otherwise() {
        let database = Sqlite::migrated();
        block_on(ensure_channel(&database, 5, None, UnixSeconds(10))).unwrap();
        assert_eq!(limit_of(&database, 5), DEFAULT_DAILY_UPLOAD_LIMIT);
        block_on(ensure_channel(&database, 5, Some(3), UnixSeconds(10))).unwrap();
        block_on(ensure_channel(&database, 5, None, UnixSeconds(10))).unwrap();
        assert_eq!(limit_of(&database, 5), 3);
    }
}
