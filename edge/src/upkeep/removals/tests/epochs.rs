//! Neither ids nor generations of a lost database are reused.

use super::{backup, compare, restore};
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::Command;
use crate::jobs::tests::scene::Scene;
use crate::people::keys::channels::{ChannelSettings, ensure_channel};
use contract::ContentState;
use contract::job::JobWork;
use futures_executor::block_on;
use std::collections::BTreeSet;

#[test]
fn no_lost_id_is_given_again_after_any_number_of_restorations() {
    let sign_up = |scene: &Scene, account| {
        block_on(ensure_channel(&scene.world.database, account, ChannelSettings::limited(4), UnixSeconds(1))).unwrap()
    };
    let mut given = vec![1];
    let mut lost = backup();
    for account in 100..104 {
        given.push(sign_up(&lost, account));
        lost.attempt("UPDATE access_tokens SET ended_by = 'operator'").unwrap();
        compare(&lost);
        let restored = restore(&lost);
        assert!(compare(&restored) > 0);
        lost = restored;
    }
    let distinct: BTreeSet<_> = given.iter().collect();
    assert_eq!(distinct.len(), given.len(), "{given:?}");
    // The last table is empty in every backup. The log itself has names that never repeat.
    let raised = "SELECT count(*) AS number FROM sqlite_sequence WHERE seq = 4000000000000 AND name IN (
        SELECT name FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%' AND name NOT IN ('removals', 'trail'))";
    let numbered = "SELECT count(*) - 2 AS number FROM sqlite_schema WHERE sql LIKE '%AUTOINCREMENT%'";
    assert_eq!(lost.count(raised), lost.count(numbered));
}

#[test]
fn a_job_that_may_have_gone_on_since_the_backup_gets_a_folder_of_its_own() {
    let lost = backup();
    lost.attempt("UPDATE access_tokens SET ended_by = 'operator'").unwrap();
    compare(&lost);
    let restored = Scene::new();
    restored.claim("a", 1);
    restored.world.objects.replace(lost.world.objects.borrow().clone());
    restored
        .attempt(
            "INSERT INTO access_tokens (name, token_hash, roles, created_at_unix, created_by, ends_at_unix)
        VALUES ('t', replace(hex(zeroblob(32)), '0', 'b'), '[]', 1, 'operator', 9000000000)",
        )
        .unwrap();
    assert!(compare(&restored) > 0);
    let row = restored.row();
    assert_eq!((row.state, row.generation, row.claimed_by), (ContentState::Processing, 1_000_000, None));
}

/// Returns the generation of the content, and of its job to send.
fn generations(scene: &Scene) -> (u64, u64) {
    (scene.row().generation, scene.count("SELECT generation AS number FROM jobs WHERE state IN ('held', 'due')"))
}

#[test]
fn the_job_of_a_later_change_starts_again_and_the_video_keeps_its_files() {
    for kind in [JobWork::Thumbnail, JobWork::Captions] {
        let lost = backup();
        lost.attempt("UPDATE access_tokens SET ended_by = 'operator'").unwrap();
        compare(&lost);
        let restored = restore(&lost);
        restored.apply(&Command::MakeAgain(kind));
        restored.claim("a", restored.row().generation);
        assert!(compare(&restored) > 0);
        assert_eq!(generations(&restored), (1_000_000, 1_000_000));
        let unclaimed =
            "SELECT claimed_by IS NULL AND attempt = 0 AND media_generation = 1 AS number
             FROM contents JOIN jobs ON content_id = contents.id WHERE kind <> 'video' AND contents.state = 'published'";
        assert_eq!(restored.count(unclaimed), 1);
    }
}

#[test]
fn no_job_gets_the_folder_of_a_lost_job_after_any_number_of_restorations() {
    let mut lost = backup();
    for epoch in 1..4 {
        lost.attempt("UPDATE access_tokens SET ended_by = 'operator'").unwrap();
        compare(&lost);
        let restored = restore(&lost);
        compare(&restored);
        for number in [epoch * 1_000_000, epoch * 1_000_000 + 1] {
            restored.apply(&Command::MakeAgain(JobWork::Thumbnail));
            assert_eq!(generations(&restored), (number, number));
            restored.rule("UPDATE jobs SET state = 'done' WHERE kind = 'thumbnail'").unwrap();
        }
        lost = restored;
    }
}

#[test]
fn a_new_origin_key_that_the_backup_lacks_begins_an_epoch() {
    let make_key = "INSERT INTO origin_keys (name, created_at_unix, created_by) VALUES ('new', 2, 'operator')";
    let lost = backup();
    lost.attempt(make_key).unwrap();
    compare(&lost);
    let restored = restore(&lost);
    compare(&restored);
    restored.attempt(make_key).unwrap();
    assert_eq!(restored.count("SELECT max(id) AS number FROM origin_keys"), 1_000_000_000_001);
}
