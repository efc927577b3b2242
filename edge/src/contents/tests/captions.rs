//! Captions that an owner sends: each state, their job, their replacement, and how long their objects are kept.

use super::sent_pictures::PACE;
use super::thumbnails::{change_nothing, columns, granted, object, pictures, published, thumbnail_at};
use crate::base::ids::{ChannelId, UploadUuid};
use crate::base::refusal::Refusal;
use crate::base::unknown_fields::UnknownFields;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::contents::update_outcome::UpdateOutcome;
use crate::contents::updates::update;
use crate::jobs::tests::scene::{Scene, finding, uuid};
use crate::jobs::tests::{processed, with_subtitles};
use crate::platform::error::PlatformError;
use crate::platform::isolate::Quota;
use crate::testing::fake_platform::FakePlatform;
use crate::uploads::captions::{receive_captions, remove_captions, send_captions};
use crate::uploads::small_form::SmallFormRequest;
use contract::api::{CaptionsChange, ContentStatus};
use contract::job::{ClaimAnswer, JobOutcome, JobWork, StoredSubtitles};
use contract::moderation::{Examination, Recommendation};
use contract::{ContentState, ErrorCode, MediaFile};
use fixtures::Form;
use futures_executor::block_on;
use futures_util::stream;
use multipart::Boundary;
use serde::Deserialize;
use std::sync::atomic::{AtomicU64, Ordering};

const HOUR: u64 = 3_600;

/// Returns a SubRip file with this text.
pub(super) fn srt(text: &str) -> String {
    format!("1\n00:00:01,000 --> 00:00:02,000\n{text}\n")
}

pub(super) fn form(content_uuid: &str, language: &str, file: &str) -> Form {
    let form = Form::new().text("content_uuid", content_uuid).text("language", language);
    form.file("captions_file", "a.srt", file.as_bytes())
}

/// Sends a form under a name that no other file has.
pub(super) async fn send(process: &FakePlatform, channel: u64, form: Form) -> Result<UpdateOutcome, Refusal> {
    static SENT: AtomicU64 = AtomicU64::new(0);
    let memory = Quota::new(usize::MAX / 4, 60);
    let boundary = Boundary::from_content_type(&Form::content_type()).unwrap();
    let unknown_fields = UnknownFields::default();
    let request = SmallFormRequest { boundary, content_length: None, pace: PACE, unknown_fields, memory: &memory };
    let body = form.body();
    let chunks: Vec<_> = body.chunks(100).map(|chunk| Ok::<_, PlatformError>(chunk.to_vec())).collect();
    let captions = receive_captions(process, &request, stream::iter(chunks)).await?;
    let name = UploadUuid::new(format!("s{}", SENT.fetch_add(1, Ordering::Relaxed)));
    send_captions(process, ChannelId(channel), name, &captions).await
}

fn status(scene: &Scene, outcome: Result<UpdateOutcome, Refusal>) -> Result<ContentStatus, ErrorCode> {
    match outcome {
        Ok(UpdateOutcome::Done { content, .. }) => Ok(content.status("https://site.example", scene.now())),
        Ok(UpdateOutcome::Refused { code, .. }) => Err(code),
        Ok(UpdateOutcome::UnknownContent) => Err(ErrorCode::ContentNotFound),
        Err(refusal) => Err(refusal.code),
    }
}

/// Sends captions as the owner.
pub(super) fn change(scene: &Scene, language: &str, text: &str) -> Result<ContentStatus, ErrorCode> {
    let process = scene.world.process(None);
    status(scene, block_on(send(&process, 1, form("c", language, &srt(text)))))
}

fn remove(scene: &Scene, language: &str) -> Result<ContentStatus, ErrorCode> {
    let process = scene.world.process(None);
    status(scene, block_on(remove_captions(&process, ChannelId(1), &uuid(), language)))
}

/// Returns the R2 keys of the captions that were sent.
pub(super) fn stored_captions(scene: &Scene) -> Vec<String> {
    scene.objects().into_iter().filter(|key| key.starts_with("sources/s") && key.ends_with("/captions")).collect()
}

/// Returns what an origin reports about a captions job.
pub(super) fn made(recommendations: &[Recommendation]) -> JobOutcome {
    let media = with_subtitles();
    let mut files = media.files;
    files.retain(|file| MediaFile::parse(&file.name).is_some_and(MediaFile::depends_on_subtitles));
    let findings = recommendations.iter().copied().map(finding).collect();
    JobOutcome::Captions {
        subtitles: StoredSubtitles { tracks: media.subtitles, files },
        findings,
        examination: Examination::default(),
    }
}

/// Lets an origin make the latest change.
fn make(scene: &Scene, recommendations: &[Recommendation]) {
    let generation = columns(scene).generation;
    granted(scene.claim("a", generation));
    assert!(scene.report("a", generation, made(recommendations)).accepted);
}

#[derive(Debug, PartialEq, Deserialize)]
struct Captions {
    wanted: String,
    shown: String,
}

/// Returns the languages of the wanted captions and of the shown captions.
fn captions(scene: &Scene) -> (String, String) {
    let Captions { wanted, shown } = scene.read(
        "SELECT coalesce((SELECT group_concat(language ORDER BY language) FROM captions WHERE is_wanted = 1), '') AS wanted,
             coalesce((SELECT group_concat(language ORDER BY language) FROM captions WHERE is_shown = 1), '') AS shown",
    );
    (wanted, shown)
}

#[test]
fn captions_are_rewritten_given_to_an_origin_and_shown_when_it_has_made_them() {
    let scene = published();
    let status = change(&scene, "EN", "Hello <i>you</i>\u{202e}").unwrap();
    assert_eq!((status.state, status.captions_change), (ContentState::Published, Some(CaptionsChange::Pending)));
    assert_eq!((status.captions, status.check_after_seconds), (vec!["en".to_owned()], Some(5)));
    scene.pass(30);
    scene.sweep();
    assert_eq!(scene.queued(), [2]);
    // The uploaded video has a different duration than the published one, and its own thumbnail.
    scene.attempt("UPDATE contents SET duration_ms = 5001, thumbnail = '{\"seconds\":1}'").unwrap();
    let details = granted(scene.claim("a", 2));
    assert_eq!((details.source_key.as_str(), details.file_sha256.as_str()), ("media/c/1/video.mp4", ""));
    assert_eq!((details.thumbnail_key, details.thumbnail_time_seconds), (None, None));
    let work = details.captions.unwrap();
    assert_eq!((details.work, details.duration_ms, work.media_generation), (JobWork::Captions, 5_000, 1));
    assert_eq!(work.picture_key, "media/c/1/thumbnail-640.jpg");
    assert_eq!(work.files.iter().map(|file| file.language.as_str()).collect::<Vec<_>>(), ["en"]);
    let stored = scene.world.objects.borrow().get(&work.files[0].key).cloned().unwrap();
    assert!(String::from_utf8(stored).unwrap().ends_with("\n00:00:01.000 --> 00:00:02.000\nHello you\n"));
    assert_eq!(object(&scene, MediaFile::MasterPlaylist), "media/c/1/hls/master.m3u8");
    assert_eq!(captions(&scene), ("en".to_owned(), String::new()));
    assert_eq!(scene.count("SELECT count(*) AS number FROM cache_purges"), 0);
    let answer = scene.report("a", 2, made(&[Recommendation::Pass]));
    assert_eq!((answer.accepted, answer.state), (true, Some(ContentState::Published)));
    assert_eq!(captions(&scene), ("en".to_owned(), "en".to_owned()));
    for (file, key) in [
        (MediaFile::MasterPlaylist, "media/c/2/hls/master.m3u8"),
        (MediaFile::Subtitles(1), "media/c/2/hls/subtitles-1.vtt"),
        (MediaFile::Video, "media/c/1/video.mp4"),
        (MediaFile::Poster, "media/c/1/poster.jpg"),
    ] {
        assert_eq!(object(&scene, file), key);
    }
    let status = change_nothing(&scene);
    assert_eq!((status.captions_change, status.subtitles.len()), (None, 1));
    assert_eq!(scene.count("SELECT count(*) AS number FROM cache_purges"), 1);
    // After a lost response, the report is repeated.
    assert!(scene.report("a", 2, made(&[Recommendation::Pass])).accepted);
    // The sweep keeps the file, because the next job needs it again.
    scene.store("media/c/2/hls/master.m3u8");
    scene.pass(2 * HOUR);
    scene.sweep();
    assert_eq!(stored_captions(&scene).len(), 1);
    assert!(scene.objects().contains(&"media/c/2/hls/master.m3u8".to_owned()));
}

#[test]
fn the_same_captions_again_store_nothing_and_start_no_job() {
    let scene = published();
    for _ in 0..2 {
        let status = change(&scene, "en", "one").unwrap();
        assert_eq!(status.captions_change, Some(CaptionsChange::Pending));
        assert_eq!((columns(&scene).generation, stored_captions(&scene).len()), (2, 1));
    }
    make(&scene, &[Recommendation::Pass]);
    assert_eq!(change(&scene, "en", "one").unwrap().captions_change, None);
    assert_eq!((columns(&scene).generation, stored_captions(&scene).len()), (2, 1));
    assert_eq!(remove(&scene, "de").unwrap().captions_change, None);
    assert_eq!(columns(&scene).generation, 2);
}

#[test]
fn captions_are_replaced_and_removed_by_language() {
    let scene = published();
    change(&scene, "en", "one").unwrap();
    change(&scene, "de", "eins").unwrap();
    make(&scene, &[Recommendation::Pass]);
    assert_eq!(captions(&scene), ("de,en".to_owned(), "de,en".to_owned()));
    // A replacement that viewers never saw is dropped, and the shown captions are kept until the change is made.
    change(&scene, "en", "two").unwrap();
    change(&scene, "en", "three").unwrap();
    assert_eq!(remove(&scene, "de").unwrap().captions, ["en"]);
    assert_eq!(captions(&scene), ("en".to_owned(), "de,en".to_owned()));
    scene.sweep();
    assert_eq!(stored_captions(&scene).len(), 3);
    make(&scene, &[Recommendation::Pass]);
    scene.sweep();
    assert_eq!(captions(&scene), ("en".to_owned(), "en".to_owned()));
    assert_eq!(stored_captions(&scene).len(), 1);
    assert_eq!(remove(&scene, "en").unwrap().captions, Vec::<String>::new());
    make(&scene, &[Recommendation::Pass]);
    scene.sweep();
    assert_eq!((captions(&scene), stored_captions(&scene).len()), ((String::new(), String::new()), 0));
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0);
}

#[test]
fn a_change_that_does_not_pass_leaves_what_viewers_see() {
    let refused = JobOutcome::Refused { code: ErrorCode::ContentCaptionsInvalid, detail: String::new() };
    let failed = JobOutcome::Failed { detail: "the disk is full".to_owned() };
    for (outcome, code) in [
        (made(&[Recommendation::Review]), ErrorCode::ContentModerationRejected),
        (made(&[Recommendation::Reject]), ErrorCode::ContentModerationRejected),
        (made(&[Recommendation::Wait]), ErrorCode::ContentProcessingFailed),
        (pictures(&[Recommendation::Pass]), ErrorCode::ContentProcessingFailed),
        (processed(&[Recommendation::Pass]), ErrorCode::ContentProcessingFailed),
        (refused, ErrorCode::ContentCaptionsInvalid),
        (failed, ErrorCode::ContentProcessingFailed),
    ] {
        let scene = published();
        change(&scene, "en", "good").unwrap();
        make(&scene, &[Recommendation::Pass]);
        change(&scene, "en", "bad").unwrap();
        change(&scene, "de", "auch").unwrap();
        scene.claim("a", 3);
        for _ in 0..2 {
            assert!(scene.report("a", 3, outcome.clone()).accepted);
        }
        let status = change_nothing(&scene);
        assert_eq!((status.state, status.captions_change), (ContentState::Published, Some(CaptionsChange::Failed)));
        assert_eq!((status.captions_error_message_code, status.check_after_seconds), (Some(code), None));
        assert_eq!(captions(&scene), ("en".to_owned(), "en".to_owned()));
        assert_eq!(object(&scene, MediaFile::MasterPlaylist), "media/c/2/hls/master.m3u8");
        scene.sweep();
        assert_eq!(stored_captions(&scene).len(), 1);
        assert_eq!(change(&scene, "en", "bad").unwrap().captions_change, Some(CaptionsChange::Pending));
    }
}

#[test]
fn a_change_before_the_approval_begins_with_it() {
    let scene = Scene::new();
    scene.claim("a", 1);
    let status = change(&scene, "en", "early").unwrap();
    assert_eq!((status.state, status.captions_change), (ContentState::Processing, Some(CaptionsChange::Pending)));
    assert_eq!(columns(&scene).generation, 1);
    assert!(scene.report("a", 1, processed(&[Recommendation::Pass])).accepted);
    scene.pass(30);
    scene.sweep();
    assert_eq!(scene.queued(), [2]);
    assert_eq!(granted(scene.claim("a", 2)).work, JobWork::Captions);
}

/// A content has one job at a time, so one of two changes waits. Neither is lost, even if the other fails.
#[test]
fn another_thumbnail_goes_first_and_captions_follow() {
    for recommendation in [Recommendation::Pass, Recommendation::Reject] {
        for captions_first in [false, true] {
            let scene = published();
            let change_thumbnail = || {
                let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
                let changes = thumbnail_at(Some("00:00:03")).unwrap();
                block_on(update(&scene.world.database, owned, &changes, scene.now())).unwrap();
            };
            if captions_first {
                change(&scene, "en", "a").unwrap();
                change_thumbnail();
            } else {
                change_thumbnail();
                change(&scene, "en", "a").unwrap();
            }
            let generation = columns(&scene).generation;
            scene.pass(30);
            scene.sweep();
            assert_eq!(scene.queued(), [generation], "one message for both");
            assert_eq!(granted(scene.claim("a", generation)).work, JobWork::Thumbnail);
            assert!(scene.report("a", generation, pictures(&[recommendation])).accepted);
            assert_eq!(granted(scene.claim("a", generation + 1)).work, JobWork::Captions);
            assert!(scene.report("a", generation + 1, made(&[Recommendation::Pass])).accepted);
            let status = change_nothing(&scene);
            assert_eq!((status.captions_change, status.subtitles.len()), (None, 1));
            let poster = if recommendation == Recommendation::Pass { generation } else { 1 };
            assert_eq!(object(&scene, MediaFile::Poster), format!("media/c/{poster}/poster.jpg"));
        }
    }
}

#[test]
fn a_job_that_fails_too_often_ends_and_one_whose_message_was_lost_is_sent_again_once() {
    let scene = published();
    change(&scene, "en", "a").unwrap();
    for seconds in [30, 120] {
        scene.pass(seconds);
        scene.sweep();
        scene.sweep();
    }
    assert_eq!(scene.queued(), [2]);
    scene.attempt("UPDATE jobs SET undecided_failures = 7").unwrap();
    scene.claim("a", 2);
    scene.report("a", 2, JobOutcome::Undecided { detail: "no disk".to_owned() });
    let status = change_nothing(&scene);
    assert_eq!(status.captions_change, Some(CaptionsChange::Failed));
    assert_eq!((status.captions, captions(&scene)), (Vec::new(), (String::new(), String::new())));
    scene.sweep();
    assert_eq!(stored_captions(&scene).len(), 0);
}

#[test]
fn a_removed_content_is_not_worked_on_and_its_captions_rest_with_its_files() {
    let scene = published();
    change(&scene, "en", "a").unwrap();
    make(&scene, &[Recommendation::Pass]);
    change(&scene, "de", "b").unwrap();
    scene.set_state(ContentState::TakenDown).unwrap();
    assert_eq!(scene.claim("a", 3), ClaimAnswer::Obsolete);
    assert_eq!(change(&scene, "fr", "c"), Err(ErrorCode::ContentStateConflict));
    assert_eq!(remove(&scene, "en"), Err(ErrorCode::ContentStateConflict));
    scene.pass(2 * HOUR);
    scene.sweep();
    assert_eq!(stored_captions(&scene).len(), 2);
    scene.set_state(ContentState::Published).unwrap();
    assert_eq!(granted(scene.claim("a", 4)).work, JobWork::Captions);
    let owned = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&scene.world.database, owned, scene.now(), scene.now())).unwrap();
    for _ in 0..3 {
        scene.sweep();
        scene.pass(2 * HOUR);
    }
    assert_eq!((captions(&scene), stored_captions(&scene).len()), ((String::new(), String::new()), 0));
    assert_eq!(scene.count("SELECT count(*) AS number FROM garbage"), 0);
}

#[test]
fn a_video_has_captions_in_eight_languages() {
    let scene = published();
    for language in ["en", "de", "fr", "es", "it", "pt", "pt-BR", "zh-Hant"] {
        change(&scene, language, "a").unwrap();
    }
    assert_eq!(change(&scene, "nl", "a"), Err(ErrorCode::ContentCaptionsTooMany));
    assert_eq!(stored_captions(&scene).len(), 8);
    assert!(change(&scene, "en", "b").is_ok());
    remove(&scene, "de").unwrap();
    assert!(change(&scene, "nl", "a").is_ok());
}

#[test]
fn captions_that_are_changed_again_and_again_have_one_message_and_a_daily_limit() {
    let scene = published();
    for number in 0..200 {
        change(&scene, "en", &number.to_string()).unwrap();
    }
    scene.pass(30);
    scene.sweep();
    assert_eq!(scene.queued(), [2], "one message for all changes");
    assert_eq!(change(&scene, "en", "more"), Err(ErrorCode::DailyChangeLimitReached));
    assert_eq!(remove(&scene, "en"), Err(ErrorCode::DailyChangeLimitReached));
    assert!(change(&scene, "en", "199").is_ok(), "the same again is no change");
    make(&scene, &[Recommendation::Pass]);
    assert_eq!(captions(&scene), ("en".to_owned(), "en".to_owned()));
}

#[test]
fn only_the_owner_changes_captions() {
    let scene = published();
    let process = scene.world.process(None);
    let stranger = block_on(send(&process, 2, form("c", "en", &srt("a"))));
    assert_eq!(status(&scene, stranger), Err(ErrorCode::ContentNotFound));
    let stranger = block_on(remove_captions(&process, ChannelId(2), &uuid(), "en"));
    assert_eq!(status(&scene, stranger), Err(ErrorCode::ContentNotFound));
    assert_eq!((stored_captions(&scene).len(), columns(&scene).generation), (0, 1));
}
