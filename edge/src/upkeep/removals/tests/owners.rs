//! Evidence of contents that an owner deleted, postponed publications, and releases.

use super::{backup, compare, restore};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::packed_media::read_media;
use crate::contents::owner_changes::{OwnedContent, delete, release};
use crate::jobs::tests::scene::{NOON, Scene, processed, uuid, with_subtitles};
use crate::moderation::decisions::{DecisionKind, DecisionRequest, decide};
use crate::moderation::flags;
use crate::platform::database::{Database, Statement};
use contract::job::{StoredFile, StoredMedia};
use contract::moderation::Recommendation;
use contract::subtitles::SubtitleTrack;
use contract::{ContentState, MediaFile};
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

/// A forged entry of the log could otherwise list a video, or remove the label of a moderator.
#[test]
fn a_restoration_lists_no_video_and_removes_no_label() {
    let lost = backup();
    lost.happen("UPDATE contents SET is_sensitive = 1").unwrap();
    compare(&lost);
    let restored = restore(&lost);
    restored.attempt("UPDATE contents SET is_unlisted = 1, is_ai_generated = 2").unwrap();
    assert!(compare(&restored) > 0);
    let kept = "SELECT is_unlisted = 1 AND is_sensitive = 1 AND is_ai_generated = 2 AS number FROM contents";
    assert_eq!(restored.count(kept), 1);
    assert_eq!(compare(&restored), 0);
}

fn take_down(scene: &Scene) {
    let uuid = uuid();
    let request = DecisionRequest {
        kind: DecisionKind::TakeDown,
        content_uuid: &uuid,
        reason: "r",
        by: "m",
        policy: None,
        kept_frames: &[],
    };
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

/// Adds a track to the media.
fn add_track(media: &mut StoredMedia, number: u32, language: &str) {
    let track = SubtitleTrack { number, language: Some(language.to_owned()), ..media.subtitles[0].clone() };
    media.subtitles.push(track);
    let files = [MediaFile::SubtitlePlaylist(number), MediaFile::Subtitles(number)];
    media.files.extend(files.map(|file| StoredFile { name: file.to_string(), size_bytes: 1 }));
}

#[test]
fn captions_that_their_owner_removed_are_hidden_before_an_origin_works() {
    // If no track has the language of the captions, any may be meant.
    for (tracks, left) in [(["de", "fr"], vec![(3, "fr")]), (["nl", "fr"], vec![])] {
        let lost = backup();
        lost.happen("UPDATE captions SET is_wanted = 0 WHERE is_shown = 1").unwrap();
        compare(&lost);
        let restored = restore(&lost);
        let mut media = with_subtitles();
        add_track(&mut media, 2, tracks[0]);
        add_track(&mut media, 3, tracks[1]);
        media.subtitles.remove(0);
        media.files.retain(|file| !file.name.contains("subtitles-1"));
        let set = Statement::new("UPDATE contents SET media = ?1").bind(serde_json::to_string(&media).unwrap());
        block_on(restored.world.database.execute(set)).unwrap();
        restored.attempt("DELETE FROM cache_purges").unwrap();
        assert!(compare(&restored) > 0);
        let media = read_media(&restored.row().media.unwrap()).unwrap();
        let shown: Vec<_> =
            media.subtitles.iter().map(|track| (track.number, track.language.as_deref().unwrap())).collect();
        assert_eq!(shown, left);
        let has_files = |number: u32| media.files.iter().any(|file| file.name.contains(&format!("subtitles-{number}")));
        assert_eq!([2, 3].map(has_files), [false, !left.is_empty()]);
        assert!(media.files.iter().any(|file| file.name == MediaFile::MasterPlaylist.to_string()));
        assert_eq!(restored.count("SELECT count(*) > 0 AS number FROM cache_purges"), 1);
        assert_eq!(restored.count("SELECT count(*) AS number FROM captions WHERE is_shown = 1"), 0);
        assert_eq!(restored.count("SELECT count(*) AS number FROM jobs WHERE kind = 'captions'"), 1);
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
