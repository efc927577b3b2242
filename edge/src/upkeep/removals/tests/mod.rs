//! Tests that restoring a backup repeats the removals since then, even if D1 or R2 fails in between.

mod epochs;
mod failures;
mod order;
mod owners;

use super::{Contradiction, Repeating, compare_log};
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::tests::scene::{Scene, processed};
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use crate::platform::database::{Database, Statement};
use contract::ContentState;
use contract::moderation::Recommendation;
use futures_executor::block_on;
use proptest::prelude::*;
use serde::Deserialize;

const HASH: &str = "abababababababababababababababababababababababababababababababab";

/// Returns the state of a backup: a published content, a key, a token, an origin key and a webhook.
fn backup() -> Scene {
    let scene = Scene::new();
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Recommendation::Pass]));
    assert_eq!(scene.row().state, ContentState::Published);
    for sql in [
        "INSERT INTO api_keys (channel_id, key_hash, key_hint, created_at_unix)
         VALUES (1, replace(hex(zeroblob(32)), '0', 'a'), 'hint', 1)",
        "INSERT INTO access_tokens (name, token_hash, roles, created_at_unix, created_by, ends_at_unix)
         VALUES ('t', replace(hex(zeroblob(32)), '0', 'b'), '[]', 1, 'operator', 9000000000)",
        "INSERT INTO origin_keys (name, created_at_unix, created_by) VALUES ('o', 1, 'operator')",
        "UPDATE contents SET caption = 'words'",
        "INSERT INTO captions (name, content_id, language, sha256, is_shown)
         VALUES ('shown', 1, 'de', 'x', 1), ('wanted', 1, 'fr', 'y', 0)",
        "INSERT INTO webhooks (uuid, channel_id, url, created_at_unix) VALUES ('w', 1, 'https://a.example', 1)",
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
         VALUES (replace(hex(zeroblob(32)), '0', 'c'), 'r', 'm', 1)",
    ] {
        scene.happen(sql).unwrap();
    }
    compare(&scene);
    scene
}

/// Each way to remove something, and the condition that must hold from then on.
const REMOVALS: [(&str, &str); 19] = [
    ("DELETE FROM api_keys", "SELECT count(*) = 0 AS number FROM api_keys"),
    (
        "UPDATE api_keys SET key_hash = replace(hex(zeroblob(32)), '0', 'd'), key_hint = 'other', rotated_at_unix = 5",
        "SELECT count(*) = 0 AS number FROM api_keys WHERE key_hint = 'hint'",
    ),
    (
        "UPDATE contents SET state = 'taken_down', error_code = 'content_moderation_rejected'",
        "SELECT state = 'taken_down' AND error_code IS NOT NULL AND generation = 1000000 AS number FROM contents",
    ),
    (
        "UPDATE contents SET state = 'deleted', caption = NULL",
        "SELECT state = 'deleted' AND caption IS NULL AND generation = 1000000 AS number FROM contents",
    ),
    (
        "INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix, content_id, at_ms)
         VALUES ('abababababababababababababababababababababababababababababababab', 'c', 'r', 'm', 1, 1, 2)",
        "SELECT count(*) AS number FROM blocked_hashes WHERE hash LIKE 'ab%' AND content_id = 1 AND at_ms = 2",
    ),
    (
        "INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix, content_id)
         VALUES ('f', 'c', 'r', 'm', 1, 1)",
        "SELECT count(*) AS number FROM blocked_files WHERE sha256 = 'f' AND content_id = 1",
    ),
    (
        "UPDATE channels SET suspended_at_unix = 7",
        "SELECT count(*) AS number FROM channels WHERE suspended_at_unix IS NOT NULL",
    ),
    (
        "UPDATE channels SET erased_at_unix = 7",
        "SELECT erased_at_unix IS NOT NULL AND suspended_at_unix IS NOT NULL AND erasure_due_at_unix = 0
             AND NOT EXISTS (SELECT 1 FROM api_keys) AND NOT EXISTS (SELECT 1 FROM webhooks WHERE state <> 'disabled')
             AS number FROM channels",
    ),
    (
        "UPDATE access_tokens SET ended_by = 'operator', ends_at_unix = 7",
        "SELECT ended_by IS NOT NULL AND ends_at_unix <= unixepoch() AS number FROM access_tokens",
    ),
    (
        "UPDATE origin_keys SET ended_at_unix = 7, ended_by = 'operator'",
        "SELECT count(*) AS number FROM origin_keys WHERE ended_at_unix IS NOT NULL",
    ),
    ("UPDATE webhooks SET url = 'https://b.example'", "SELECT state = 'disabled' AS number FROM webhooks"),
    ("DELETE FROM webhooks", "SELECT state = 'disabled' AS number FROM webhooks"),
    (
        "UPDATE webhooks SET state = 'disabled', secret_version = 3",
        "SELECT state = 'disabled' AND secret_version = 3 AS number FROM webhooks",
    ),
    ("UPDATE contents SET caption = NULL", "SELECT caption IS NULL AS number FROM contents"),
    ("UPDATE contents SET caption = 'other words'", "SELECT caption IS NULL AS number FROM contents"),
    ("UPDATE contents SET is_unlisted = 1", "SELECT is_unlisted = 1 AS number FROM contents"),
    ("UPDATE contents SET is_sensitive = 2", "SELECT is_sensitive = 2 AS number FROM contents"),
    (
        "UPDATE captions SET is_wanted = 0 WHERE is_shown = 1",
        "SELECT count(*) AS number FROM jobs WHERE kind = 'captions' AND state IN ('held', 'due')
             AND generation >= 1000000 AND (SELECT count(*) FROM captions WHERE is_wanted = 1) = 1",
    ),
    ("DELETE FROM captions WHERE is_shown = 0", "SELECT count(*) = 1 AS number FROM captions"),
];

/// Compares as a sweep does, and returns how many removals were repeated.
fn compare(scene: &Scene) -> usize {
    block_on(compare_log(&scene.world.process(None), Repeating::IfRestored)).unwrap().contradicted.len()
}

/// Returns the kinds of contradictions, and of what is never repeated, without repeating anything.
fn look(scene: &Scene) -> (Vec<String>, Vec<String>) {
    let kinds = |found: Vec<Contradiction>| found.into_iter().map(|one| one.kind).collect();
    let found = block_on(compare_log(&scene.world.process(None), Repeating::Never)).unwrap();
    assert!(found.is_complete);
    (kinds(found.contradicted), kinds(found.not_repeated))
}

/// Returns the backup as the database, with the objects that R2 has now.
fn restore(lost: &Scene) -> Scene {
    #[derive(Deserialize)]
    struct Entry {
        id: u64,
        name: String,
    }
    let restored = backup();
    restored.world.objects.replace(lost.world.objects.borrow().clone());
    // The same code made both, but names are random. In a real backup, entries have the same names as in R2.
    let entries = Statement::new("SELECT id, name FROM removals");
    for Entry { id, name } in block_on(lost.world.database.all::<Entry>(entries)).unwrap() {
        let rename = Statement::new("UPDATE removals SET name = ?2, is_stored = 1 WHERE id = ?1");
        block_on(restored.world.database.execute(rename.bind(id).bind(name))).unwrap();
    }
    restored
}

#[test]
fn whatever_was_removed_after_the_backup_is_removed_again() {
    for (removal, condition) in REMOVALS {
        let lost = backup();
        lost.happen(removal).unwrap();
        assert_eq!(compare(&lost), 0, "nothing was restored yet: {removal}");
        let restored = restore(&lost);
        assert_eq!(restored.count(condition), 0, "the backup still has it: {removal}");
        assert!(compare(&restored) > 0, "{removal}");
        assert_eq!(restored.count(condition), 1, "{removal}");
        assert_eq!(compare(&restored), 0, "repeated once: {removal}");
    }
}

#[test]
fn the_event_of_a_repeated_removal_has_the_whole_slug_of_a_compacted_content() {
    let lost = backup();
    lost.happen("UPDATE contents SET state = 'taken_down'").unwrap();
    compare(&lost);
    let restored = restore(&lost);
    restored.happen("UPDATE contents SET is_compacted = 1, slug_url = '~aB3dE5gH7j'").unwrap();
    assert!(compare(&restored) > 0);
    let events = "SELECT count(*) AS number FROM events
        WHERE type = 'content.taken_down' AND data ->> '$.slug_url' = 'words-aB3dE5gH7j'";
    assert_eq!(restored.count(events), 1);
}

#[test]
fn a_content_that_was_not_published_in_the_backup_never_is() {
    let lost = backup();
    lost.happen("UPDATE contents SET state = 'taken_down'").unwrap();
    compare(&lost);
    let restored = Scene::new();
    restored.world.objects.replace(lost.world.objects.borrow().clone());
    assert!(compare(&restored) > 0);
    assert_eq!(restored.row().state, ContentState::Rejected);
}

#[test]
fn a_removal_that_was_reversed_is_neither_repeated_nor_reversed_again() {
    let lost = backup();
    lost.happen("DELETE FROM blocked_hashes").unwrap();
    let block = "INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix)
        VALUES ('f', 'c', 'r', 'm', 1)";
    lost.happen(block).unwrap();
    lost.happen("DELETE FROM blocked_files").unwrap();
    lost.happen("UPDATE contents SET state = 'taken_down'").unwrap();
    lost.happen("UPDATE contents SET state = 'published'").unwrap();
    compare(&lost);
    let restored = restore(&lost);
    assert_eq!(compare(&restored), 0);
    assert_eq!(restored.row().state, ContentState::Published);
    assert_eq!(restored.count("SELECT count(*) AS number FROM blocked_files"), 0);
    assert_eq!(restored.count("SELECT count(*) AS number FROM blocked_hashes"), 1, "only a person unblocks it again");
}

#[test]
fn a_restored_database_blocks_a_hash_and_a_file_for_each_removed_content() {
    let lost = backup();
    for sql in [
        "INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix)
         SELECT printf('%064x', 7), value, 'r', 'm', 1 FROM json_each('[\"c\", \"d\", \"e\", \"\"]')",
        "INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix)
         SELECT 'f', value, 'r', 'm', 1 FROM json_each('[\"c\", \"d\", \"e\"]')",
        "DELETE FROM blocked_hashes WHERE content_uuid = 'c'",
        "DELETE FROM blocked_files WHERE content_uuid = 'c'",
    ] {
        lost.happen(sql).unwrap();
    }
    compare(&lost);
    let restored = restore(&lost);
    assert_eq!(compare(&restored), 5);
    let hashes = "SELECT count(*) AS number FROM blocked_hashes WHERE hash = printf('%064x', 7)
         AND content_uuid IN ('d', 'e', '')";
    let files = "SELECT count(*) AS number FROM blocked_files WHERE sha256 = 'f' AND content_uuid IN ('d', 'e')";
    let withdrawn = "SELECT (SELECT count(*) FROM blocked_hashes WHERE content_uuid = 'c')
         + (SELECT count(*) FROM blocked_files WHERE content_uuid = 'c') AS number";
    assert_eq!([hashes, files, withdrawn].map(|sql| restored.count(sql)), [3, 2, 0]);
}

#[test]
fn reversals_are_reported() {
    let lost = backup();
    lost.happen("DELETE FROM blocked_hashes").unwrap();
    compare(&lost);
    let restored = restore(&lost);
    assert_eq!(look(&restored), (vec![], vec!["hash".to_owned()]));
}

#[test]
fn looking_changes_nothing() {
    let lost = backup();
    for (removal, _) in REMOVALS.iter().skip(2).filter(|(sql, _)| !sql.starts_with("DELETE")) {
        // A content is removed in one way only, and a webhook that was deleted cannot be disabled.
        let _ = lost.happen(removal);
    }
    compare(&lost);
    let restored = restore(&lost);
    let (pending, _) = look(&restored);
    for kind in
        ["content", "hash", "file", "channel", "token", "origin_key", "webhook", "webhook_url", "webhook_secret"]
    {
        assert!(pending.iter().any(|found| found == kind), "{kind} in {pending:?}");
    }
    assert_eq!(restored.row().state, ContentState::Published);
    assert_eq!(look(&restored).0, pending);
}

#[test]
fn an_account_that_the_backup_does_not_have_stays_suspended() {
    let lost = backup();
    block_on(ensure_channel(&lost.world.database, 77, ChannelSettings::limited(4), UnixSeconds(1))).unwrap();
    lost.happen("UPDATE channels SET suspended_at_unix = 7 WHERE account_id = 77").unwrap();
    compare(&lost);
    let restored = restore(&lost);
    compare(&restored);
    block_on(ensure_channel(&restored.world.database, 77, ChannelSettings::limited(4), UnixSeconds(1))).unwrap();
    let suspended = "SELECT count(*) AS number FROM channels WHERE account_id = 77 AND suspended_at_unix IS NOT NULL";
    assert_eq!(restored.count(suspended), 1);
}

#[test]
fn many_entries_are_kept_in_few_objects() {
    let lost = backup();
    let insert = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
        INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix) SELECT printf('%064x', n), 'r', 'm', 1
        FROM numbers";
    lost.happen(insert).unwrap();
    let before = lost.world.objects.borrow().len();
    compare(&lost);
    assert_eq!(lost.world.objects.borrow().len() - before, 3);
    let restored = restore(&lost);
    compare(&restored);
    assert_eq!(restored.count("SELECT count(*) AS number FROM blocked_hashes"), 1_201);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(24, 2_000)))]

    /// Blocking and unblocking in any order: the last entry decides, and only towards blocking.
    #[test]
    fn the_last_entry_of_a_subject_decides(changes in prop::collection::vec(any::<bool>(), 1..8)) {
        let lost = backup();
        for is_blocked in &changes {
            lost.happen(if *is_blocked {
                "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
                 VALUES ('abababababababababababababababababababababababababababababababab', 'r', 'm', 1)
                 ON CONFLICT DO NOTHING"
            } else {
                "DELETE FROM blocked_hashes WHERE hash LIKE 'ab%'"
            }).unwrap();
            compare(&lost);
        }
        let restored = restore(&lost);
        compare(&restored);
        let select = Statement::new("SELECT 1 FROM blocked_hashes WHERE hash = ?1").bind(HASH);
        let is_blocked = block_on(restored.world.database.returns_rows(select)).unwrap();
        prop_assert_eq!(is_blocked, changes.last() == Some(&true));
    }
}
