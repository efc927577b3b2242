//! Reading the status of contents as their owner: one content, and the list of a channel.

use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::list::{ListFilter, ListPart, list_contents};
use crate::contents::status::{OwnedContents, find_content};
use crate::people::auth::hash::{KeyedHash, Pepper};
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::people::keys::key_store::{StoredKey, create};
use crate::people::owner::Owner;
use crate::platform::database::{Database, Statement};
use crate::platform::entropy::Entropy;
use crate::platform::entropy::testing::Seeded;
use crate::testing::sqlite::Sqlite;
use contract::ContentState;
use futures_executor::block_on;
use proptest::prelude::*;

const NOW: UnixSeconds = UnixSeconds(20_000 * 86_400);

fn key_of(account: u8) -> KeyedHash {
    Pepper::new("a pepper that is long enough to use").unwrap().hash(&[account])
}

fn holder(account: u8) -> Owner {
    Owner::Key(key_of(account))
}

fn user(account: u8) -> Owner {
    Owner::User(ChannelId(account.into()))
}

/// The two kinds of owners of an account's channel.
const KINDS: [fn(u8) -> Owner; 2] = [holder, user];

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
        "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         SELECT value, 'c' || value, iif(value < 5, 1, 2), 'processing', 's' || value, value || '.mp4',
             '{\"container\":\"mp4\",\"size_bytes\":7}', 5000, 'h', 1 FROM json_each('[1, 2, 3, 4, 5]')",
        "UPDATE contents SET state = 'deleted' WHERE id = 3",
    ];
    block_on(database.batch(statements.map(Statement::new).to_vec())).unwrap();
    database
}

fn ids(found: Option<OwnedContents>) -> Vec<u64> {
    let contents = found.unwrap().contents.into_iter();
    contents.map(|content| content.status("https://site.example", NOW).content_id).collect()
}

#[test]
fn the_list_has_the_owners_own_contents_newest_first_without_deleted_ones() {
    let database = two_channels();
    let list = |owner: &Owner, after, at_most| {
        let part = ListPart { filter: ListFilter::default(), after, at_most };
        block_on(list_contents(&database, owner, &part, NOW)).unwrap()
    };
    for owner in KINDS {
        assert_eq!(ids(list(&owner(1), None, 10)), [4, 2, 1]);
        assert_eq!(ids(list(&owner(1), None, 2)), [4, 2]);
        assert_eq!(ids(list(&owner(1), Some(2), 10)), [1]);
        assert_eq!(ids(list(&owner(2), None, 10)), [5]);
        assert!(list(&owner(3), None, 10).is_none());
    }
}

#[test]
fn an_erased_account_has_no_contents_although_its_session_is_still_valid() {
    let database = two_channels();
    block_on(database.batch(vec![Statement::new("UPDATE channels SET erased_at_unix = 1 WHERE id = 1")])).unwrap();
    let part = ListPart { filter: ListFilter::default(), after: None, at_most: 10 };
    assert!(block_on(list_contents(&database, &user(1), &part, NOW)).unwrap().is_none());
}

/// Stores contents 10 to 29 with random times, states and external ids. Returns the values by which the list selects
/// them.
fn many_contents(database: &Sqlite, seed: u64) -> Vec<(u64, u64, ContentState, Option<&'static str>)> {
    let mut entropy = Seeded::new(seed);
    let mut byte = || {
        let mut bytes = [0];
        entropy.fill(&mut bytes);
        bytes[0]
    };
    let mut rows = Vec::new();
    for id in 10..30 {
        let state = [ContentState::Processing, ContentState::Failed, ContentState::Deleted][usize::from(byte() % 3)];
        let external_id = [None, Some("a"), Some("b")][usize::from(byte() % 3)];
        rows.push((id, u64::from(byte() % 8), state, external_id));
    }
    for (id, created_at, state, external_id) in &rows {
        let upload = "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
             VALUES (?1, 'u' || cast(?1 AS INTEGER), 1, 20000, 'committed', 0)";
        let content = "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms,
                 file_sha256, created_at_unix, external_id)
             VALUES (?1, 'c' || cast(?1 AS INTEGER), 1, 'processing', 's' || cast(?1 AS INTEGER),
                 cast(?1 AS INTEGER) || '.mp4', '{\"container\":\"mp4\",\"size_bytes\":7}', 5000, 'h', ?2, ?3)";
        let statements = vec![
            Statement::new(upload).bind(*id),
            Statement::new(content).bind(*id).bind(*created_at).bind(*external_id),
            Statement::new("UPDATE contents SET state = ?2 WHERE id = ?1").bind(*id).bind(*state),
        ];
        block_on(database.batch(statements)).unwrap();
    }
    rows
}

proptest! {
    #[test]
    fn the_pages_of_every_filter_are_exactly_the_contents_that_meet_it_newest_first(
        seed: u64, length in 1_u32..8, state in 0_usize..4, external_id in 0_usize..3,
        from in proptest::option::of(0_u64..8), until in proptest::option::of(0_u64..8),
    ) {
        let database = two_channels();
        block_on(database.batch(vec![Statement::new("UPDATE contents SET channel_id = 2")])).unwrap();
        let rows = many_contents(&database, seed);
        let states = [None, Some(ContentState::Processing), Some(ContentState::Failed), Some(ContentState::Deleted)];
        let (state, external_id) = (states[state], [None, Some("a"), Some("b")][external_id]);
        let mut expected: Vec<_> = rows.into_iter().filter(|(_, created_at, its_state, its_id)| {
            let in_state = state.map_or(*its_state != ContentState::Deleted, |state| state == *its_state);
            let in_time = from.is_none_or(|from| *created_at >= from) && until.is_none_or(|until| *created_at < until);
            in_state && in_time && external_id.is_none_or(|id| *its_id == Some(id))
        }).map(|(id, created_at, ..)| (created_at, id)).collect();
        expected.sort_unstable_by(|left, right| right.cmp(left));
        let filter = ListFilter {
            state, created_from: from.map(UnixSeconds), created_until: until.map(UnixSeconds),
            external_id: external_id.map(str::to_owned),
        };
        let (mut listed, mut after) = (Vec::new(), None);
        loop {
            let part = ListPart { filter: filter.clone(), after, at_most: length };
            let page = ids(block_on(list_contents(&database, &holder(1), &part, NOW)).unwrap());
            after = page.last().copied();
            listed.extend(page);
            if after.is_none() { break; }
        }
        prop_assert_eq!(listed, expected.into_iter().map(|(_, id)| id).collect::<Vec<_>>());
    }
}

#[test]
fn every_list_reads_its_index_in_order() {
    let database = two_channels();
    let (state, id) = (Some(ContentState::Failed), Some("a"));
    for (state, id, index) in [
        (None, None, "contents_by_time"),
        (state, None, "contents_by_state"),
        (None, id, "contents_by_external_id"),
        (state, id, "contents_by_external_id"),
    ] {
        let filter = ListFilter { state, external_id: id.map(str::to_owned), ..ListFilter::default() };
        let part = ListPart { filter, after: Some(3), at_most: 2 };
        for owner in KINDS {
            let plan = database.plan(&part.select(&owner(1)));
            assert!(plan.contains(&format!("contents USING INDEX {index} (")), "{index}: {plan}");
            assert!(!plan.contains("ORDER BY") && plan.contains("created_at_unix>? AND created_at_unix<?"), "{plan}");
        }
    }
}

#[test]
fn a_content_is_found_by_its_own_channels_owner_only() {
    let database = two_channels();
    for owner in KINDS {
        let find = |account| block_on(find_content(&database, &owner(account), &ContentUuid::new("c1"), NOW)).unwrap();
        assert_eq!(ids(find(1)), [1]);
        assert!(ids(find(2)).is_empty());
        assert!(find(3).is_none());
    }
}

#[test]
fn the_status_of_a_deleted_content_says_that_it_cannot_be_restored() {
    let database = two_channels();
    let detail = |uuid| {
        let found = block_on(find_content(&database, &holder(1), &ContentUuid::new(uuid), NOW)).unwrap().unwrap();
        found.contents.into_iter().next().unwrap().status("https://site.example", NOW).detail
    };
    assert!(detail("c3").is_some_and(|detail| detail.contains("cannot be restored")));
    assert_eq!(detail("c1"), None);
}

#[test]
fn the_reads_of_a_minute_count_as_one_use_of_the_key() {
    let database = two_channels();
    let minute = NOW.0 - NOW.0 % 60 + 60;
    for (now, uses) in [(minute, 1), (minute + 30, 1), (minute + 59, 1), (minute + 60, 2), (minute + 240, 3)] {
        let part = ListPart { filter: ListFilter::default(), after: None, at_most: 1 };
        let found = block_on(list_contents(&database, &holder(1), &part, UnixSeconds(now))).unwrap().unwrap();
        assert_eq!(found.channel_use.channel_id, ChannelId(1));
        let metadata = block_on(crate::people::keys::key_store::find(&database, ChannelId(1))).unwrap().unwrap();
        assert_eq!(metadata.uses_count, uses);
    }
}
