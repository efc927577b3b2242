//! The video that an upload with a token makes, and its state for its owner and for its holder.

use super::super::resumable::client::Client;
use super::super::scene::{CHANNEL, Scene, form, large_video, small_video};
use super::{Direct, code, create, request};
use crate::uploads::direct::{self, DirectList};
use crate::uploads::resumable::allowed_page;
use contract::ContentState;
use contract::api::{CreateDirectUpload, DirectUploadState};
use fixtures::Form;
use futures_executor::block_on;

#[test]
fn a_token_makes_one_video_and_its_owner_is_told() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    assert_eq!((scene.used(), direct.state()), (0, DirectUploadState::Open), "a token takes no slot");
    let accepted = direct.upload(1, form(&small_video())).unwrap();
    let uuid = accepted.result.content_uuid;
    assert_eq!(direct.state(), DirectUploadState::Used);
    let event = format!("direct_upload.used{{\"direct_upload_id\":\"direct-1\",\"content_uuid\":\"{uuid}\"}}");
    assert_eq!(direct.events(), event);
    assert_eq!(code(direct.upload(2, form(&small_video()))), Some("direct_upload_token_invalid"));
    assert_eq!((scene.contents(), scene.violations_after_sweep()), (1, vec![]));
}

#[test]
fn a_resumable_upload_uses_the_token_up_too() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let client = Client { grant: Some(direct.grant()), ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    assert_eq!(direct.state(), DirectUploadState::Open);
    client.append(0, usize::MAX).unwrap();
    assert_eq!(direct.state(), DirectUploadState::Used);
    assert!(client.look().unwrap().is_direct);
    assert_eq!(code(client.create()), Some("direct_upload_token_invalid"));
    assert_eq!((scene.contents(), scene.violations_after_sweep()), (1, vec![]));
}

#[test]
fn a_location_knows_the_origin_of_the_pages_that_may_use_it() {
    let scene = Scene::new(10);
    let app = Some("https://app.example".to_owned());
    for (seed, origin) in [(1, app), (2, None)] {
        let direct = create(&scene, seed, CreateDirectUpload { allowed_origin: origin.clone(), ..request() }).unwrap();
        let client = Client::with_seed(&scene, &large_video(), seed);
        let client = Client { grant: Some(direct.grant()), ..client };
        let page = || block_on(allowed_page(&scene.world.database, &client.location)).unwrap();
        let allowed = || page().map(|page| page.origin);
        assert_eq!(allowed(), None, "the upload has not begun");
        client.create().unwrap();
        assert_eq!(allowed(), origin);
    }
}

#[test]
fn a_refused_file_does_not_use_the_token_up() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    assert_eq!(code(direct.upload(1, form(b"not a video"))), Some("content_file_invalid_format"));
    let wrong = Client { grant: Some(direct.grant()), ..Client::new(&scene, &[b'x'; 5_000]) };
    wrong.create().unwrap();
    assert_eq!(code(wrong.append(0, usize::MAX)), Some("content_file_invalid_format"));
    assert_eq!(direct.state(), DirectUploadState::Open);
    direct.upload(3, form(&small_video())).unwrap();
    assert_eq!((scene.contents(), scene.violations_after_sweep()), (1, vec![]));
}

/// An owner who decides that all videos of users are unlisted must get that.
#[test]
fn labels_and_visibility_are_fields_of_a_direct_upload() {
    let scene = Scene::new(10);
    let fields = [("visibility".to_owned(), "unlisted".to_owned())].into();
    let request = CreateDirectUpload { fields, user_may_set: vec!["is_ai_generated".to_owned()], ..request() };
    let direct = create(&scene, 1, request).unwrap();
    let public = Form::new().text("visibility", "public").file("file", "a.mp4", &small_video());
    assert!(direct.upload(1, public).is_err());
    let labeled = Form::new().text("is_ai_generated", "true").file("file", "a.mp4", &small_video());
    direct.upload(2, labeled).unwrap();
    let stored = scene.text("SELECT is_unlisted || is_sensitive || is_ai_generated AS text FROM contents");
    assert_eq!(stored, "101");
}

#[test]
fn the_owners_fields_and_those_of_the_user_become_the_videos() {
    let scene = Scene::new(10);
    let fields = [("super_category_id".to_owned(), "7".to_owned())].into();
    let request = CreateDirectUpload { fields, external_id: Some("order-7".to_owned()), ..request() };
    let direct = create(&scene, 1, request).unwrap();
    direct.upload(1, Form::new().text("caption", "Hello").file("file", "a.mp4", &small_video())).unwrap();
    let stored = scene.text("SELECT caption || super_category_id || external_id AS text FROM contents");
    assert_eq!(stored, "Hello7order-7");
    assert!(direct.events().contains("\"external_id\":\"order-7\""), "{}", direct.events());
}

#[test]
fn the_owner_lists_its_direct_uploads_page_by_page_and_by_state() {
    let scene = Scene::new(10);
    let all: Vec<_> = (1..=5).map(|seed| create(&scene, seed, request()).unwrap()).collect();
    all[1].upload(1, form(&small_video())).unwrap();
    all[2].revoke();
    let list = |part: DirectList| {
        let found = block_on(direct::list(&scene.world.database, CHANNEL, &part, all[0].now())).unwrap();
        found.into_iter().map(|direct| direct.direct_upload_id).collect::<Vec<_>>()
    };
    let page = |after: Option<&str>, state| list(DirectList { state, after: after.map(str::to_owned), at_most: 2 });
    assert_eq!(page(None, None), ["direct-5", "direct-4"]);
    assert_eq!(page(Some("direct-4"), None), ["direct-3", "direct-2"]);
    assert_eq!(page(Some("direct-2"), None), ["direct-1"]);
    assert_eq!(page(None, Some(DirectUploadState::Used)), ["direct-2"]);
    assert_eq!(page(Some("direct-4"), Some(DirectUploadState::Open)), ["direct-1"]);
    let read = |uuid| block_on(direct::read(&scene.world.database, CHANNEL, uuid, all[0].now())).unwrap();
    let used = read("direct-2").unwrap();
    assert!(used.content_uuid.is_some() && used.state == DirectUploadState::Used);
    assert!(read("direct-9").is_none());
}

#[test]
fn the_holder_sees_the_state_of_its_video_for_an_hour() {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let status = || block_on(direct::status(&scene.world.database, &direct.token.hash())).unwrap();
    assert!(status().is_none());
    let uuid = direct.upload(1, form(&small_video())).unwrap().result.content_uuid;
    let held = status().unwrap();
    assert_eq!((held.content_uuid, held.state, held.error_code), (uuid, ContentState::Processing, None));
    scene.world.pass(3_599);
    assert!(direct.find().is_some());
    scene.world.pass(1);
    assert!(direct.find().is_none());
}
