//! Another thumbnail for an approved content: its job, its publication, and the cases in which the old one stays.

use crate::base::ids::ChannelId;
use crate::contents::media_path::MediaPath;
use crate::contents::owner_changes::OwnedContent;
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::{ContentChanges, update};
use crate::jobs::tests::scene::{Scene, finding, uuid};
use crate::jobs::tests::{processed, stored_media};
use crate::platform::database::{Database, Statement};
use crate::viewing::access::Viewer;
use crate::viewing::stored_file;
use contract::api::{ContentStatus, ThumbnailChange, UpdateContent};
use contract::job::{ClaimAnswer, JobDetails, JobOutcome, JobWork, StoredPictures};
use contract::moderation::{FrameHash, Recommendation};
use contract::{ContentState, ErrorCode, MediaFile};
use futures_executor::block_on;
use serde::Deserialize;
use serde_json::json;

const HOUR: u64 = 3_600;
pub(super) const HASH: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/// Returns a published content.
pub(super) fn published() -> Scene {
    let scene = Scene::new();
    scene.claim("a", 1);
    assert!(scene.report("a", 1, processed(&[Recommendation::Pass])).accepted);
    scene.pass(10);
    scene
}

/// Returns the change to the frame at this time, or to the service's choice.
pub(super) fn thumbnail_at(time: Option<&str>) -> Result<ContentChanges, ErrorCode> {
    let request = json!({ "content_uuid": "c", "thumbnail_time": time });
    let request: UpdateContent = serde_json::from_value(request).unwrap();
    ContentChanges::new(request).map_err(|refusal| refusal.code)
}

pub(super) fn change(scene: &Scene, time: Option<&str>) -> Result<ContentStatus, ErrorCode> {
    let changes = thumbnail_at(time)?;
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    match block_on(update(&scene.world.database, owned, &changes, scene.now())).unwrap() {
        UpdateOutcome::Done { content, .. } => Ok(content.status("https://site.example", scene.now())),
        UpdateOutcome::Refused { code, .. } => Err(code),
        UpdateOutcome::UnknownContent => panic!("unknown"),
    }
}

/// Returns the outcome of a job for another thumbnail.
pub(super) fn pictures(recommendations: &[Recommendation]) -> JobOutcome {
    let mut files = stored_media().files;
    files.retain(|file| MediaFile::THUMBNAILS.iter().any(|thumbnail| thumbnail.to_string() == file.name));
    JobOutcome::Thumbnail {
        pictures: StoredPictures { thumbhash: "bmV3".to_owned(), files },
        findings: recommendations.iter().copied().map(finding).collect(),
        frames: vec![FrameHash { at_ms: 3_000, hash: HASH.parse().unwrap() }],
    }
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Columns {
    pub(super) generation: u64,
    media_generation: Option<u64>,
    thumbnail_generation: Option<u64>,
    pub(super) thumbnail_change: Option<ThumbnailChange>,
    thumbnail_time_seconds: Option<u32>,
}

pub(super) fn columns(scene: &Scene) -> Columns {
    scene.read(
        "SELECT contents.generation, media_generation, thumbnail ->> '$.generation' AS thumbnail_generation,
             CASE WHEN jobs.state IN ('waiting', 'held', 'due', 'claimed') THEN 'pending'
                 WHEN jobs.error_code IS NOT NULL THEN 'failed' END AS thumbnail_change,
             thumbnail ->> '$.seconds' AS thumbnail_time_seconds
         FROM contents LEFT JOIN jobs ON content_id = contents.id AND kind = 'thumbnail' WHERE contents.id = 1",
    )
}

/// Returns the key of the object that is served for a file.
pub(super) fn object(scene: &Scene, file: MediaFile) -> String {
    let path = MediaPath::parse("/media/m.mp4").unwrap();
    let content = block_on(stored_file::find_content(&scene.world.database, &path)).unwrap().unwrap();
    content.file(file, Viewer::Anonymous).unwrap().object_key
}

pub(super) fn granted(answer: ClaimAnswer) -> JobDetails {
    match answer {
        ClaimAnswer::Granted(details) => details,
        other => panic!("{other:?}"),
    }
}

fn thumbhash(scene: &Scene) -> Option<String> {
    change_nothing(scene).thumbhash
}

pub(super) fn change_nothing(scene: &Scene) -> ContentStatus {
    let request: UpdateContent = serde_json::from_value(json!({ "content_uuid": "c" })).unwrap();
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    let changes = ContentChanges::new(request).unwrap();
    match block_on(update(&scene.world.database, owned, &changes, scene.now())).unwrap() {
        UpdateOutcome::Done { content, .. } => content.status("https://site.example", scene.now()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_old_pictures_are_shown_until_the_new_ones_have_passed() {
    let scene = published();
    let status = change(&scene, Some("00:00:03")).unwrap();
    assert_eq!((status.state, status.thumbnail_change), (ContentState::Published, Some(ThumbnailChange::Pending)));
    assert_eq!(status.check_after_seconds, Some(5));
    scene.pass(30);
    scene.sweep();
    assert_eq!(scene.queued(), [2]);
    // The uploaded file has a different duration than the published video.
    let made = "UPDATE contents SET duration_ms = 5001, media = json_set(media, '$.files[0].size_bytes', 77)";
    scene.attempt(made).unwrap();
    scene.attempt("DELETE FROM cache_purges").unwrap();
    let details = granted(scene.claim("a", 2));
    assert_eq!((details.work, details.thumbnail_time_seconds), (JobWork::Thumbnail, Some(3)));
    assert_eq!((details.source_key.as_str(), details.thumbnail_key), ("media/c/1/video.mp4", None));
    assert_eq!((details.duration_ms, details.size_bytes, details.file_sha256.as_str()), (5_000, 77, ""));
    assert!(scene.progress("a", 2, contract::Stage::Transcode, 50));
    assert_eq!(object(&scene, MediaFile::Poster), "media/c/1/poster.jpg");
    assert_eq!(scene.count("SELECT count(*) AS number FROM cache_purges"), 0);
    let answer = scene.report("a", 2, pictures(&[Recommendation::Pass]));
    assert_eq!((answer.accepted, answer.state), (true, Some(ContentState::Published)));
    let expected = Columns {
        generation: 2,
        media_generation: Some(1),
        thumbnail_generation: Some(2),
        thumbnail_change: None,
        thumbnail_time_seconds: Some(3),
    };
    assert_eq!(columns(&scene), expected);
    assert_eq!(object(&scene, MediaFile::Poster), "media/c/2/poster.jpg");
    assert_eq!(object(&scene, MediaFile::Thumbnail(320)), "media/c/2/thumbnail-320.jpg");
    assert_eq!(object(&scene, MediaFile::MasterPlaylist), "media/c/1/hls/master.m3u8");
    assert_eq!(thumbhash(&scene).as_deref(), Some("bmV3"));
    assert_eq!(scene.count("SELECT json_array_length(media, '$.files') AS number FROM contents"), 7);
    assert_eq!(scene.count("SELECT count(*) AS number FROM cache_purges"), 1);
    // After a lost response, the report and the change are repeated.
    assert!(scene.report("a", 2, pictures(&[Recommendation::Pass])).accepted);
    change(&scene, Some("00:00:03")).unwrap();
    assert_eq!(columns(&scene), expected);
}

#[test]
fn a_change_that_does_not_pass_leaves_the_old_pictures_and_can_be_asked_for_again() {
    let refused = JobOutcome::Refused { code: ErrorCode::ContentFileInvalidFormat, detail: String::new() };
    let failed = JobOutcome::Failed { detail: "the disk is full".to_owned() };
    for outcome in [
        pictures(&[Recommendation::Review]),
        pictures(&[Recommendation::Wait]),
        pictures(&[Recommendation::Reject]),
        processed(&[Recommendation::Pass]),
        refused,
        failed,
    ] {
        let scene = published();
        change(&scene, Some("00:00:03")).unwrap();
        scene.claim("a", 2);
        assert!(scene.report("a", 2, outcome.clone()).accepted);
        let status = change_nothing(&scene);
        assert_eq!((status.state, status.thumbnail_change), (ContentState::Published, Some(ThumbnailChange::Failed)));
        assert_eq!((status.error_message_code, status.check_after_seconds), (None, None), "{outcome:?}");
        assert_eq!(status.thumbhash, Some(stored_media().thumbhash));
        assert_eq!(object(&scene, MediaFile::Poster), "media/c/1/poster.jpg");
        change(&scene, Some("00:00:03")).unwrap();
        assert_eq!(columns(&scene).generation, 3);
    }
}

#[test]
fn a_frame_on_the_blocklist_is_refused() {
    let scene = published();
    let block =
        Statement::new("INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix) VALUES (?1, 'r', 'm', 0)");
    block_on(scene.world.database.batch(vec![block.bind(HASH)])).unwrap();
    change(&scene, Some("00:00:03")).unwrap();
    scene.claim("a", 2);
    assert!(scene.report("a", 2, pictures(&[Recommendation::Pass])).accepted);
    assert_eq!(columns(&scene).thumbnail_change, Some(ThumbnailChange::Failed));
}

#[test]
fn a_change_before_the_approval_begins_with_it() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let status = change(&scene, None).unwrap();
    assert_eq!((status.state, status.thumbnail_change), (ContentState::Processing, Some(ThumbnailChange::Pending)));
    assert_eq!(columns(&scene).generation, 1);
    assert!(scene.report("a", 1, processed(&[Recommendation::Pass])).accepted);
    assert_eq!(change_nothing(&scene).state, ContentState::Published);
    scene.pass(30);
    scene.sweep();
    assert_eq!(scene.queued(), [2]);
    assert_eq!(granted(scene.claim("a", 2)).thumbnail_time_seconds, None);
}

#[test]
fn only_the_latest_change_is_made() {
    let scene = published();
    change(&scene, Some("00:00:01")).unwrap();
    scene.claim("a", 2);
    change(&scene, Some("00:00:02")).unwrap();
    assert!(!scene.progress("a", 2, contract::Stage::Transcode, 1));
    assert!(!scene.report("a", 2, pictures(&[])).accepted);
    assert_eq!(scene.claim("b", 2), ClaimAnswer::Obsolete);
    assert_eq!(granted(scene.claim("b", 3)).thumbnail_time_seconds, Some(2));
    assert!(!scene.report("a", 3, pictures(&[])).accepted, "another origin holds the job");
    assert!(scene.report("b", 3, pictures(&[])).accepted);
    assert_eq!(columns(&scene).thumbnail_generation, Some(3));
}

#[test]
fn a_job_that_no_origin_has_claimed_makes_the_change_that_is_wanted_then() {
    let scene = published();
    for time in ["00:00:01", "00:00:02", "00:00:03"] {
        change(&scene, Some(time)).unwrap();
        scene.sweep();
    }
    scene.pass(30);
    scene.sweep();
    assert_eq!(scene.queued(), [2], "one message for all changes");
    assert_eq!(granted(scene.claim("a", 2)).thumbnail_time_seconds, Some(3));
    assert!(scene.report("a", 2, pictures(&[])).accepted);
    scene.sweep();
    assert_eq!((columns(&scene).thumbnail_change, scene.queued()), (None, vec![2]));
}

#[test]
fn a_change_that_comes_again_and_again_does_not_delay_the_repetition_of_a_lost_message() {
    let scene = published();
    for time in ["00:00:01", "00:00:02", "00:00:03"] {
        change(&scene, Some(time)).unwrap();
        scene.sweep();
        scene.pass(60);
    }
    // The first repetition was due after 30 seconds, and the next one is due 120 seconds after it.
    assert_eq!(scene.queued(), [2]);
    scene.world.queue.borrow_mut().clear();
    scene.sweep();
    assert_eq!(scene.queued(), [2]);
}

#[test]
fn a_channel_makes_a_bounded_number_of_changes_a_day() {
    let scene = published();
    let times = ["00:00:01", "00:00:02"];
    for number in 0..200 {
        change(&scene, Some(times[number % 2])).unwrap();
    }
    assert_eq!(change(&scene, Some("00:00:01")), Err(ErrorCode::DailyChangeLimitReached));
    assert_eq!(change(&scene, Some("00:00:01")), Err(ErrorCode::DailyChangeLimitReached));
    // A request that changes nothing is not limited.
    change(&scene, Some("00:00:02")).unwrap();
    assert_eq!(change_nothing(&scene).thumbnail_change, Some(ThumbnailChange::Pending));
    scene.pass(24 * HOUR);
    change(&scene, Some("00:00:01")).unwrap();
    // A channel that may upload more may change more.
    scene.attempt("UPDATE daily_usage SET content_changes = 200").unwrap();
    scene.attempt("UPDATE channels SET daily_upload_limit = 51").unwrap();
    for number in 0..4 {
        change(&scene, Some(times[(number + 1) % 2])).unwrap();
    }
    assert_eq!(change(&scene, Some("00:00:03")), Err(ErrorCode::DailyChangeLimitReached));
}

#[test]
fn a_removed_content_is_not_worked_on_until_it_is_restored() {
    let scene = published();
    change(&scene, Some("00:00:01")).unwrap();
    scene.set_state(ContentState::TakenDown).unwrap();
    assert_eq!(scene.claim("a", 2), ClaimAnswer::Obsolete);
    assert_eq!(change(&scene, Some("00:00:02")), Err(ErrorCode::ContentStateConflict));
    scene.set_state(ContentState::Published).unwrap();
    assert_eq!(granted(scene.claim("a", 3)).work, JobWork::Thumbnail);
}

#[test]
fn a_time_is_well_formed_and_within_the_video() {
    let scene = published();
    for time in ["3", "0:00:03", "00:00:60", "00:00:06"] {
        assert_eq!(change(&scene, Some(time)), Err(ErrorCode::ContentThumbnailTimeInvalid), "{time}");
        assert_eq!(columns(&scene).thumbnail_change, None);
    }
    assert!(change(&scene, Some("00:00:05")).is_ok());
}

#[test]
fn a_job_that_fails_too_often_ends_and_its_files_are_deleted() {
    let scene = published();
    change(&scene, Some("00:00:01")).unwrap();
    scene.claim("a", 2);
    scene.store("media/c/1/poster.jpg");
    scene.store("media/c/2/poster.jpg");
    scene.attempt("UPDATE jobs SET undecided_failures = 7").unwrap();
    scene.report("a", 2, JobOutcome::Undecided { detail: "no disk".to_owned() });
    assert_eq!(columns(&scene).thumbnail_change, Some(ThumbnailChange::Failed));
    scene.sweep();
    scene.pass(HOUR);
    scene.sweep();
    assert_eq!(scene.objects(), ["media/c/1/poster.jpg"]);
}

#[test]
fn a_job_whose_message_was_lost_is_sent_again_once() {
    let scene = published();
    change(&scene, Some("00:00:01")).unwrap();
    for seconds in [30, 120] {
        scene.pass(seconds);
        scene.sweep();
        scene.sweep();
    }
    assert_eq!(scene.queued(), [2]);
    assert_eq!(columns(&scene).thumbnail_change, Some(ThumbnailChange::Pending));
}
