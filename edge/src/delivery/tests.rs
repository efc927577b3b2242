//! The gate on real SQLite: every state, every file and other address, everybody who may ask.

use crate::contents::addresses::MediaPath;
use crate::delivery::access::Asker;
use crate::delivery::{file, shown};
use crate::jobs::tests::scene::{NOON, Scene};
use crate::jobs::tests::{processed, stored_media};
use crate::publication::{Owned, delete};
use contract::ContentState::{self, Published};
use contract::job::JobOutcome;
use contract::moderation::Verdict::{Pass, Reject, Review};
use contract::{MediaFile, ObjectKey};
use futures_executor::block_on;

const OWNER: Asker = Asker::Channel(1);
const ASKERS: [Asker; 4] = [Asker::Anybody, Asker::Channel(2), OWNER, Asker::Moderator];

/// Each state as it really comes about, with everything that was ever stored still in its row.
fn scenes() -> Vec<(&'static str, Scene)> {
    let worked_on = |at| {
        let scene = Scene::scheduled(at);
        scene.claim("a", 1, 1);
        scene
    };
    let reported = |at, outcome: JobOutcome| {
        let scene = worked_on(at);
        assert!(scene.report("a", 1, outcome).accepted);
        scene
    };
    let later = Some(NOON + 1_000);
    let taken_down = reported(None, processed(&[Pass]));
    taken_down.set_state(ContentState::TakenDown).unwrap();
    let deleted = reported(None, processed(&[Pass]));
    let owned = Owned {
        channel_id: 1,
        content_uuid: "c",
    };
    block_on(delete(&deleted.world.database, owned, NOON)).unwrap();
    let detail = String::new();
    vec![
        ("queued", Scene::new()),
        ("worked on", worked_on(None)),
        ("waiting", reported(None, processed(&[Review]))),
        ("scheduled", reported(later, processed(&[Pass]))),
        ("published", reported(None, processed(&[Pass]))),
        ("rejected", reported(None, processed(&[Reject]))),
        ("failed", reported(None, JobOutcome::Failed { detail })),
        ("taken down", taken_down),
        ("deleted", deleted),
    ]
}

fn file_for(scene: &Scene, path: &str, asker: Asker) -> Option<file::File> {
    let path = MediaPath::parse(path)?;
    let found = block_on(file::find(&scene.world.database, &path)).unwrap()?;
    found.file(path.file, asker)
}

fn address(file: MediaFile) -> String {
    match file {
        MediaFile::Video => "/media/m.mp4".to_owned(),
        file => format!("/media/m/{file}"),
    }
}

#[test]
fn nothing_is_reachable_but_what_the_state_allows() {
    let (mut asked, mut answered) = (0, 0);
    let mut files: Vec<_> = stored_media().files;
    for more in [
        MediaFile::Storyboard,
        MediaFile::StoryboardTrack,
        MediaFile::Preview,
    ] {
        let name = more.to_string();
        files.push(contract::job::StoredFile {
            name,
            size_bytes: 1,
        });
    }
    let files: Vec<_> = files
        .iter()
        .filter_map(|file| MediaFile::parse(&file.name))
        .collect();
    for (name, scene) in scenes() {
        let state = scene.row().state;
        for (file, asker) in files
            .iter()
            .flat_map(|file| ASKERS.map(|asker| (*file, asker)))
        {
            let is_stored = stored_media()
                .files
                .iter()
                .any(|one| one.name == file.to_string());
            let is_trusted = matches!(asker, OWNER | Asker::Moderator);
            let is_picture = matches!(file, MediaFile::Poster | MediaFile::Thumbnail(_));
            let is_waiting = matches!(name, "waiting" | "scheduled");
            let may = is_stored && (state == Published || is_waiting && is_trusted && is_picture);
            let found = file_for(&scene, &address(file), asker);
            assert_eq!(found.is_some(), may, "{name} {file} {asker:?}");
            let is_public = found.is_some_and(|found| found.is_public);
            assert_eq!(
                is_public,
                is_stored && state == Published,
                "{name} {file} {asker:?}"
            );
            (asked, answered) = (asked + 1, answered + u32::from(may));
        }
        let page = block_on(shown::page(
            &scene.world.database,
            "s",
            "https://www.example",
        ))
        .unwrap();
        assert_eq!(page.is_some(), state == Published, "{name}");
    }
    println!("the gate: {asked} questions, {answered} answered");
    assert!(asked > 300 && answered > 30);
}

#[test]
fn no_other_address_leads_to_an_object_for_anybody() {
    for (name, scene) in scenes() {
        let objects = [
            ObjectKey::SourceVideo { upload_uuid: "u" }.path(),
            ObjectKey::SourceThumbnail { upload_uuid: "u" }.path(),
            "media/c/1/video.mp4".to_owned(),
        ];
        let mut paths: Vec<_> = objects
            .iter()
            .flat_map(|key| [format!("/{key}"), format!("/media/{key}")])
            .collect();
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
        for (path, asker) in paths
            .iter()
            .flat_map(|path| ASKERS.map(|asker| (path, asker)))
        {
            assert_eq!(
                file_for(&scene, path, asker),
                None,
                "{name} {path} {asker:?}"
            );
        }
        for slug in ["", "c", "m", "S", "s ", "s'", "%", &"s".repeat(200)] {
            let page = block_on(shown::page(&scene.world.database, slug, "")).unwrap();
            assert_eq!(page, None, "{name} {slug}");
        }
    }
}

#[test]
fn a_file_is_that_of_the_job_that_was_approved() {
    let scene = Scene::new();
    scene.requeue();
    scene.claim("a", 2, 1);
    scene.report("a", 2, processed(&[Pass]));
    let file = file_for(&scene, "/media/m.mp4", Asker::Anybody).unwrap();
    assert_eq!(file.object_key, "media/c/2/video.mp4");
    assert_eq!((file.content_type, file.size_bytes), ("video/mp4", 1));
}
