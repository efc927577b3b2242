//! Evidence of contents that an owner deleted, postponed publications, and releases.

use super::{backup, compare, restore};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::owner_changes::{OwnedContent, delete, release};
use crate::jobs::tests::scene::{NOON, Scene, processed, uuid};
use crate::moderation::decisions::{DecisionKind, DecisionRequest, decide};
use crate::moderation::flags;
use contract::ContentState;
use contract::moderation::Recommendation;
use futures_executor::block_on;

/// The owner deletes the content, and evidence is kept until a time.
fn delete_keeping(scene: &Scene, until: u64) {
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), UnixSeconds(until))).unwrap();
}

#[test]
fn evidence_is_kept_again_until_its_retention_ends() {
    for (until, kept) in [(9_000_000_000, 1), (6, 0)] {
        let lost = backup();
        lost.happen("UPDATE contents SET state = 'taken_down', error_code = 'content_moderation_rejected'").unwrap();
        delete_keeping(&lost, until);
        compare(&lost);
        let restored = restore(&lost);
        assert!(compare(&restored) > 0);
        assert_eq!(restored.count("SELECT state = 'deleted' AND caption IS NULL AS number FROM contents"), 1);
        let evidence = format!(
            "SELECT count(*) AS number FROM evidence WHERE caption = 'words' AND state = 'taken_down'
                 AND deleted_at_unix = {NOON} AND kept_until_unix = 9000000000"
        );
        assert_eq!(restored.count(&evidence), kept);
    }
}

fn take_down(scene: &Scene) {
    let uuid = uuid();
    let request =
        DecisionRequest { kind: DecisionKind::TakeDown, content_uuid: &uuid, reason: "r", by: "m", kept_frames: &[] };
    block_on(decide(&scene.world.database, &request, scene.now())).unwrap();
}

#[test]
fn unfinished_uploads_and_one_time_tokens_end_with_a_restoration() {
    let lost = backup();
    delete_keeping(&lost, 6);
    compare(&lost);
    let restored = restore(&lost);
    for sql in [
        "INSERT INTO resumable_uploads (secret_sha256, channel_id, upload_uuid, tails_uuid, state, length, request,
             expires_at_unix)
         VALUES ('s1', 1, 'u1', 't1', 'open', 9, '{}', 9000000000), ('s2', 1, 'u2', 't2', 'accepted', 9, '{}', 9000000000)",
        "INSERT INTO direct_uploads (uuid, channel_id, token_sha256, rules, created_at_unix, expires_at_unix)
         VALUES ('d', 1, replace(hex(zeroblob(32)), '0', 'e'), '{}', 1, 9000000000)",
    ] {
        restored.happen(sql).unwrap();
    }
    assert!(compare(&restored) > 0);
    for (sql, number) in [
        ("SELECT count(*) AS number FROM resumable_uploads WHERE state = 'open'", 0),
        ("SELECT count(*) AS number FROM resumable_uploads WHERE state = 'accepted'", 1),
        ("SELECT count(*) AS number FROM direct_uploads WHERE state = 'revoked'", 1),
        ("SELECT count(*) AS number FROM garbage WHERE upload_uuid IN ('u1', 't1')", 2),
    ] {
        assert_eq!(restored.count(sql), number, "{sql}");
    }
}

/// A change, its name, and the numbers that it leads to.
type Case = (&'static str, fn(&Scene), [u64; 3]);

#[test]
fn the_evidence_of_a_flagged_content_is_kept_again_unless_a_moderator_dismissed_the_flag() {
    let dismiss = |scene: &Scene| assert!(block_on(flags::dismiss(&scene.world.database, &uuid(), "r", "m")).unwrap());
    let cases: [Case; 3] =
        [("none", |_| (), [1, 0, 1]), ("taken down", take_down, [0, 1, 0]), ("dismissed", dismiss, [0; 3])];
    for (decision, decide, expected) in cases {
        let lost = backup();
        lost.attempt("INSERT INTO flags (content_id, state, flagged_at_unix) SELECT id, state, 1 FROM contents")
            .unwrap();
        delete_keeping(&lost, 9_000_000_000);
        decide(&lost);
        compare(&lost);
        let restored = restore(&lost);
        assert!(compare(&restored) > 0);
        assert_eq!(restored.count("SELECT state = 'deleted' AND caption IS NULL AS number FROM contents"), 1);
        let found = [
            "SELECT count(*) AS number FROM evidence WHERE state = 'published' AND caption = 'words'",
            "SELECT count(*) AS number FROM evidence WHERE state = 'taken_down' AND caption = 'words'",
            "SELECT count(*) AS number FROM flags",
        ];
        assert_eq!(found.map(|sql| restored.count(sql)), expected, "{decision}");
    }
}

macro_rules! schedule {
    ($time:literal) => {
        concat!("UPDATE contents SET scheduled_publish_at_unix = ", $time)
    };
}

#[test]
fn a_publication_that_was_postponed_does_not_get_its_earlier_time_back() {
    // The owner's actions after the backup, and the resulting time.
    let cases: [(&[&'static str], u64); 5] = [
        (&[schedule!(200)], 200),
        (&[schedule!(200), schedule!(150)], 150),
        (&[schedule!(50)], 100),
        (&[schedule!(200), schedule!("NULL")], 100),
        (&[schedule!("NULL"), schedule!(300)], 300),
    ];
    for (changes, expected) in cases {
        let [lost, restored] = [Scene::new(), Scene::new()];
        for scene in [&lost, &restored] {
            scene.happen(schedule!(100)).unwrap();
            compare(scene);
        }
        for change in changes {
            lost.happen(change).unwrap();
        }
        compare(&lost);
        restored.world.objects.replace(lost.world.objects.borrow().clone());
        compare(&restored);
        let time = restored.count("SELECT scheduled_publish_at_unix AS number FROM contents");
        assert_eq!(time, expected, "{changes:?}");
    }
}

/// A release is a permission, and the log repeats only removals. So the owner releases the video again.
#[test]
fn a_video_that_was_released_after_the_backup_needs_its_release_again() {
    let [lost, restored] = [Scene::unreleased(None), Scene::unreleased(None)];
    for scene in [&lost, &restored] {
        scene.claim("a", 1);
        scene.report("a", 1, processed(&[Recommendation::Pass]));
        compare(scene);
    }
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(release(&lost.world.database, owned, lost.now())).unwrap();
    assert_eq!(lost.row().state, ContentState::Published);
    compare(&lost);
    restored.world.objects.replace(lost.world.objects.borrow().clone());
    compare(&restored);
    restored.sweep();
    assert_eq!(restored.row().state, ContentState::Scheduled);
    assert_eq!(restored.count("SELECT needs_release AS number FROM contents"), 1);
}
