//! Reading the status of contents with an API key: one content, and the list of a channel.

use crate::auth::hash::{KeyedHash, Pepper};
use crate::contents::status::{KeyContents, find_content, list_contents};
use crate::ids::{ChannelId, ContentUuid};
use crate::keys::channels::{ChannelSettings, ensure_channel};
use crate::keys::key_store::{StoredKey, create};
use crate::ports::database::{Database, Statement};
use crate::testing::sqlite::Sqlite;
use crate::unix_seconds::UnixSeconds;
use futures_executor::block_on;

const NOW: UnixSeconds = UnixSeconds(20_000 * 86_400);

fn key_of(account: u8) -> KeyedHash {
    Pepper::new("a pepper that is long enough to use").unwrap().hash(&[account])
}

/// Returns a database in which account 1 has the contents 1 to 4 and account 2 has content 5. Content 3 is deleted.
fn two_channels() -> Sqlite {
    let database = Sqlite::migrated();
    for account in [1, 2] {
        let channel = block_on(ensure_channel(&database, account.into(), ChannelSettings::limited(10), NOW)).unwrap();
        let key = StoredKey { hash: key_of(account), hint: "cgk_…".to_owned() };
        block_on(create(&database, ChannelId(channel), &key, NOW)).unwrap();
    }
    let statements = [
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         SELECT value, 'u' || value, iif(value < 5, 1, 2), 20000, 'committed', 0 FROM json_each('[1, 2, 3, 4, 5]')",
        "INSERT INTO contents (id, uuid, upload_id, channel_id, state, slug_url, media_name, has_thumbnail_file,
             container, duration_ms, size_bytes, file_sha256, created_at_unix, enqueued_at_unix)
         SELECT value, 'c' || value, value, iif(value < 5, 1, 2), 'processing', 's' || value, value || '.mp4', 0, 'mp4',
             5000, 7, 'h', 1, 1 FROM json_each('[1, 2, 3, 4, 5]')",
        "UPDATE contents SET state = 'deleted' WHERE id = 3",
    ];
    block_on(database.batch(statements.map(Statement::new).to_vec())).unwrap();
    database
}

fn ids(found: Option<KeyContents>) -> Vec<u64> {
    let contents = found.unwrap().contents.into_iter();
    contents.map(|content| content.status("https://site.example", NOW).unwrap().content_id).collect()
}

#[test]
fn the_list_has_the_keys_own_contents_newest_first_without_deleted_ones() {
    let database = two_channels();
    let list = |account, before, at_most| block_on(list_contents(&database, &key_of(account), before, at_most, NOW));
    assert_eq!(ids(list(1, None, 10).unwrap()), [4, 2, 1]);
    assert_eq!(ids(list(1, None, 2).unwrap()), [4, 2]);
    assert_eq!(ids(list(1, Some(2), 10).unwrap()), [1]);
    assert_eq!(ids(list(2, None, 10).unwrap()), [5]);
    assert!(list(3, None, 10).unwrap().is_none());
}

#[test]
fn a_content_is_found_with_its_own_channels_key_only() {
    let database = two_channels();
    let find = |account, uuid| block_on(find_content(&database, &key_of(account), &ContentUuid::new(uuid), NOW));
    assert_eq!(ids(find(1, "c1").unwrap()), [1]);
    assert!(ids(find(2, "c1").unwrap()).is_empty());
    assert!(find(3, "c1").unwrap().is_none());
}

#[test]
fn each_read_counts_as_one_use_of_the_key() {
    let database = two_channels();
    for uses in 1..=3 {
        let found = block_on(list_contents(&database, &key_of(1), None, 1, NOW)).unwrap().unwrap();
        assert_eq!(found.key_use.channel_id, ChannelId(1));
        let metadata = block_on(crate::keys::key_store::find(&database, ChannelId(1))).unwrap().unwrap();
        assert_eq!(metadata.uses_count, uses);
    }
}
