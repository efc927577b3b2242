//! Matches with blocked pictures, groups of similar videos, searches by file and by hash, and receipts.

use super::removed::{blocked, kept};
use super::{HASH, change, decide_about, decide_with, reported, review_pepper};
use crate::base::ids::ContentUuid;
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::fingerprint;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{NOON, Scene, blocklist_of, job, uuid};
use crate::moderation::blocklist::{block, list, unblock};
use crate::moderation::content_search::{self, SoughtContent};
use crate::moderation::decisions::DecisionKind;
use crate::moderation::flags::{ViewerReport, dismiss, record_report};
use crate::moderation::kept_frames::store_frames;
use crate::moderation::report_receipt::{ReportReceipt, outcome};
use crate::moderation::review_address::ReviewAddresses;
use crate::moderation::{matches, queue_groups};
use crate::people::auth::hash::Pepper;
use contract::PictureHash;
use contract::api::{BlocklistMatches, ReportOutcome, StoredFrame};
use contract::job::JobReport;
use contract::moderation::Recommendation::{self, Pass, Review};
use futures_executor::block_on;

/// A content that waits for a person, with the hash of its frame in the object store.
fn waiting() -> Scene {
    let scene = reported(None, processed(&[Review]));
    keep_frames(&scene, Review);
    scene
}

/// Stores the frames of the report with this recommendation.
fn keep_frames(scene: &Scene, recommendation: Recommendation) {
    let process = scene.world.process(None);
    let report = JobReport { id: job("a", 1), outcome: processed(&[recommendation]) };
    block_on(store_frames(&process, &process, &report, &fingerprint(&report).unwrap())).unwrap();
}

fn block_now(scene: &Scene, hashes: &[&str]) {
    block_on(block(&scene.world.database, change(hashes), UnixSeconds(NOON))).unwrap();
}

fn review(pepper: &Pepper) -> ReviewAddresses<'_> {
    ReviewAddresses { base: "https://b", pepper, until: UnixSeconds(NOON), session: None }
}

fn matches_of(scene: &Scene) -> BlocklistMatches {
    let (process, pepper) = (scene.world.process(None), review_pepper());
    block_on(matches::find(&blocklist_of(&process), &uuid(), review(&pepper))).unwrap().unwrap()
}

fn frame_at(scene: &Scene, at_ms: u64) -> Option<StoredFrame> {
    let process = scene.world.process(None);
    block_on(matches::find_frame(&process, &process, &uuid(), at_ms)).unwrap().unwrap().frame
}

fn found(scene: &Scene, sought: &SoughtContent) -> Vec<String> {
    let found =
        block_on(content_search::find(&scene.world.database, sought, None, 10, review(&review_pepper()))).unwrap();
    found.into_iter().map(|content| content.content_uuid).collect()
}

fn caught(scene: &Scene) -> Vec<u64> {
    block_on(list(&scene.world.database, None, 10)).unwrap().into_iter().filter_map(|blocked| blocked.caught).collect()
}

#[test]
fn a_frame_is_shown_beside_the_blocked_picture_that_it_resembles() {
    let scene = waiting();
    assert_eq!(matches_of(&scene).matches, []);
    let mirrored = HASH.parse::<PictureHash>().unwrap().appearances()[1].0.to_string();
    let inverted = HASH.parse::<PictureHash>().unwrap().appearances()[8].0.to_string();
    let far = "f0".repeat(32);
    block_now(&scene, &[&inverted, &mirrored, &far]);
    let found = matches_of(&scene);
    let shown: Vec<_> = found.matches.iter().map(|matching| (&matching.blocked.hash, matching.distance_bits)).collect();
    assert_eq!(shown, [(&mirrored, 0), (&inverted, PictureHash::INVERSION_BITS)]);
    let (first, second) = (&found.matches[0], &found.matches[1]);
    assert_eq!((first.is_mirrored, first.turned_degrees, first.is_inverted), (true, 0, false));
    assert_eq!((second.is_mirrored, second.turned_degrees, second.is_inverted), (false, 0, true));
    assert_eq!((first.at_ms, first.hash.as_str(), first.blocked.by.as_str()), (40, HASH, "moderator-1"));
    assert_eq!((&first.storyboard_url, found.has_hashes, found.has_more), (&None, true, false));
    block_on(unblock(&scene.world.database, change(&[&mirrored, &inverted]), UnixSeconds(NOON))).unwrap();
    assert_eq!(matches_of(&scene).matches, []);
}

#[test]
fn a_removed_video_does_not_match_itself() {
    let scene = waiting();
    decide_with(&scene, DecisionKind::Reject, &[kept(HASH)]);
    assert_eq!(blocked(&scene), [HASH]);
    assert_eq!(matches_of(&scene).matches, []);
}

#[test]
fn the_frame_nearest_to_a_time_is_found() {
    let scene = waiting();
    let frame = StoredFrame { at_ms: 40, hash: HASH.to_owned(), is_blocked: false };
    for at_ms in [0, 40, 9_000_000] {
        assert_eq!(frame_at(&scene, at_ms), Some(frame.clone()));
    }
    block_now(&scene, &[HASH]);
    assert_eq!(frame_at(&scene, 40), Some(StoredFrame { is_blocked: true, ..frame }));
    let without = reported(None, processed(&[Review]));
    assert_eq!(frame_at(&without, 40), None);
    let process = without.world.process(None);
    assert_eq!(block_on(matches::find_frame(&process, &process, &ContentUuid::new("x"), 0)).unwrap(), None);
}

#[test]
fn a_hash_names_the_videos_that_it_has_caught() {
    let scene = Scene::scheduled(None);
    block_now(&scene, &[HASH]);
    assert_eq!(caught(&scene), [0]);
    scene.claim("a", 1);
    scene.report("a", 1, processed(&[Pass]));
    assert_eq!(caught(&scene), [1]);
    assert_eq!(found(&scene, &SoughtContent::BlockedHash(HASH.to_owned())), ["c"]);
    assert_eq!(found(&scene, &SoughtContent::BlockedHash("0f".repeat(32))), Vec::<String>::new());
}

#[test]
fn a_hash_that_is_added_later_names_the_videos_that_it_flags() {
    let scene = reported(None, processed(&[Pass]));
    keep_frames(&scene, Pass);
    block_now(&scene, &[HASH]);
    scene.sweep();
    assert_eq!(scene.count("SELECT count(*) AS number FROM flags"), 1);
    assert_eq!(caught(&scene), [1]);
}

#[test]
fn a_file_is_found_by_its_hash_also_after_its_video_was_removed_and_compacted() {
    let scene = waiting();
    let of_file = |sha256: &str| found(&scene, &SoughtContent::File(sha256.to_owned()));
    assert_eq!(of_file("h"), ["c"]);
    assert_eq!(of_file(""), Vec::<String>::new());
    decide_about(&scene, DecisionKind::Reject);
    scene.rule("UPDATE contents SET file_sha256 = ''").unwrap();
    assert_eq!(of_file("h"), ["c"]);
}

/// Adds two contents with the same frames that wait for a person: one with another file, and one with the same.
fn add_similar(scene: &Scene) {
    for sql in [
        "INSERT INTO uploads (id, uuid, channel_id, day, state, lease_ends_at_unix)
         VALUES (2, 'v', 1, 20000, 'committed', 0), (3, 'w', 1, 20000, 'committed', 0)",
        "INSERT INTO contents (id, uuid, channel_id, state, slug_url, media_name, source, duration_ms, file_sha256,
             created_at_unix)
         SELECT value, 'c' || value, 1, 'processing', 't' || value, 'n' || value, source, duration_ms,
             iif(value = 2, 'other', file_sha256), created_at_unix
         FROM contents, json_each('[2,3]') WHERE contents.id = 1",
        "INSERT INTO reports (content_id, generation, origin, fingerprint, kind, recommendation, received_at_unix)
         SELECT value, 1, origin, fingerprint, kind, recommendation, received_at_unix
         FROM reports, json_each('[2,3]') WHERE content_id = 1",
        "INSERT INTO frame_hashes (content_id, generation, number, at_ms, hash)
         SELECT value, 1, number, at_ms, hash FROM frame_hashes, json_each('[2,3]') WHERE content_id = 1",
        "UPDATE contents SET waits_for = 'person', waits_since_unix = 1 + id WHERE id > 1",
    ] {
        scene.attempt(sql).unwrap();
    }
}

#[test]
fn a_match_names_the_removed_video_even_if_its_files_are_gone() {
    let scene = waiting();
    add_similar(&scene);
    scene
        .attempt(
            "INSERT INTO blocked_hashes (hash, content_uuid, reason, added_by, added_at_unix, content_id, at_ms)
             SELECT hash, 'c2', 'r', 'm', 1, 2, 7 FROM frame_hashes WHERE content_id = 1 LIMIT 1",
        )
        .unwrap();
    let found = matches_of(&scene);
    let blocked = &found.matches[0].blocked;
    assert_eq!((blocked.content_uuid.as_deref(), blocked.at_ms), (Some("c2"), Some(7)));
    assert_eq!(found.matches[0].storyboard_url, None);
}

#[test]
fn similar_videos_of_the_queue_are_one_group_until_they_are_decided() {
    let scene = waiting();
    let groups = || block_on(queue_groups::list(&scene.world.database)).unwrap();
    assert_eq!(groups(), []);
    add_similar(&scene);
    let all = groups();
    assert_eq!(all.len(), 1);
    assert_eq!(
        (all[0].content_uuids.as_slice(), all[0].is_same_file),
        (["c2", "c3", "c"].map(str::to_owned).as_slice(), false)
    );
    scene.rule("UPDATE contents SET waits_for = NULL WHERE id = 2").unwrap();
    let copies = groups();
    assert_eq!((copies[0].content_uuids.len(), copies[0].is_same_file), (2, true));
    decide_about(&scene, DecisionKind::Approve);
    assert_eq!(groups(), []);
}

#[test]
fn a_receipt_tells_the_outcome_of_its_report() {
    let scene = reported(None, processed(&[Pass]));
    let report = |reporter| {
        let report = ViewerReport { slug_url: "s", reporter, reason: "violence", text: "they fight" };
        let content_id = block_on(record_report(&scene.world.database, report, scene.now())).unwrap().unwrap();
        ReportReceipt { content_id, reported_at: scene.now() }
    };
    let told = |receipt| block_on(outcome(&scene.world.database, receipt)).unwrap();
    let first = report("a");
    assert_eq!(told(first), ReportOutcome::Waiting);
    assert!(block_on(dismiss(&scene.world.database, &uuid(), "fine", "Ada")).unwrap());
    assert_eq!(told(first), ReportOutcome::Kept);
    scene.pass(60);
    let second = report("b");
    assert_eq!((told(first), told(second)), (ReportOutcome::Kept, ReportOutcome::Waiting));
    decide_about(&scene, DecisionKind::TakeDown);
    assert_eq!((told(first), told(second)), (ReportOutcome::Removed, ReportOutcome::Removed));
    decide_about(&scene, DecisionKind::Restore);
    assert_eq!(told(second), ReportOutcome::Kept);
    let erased = ReportReceipt { content_id: first.content_id + 1, ..first };
    assert_eq!(told(erased), ReportOutcome::Deleted);
}
