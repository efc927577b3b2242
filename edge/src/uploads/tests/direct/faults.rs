//! Every operation of an upload with a token fails in every way, then the user tries again.

use super::super::resumable::client::Client;
use super::super::scene::{LONG_AFTER, Scene, form, large_video, small_video};
use super::{Direct, code};
use crate::testing::fake_platform::{FakePlatform, Fault};
use contract::api::DirectUploadState;
use fixtures::Form;

/// Returns what is wrong after a fault, another try with the token, and the sweep.
fn wrong_after(form: &Form, fault: (usize, Fault)) -> Vec<String> {
    let scene = Scene::new(10);
    let direct = Direct::new(&scene);
    let first = direct.upload_by(&scene.world.process(Some(fault)), 1, form.clone());
    let was_accepted = matches!(first, Some(Ok(_)));
    let again = direct.upload(2, form.clone());
    let mut wrong = Vec::new();
    if was_accepted && code(again) != Some("direct_upload_token_invalid") {
        wrong.push("a second video was accepted".to_owned());
    }
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    wrong.extend(scene.violations_after_sweep());
    let used = scene.text("SELECT state AS text FROM direct_uploads") == DirectUploadState::Used.as_str();
    let events = direct.events().matches("direct_upload.used").count();
    if (scene.contents(), used, events) != (1, true, 1) {
        wrong.push(format!("{} contents, used: {used}, {events} events", scene.contents()));
    }
    wrong
}

#[test]
fn a_token_is_used_exactly_once_whichever_operation_fails() {
    let mut cases = 0;
    for form in [form(&small_video()), form(&large_video())] {
        let scene = Scene::new(10);
        let whole = scene.world.process(None);
        Direct::new(&scene).upload_by(&whole, 1, form.clone()).unwrap().unwrap();
        for fault in (0..whole.operations()).flat_map(|operation| Fault::ALL.map(|fault| (operation, fault))) {
            cases += 1;
            assert_eq!(wrong_after(&form, fault), Vec::<String>::new(), "{fault:?}");
        }
    }
    assert!(cases > 40, "{cases} cases only");
}

#[test]
fn a_resumable_upload_uses_the_token_exactly_once_whichever_operation_fails() {
    let whole = |scene: &Scene, process: &FakePlatform| {
        let direct = Direct::new(scene);
        let client = Client { grant: Some(direct.grant()), ..Client::new(scene, &large_video()) };
        client.create().unwrap();
        client.append_by(process, 0, usize::MAX, false)
    };
    let scene = Scene::new(10);
    let process = scene.world.process(None);
    whole(&scene, &process).unwrap().unwrap();
    for fault in (0..process.operations()).flat_map(|operation| Fault::ALL.map(|fault| (operation, fault))) {
        let scene = Scene::new(10);
        whole(&scene, &scene.world.process(Some(fault)));
        let client = Client::new(&scene, &large_video());
        if let Ok(progress) = client.look() {
            let again = client.append(progress.received, usize::MAX);
            assert!(again.is_ok(), "{fault:?}: {again:?}");
        }
        assert_eq!((scene.contents(), scene.violations_after_sweep()), (1, vec![]), "{fault:?}");
        assert_eq!(scene.text("SELECT state AS text FROM direct_uploads"), "used", "{fault:?}");
    }
}
