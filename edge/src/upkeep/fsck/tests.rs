//! Every difference is reported, and only safe ones are mended.

use super::{Permission, Position, compare_page};
use crate::jobs::tests::scene::{Scene, processed};
use crate::platform::object_store::LIST_LENGTH;
use contract::api::Difference;
use contract::moderation::Recommendation;
use contract::{ContentState, MediaFile};
use futures_executor::block_on;

const LOOK: Permission = Permission { mend: false, delete_unknown: false };
const MEND: Permission = Permission { mend: true, delete_unknown: false };
const DELETE: Permission = Permission { mend: true, delete_unknown: true };

/// Runs all pages, and returns the differences.
fn fsck(scene: &Scene, permission: Permission) -> Vec<Difference> {
    let (mut found, mut position) = (Vec::new(), Some(Position::Log));
    while let Some(at) = position {
        let page = block_on(compare_page(&scene.world.process(None), at, permission)).unwrap();
        found.extend(page.differences);
        position = page.next_cursor.map(|cursor| Position::parse(&cursor).unwrap());
    }
    found
}

/// Returns the kind and subject of each difference, and whether it was mended.
fn lines(differences: &[Difference]) -> Vec<(&str, &str, bool)> {
    differences.iter().map(|one| (one.kind.as_str(), one.subject.as_str(), one.is_mended)).collect()
}

/// Returns a published content, whose objects are stored.
fn published() -> Scene {
    let scene = Scene::new();
    scene.world.objects.borrow_mut().remove("media/d/1/video.mp4");
    scene.claim("a", 1);
    scene.world.process(None).store_media(1);
    scene.report("a", 1, processed(&[Recommendation::Pass]));
    assert_eq!(scene.row().state, ContentState::Published);
    scene
}

#[test]
fn a_healthy_system_has_no_differences() {
    let scene = published();
    assert_eq!(fsck(&scene, LOOK), []);
    assert_eq!(fsck(&scene, DELETE), []);
}

#[test]
fn a_deleted_content_that_is_back_is_printed_and_then_mended() {
    let lost = published();
    lost.rule("UPDATE contents SET state = 'deleted'").unwrap();
    fsck(&lost, LOOK);
    let restored = published();
    restored.world.objects.replace(lost.world.objects.borrow().clone());
    assert_eq!(lines(&fsck(&restored, LOOK)), [("content", "c", false)]);
    assert_eq!(restored.row().state, ContentState::Published, "looking changes nothing");
    assert_eq!(lines(&fsck(&restored, MEND)), [("content", "c", true)]);
    assert_eq!(restored.row().state, ContentState::Deleted);
    assert_eq!(fsck(&restored, LOOK), []);
}

#[test]
fn a_missing_source_and_missing_media_are_printed() {
    let waiting = Scene::new();
    waiting.world.objects.borrow_mut().clear();
    assert_eq!(lines(&fsck(&waiting, MEND)), [("source", "c", false)]);
    let scene = published();
    for name in ["poster.jpg", "video.mp4"] {
        scene.world.objects.borrow_mut().remove(&format!("media/c/1/{name}"));
    }
    let found = fsck(&scene, MEND);
    assert_eq!(lines(&found), [("media", "c", false)]);
    assert_eq!(found[0].detail, "R2 does not have media/c/1/video.mp4");
}

#[test]
fn a_missing_thumbnail_is_made_again() {
    let scene = published();
    scene.world.objects.borrow_mut().remove("media/c/1/poster.jpg");
    assert_eq!(lines(&fsck(&scene, LOOK)), [("thumbnail", "c", false)]);
    assert_eq!(scene.count("SELECT count(*) = 0 AS number FROM jobs WHERE kind = 'thumbnail'"), 1);
    assert_eq!(lines(&fsck(&scene, MEND)), [("thumbnail", "c", true)]);
    let job = "SELECT count(*) AS number FROM contents JOIN jobs ON content_id = contents.id
        WHERE kind = 'thumbnail' AND jobs.state = 'due'
            AND jobs.generation = contents.generation AND contents.generation > 1";
    assert_eq!(scene.count(job), 1);
}

#[test]
fn thumbnails_that_were_changed_are_looked_for_in_their_own_folder() {
    let scene = published();
    for file in MediaFile::THUMBNAILS {
        scene.world.objects.borrow_mut().remove(&format!("media/c/1/{file}"));
        scene.store(&format!("media/c/2/{file}"));
    }
    scene.attempt("UPDATE contents SET generation = 2, thumbnail = '{\"generation\":2}'").unwrap();
    assert_eq!(fsck(&scene, LOOK), []);
    scene.world.objects.borrow_mut().remove("media/c/2/poster.jpg");
    assert_eq!(fsck(&scene, LOOK)[0].detail, "R2 does not have media/c/2/poster.jpg");
}

#[test]
fn lost_subtitles_are_made_again_and_captions_are_no_strangers() {
    let scene = published();
    scene.store("media/c/2/hls/master.m3u8");
    scene.store("sources/s/captions");
    for sql in [
        "UPDATE contents SET generation = 2, captions_generation = 2",
        "INSERT INTO captions (name, content_id, language, sha256, is_shown) VALUES ('s', 1, 'en', 'h', 1)",
    ] {
        scene.attempt(sql).unwrap();
    }
    assert_eq!(fsck(&scene, LOOK), []);
    scene.world.objects.borrow_mut().remove("media/c/2/hls/master.m3u8");
    assert_eq!(fsck(&scene, LOOK)[0].detail, "R2 does not have media/c/2/hls/master.m3u8");
    assert_eq!(lines(&fsck(&scene, MEND)), [("subtitles", "c", true)]);
    let job = "SELECT count(*) AS number FROM contents JOIN jobs ON content_id = contents.id
        WHERE kind = 'captions' AND jobs.state = 'due'
            AND jobs.generation = contents.generation AND contents.generation > 2";
    assert_eq!(scene.count(job), 1);
}

#[test]
fn the_folder_of_a_lost_job_is_deleted_only_on_request() {
    let scene = published();
    scene.store("media/c/7/poster.jpg");
    assert_eq!(lines(&fsck(&scene, MEND)), [("object", "media/c/7", false)]);
    assert_eq!(lines(&fsck(&scene, DELETE)), [("object", "media/c/7", true)]);
    assert_eq!(fsck(&scene, LOOK), []);
}

#[test]
fn objects_of_evidence_are_deleted_only_on_request() {
    let scene = published();
    for key in ["media/x/1/video.mp4", "sources/y/video"] {
        scene.store(key);
    }
    for sql in [
        r#"INSERT INTO removals (kind, subject, data)
           VALUES ('content', 'x', '{"state":"deleted","upload_uuid":"y"}')"#,
        r#"INSERT INTO removals (kind, subject, data) VALUES ('evidence', 'x', '{"kept_until_unix":9000000000}')"#,
    ] {
        scene.attempt(sql).unwrap();
    }
    assert_eq!(lines(&fsck(&scene, MEND)), [("object", "media/x", false), ("object", "sources/y", false)]);
    assert!(fsck(&scene, LOOK)[0].detail.ends_with("kept until 9000000000"));
    assert_eq!(lines(&fsck(&scene, DELETE)), [("object", "media/x", true), ("object", "sources/y", true)]);
}

#[test]
fn unknown_objects_are_deleted_only_on_request() {
    let scene = published();
    for key in ["media/x/1/video.mp4", "media/x/1/poster.jpg", "sources/y/video", "blocklist/7-9", "stray"] {
        scene.store(key);
    }
    // The database has never known it, and the sweep deletes it.
    let failed_requests = "failed_requests/020785/7/8204175999876-ab";
    scene.store(failed_requests);
    let expected = |is_mended| {
        ["blocklist/7-9", "media/x", "sources/y", "stray"].map(|subject| ("object", subject, is_mended)).to_vec()
    };
    assert_eq!(lines(&fsck(&scene, MEND)), expected(false));
    assert_eq!(lines(&fsck(&scene, DELETE)), expected(true));
    assert_eq!(fsck(&scene, DELETE), []);
    for kept in ["media/c/1/video.mp4", failed_requests] {
        assert!(scene.objects().contains(&kept.to_owned()), "{kept}");
    }
}

#[test]
fn objects_of_a_content_that_its_owner_deleted_after_the_backup_are_deleted() {
    let scene = published();
    for key in ["media/x/1/video.mp4", "sources/y/video"] {
        scene.store(key);
    }
    scene
        .attempt(
            r#"INSERT INTO removals (kind, subject, data)
           VALUES ('content', 'x', '{"state":"deleted","upload_uuid":"y"}')"#,
        )
        .unwrap();
    assert_eq!(lines(&fsck(&scene, LOOK)), [("object", "media/x", false), ("object", "sources/y", false)]);
    assert_eq!(lines(&fsck(&scene, MEND)), [("object", "media/x", true), ("object", "sources/y", true)]);
    assert_eq!(fsck(&scene, LOOK), []);
}

#[test]
fn a_missing_segment_of_the_blocklist_is_packed_again() {
    let scene = published();
    for sql in [
        "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix) VALUES (printf('%064x', 1), 'r', 'm', 1)",
        "DELETE FROM blocklist_additions",
        "INSERT INTO blocklist_segments (first_number, last_number, hashes) VALUES (1, 1, 1)",
    ] {
        scene.attempt(sql).unwrap();
    }
    assert_eq!(lines(&fsck(&scene, MEND)), [("segment", "1-1", true)]);
    let to_pack = "SELECT count(*) AS number FROM blocklist_additions";
    assert_eq!(scene.count(to_pack), 1);
    assert_eq!(fsck(&scene, LOOK), []);
    scene.attempt("DELETE FROM blocklist_additions").unwrap();
    assert_eq!((fsck(&scene, MEND), scene.count(to_pack)), (Vec::new(), 0), "no segment is missing");
}

#[test]
fn another_page_follows_only_a_full_one() {
    let scene = published();
    let next_after = |position| block_on(compare_page(&scene.world.process(None), position, LOOK)).unwrap().next_cursor;
    assert_eq!(next_after(Position::Contents { after: String::new() }).as_deref(), Some("objects:"));
    let next = || next_after(Position::Objects { after: String::new() });
    assert_eq!(next(), None);
    (0..LIST_LENGTH).for_each(|number| scene.store(&format!("blocklist/{number:04}-")));
    assert_eq!(next(), Some(format!("objects:blocklist/{:04}-", LIST_LENGTH - 1)));
}

#[test]
fn a_cursor_is_the_one_of_its_position() {
    let positions = [
        Position::Log,
        Position::Segments,
        Position::Contents { after: "7".to_owned() },
        Position::Objects { after: "media/a:b".to_owned() },
    ];
    for position in positions {
        assert_eq!(Position::parse(&position.cursor()), Some(position));
    }
    for other in ["", "log", "log:x", "x:y"] {
        assert_eq!(Position::parse(other), None, "{other}");
    }
}
