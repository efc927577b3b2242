//! The blocklist in segments: a report is compared with exactly the hashes on the list, no matter how they are packed.

use super::change;
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::tests::scene::{NOON, blocklist_of};
use crate::moderation::blocklist::{block, unblock};
use crate::moderation::screening::{Blocklist, Comparison};
use crate::moderation::segment_cache::SegmentCache;
use crate::moderation::segments::pack_additions;
use crate::platform::database::{Database, Statement};
use crate::testing::fake_platform::{FakePlatform, Fault, World};
use contract::PictureHash;
use contract::moderation::{Finding, FrameHash};
use futures_executor::block_on;
use futures_util::FutureExt;
use proptest::prelude::*;
use serde::Deserialize;
use similar_hashes::{BlockedFrame, BlocklistSearch};
use std::rc::Rc;
use std::task::{Context, Waker};

/// A factor for each word of a hash, so that the hashes of different numbers are far apart.
const FACTORS: [u64; 4] = [98_764_321_261, 87_178_291_199, 74_596_893_730_427, 61_728_399_999_997];

/// Adds the hashes with these numbers, which match nothing else in these tests.
pub(super) fn fill(world: &Rc<World>, first: u32, count: u32) {
    let hashes: Vec<_> = (first..first + count).map(numbered_hash).collect();
    let fill = Statement::new(
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
         SELECT value, 'r', 'm', 1 FROM json_each(?1) ORDER BY key",
    );
    block_on(world.database.execute(fill.bind(serde_json::to_string(&hashes).unwrap()))).unwrap();
}

fn numbered_hash(number: u32) -> String {
    let mix = |factor: u64| {
        let mixed = (u64::from(number) + 1).wrapping_mul(factor).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    };
    PictureHash::from_words(FACTORS.map(mix)).to_string()
}

fn pack(world: &Rc<World>) -> u64 {
    let process = world.process(None);
    block_on(pack_additions(&process, &process, UnixSeconds(world.now_unix.get()))).unwrap()
}

fn count(world: &Rc<World>, sql: &'static str) -> u64 {
    #[derive(Deserialize)]
    struct Number {
        number: u64,
    }
    block_on(world.database.first::<Number>(Statement::new(sql))).unwrap().unwrap().number
}

fn additions(world: &Rc<World>) -> u64 {
    count(world, "SELECT count(*) AS number FROM blocklist_additions")
}

fn segment_names(world: &Rc<World>) -> Vec<String> {
    world.objects.borrow().keys().filter(|name| name.starts_with("blocklist/")).cloned().collect()
}

fn finding_at(world: &Rc<World>, hash: &str) -> Option<Finding> {
    let frames = [FrameHash { at_ms: 7, hash: hash.parse().unwrap() }];
    let process = world.process(None);
    block_on(Comparison::new(&frames).update(&blocklist_of(&process))).unwrap().finding
}

#[test]
fn many_additions_are_packed_and_few_stay_in_the_database() {
    let world = World::new(NOON);
    fill(&world, 0, 999);
    assert_eq!((pack(&world), segment_names(&world).len()), (0, 0));
    fill(&world, 999, 1);
    assert_eq!((pack(&world), additions(&world)), (1, 0));
    assert_eq!(segment_names(&world), ["blocklist/1-1000"]);
    assert_eq!(world.objects.borrow()["blocklist/1-1000"].len(), 32_000);
    assert!(finding_at(&world, &numbered_hash(500)).is_some());
}

#[test]
fn a_segment_grows_until_it_is_full_and_the_replaced_one_rests_for_an_hour() {
    let world = World::new(NOON);
    for first in [0, 1_000] {
        fill(&world, first, 1_000);
        pack(&world);
    }
    assert_eq!(segment_names(&world), ["blocklist/1-1000", "blocklist/1-2000"]);
    world.pass(3_600);
    pack(&world);
    assert_eq!(segment_names(&world), ["blocklist/1-2000"]);
    fill(&world, 2_000, 32_000);
    assert_eq!(pack(&world), 1);
    assert_eq!(segment_names(&world), ["blocklist/1-2000", "blocklist/2001-34000"]);
    for number in [0, 1_999, 2_000, 33_999] {
        assert!(finding_at(&world, &numbered_hash(number)).is_some(), "{number}");
    }
}

#[test]
fn a_hash_that_was_removed_after_it_was_packed_matches_nothing() {
    let world = World::new(NOON);
    let hash = "fedcba9876543210".repeat(4);
    block_on(block(&world.database, change(&[&hash]), UnixSeconds(NOON))).unwrap();
    fill(&world, 0, 1_000);
    pack(&world);
    assert!(finding_at(&world, &hash).is_some());
    block_on(unblock(&world.database, change(&[&hash]), UnixSeconds(NOON))).unwrap();
    assert_eq!(finding_at(&world, &hash), None);
    block_on(block(&world.database, change(&[&hash]), UnixSeconds(NOON))).unwrap();
    assert!(finding_at(&world, &hash).is_some());
}

#[test]
fn an_isolate_reads_each_segment_once_and_a_change_costs_one_statement() {
    let world = World::new(NOON);
    fill(&world, 0, 40_000);
    pack(&world);
    let (process, segments) = (world.process(None), SegmentCache::new(2 * 1024 * 1024));
    let blocklist = Blocklist { database: &process, objects: &process, segments: &segments };
    let frames = [FrameHash { at_ms: 7, hash: "fedcba9876543210".repeat(4).parse().unwrap() }];
    let operations = |comparison: &mut Comparison<'_>| {
        let before = process.operations();
        block_on(comparison.update(&blocklist)).unwrap();
        process.operations() - before
    };
    let mut first = Comparison::new(&frames);
    assert_eq!(operations(&mut first), 3);
    assert_eq!(operations(&mut Comparison::new(&frames)), 1);
    fill(&world, 40_000, 1);
    assert_eq!(operations(&mut first), 1);
}

#[test]
fn no_crash_while_packing_loses_a_hash() {
    let hash = "fedcba9876543210".repeat(4);
    for fault in [Fault::Fail, Fault::DieBefore, Fault::DieAfter, Fault::LoseAnswer] {
        for number in 0..10 {
            let world = World::new(NOON);
            fill(&world, 0, 1_000);
            pack(&world);
            fill(&world, 1_000, 1_000);
            block_on(block(&world.database, change(&[&hash]), UnixSeconds(NOON))).unwrap();
            let process = world.process(Some((number, fault)));
            // A process that died never continues.
            let outcome = pack_additions(&process, &process, UnixSeconds(NOON)).now_or_never();
            assert!(finding_at(&world, &hash).is_some(), "{fault:?} {number}: {outcome:?}");
            pack(&world);
            assert_eq!(additions(&world), 0, "{fault:?} {number}");
            for known in [&hash, &numbered_hash(0), &numbered_hash(1_999)] {
                assert!(finding_at(&world, known).is_some(), "{fault:?} {number}");
            }
        }
    }
}

#[test]
fn two_sweeps_at_once_pack_each_hash_once() {
    let world = World::new(NOON);
    fill(&world, 0, 1_000);
    let process = world.process(None).yielding();
    let run = |process: &FakePlatform| {
        let process = process.clone();
        async move { pack_additions(&process, &process, UnixSeconds(NOON)).await.unwrap() }
    };
    // A process that yields is not woken, but polled again.
    let mut both = Box::pin(futures_util::future::join(run(&process), run(&process)));
    let mut context = Context::from_waker(Waker::noop());
    while both.as_mut().poll(&mut context).is_pending() {}
    assert_eq!(additions(&world), 0);
    assert_eq!(count(&world, "SELECT count(*) AS number FROM blocklist_segments"), 1);
    assert!(finding_at(&world, &numbered_hash(500)).is_some());
}

/// A step of a list's life: hashes are added, with a content or directly, or removed, or the sweep packs them.
#[derive(Clone, Debug)]
enum Step {
    Add { picture: u8, flips: u8, content: Option<u64> },
    Remove { picture: u8, flips: u8 },
    Pack,
    Update,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let content = prop::option::of(1_u64..4);
    let add = (0_u8..6, 0_u8..90, content).prop_map(|(picture, flips, content)| Step::Add { picture, flips, content });
    let remove = (0_u8..6, 0_u8..90).prop_map(|(picture, flips)| Step::Remove { picture, flips });
    prop::collection::vec(prop_oneof![6 => add, 2 => remove, 1 => Just(Step::Pack), 1 => Just(Step::Update)], 0..60)
}

/// Returns one of six pictures with its first bits inverted.
fn hash_of(picture: u8, flips: u8) -> PictureHash {
    let mut bytes = [picture.wrapping_mul(0x2b); PictureHash::BYTES];
    for bit in 0..usize::from(flips) {
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
    PictureHash::from_bytes(bytes)
}

fn apply(world: &Rc<World>, step: &Step) {
    let statement = match step {
        Step::Add { picture, flips, content } => Statement::new(
            "INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix, content_id)
             VALUES (?1, coalesce(CAST(?2 AS TEXT), ''), 'r', 'm', 1, ?2) ON CONFLICT DO NOTHING",
        )
        .bind(hash_of(*picture, *flips).to_string())
        .bind(*content),
        Step::Remove { picture, flips } => {
            Statement::new("DELETE FROM blocked_hashes WHERE hash = ?1").bind(hash_of(*picture, *flips).to_string())
        }
        Step::Pack | Step::Update => return,
    };
    block_on(world.database.execute(statement)).unwrap();
}

/// Returns the finding by the definition of a match: every hash of the list is compared with every frame.
fn defined_finding(world: &Rc<World>, frames: &[FrameHash]) -> Option<Finding> {
    #[derive(Deserialize)]
    struct Row {
        hash: PictureHash,
        content_id: Option<u64>,
    }
    let select = Statement::new("SELECT hash, content_id FROM blocked_hashes ORDER BY hash");
    let rows: Vec<Row> = block_on(world.database.all(select)).unwrap();
    // A hash without a content counts as its own content.
    let blocked = rows.iter().zip(1_000..);
    let blocked =
        blocked.map(|(row, own)| BlockedFrame { content: row.content_id.unwrap_or(2_000 - own), hash: row.hash });
    let mut search = BlocklistSearch::new(frames);
    search.add_page(&blocked.collect::<Vec<_>>());
    search.finding()
}

/// Removes the number of the content, which is arbitrary for a hash without a content.
fn without_number(finding: Option<Finding>) -> Option<Finding> {
    finding.map(|finding| {
        let note = finding.note.unwrap();
        let (note, _) = note.rsplit_once(' ').unwrap();
        Finding { note: Some(note.to_owned()), ..finding }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(30, 1_000)))]

    #[test]
    fn a_comparison_finds_exactly_what_its_definition_finds(
        steps in steps(), video in prop::collection::vec((0_u8..6, 0_u8..90), 1..20),
    ) {
        let world = World::new(NOON);
        for id in 1..4_u64 {
            insert_content(&world, id);
        }
        let frames: Vec<_> = video.iter().zip(0..).map(|((picture, flips), at_ms)| {
            FrameHash { at_ms, hash: hash_of(*picture, *flips) }
        }).collect();
        let (process, segments) = (world.process(None), SegmentCache::new(64 * 1024));
        let blocklist = Blocklist { database: &process, objects: &process, segments: &segments };
        // This comparison begins early and is brought up to date again and again.
        let mut updated = Comparison::new(&frames);
        let mut filled = 10_000;
        for step in &steps {
            apply(&world, step);
            if matches!(step, Step::Pack) {
                fill_far(&world, filled);
                filled += 1_000;
                pack(&world);
            }
            if matches!(step, Step::Update) {
                block_on(updated.update(&blocklist)).unwrap();
            }
        }
        let expected = without_number(defined_finding(&world, &frames));
        let new = block_on(Comparison::new(&frames).update(&blocklist)).unwrap();
        prop_assert_eq!(without_number(new.finding), expected.clone());
        let late = block_on(updated.update(&blocklist)).unwrap();
        prop_assert_eq!((without_number(late.finding), late.version), (expected, new.version));
    }
}

/// Adds enough hashes that the sweep packs. They match no picture.
fn fill_far(world: &Rc<World>, first: u32) {
    let fill = Statement::new(
        "WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1 + 999)
         INSERT INTO blocklist_additions (hash) SELECT printf('%032x', n) || 'ffffffffffffffff0000000000000000' FROM numbers",
    );
    block_on(world.database.execute(fill.bind(first))).unwrap();
}

fn insert_content(world: &Rc<World>, id: u64) {
    let channel = Statement::new(
        "INSERT INTO channels (id, account_id, daily_upload_limit, created_at_unix) VALUES (1, 1, 1, 1)
         ON CONFLICT DO NOTHING",
    );
    let upload = Statement::new(
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         VALUES (?1, 'u' || ?1, 1, 20000, 'committed', 0)",
    );
    let content = Statement::new(
        "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         VALUES (?1, 'c' || ?1, 1, 'processing', 's' || ?1, 'm' || ?1, '{\"size_bytes\":7}', 5000, 'h' || ?1, 1)",
    );
    let job = Statement::new(
        "INSERT INTO jobs (content_id, channel_id, kind, state, generation, enqueued_at_unix)
         VALUES (?1, 1, 'video', 'due', 1, 1)",
    );
    let statements = vec![channel, upload.bind(id), content.bind(id), job.bind(id)];
    block_on(world.database.batch(statements)).unwrap();
}
