//! A sent picture as the thumbnail of an earlier video: each state, its job, its replacement, and how long its object
//! is kept.

use super::thumbnails::{HASH, change_nothing, columns, granted, object, pictures, published, thumbnail_at};
use crate::base::ids::{ChannelId, ContentUuid, UploadUuid};
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::update;
use crate::jobs::tests::processed;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::moderation::kept_frames::read_kept_frames;
use crate::platform::error::PlatformError;
use crate::platform::isolate::Quota;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::pace::PaceRules;
use crate::uploads::picture::{change_thumbnail, receive_picture};
use crate::uploads::small_form::SmallFormRequest;
use contract::api::{ContentStatus, ThumbnailChange};
use contract::job::{ClaimAnswer, JobOutcome, JobWork};
use contract::limits::REVERSIBLE_SECONDS;
use contract::moderation::Recommendation;
use contract::{ContentState, ErrorCode, MediaFile};
use fixtures::Form;
use futures_executor::block_on;
use futures_util::stream;
use multipart::Boundary;
use serde::Deserialize;
use std::sync::atomic::{AtomicU64, Ordering};

const HOUR: u64 = 3_600;
pub(super) const PACE: PaceRules = PaceRules { min_bytes_per_second: 0, window_seconds: 30, max_seconds: 100_000 };

/// Returns a picture that is different for each number.
pub(super) fn picture(number: u8) -> Vec<u8> {
    vec![0xff, 0xd8, 0xff, number]
}

pub(super) fn form(content_uuid: &str, picture: &[u8]) -> Form {
    Form::new().text("content_uuid", content_uuid).file("thumbnail_file", "a.jpg", picture)
}

/// Sends a form under a name that no other picture has.
pub(super) async fn send(process: &FakePlatform, channel: u64, form: Form) -> Result<UpdateOutcome, Refusal> {
    static SENT: AtomicU64 = AtomicU64::new(0);
    let memory = Quota::new(usize::MAX / 4, 60);
    let body = form.body();
    let chunks: Vec<_> = body.chunks(100).map(|chunk| Ok::<_, PlatformError>(chunk.to_vec())).collect();
    let picture = receive_picture(process, &request(&memory, PACE), stream::iter(chunks)).await?;
    let name = UploadUuid::new(format!("p{}", SENT.fetch_add(1, Ordering::Relaxed)));
    change_thumbnail(process, ChannelId(channel), name, &picture).await
}

pub(super) fn request(memory: &Quota, pace: PaceRules) -> SmallFormRequest<'_> {
    let boundary = Boundary::from_content_type(&Form::content_type()).unwrap();
    SmallFormRequest { boundary, content_length: None, pace, unknown_fields: UnknownFields::default(), memory }
}

/// Sends a picture as the owner.
pub(super) fn change(scene: &Scene, number: u8) -> Result<ContentStatus, ErrorCode> {
    let process = scene.world.process(None);
    match block_on(send(&process, 1, form("c", &picture(number)))) {
        Ok(UpdateOutcome::Done { content, .. }) => Ok(content.status("https://site.example", scene.now())),
        Ok(UpdateOutcome::Refused { code, .. }) => Err(code),
        Ok(UpdateOutcome::UnknownContent) => Err(ErrorCode::ContentNotFound),
        Err(refusal) => Err(refusal.code),
    }
}

fn change_time(scene: &Scene, time: Option<&str>) {
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    let changes = thumbnail_at(time).unwrap();
    assert!(matches!(
        block_on(update(&scene.world.database, owned, &changes, scene.now())),
        Ok(UpdateOutcome::Done { .. })
    ));
}

/// Returns the R2 keys of the pictures that were sent after the upload.
pub(super) fn stored_pictures(scene: &Scene) -> Vec<String> {
    let objects = scene.objects().into_iter();
    objects.filter(|key| key.starts_with("sources/p") && key.ends_with("/thumbnail")).collect()
}

#[derive(Deserialize)]
struct Wanted {
    wanted_picture: Option<String>,
}

/// Returns the name of the object that the content wants.
pub(super) fn wanted(scene: &Scene) -> Option<String> {
    let Wanted { wanted_picture } =
        scene.read("SELECT (SELECT input ->> '$.picture' FROM jobs WHERE kind = 'thumbnail') AS wanted_picture");
    wanted_picture.map(|name| format!("sources/{name}/thumbnail"))
}

/// Returns 1 if the owner sent the thumbnail that is shown.
fn has_own_picture(scene: &Scene) -> u64 {
    scene.count("SELECT thumbnail ->> '$.picture_sha256' IS NOT NULL AS number FROM contents")
}

/// Makes the pictures of the latest job.
fn make(scene: &Scene, recommendations: &[Recommendation]) {
    let generation = columns(scene).generation;
    granted(scene.claim("a", generation));
    assert!(scene.report("a", generation, pictures(recommendations)).accepted);
}

#[test]
fn the_picture_goes_to_the_origin_and_is_deleted_when_its_thumbnails_are_shown() {
    let scene = published();
    let status = change(&scene, 1).unwrap();
    assert_eq!((status.state, status.thumbnail_change), (ContentState::Published, Some(ThumbnailChange::Pending)));
    let details = granted(scene.claim("a", 2));
    assert_eq!((details.work, details.thumbnail_time_seconds), (JobWork::Thumbnail, None));
    let key = details.thumbnail_key.unwrap();
    assert_eq!(scene.world.objects.borrow().get(&key), Some(&picture(1)));
    assert_eq!(object(&scene, MediaFile::Poster), "media/c/1/poster.jpg");
    // The sweep deletes no picture that is wanted.
    scene.pass(HOUR);
    scene.sweep();
    assert_eq!(stored_pictures(&scene), [key]);
    make(&scene, &[Recommendation::Pass]);
    assert_eq!(object(&scene, MediaFile::Poster), "media/c/2/poster.jpg");
    assert_eq!(has_own_picture(&scene), 1);
    scene.sweep();
    assert_eq!(stored_pictures(&scene), Vec::<String>::new());
}

#[test]
fn the_same_picture_again_stores_nothing_and_starts_no_job() {
    let scene = published();
    change(&scene, 1).unwrap();
    let key = wanted(&scene).unwrap();
    for _ in 0..2 {
        let status = change(&scene, 1).unwrap();
        assert_eq!(status.thumbnail_change, Some(ThumbnailChange::Pending));
        assert_eq!((columns(&scene).generation, stored_pictures(&scene)), (2, vec![key.clone()]));
    }
    make(&scene, &[Recommendation::Pass]);
    scene.sweep();
    assert_eq!(change(&scene, 1).unwrap().thumbnail_change, None);
    assert_eq!((columns(&scene).generation, stored_pictures(&scene).len()), (2, 0));
    // After a failure, the same picture is another attempt.
    change(&scene, 2).unwrap();
    make(&scene, &[Recommendation::Reject]);
    assert_eq!(change(&scene, 2).unwrap().thumbnail_change, Some(ThumbnailChange::Pending));
    assert_eq!(columns(&scene).generation, 4);
}

#[test]
fn pictures_and_times_replace_each_other() {
    for is_made in [false, true] {
        let scene = published();
        let mut generation = 1;
        let mut times = [Some("00:00:01"), None].into_iter().cycle();
        for number in [1, 2, 0, 3, 0, 0, 1] {
            let before = wanted(&scene);
            if number == 0 {
                change_time(&scene, times.next().unwrap());
            } else {
                change(&scene, number).unwrap();
            }
            // A job that no origin has claimed makes the later change too.
            generation = if is_made { generation + 1 } else { 2 };
            assert_eq!(columns(&scene).generation, generation, "{number} {is_made}");
            assert_eq!(wanted(&scene).is_some(), number != 0);
            scene.sweep();
            assert_eq!(stored_pictures(&scene), Vec::from_iter(wanted(&scene)), "{before:?} is left");
            // A late report about the change before is harmless.
            assert!(!scene.report("a", generation - 1, pictures(&[])).accepted);
            if is_made {
                make(&scene, &[Recommendation::Pass]);
                assert_eq!(has_own_picture(&scene) == 1, number != 0);
            }
        }
    }
}

#[test]
fn a_picture_that_is_refused_leaves_the_old_one_and_says_why() {
    let refused = JobOutcome::Refused { code: ErrorCode::ContentThumbnailInvalid, detail: String::new() };
    let failed = JobOutcome::Failed { detail: "the disk is full".to_owned() };
    for (outcome, code) in [
        (refused, ErrorCode::ContentThumbnailInvalid),
        (failed, ErrorCode::ContentProcessingFailed),
        (pictures(&[Recommendation::Wait]), ErrorCode::ContentProcessingFailed),
        (pictures(&[Recommendation::Review]), ErrorCode::ContentModerationRejected),
        (pictures(&[Recommendation::Reject]), ErrorCode::ContentModerationRejected),
    ] {
        let scene = published();
        change(&scene, 1).unwrap();
        scene.claim("a", 2);
        assert!(scene.report("a", 2, outcome).accepted);
        let status = change_nothing(&scene);
        assert_eq!(
            (status.thumbnail_change, status.thumbnail_error_message_code),
            (Some(ThumbnailChange::Failed), Some(code))
        );
        assert_eq!((status.state, status.error_message_code), (ContentState::Published, None));
        assert_eq!(object(&scene, MediaFile::Poster), "media/c/1/poster.jpg");
        scene.sweep();
        assert_eq!(stored_pictures(&scene), Vec::<String>::new());
        // The next change clears the failure.
        assert_eq!(change(&scene, 3).unwrap().thumbnail_error_message_code, None);
    }
}

#[test]
fn each_state_has_its_answer() {
    let pending = Some(ThumbnailChange::Pending);
    for state in ContentState::ALL {
        let scene = published();
        scene.attempt("DROP TRIGGER allow_known_transitions").unwrap();
        scene.set_state(*state).unwrap();
        let generation = columns(&scene).generation;
        let answer = change(&scene, 1).map(|status| status.thumbnail_change);
        match state {
            ContentState::Scheduled | ContentState::Published => {
                assert_eq!((answer, columns(&scene).generation), (Ok(pending), generation + 1));
            }
            // The job begins with the approval.
            ContentState::Processing | ContentState::Failed => {
                assert_eq!((answer, columns(&scene).generation), (Ok(pending), generation));
            }
            ContentState::Rejected | ContentState::TakenDown | ContentState::Deleted => {
                assert_eq!(answer, Err(ErrorCode::ContentStateConflict), "{state:?}");
                assert_eq!(stored_pictures(&scene), Vec::<String>::new());
                assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0);
            }
        }
    }
}

#[test]
fn only_the_owner_may_send_a_picture() {
    let scene = published();
    let process = scene.world.process(None);
    for (channel, uuid) in [(2, "c"), (1, "d"), (1, "")] {
        let outcome = block_on(send(&process, channel, form(uuid, &picture(1)))).unwrap();
        assert!(matches!(outcome, UpdateOutcome::UnknownContent), "{channel} {uuid}");
    }
    assert_eq!((stored_pictures(&scene).len(), columns(&scene).thumbnail_change), (0, None));
}

#[test]
fn a_picture_for_a_video_that_is_not_approved_waits_for_the_approval() {
    let scene = Scene::new();
    scene.claim("a", 1);
    change(&scene, 1).unwrap();
    scene.pass(HOUR);
    scene.claim("a", 1);
    assert!(scene.report("a", 1, processed(&[Recommendation::Pass])).accepted);
    scene.sweep();
    assert_eq!(granted(scene.claim("a", 2)).thumbnail_key, wanted(&scene));
    assert_eq!(stored_pictures(&scene).len(), 1);
}

#[test]
fn the_picture_of_a_removed_video_is_kept_as_long_as_the_video() {
    for is_restored in [true, false] {
        let scene = published();
        change(&scene, 1).unwrap();
        scene.set_state(ContentState::TakenDown).unwrap();
        assert_eq!(scene.claim("a", 2), ClaimAnswer::Obsolete);
        scene.sweep();
        scene.pass(REVERSIBLE_SECONDS);
        scene.sweep();
        assert_eq!(stored_pictures(&scene), [wanted(&scene).unwrap()]);
        if is_restored {
            scene.set_state(ContentState::Published).unwrap();
            assert_eq!(granted(scene.claim("a", 3)).thumbnail_key, wanted(&scene));
            continue;
        }
        scene.pass(2 * HOUR);
        scene.sweep();
        assert_eq!(stored_pictures(&scene), Vec::<String>::new());
    }
}

#[test]
fn the_picture_of_a_deleted_video_is_deleted_with_it_or_kept_as_evidence() {
    for kept_seconds in [0, 30 * 24 * HOUR] {
        let scene = published();
        change(&scene, 1).unwrap();
        if kept_seconds > 0 {
            let take_down = "UPDATE contents SET state = 'taken_down', error_code = 'content_moderation_rejected'";
            scene.rule(take_down).unwrap();
        }
        let content = ContentUuid::new("c");
        let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &content };
        block_on(delete(&scene.world.database, owned, scene.now(), scene.now() + kept_seconds)).unwrap();
        scene.sweep();
        scene.pass(2 * HOUR);
        scene.sweep();
        assert_eq!(stored_pictures(&scene).len(), usize::from(kept_seconds > 0));
        scene.pass(kept_seconds);
        scene.sweep();
        assert_eq!(stored_pictures(&scene), Vec::<String>::new());
    }
}

#[test]
fn the_hash_of_the_picture_is_kept_for_the_blocklist() {
    let scene = published();
    change(&scene, 1).unwrap();
    make(&scene, &[Recommendation::Pass]);
    let process = scene.world.process(None);
    let kept = block_on(read_kept_frames(&scene.world.database, &process, &uuid())).unwrap();
    let hashes: Vec<_> = kept.into_iter().map(|frame| frame.hash.to_string()).collect();
    assert_eq!(hashes, [HASH]);
}
