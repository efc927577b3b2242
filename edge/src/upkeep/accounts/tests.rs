//! Random histories of an account, which is then exported and erased.

use super::erasure::{ErasureOrder, ErasureProgress, RETRY_SECONDS, begin, continue_due, continue_erasure};
use super::export::{ExportedRow, Position, rows_after};
use crate::base::ids::{ChannelId, ContentUuid};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::testing::set_as_a_rule;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::people::keys::channels::{ChannelSettings, find_channel, is_erased, open_channel};
use crate::platform::database::{Database, Statement, Value};
use crate::testing::fake_platform::World;
use crate::testing::sweep;
use futures_executor::block_on;
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::rc::Rc;

const NOON: u64 = 20_000 * 86_400 + 43_200;
const DAY: u64 = 86_400;
/// Every text of account 1 has the first word, and every text of account 2 the second.
const WORDS: [&str; 2] = ["quokka", "numbat"];

#[derive(Clone, Copy, Debug)]
enum Event {
    Upload,
    Webhook,
    Answer,
    /// A change of the content with this number, if it is possible.
    Change(Change, u8),
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Publish,
    Reject,
    TakeDown,
    Report,
    OwnerDeletes,
}

fn event() -> impl Strategy<Value = Event> {
    let change = prop::sample::select(vec![
        Change::Publish,
        Change::Publish,
        Change::Reject,
        Change::TakeDown,
        Change::Report,
        Change::OwnerDeletes,
    ]);
    prop_oneof![
        3 => Just(Event::Upload),
        1 => Just(Event::Webhook),
        1 => Just(Event::Answer),
        4 => (change, 0..6_u8).prop_map(|(change, number)| Event::Change(change, number)),
    ]
}

/// A service with two accounts, each with a channel of its number.
struct Service {
    world: Rc<World>,
    uploads: u64,
}

impl Service {
    fn new() -> Self {
        let world = World::new(NOON);
        let mut service = Self { world, uploads: 0 };
        for (account, word) in [(1_u64, WORDS[0]), (2, WORDS[1])] {
            let settings = ChannelSettings { daily_upload_limit: Some(9), name: Some(word) };
            assert_eq!(service.open(account, settings), Some(account));
            service.run(
                "INSERT INTO api_keys (channel_id, key_hash, key_hint, created_at_unix)
                 VALUES (?1, printf('%064d', ?1), 'hint', 1)",
                &[account.into()],
            );
            service.happen(account, Event::Webhook);
            service.happen(account, Event::Upload);
        }
        service
    }

    fn open(&self, account: u64, settings: ChannelSettings<'_>) -> Option<u64> {
        let channel = block_on(open_channel(&self.world.database, account, settings, UnixSeconds(NOON))).unwrap();
        channel.map(|id| id.0)
    }

    /// Returns whether the statement was possible.
    fn attempt(&self, sql: &'static str, values: &[Value]) -> bool {
        let statement = Statement { sql: sql.into(), values: values.to_vec() };
        block_on(self.world.database.execute(statement)).is_ok()
    }

    fn run(&self, sql: &'static str, values: &[Value]) {
        assert!(self.attempt(sql, values), "{sql}");
    }

    fn happen(&mut self, channel: u64, event: Event) {
        match event {
            Event::Upload => self.upload(channel),
            Event::Webhook => self.run(
                "INSERT INTO webhooks (uuid, channel_id, url, created_at_unix)
                 VALUES (lower(hex(randomblob(8))), ?1, 'https://' || ?2 || '.example', 1)",
                &[channel.into(), word_of(channel).into()],
            ),
            Event::Answer => self.run(
                "UPDATE webhook_deliveries SET body_start = ?2, state = 'delivered', due_at_unix = NULL
                 WHERE webhook_id IN (SELECT id FROM webhooks WHERE channel_id = ?1)",
                &[channel.into(), word_of(channel).into()],
            ),
            Event::Change(change, number) => self.change(channel, change, number.into()),
        }
    }

    fn upload(&mut self, channel: u64) {
        self.uploads += 1;
        let values = [self.uploads.into(), channel.into(), word_of(channel).into(), NOON.into()];
        for sql in [
            "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix, upload_token, fingerprint)
             SELECT ?1, 'u' || CAST(?1 AS INTEGER), ?2, 20000, 'committed', 0, ?3 || CAST(?1 AS INTEGER), ?3
             WHERE ?4 > 0",
            "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, caption, external_id, source,
                 duration_ms, file_sha256, created_at_unix, media, media_generation)
             VALUES (?1, 'c' || CAST(?1 AS INTEGER), ?2, 'processing', ?3 || printf('-%010d', ?1),
                 'm' || CAST(?1 AS INTEGER), ?3, ?3, '{\"container\":\"mp4\",\"size_bytes\":7}', 5000,
                 'h' || CAST(?1 AS INTEGER), ?4, '{}', 1)",
            "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix)
             SELECT ?1, ?2, 'video', 'due', 1, ?4 WHERE ?3 > ''",
            "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, received_at_unix)
             SELECT ?1, 1, 'a', printf('%064d', ?1), 'processed', ?4 WHERE ?2 > 0 AND ?3 > ''",
            "INSERT INTO findings (content_id, generation, number, check_name, recommendation, note)
             SELECT ?1, 1, 1, 'classifier', 'pass', ?3 WHERE ?2 > 0 AND ?4 > 0",
            "INSERT INTO resumable_uploads (secret_sha256, channel_id, upload_uuid, tails_uuid, state, length, request,
                 expires_at_unix)
             SELECT 's' || CAST(?1 AS INTEGER), ?2, iif(?1 % 2, 'u', 'o') || CAST(?1 AS INTEGER),
                 't' || CAST(?1 AS INTEGER), iif(?1 % 2, 'accepted', 'open'), 1, json_object('caption', ?3), ?4 + 86400",
            "INSERT INTO direct_uploads (uuid, channel_id, token_sha256, state, rules, created_at_unix,
                 expires_at_unix, ended_at_unix)
             SELECT 'd' || CAST(?1 AS INTEGER), ?2, printf('%064d', ?1), iif(?1 % 2, 'used', 'open'),
                 json_object('fields', json_object('caption', ?3)), ?4, ?4 + 3600, iif(?1 % 2, ?4, NULL)",
        ] {
            self.run(sql, &values);
        }
        let mut objects = self.world.objects.borrow_mut();
        for key in [format!("sources/u{}/video", self.uploads), format!("media/c{}/1/video.mp4", self.uploads)] {
            objects.insert(key, b"x".to_vec());
        }
    }

    /// Changes the channel's content with this number, if that is possible in its state.
    fn change(&self, channel: u64, change: Change, number: u64) {
        let values = [channel.into(), number.into()];
        match change {
            Change::Publish => drop(self.set_state(channel, number, "published")),
            Change::Reject => drop(self.set_state(channel, number, "rejected")),
            Change::TakeDown => {
                if self.set_state(channel, number, "taken_down") {
                    self.run(
                        "INSERT INTO decisions (action, content_id, made_by, reason, decided_at_unix)
                         SELECT 'take_down', id, 'm', 'r', 1 FROM contents
                         WHERE channel_id = ?1 AND state = 'taken_down' ORDER BY id LIMIT 1 OFFSET ?2",
                        &values,
                    );
                }
            }
            Change::Report => self.run(
                "INSERT INTO abuse_reports (content_id, reporter, reason, text, reported_at_unix)
                 SELECT id, hex(randomblob(4)), 'other', uuid, 1 FROM contents
                 WHERE channel_id = ?1 AND state = 'published' ORDER BY id LIMIT 1 OFFSET ?2",
                &values,
            ),
            Change::OwnerDeletes => self.delete(channel, number),
        }
    }

    /// Sets the state, with its consequences. Returns whether that was possible.
    fn set_state(&self, channel: u64, number: u64, state: &str) -> bool {
        let sql = format!(
            "UPDATE contents SET state = '{state}', error_code = 'content_moderation_rejected', published_at_unix = 1
             WHERE id = (SELECT id FROM contents WHERE channel_id = {channel} ORDER BY id LIMIT 1 OFFSET {number})"
        );
        set_as_a_rule(&self.world.database, &sql, UnixSeconds(NOON)).is_ok()
    }

    fn delete(&self, channel: u64, number: u64) {
        let uuid = ContentUuid::new(format!("c{number}"));
        let owned = OwnedContent { channel_id: ChannelId(channel), content_uuid: &uuid };
        let now = UnixSeconds(NOON);
        block_on(delete(&self.world.database, owned, now, now + 90 * DAY)).unwrap();
    }

    fn begin_erasure(&self) {
        let order =
            ErasureOrder { account_id: 1, reason: "asked", by: "Ada", evidence_until: UnixSeconds(NOON + 90 * DAY) };
        assert_eq!(block_on(begin(&self.world.database, order, UnixSeconds(NOON))).unwrap(), Some(ChannelId(1)));
    }

    fn erase(&self) -> ErasureProgress {
        block_on(continue_erasure(&self.world.process(None), ChannelId(1))).unwrap()
    }

    fn sweep_after(&self, seconds: u64) {
        self.world.pass(seconds);
        block_on(sweep(&self.world.process(None))).unwrap();
    }

    fn tables_with(&self, word: &str) -> BTreeSet<String> {
        self.world.database.columns_with(word).into_iter().collect()
    }

    /// Returns how many contents of the channel a decision names, and how many objects account 1 has.
    fn count(&self, sql: &'static str) -> u64 {
        #[derive(serde::Deserialize)]
        struct Row {
            number: u64,
        }
        let row: Option<Row> = block_on(self.world.database.first(Statement::new(sql))).unwrap();
        row.unwrap().number
    }

    fn export(&self, page: u32) -> Vec<ExportedRow> {
        let database = &self.world.database;
        let channel = block_on(find_channel(database, 1)).unwrap().unwrap();
        let (mut rows, mut position) = (Vec::new(), Position::default());
        loop {
            let next = block_on(rows_after(database, channel, position, page)).unwrap();
            let Some(last) = next.last() else { return rows };
            position = last.position;
            rows.extend(next);
        }
    }
}

fn word_of(channel: u64) -> &'static str {
    if channel == 1 { WORDS[0] } else { WORDS[1] }
}

const ROWS_OF_2: &str = "
    SELECT (SELECT count(*) FROM contents WHERE channel_id = 2) + (SELECT count(*) FROM uploads WHERE channel_id = 2)
        + (SELECT count(*) FROM events WHERE channel_id = 2) + (SELECT count(*) FROM webhooks WHERE channel_id = 2)
        + (SELECT count(*) FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id WHERE channel_id = 2)
        + (SELECT count(*) FROM resumable_uploads WHERE channel_id = 2)
        + (SELECT count(*) FROM direct_uploads WHERE channel_id = 2)
        + (SELECT count(*) FROM api_keys WHERE channel_id = 2) + (SELECT count(*) FROM findings) * 0 AS number";
const ROWS_OF_1: &str = "
    SELECT (SELECT count(*) FROM events WHERE channel_id = 1) + (SELECT count(*) FROM webhooks WHERE channel_id = 1)
        + (SELECT count(*) FROM webhook_deliveries JOIN webhooks ON webhooks.id = webhook_id WHERE channel_id = 1)
        + (SELECT count(*) FROM api_keys WHERE channel_id = 1) + (SELECT count(*) FROM daily_usage WHERE channel_id = 1)
        + (SELECT count(*) FROM resumable_uploads WHERE channel_id = 1)
        + (SELECT count(*) FROM direct_uploads WHERE channel_id = 1)
        + (SELECT count(*) FROM evidence JOIN contents ON contents.id = content_id WHERE channel_id = 1)
        + (SELECT count(*) FROM uploads WHERE channel_id = 1 AND (upload_token IS NOT NULL OR fingerprint IS NOT NULL))
        + (SELECT count(*) FROM contents WHERE channel_id = 1
            AND id NOT IN (SELECT content_id FROM decisions WHERE content_id IS NOT NULL))
        + (SELECT count(*) FROM uploads WHERE channel_id = 1
            AND id NOT IN (SELECT contents.id FROM contents JOIN decisions ON content_id = contents.id)) AS number";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(24, 1_000)))]
    #[test]
    fn whatever_an_account_did_is_erased_and_nothing_of_another_one(
        history in prop::collection::vec((1..3_u64, event()), 0..60),
    ) {
        let mut service = Service::new();
        for (channel, event) in history {
            service.happen(channel, event);
        }
        let before = service.count(ROWS_OF_2);
        prop_assert!(service.tables_with(WORDS[0]).len() >= 5);
        service.begin_erasure();
        let closed = "SELECT suspended_at_unix IS NOT NULL AND name IS NULL AND NOT EXISTS (
            SELECT 1 FROM api_keys WHERE channel_id = 1) AS number FROM channels WHERE id = 1";
        prop_assert_eq!(service.count(closed), 1);
        let progress = service.erase();
        prop_assert_eq!(progress.contents_left, 0);
        prop_assert_eq!(service.count(ROWS_OF_2), before);
        // Only evidence still has words.
        let left = service.tables_with(WORDS[0]);
        prop_assert!(left.iter().all(|place| place.starts_with("evidence.") || place == "findings.note"
            || place.starts_with("uploads.")), "{:?}", left);
        for seconds in [0, 3_700, 3_700, 91 * DAY, 3_700, 3_700, 3_700] {
            service.sweep_after(seconds);
        }
        prop_assert_eq!(service.tables_with(WORDS[0]), BTreeSet::new());
        prop_assert_eq!(service.count(ROWS_OF_1), 0);
        prop_assert!(service.erase().is_finished());
        prop_assert!(!service.tables_with(WORDS[1]).is_empty());
        let objects = service.world.objects.borrow();
        let of_erased = "SELECT count(*) AS number FROM removals WHERE kind = 'content' AND
            json_extract(data, '$.state') = 'deleted' AND subject NOT IN (
                SELECT uuid FROM contents WHERE channel_id = 2)";
        prop_assert!(service.count(of_erased) > 0);
        let known = |key: &&String| key.starts_with("media/c") || key.starts_with("sources/u");
        let contents_of_2 = service.count("SELECT count(*) AS number FROM contents WHERE channel_id = 2");
        prop_assert!(objects.keys().filter(known).count() as u64 <= 2 * contents_of_2, "{:?}", objects.keys());
    }

    #[test]
    fn an_export_has_every_row_of_the_account_once_and_none_of_another_one(
        history in prop::collection::vec((1..3_u64, event()), 0..40), page in 1..4_u32,
    ) {
        let mut service = Service::new();
        for (channel, event) in history {
            service.happen(channel, event);
        }
        let rows = service.export(page);
        prop_assert_eq!(&rows, &service.export(100));
        let tables: BTreeSet<_> = rows.iter().map(|row| row.table).collect();
        for table in ["channels", "api_keys", "daily_usage", "contents", "webhooks", "trail"] {
            prop_assert!(tables.contains(table), "{}", table);
        }
        let count = |table| rows.iter().filter(|row| row.table == table).count() as u64;
        let contents = "SELECT count(*) AS number FROM contents WHERE channel_id = 1";
        prop_assert_eq!(count("contents"), service.count(contents));
        let text = serde_json::to_string(&rows).unwrap();
        prop_assert_eq!(text.matches("\"needs_release\":false").count() as u64, count("contents"));
        let events = "SELECT count(*) AS number FROM events WHERE channel_id = 1";
        prop_assert_eq!(count("events"), service.count(events));
        prop_assert!(text.contains(WORDS[0]) && !text.contains(WORDS[1]), "{}", text);
    }
}

#[test]
fn an_erased_account_is_never_opened_again() {
    let service = Service::new();
    service.begin_erasure();
    service.begin_erasure();
    assert_eq!(service.count("SELECT count(*) AS number FROM trail WHERE action = 'account_erased'"), 1);
    let is_erased = |channel| block_on(is_erased(&service.world.database, ChannelId(channel))).unwrap();
    assert_eq!([is_erased(1), is_erased(2)], [true, false]);
    assert_eq!(service.open(1, ChannelSettings { daily_upload_limit: Some(1), name: Some("back") }), None);
    for sql in [
        "UPDATE channels SET suspended_at_unix = NULL WHERE id = ?1",
        "UPDATE channels SET erased_at_unix = NULL WHERE id = ?1",
    ] {
        assert!(!service.attempt(sql, &[1_u64.into()]), "{sql}");
    }
    assert!(service.tables_with("back").is_empty());
    // A database restored from before the account's first session does not open it either.
    let log = "INSERT INTO removals (kind, subject, data) SELECT 'channel', CAST(?1 AS INTEGER), '{\"is_erased\":1}'";
    service.run(log, &[77_u64.into()]);
    assert_eq!(service.open(77, ChannelSettings::limited(1)), None);
    assert!(service.open(78, ChannelSettings::limited(1)).is_some());
}

#[test]
fn what_has_to_wait_is_tried_again_later() {
    let service = Service::new();
    service.begin_erasure();
    assert!(!service.erase().is_finished());
    let due = "SELECT erasure_due_at_unix AS number FROM channels WHERE id = 1";
    assert_eq!(service.count(due), NOON + RETRY_SECONDS);
}

#[test]
fn contents_that_cannot_be_read_do_not_keep_the_others_of_their_account() {
    let mut service = Service::new();
    for _ in 0..150 {
        service.upload(1);
    }
    service.run("UPDATE contents SET thumbnail = '{\"seconds\":\"x\"}' WHERE id NOT IN (2, 100, 152)", &[]);
    service.begin_erasure();
    assert_eq!(service.erase().contents_left, 149);
}

#[test]
fn accounts_that_cannot_be_erased_do_not_keep_the_others() {
    let service = Service::new();
    for account in 3..9 {
        service.open(account, ChannelSettings::limited(1)).unwrap();
        service.run("INSERT INTO daily_usage (channel_id, day, used) VALUES (?1, 20000, 0)", &[account.into()]);
    }
    service.world.database.run_script(
        "UPDATE channels SET erased_at_unix = 1, suspended_at_unix = 1, evidence_until_unix = 1, erasure_due_at_unix = id
         WHERE id > 2;
         CREATE TRIGGER refuse BEFORE DELETE ON daily_usage WHEN old.channel_id <> 8
         BEGIN SELECT raise(ABORT, 'not this one'); END",
    );
    let left = "SELECT count(*) AS number FROM daily_usage WHERE channel_id = 8";
    for rows in [1, 0] {
        service.world.pass(60);
        let error = block_on(continue_due(&service.world.process(None))).unwrap_err();
        assert!(error.to_string().contains("not this one"), "{error}");
        assert_eq!(service.count(left), rows);
    }
}

#[test]
fn a_large_account_is_erased_over_several_calls() {
    let mut service = Service::new();
    for _ in 0..1_100 {
        service.upload(1);
    }
    service.begin_erasure();
    let progress = service.erase();
    assert_eq!(progress.contents_left, 101);
    assert!(!progress.is_finished());
    service.sweep_after(1);
    assert_eq!(service.erase().contents_left, 0);
}
