//! Channels: one per account, created when the site first signs the account in.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::base::visible_text::has_deceptive_control;
use crate::journal::purges::purge_pages_of_channels;
use crate::journal::removals::IDS_OF_EPOCH;
use crate::platform::database::{Batch, Database, DatabaseError, Statement};
use contract::limits::{DEFAULT_DAILY_UPLOAD_LIMIT, MAX_CHANNEL_NAME_CHARACTERS};
use serde::Deserialize;

#[derive(Deserialize)]
pub(crate) struct ChannelRow {
    pub id: ChannelId,
}

/// The settings of a channel that the site sends when it signs the account in. Omitted settings stay unchanged.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChannelSettings<'a> {
    pub daily_upload_limit: Option<u32>,
    pub name: Option<&'a str>,
}

#[cfg(test)]
impl ChannelSettings<'_> {
    pub(crate) fn limited(daily_upload_limit: u32) -> Self {
        Self { daily_upload_limit: Some(daily_upload_limit), name: None }
    }
}

/// Whether a channel may have this name: 1 to 80 visible characters that do not change the direction of other text.
pub(crate) fn is_valid_name(name: &str) -> bool {
    let lengths = 1..=MAX_CHANNEL_NAME_CHARACTERS;
    let is_visible = !name.trim().is_empty() && !name.chars().any(char::is_control) && !has_deceptive_control(name);
    lengths.contains(&name.chars().count()) && is_visible
}

/// Returns the channel of an account, or `None` if there is no such account.
pub(crate) async fn find_channel(
    database: &impl Database,
    account_id: u64,
) -> Result<Option<ChannelId>, DatabaseError> {
    let select = Statement::new("SELECT id FROM channels WHERE account_id = ?1").bind(account_id);
    Ok(database.first::<ChannelRow>(select).await?.map(|row| row.id))
}

/// Whether the channel's account was erased. Erasure is permanent.
pub(crate) async fn is_erased(database: &impl Database, channel_id: ChannelId) -> Result<bool, DatabaseError> {
    let open = Statement::new("SELECT id FROM channels WHERE id = ?1 AND erased_at_unix IS NULL").bind(channel_id);
    Ok(database.first::<ChannelRow>(open).await?.is_none())
}

/// Returns the account's channel and creates it if necessary, or returns `None` if the account was erased. After a
/// restoration, the id of a lost channel is not reused, because a session may still name it, and a suspended or erased
/// account stays so.
pub(crate) async fn open_channel(
    database: &impl Database,
    account_id: u64,
    settings: ChannelSettings<'_>,
    now: UnixSeconds,
) -> Result<Option<ChannelId>, DatabaseError> {
    let statement = Statement::new(
        "INSERT INTO channels (id, account_id, daily_upload_limit, created_at_unix, name, suspended_at_unix)
         SELECT 1 + max(coalesce((SELECT max(id) FROM channels), 0),
                 CAST(?6 AS INTEGER) * (SELECT number FROM current_epoch)),
             ?1, coalesce(?2, ?3), ?4, ?5,
             (SELECT iif(is_removed, happened_at_unix, NULL) FROM removals
              WHERE kind = 'channel' AND subject = CAST(CAST(?1 AS INTEGER) AS TEXT) ORDER BY name DESC LIMIT 1)
         WHERE NOT EXISTS (SELECT 1 FROM removals
             WHERE kind = 'channel' AND subject = CAST(CAST(?1 AS INTEGER) AS TEXT)
                 AND json_extract(data, '$.is_erased') = 1)
         ON CONFLICT (account_id) DO UPDATE
             SET daily_upload_limit = coalesce(?2, daily_upload_limit), name = coalesce(?5, name)
         RETURNING id",
    )
    .bind(account_id)
    .bind(settings.daily_upload_limit)
    .bind(DEFAULT_DAILY_UPLOAD_LIMIT)
    .bind(now)
    .bind(settings.name)
    .bind(IDS_OF_EPOCH);
    let mut batch = Batch::default();
    if let Some(name) = settings.name {
        // The pages show the old name.
        purge_pages_of_channels(&mut batch, "account_id = ?1 AND name IS NOT ?2", &[account_id.into(), name.into()]);
    }
    let row = batch.query::<ChannelRow>(statement);
    Ok(database.run(batch).await?.first(row)?.map(|row| row.id))
}

/// Returns the channel of an account that is not erased.
#[cfg(test)]
pub(crate) async fn ensure_channel(
    database: &impl Database,
    account_id: u64,
    settings: ChannelSettings<'_>,
    now: UnixSeconds,
) -> Result<u64, DatabaseError> {
    let channel = open_channel(database, account_id, settings, now).await?;
    channel.map(|id| id.0).ok_or_else(|| DatabaseError::Shape("the account was erased".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sqlite::Sqlite;
    use futures_executor::block_on;

    const NOTHING: ChannelSettings<'static> = ChannelSettings { daily_upload_limit: None, name: None };

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
        let sign_in = |account, at| block_on(ensure_channel(&database, account, NOTHING, UnixSeconds(at))).unwrap();
        let (first, second, other) = (sign_in(123, 10), sign_in(123, 20), sign_in(124, 20));
        assert_eq!(first, second);
        assert_ne!(first, other);
    }

    #[test]
    fn a_limit_is_set_if_given_and_kept_otherwise() {
        let database = Sqlite::migrated();
        block_on(ensure_channel(&database, 5, NOTHING, UnixSeconds(10))).unwrap();
        assert_eq!(limit_of(&database, 5), DEFAULT_DAILY_UPLOAD_LIMIT);
        block_on(ensure_channel(&database, 5, ChannelSettings::limited(3), UnixSeconds(10))).unwrap();
        block_on(ensure_channel(&database, 5, NOTHING, UnixSeconds(10))).unwrap();
        assert_eq!(limit_of(&database, 5), 3);
    }

    /// Returns the channel's name and the number of tags that wait for a purge.
    fn name_and_purges(database: &Sqlite) -> (Option<String>, u64) {
        #[derive(Deserialize)]
        struct Row {
            name: Option<String>,
            purges: u64,
        }
        let select = Statement::new("SELECT name, (SELECT count(*) FROM cache_purges) AS purges FROM channels");
        let row: Option<Row> = block_on(database.first(select)).unwrap();
        row.map(|row| (row.name, row.purges)).unwrap()
    }

    #[test]
    fn a_new_name_is_kept_and_purges_the_pages_that_show_the_old_one() {
        let database = Sqlite::migrated();
        let named = |name| ChannelSettings { daily_upload_limit: None, name };
        let steps = [
            (None, None, 0),
            (Some("Dogs"), Some("Dogs"), 1),
            (None, Some("Dogs"), 1),
            (Some("Dogs"), Some("Dogs"), 1),
        ];
        for (sent, kept, purges) in steps {
            block_on(ensure_channel(&database, 5, named(sent), UnixSeconds(10))).unwrap();
            assert_eq!(name_and_purges(&database), (kept.map(str::to_owned), purges), "{sent:?}");
        }
    }

    #[test]
    fn a_name_is_short_and_visible() {
        for name in ["Dogs", "שלום", "a b", &"x".repeat(80)] {
            assert!(is_valid_name(name), "{name}");
        }
        for name in ["", " ", "a\nb", "a\u{202e}b", "a\u{2067}", &"x".repeat(81)] {
            assert!(!is_valid_name(name), "{name}");
        }
    }
}
