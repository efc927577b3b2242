//! The bytes of a finished content in the database, all tables and indexes together.
//!
//! `cargo test -p edge --lib -- compaction::tests::sizes --nocapture` prints where they are.

use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::World;
use crate::testing::sqlite::Sqlite;
use crate::testing::sweep;
use contract::MediaFile;
use contract::job::{StoredFile, StoredMedia};
use futures_executor::block_on;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::rc::Rc;

const CONTENTS: u32 = 4_000;
const NOW: u64 = 1_800_000_000;
/// `docs/benchmarks.md` quotes these numbers.
const WITHOUT_TOKEN: u64 = 700;
const WITH_TOKEN: u64 = 900;

/// The life of contents, statement by statement: a caption of 60 characters, a report with one finding, and a job that
/// is done. The events are gone by now. `?1` is the media of each, or whether uploads have tokens.
const LIVES: [&str; 9] = [
    "INSERT INTO channels (account_id, daily_upload_limit, created_at_unix)
     SELECT value, 50, 1700000000 FROM generate WHERE value <= 100",
    "INSERT INTO uploads (uuid, channel_id, day, state, lease_ends_at_unix)
     SELECT uuid, 1 + abs(random()) % 100, 19675 + value / 4000, 'reserved', 1700000120 + value * 20 FROM generate",
    "UPDATE uploads SET upload_token = lower(hex(randomblob(4))) || '-4a4a-4b4b-8c8c-' || lower(hex(randomblob(6)))
     WHERE ?1 = '1'",
    "UPDATE uploads SET state = 'committed', fingerprint = lower(hex(randomblob(32))), limit_day = day,
         limit_amount = 50, limit_used = 3",
    "INSERT INTO contents (uuid, id, channel_id, state, slug_url, media_name, caption, super_category_id, source,
         duration_ms, file_sha256, created_at_unix)
     SELECT generate.uuid, uploads.id, channel_id, 'processing',
         'a-caption-with-sixty-characters-of-which-most-are-in-a-slug-' || hex(randomblob(5)),
         lower(hex(randomblob(12))) || '.mp4',
         'A caption with sixty characters, of which most are in a slug', 3,
         '{\"container\":\"mp4\",\"width\":1280,\"height\":720,\"size_bytes\":20000000}', 60000,
         lower(hex(randomblob(32))), 1700000000 + value * 20
     FROM generate JOIN uploads ON uploads.id = value",
    "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, recommendation, received_at_unix,
         blocklist_version)
     SELECT id, 1, 'origin-1', lower(hex(randomblob(32))), 'processed', 'pass', created_at_unix + 60, 12 FROM contents",
    "INSERT INTO findings (content_id, generation, number, check_name, recommendation, from_ms, until_ms, score, note)
     SELECT id, 1, 0, 'classifier', 'pass', 0, 60000, 0.031, 'nothing was found' FROM contents",
    "INSERT INTO jobs (content_id, channel_id, kind, state, generation, traceparent, enqueued_at_unix, sendings,
         attempt, last_signed_at_unix, stage, percent, report, ended_at_unix)
     SELECT id, channel_id, 'video', 'done', 1, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
         created_at_unix, 1, 1, created_at_unix + 59, 'store', 90, lower(hex(randomblob(32))), created_at_unix + 60
     FROM contents",
    "UPDATE contents SET state = 'published', media_generation = 1, media = ?1,
         published_at_unix = created_at_unix + 60, finished_at_unix = created_at_unix + 60",
];

#[derive(Deserialize)]
struct Part {
    name: String,
    bytes: u64,
}

/// Returns the media of a minute in 720p, as a job reports them.
fn media() -> String {
    let size = |file: MediaFile| match file {
        MediaFile::Video => 19_000_000,
        MediaFile::Segments(name) => u64::from(name.height) * 20_000,
        MediaFile::SoundSegments | MediaFile::LowSoundSegments => 700_000,
        MediaFile::Poster | MediaFile::Storyboard | MediaFile::Preview => 90_000,
        _ => 3_000,
    };
    let file = |file: MediaFile| StoredFile { name: file.to_string(), size_bytes: size(file) };
    let files = MediaFile::all([720, 480, 360, 240], 0).into_iter().map(file).collect();
    let media =
        StoredMedia { duration_ms: 60_000, width: 1_280, height: 720, files, ..crate::jobs::tests::stored_media() };
    serde_json::to_string(&media).unwrap()
}

fn execute(database: &Sqlite, sql: &'static str, value: Option<&str>) {
    let statement = Statement::new(sql);
    database.transact(&[value.map_or(statement.clone(), |value| statement.bind(value))]).unwrap();
}

fn finished_contents(has_tokens: bool) -> Rc<World> {
    let world = World::new(NOW);
    let database = &world.database;
    execute(
        database,
        "CREATE TEMP TABLE generate AS WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT 4000)
         SELECT value, printf('%08x-%04x-7%03x-8%03x-', 26000000 + value / 3, value % 65536, value % 4096, value % 4096)
             || lower(hex(randomblob(6))) AS uuid FROM n",
        None,
    );
    for sql in LIVES {
        let value = if sql.contains("media = ?1") { media() } else { u8::from(has_tokens).to_string() };
        let is_bound = sql.contains("?1");
        execute(database, sql, is_bound.then_some(value.as_str()));
    }
    world
}

/// Returns the bytes of each table and index, by name.
fn parts(database: &Sqlite) -> BTreeMap<String, u64> {
    let select = "SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name";
    let parts: Vec<Part> = block_on(database.all(Statement::new(select))).unwrap();
    parts.into_iter().map(|part| (part.name, part.bytes)).collect()
}

/// Returns the bytes of a content, and prints the parts of them.
fn bytes_of_a_content(title: &str, database: &Sqlite, empty: &BTreeMap<String, u64>) -> u64 {
    let parts = parts(database);
    let mut grown: Vec<_> = parts
        .iter()
        .map(|(name, bytes)| (bytes - empty.get(name).copied().unwrap_or_default().min(*bytes), name))
        .collect();
    grown.sort_unstable_by(|left, right| right.cmp(left));
    let total = grown.iter().map(|(bytes, _)| bytes).sum::<u64>() / u64::from(CONTENTS);
    println!("{title}: {total} bytes a content");
    for (bytes, name) in grown.iter().filter(|(bytes, _)| *bytes >= u64::from(CONTENTS)) {
        println!("  {:>6} {name}", bytes / u64::from(CONTENTS));
    }
    total
}

fn compacted_bytes(has_tokens: bool) -> u64 {
    let empty = parts(&World::new(NOW).database);
    let world = finished_contents(has_tokens);
    bytes_of_a_content("finished", &world.database, &empty);
    for _ in 0..3 {
        block_on(sweep(&world.process(None))).unwrap();
    }
    let left = "SELECT count(*) AS number FROM contents WHERE is_compacted = 0";
    assert_eq!(world.database.transact(&[Statement::new(left)]).unwrap()[0].0[0]["number"], 0);
    let bytes = bytes_of_a_content("compacted", &world.database, &empty);
    world.database.transact(&[Statement::new("DROP TABLE temp.generate")]).unwrap();
    bytes
}

#[test]
fn a_finished_content_takes_few_bytes() {
    let (without_token, with_token) = (compacted_bytes(false), compacted_bytes(true));
    assert!(without_token <= WITHOUT_TOKEN, "{without_token}");
    assert!(with_token <= WITH_TOKEN, "{with_token}");
}
