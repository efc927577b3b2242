//! Access on real SQLite: every state, every file and many other paths, every kind of viewer.

use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::contents::media_path::MediaPath;
use crate::contents::owner_changes::{OwnedContent, delete};
use crate::contents::status;
use crate::jobs::tests::scene::{NOON, Scene, uuid};
use crate::jobs::tests::{processed, stored_media};
use crate::viewing::access::Viewer;
use crate::viewing::cache_rules;
use crate::viewing::owner_page::owner_page;
use crate::viewing::published_page;
use crate::viewing::stored_file::{self, ServableFile};
use axum::http::header::CACHE_CONTROL;
use axum::http::{Method, Response};
use contract::ContentState::{self, Published};
use contract::job::JobOutcome;
use contract::moderation::Recommendation::{Pass, Reject, Review};
use contract::{MediaFile, ObjectKey};
use futures_executor::block_on;

const OWNER: Viewer = Viewer::Channel(ChannelId(1));
const VIEWERS: [Viewer; 4] = [Viewer::Anonymous, Viewer::Channel(ChannelId(2)), OWNER, Viewer::Moderator];

/// Returns a content in each state. Each state is reached as in production, so the media columns are still set.
fn scenes() -> Vec<(&'static str, Scene)> {
    let claimed = |at| {
        let scene = Scene::scheduled(at);
        scene.claim("a", 1);
        scene
    };
    let reported = |at, outcome: JobOutcome| {
        let scene = claimed(at);
        assert!(scene.report("a", 1, outcome).accepted);
        scene
    };
    let later = Some(NOON + 1_000);
    let unreleased = |at| {
        let scene = Scene::unreleased(at);
        scene.claim("a", 1);
        assert!(scene.report("a", 1, processed(&[Pass])).accepted);
        scene
    };
    let taken_down = reported(None, processed(&[Pass]));
    taken_down.set_state(ContentState::TakenDown).unwrap();
    let deleted = reported(None, processed(&[Pass]));
    let content = OwnedContent { channel_id: ChannelId(1), content_uuid: &uuid() };
    block_on(delete(&deleted.world.database, content, deleted.now(), deleted.now())).unwrap();
    let detail = String::new();
    vec![
        ("queued", Scene::new()),
        ("claimed", claimed(None)),
        ("waiting", reported(None, processed(&[Review]))),
        ("scheduled", reported(later, processed(&[Pass]))),
        ("unreleased", unreleased(None)),
        ("unreleased for later", unreleased(later)),
        ("published", reported(None, processed(&[Pass]))),
        ("rejected", reported(None, processed(&[Reject]))),
        ("failed", reported(None, JobOutcome::Failed { detail })),
        ("taken down", taken_down),
        ("deleted", deleted),
    ]
}

fn file_for(scene: &Scene, path: &str, viewer: Viewer) -> Option<ServableFile> {
    let path = MediaPath::parse(path)?;
    let content = block_on(stored_file::find_content(&scene.world.database, &path)).unwrap()?;
    content.file(path.file, viewer)
}

fn file_for_review(scene: &Scene, file: MediaFile) -> Option<ServableFile> {
    let content = block_on(stored_file::find_by_uuid(&scene.world.database, &uuid())).unwrap()?;
    content.file_for_review(file)
}

/// Returns the `Cache-Control` of the response with this file, or of the 404.
fn cache_control(path: &str, file: Option<&ServableFile>) -> String {
    let mut response = Response::builder().status(if file.is_some() { 200 } else { 404 }).body(()).unwrap();
    if let Some(file) = file {
        response.extensions_mut().insert(file.shown(true));
    }
    cache_rules::apply(&mut response, &Method::GET, path);
    response.headers()[CACHE_CONTROL].to_str().unwrap().to_owned()
}

fn expected_control(is_public: bool, may_see: bool) -> &'static str {
    match (is_public, may_see) {
        (true, _) => "public, max-age=60, must-revalidate",
        (false, true) => "private, no-store",
        (false, false) => "no-store",
    }
}

fn path_of(file: MediaFile) -> String {
    match file {
        MediaFile::Video => "/media/m.mp4".to_owned(),
        file => format!("/media/m/{file}"),
    }
}

#[test]
fn only_what_the_state_allows_is_reachable() {
    let (mut requests, mut granted) = (0, 0);
    let mut files: Vec<_> = stored_media().files;
    for more in [MediaFile::Storyboard, MediaFile::StoryboardTrack, MediaFile::Preview] {
        let name = more.to_string();
        files.push(contract::job::StoredFile { name, size_bytes: 1 });
    }
    let files: Vec<_> = files.iter().filter_map(|file| MediaFile::parse(&file.name)).collect();
    for (name, scene) in scenes() {
        let state = scene.row().state;
        for (file, viewer) in files.iter().flat_map(|file| VIEWERS.map(|viewer| (*file, viewer))) {
            let is_stored = stored_media().files.iter().any(|one| one.name == file.to_string());
            let is_trusted = matches!(viewer, OWNER | Viewer::Moderator);
            let is_picture = matches!(file, MediaFile::Poster | MediaFile::Thumbnail(_));
            let is_waiting = matches!(name, "waiting" | "scheduled" | "unreleased" | "unreleased for later");
            let may = is_stored && (state == Published || is_waiting && is_trusted && is_picture);
            let found = file_for(&scene, &path_of(file), viewer);
            assert_eq!(found.is_some(), may, "{name} {file} {viewer:?}");
            let reviewed = file_for_review(&scene, file);
            assert_eq!(reviewed.is_some(), is_stored && scene.row().media_generation.is_some(), "{name} {file}");
            assert!(reviewed.is_none_or(|file| !file.is_public), "{name} {file}");
            let is_public = is_stored && state == Published;
            assert_eq!(
                cache_control(&path_of(file), found.as_ref()),
                expected_control(is_public, may),
                "{name} {file}"
            );
            (requests, granted) = (requests + 1, granted + u32::from(may));
        }
        let page = block_on(published_page::find(&scene.world.database, "s")).unwrap();
        let page = page.as_ref().and_then(|page| page.published("https://www.example").unwrap());
        assert_eq!(page.is_some(), state == Published, "{name}");
    }
    println!("access: {requests} requests, {granted} granted");
    assert!(requests > 300 && granted > 30);
}

#[test]
fn only_the_owner_sees_progress_and_only_before_publication() {
    for (name, scene) in scenes() {
        let database = &scene.world.database;
        let content = block_on(published_page::find(database, "s")).unwrap().unwrap();
        let may_become_public = matches!(scene.row().state, ContentState::Processing | ContentState::Scheduled);
        assert_eq!(content.owner_who_may_see_progress(), may_become_public.then_some(ChannelId(1)), "{name}");
        let owned = |channel| block_on(status::find_by_slug(database, ChannelId(channel), "s")).unwrap();
        assert!(owned(2).is_none(), "{name}");
        if may_become_public {
            let status = owned(1).unwrap().status("https://www.example", UnixSeconds(NOON));
            let page = owner_page(&status).html;
            assert!(page.contains("Only you can see this page."), "{page}");
            assert!(!page.contains("/media/m.mp4") && !page.contains("<video"), "{page}");
        }
    }
}

#[test]
fn the_owner_reads_how_far_the_video_is() {
    for (name, expected) in [
        ("queued", "<p>Waiting to be processed.</p><progress max=\"100\" value=\"0\""),
        ("waiting", "<p>A moderator has to review the video before it can be published.</p>"),
        ("scheduled", "<p>It will be published on "),
        ("unreleased", "<p>It is approved, and will be published once you release it.</p>"),
        ("unreleased for later", "<p>It is approved, and will be published once you release it, but not before "),
    ] {
        let (_, scene) = scenes().into_iter().find(|(other, _)| *other == name).unwrap();
        let content = block_on(status::find_by_slug(&scene.world.database, ChannelId(1), "s")).unwrap().unwrap();
        let page = owner_page(&content.status("https://www.example", UnixSeconds(NOON))).html;
        assert!(page.contains(expected), "{page}");
        let has_picture = page.contains("<img src=\"https://www.example/media/m/thumbnail-640.jpg\" width=\"640\"");
        assert_eq!(has_picture, name != "queued", "{page}");
    }
}

#[test]
fn no_other_path_leads_to_an_object_for_anybody() {
    for (name, scene) in scenes() {
        let objects = [
            ObjectKey::SourceVideo { upload_uuid: "u" }.path(),
            ObjectKey::SourceThumbnail { upload_uuid: "u" }.path(),
            "media/c/1/video.mp4".to_owned(),
        ];
        let mut paths: Vec<_> = objects.iter().flat_map(|key| [format!("/{key}"), format!("/media/{key}")]).collect();
        for wrong in [
            "c.mp4",
            "c/poster.jpg",
            "c/1/poster.jpg",
            "u/video",
            "m",
            "m/",
            "m.mp4/",
            "m/source",
            "m/video",
            "m/hls/720p.mp4",
            "m/hls/",
            "m/../c/1/video.mp4",
            "m%2e.mp4",
            "M.mp4",
            "m.MP4",
            "s.mp4",
            "m/thumbnail-1.jpg",
        ] {
            paths.push(format!("/media/{wrong}"));
        }
        for (path, viewer) in paths.iter().flat_map(|path| VIEWERS.map(|viewer| (path, viewer))) {
            assert_eq!(file_for(&scene, path, viewer), None, "{name} {path} {viewer:?}");
        }
        for slug in ["", "c", "m", "S", "s ", "s'", "%", &"s".repeat(200)] {
            let page = block_on(published_page::find(&scene.world.database, slug)).unwrap();
            assert!(page.is_none(), "{name} {slug}");
        }
    }
}

#[test]
fn the_file_is_that_of_the_approved_generation() {
    let scene = Scene::new();
    scene.requeue();
    scene.claim("a", 2);
    scene.report("a", 2, processed(&[Pass]));
    let file = file_for(&scene, "/media/m.mp4", Viewer::Anonymous).unwrap();
    assert_eq!(file.object_key, "media/c/2/video.mp4");
    assert_eq!((file.content_type, file.size_bytes), ("video/mp4", 1));
}

#[test]
fn the_viewer_matters_only_for_pictures_of_a_content_that_may_become_public() {
    for (name, scene) in scenes() {
        let path = MediaPath::parse("/media/m.mp4").unwrap();
        let content = block_on(stored_file::find_content(&scene.world.database, &path)).unwrap().unwrap();
        let may_become_public = matches!(scene.row().state, ContentState::Processing | ContentState::Scheduled);
        assert_eq!(content.depends_on_viewer(MediaFile::Poster), may_become_public, "{name}");
        assert!(!content.depends_on_viewer(MediaFile::Video), "{name}");
    }
}
