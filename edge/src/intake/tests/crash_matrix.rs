//! Every operation of an upload, struck in every way, then sent again with the same token, then swept: one content,
//! one charge, one set of objects, its job in the queue, nothing left over.

use super::scene::{LONG_AFTER, Scene, TOKEN, form, large_video, small_video};
use crate::fake_platform::Fault;
use contract::ErrorCode;
use fixtures::Form;

/// What of an upload differs in the order of its operations.
fn variants() -> Vec<(&'static str, Form)> {
    let picture = b"\xff\xd8\xff\xe0 a picture";
    vec![
        (
            "small, token first",
            token().file("file", "a.mp4", &small_video()),
        ),
        (
            "small, token last",
            form(&small_video()).text("upload_token", TOKEN),
        ),
        (
            "with a picture",
            token()
                .file("thumbnail_file", "a.jpg", picture)
                .file("file", "a.mp4", &small_video()),
        ),
        (
            "in parts, token first",
            token().file("file", "a.mp4", &large_video()),
        ),
        (
            "in parts, token last",
            form(&large_video()).text("upload_token", TOKEN),
        ),
    ]
}

fn token() -> Form {
    Form::new().text("upload_token", TOKEN)
}

/// One case: the first try is struck, the client tries again until it is answered, the sweep runs, all is at rest.
fn run(form: &Form, strike: (usize, Fault), sweep_between: bool) -> Vec<String> {
    let scene = Scene::new(10);
    let first = scene.upload(&scene.world.process(Some(strike)), 1, form.clone());
    let answered = first
        .as_ref()
        .and_then(|answer| answer.as_ref().ok())
        .map(|accepted| accepted.result.clone());
    if sweep_between {
        scene.world.pass(LONG_AFTER);
        scene.sweep();
    }
    let mut faults = Vec::new();
    let mut again = scene
        .upload(&scene.world.process(None), 2, form.clone())
        .unwrap();
    if matches!(&again, Err(error) if error.code == ErrorCode::UploadInProgress) {
        // The dead upload holds the token until its lease is over, and no longer.
        scene.world.pass(LONG_AFTER);
        again = scene
            .upload(&scene.world.process(None), 3, form.clone())
            .unwrap();
    }
    match again {
        Ok(again)
            if answered
                .as_ref()
                .is_some_and(|first| *first != again.result) =>
        {
            faults.push(format!(
                "two answers for one token: {answered:?} and {:?}",
                again.result
            ));
        }
        Ok(_) => {}
        Err(error) => faults.push(format!("the second try is refused: {error:?}")),
    }
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    scene.sweep();
    if scene.contents() != 1 {
        faults.push(format!("{} contents", scene.contents()));
    }
    faults.extend(scene.faults_at_rest());
    faults
}

#[test]
fn whatever_is_struck_the_upload_happens_exactly_once() {
    let mut cases = 0;
    let mut violations = Vec::new();
    for (name, form) in variants() {
        let scene = Scene::new(10);
        let whole = scene.world.process(None);
        scene.upload(&whole, 1, form.clone()).unwrap().unwrap();
        for operation in 0..whole.operations() {
            for fault in Fault::ALL {
                for sweep_between in [false, true] {
                    cases += 1;
                    let faults = run(&form, (operation, fault), sweep_between);
                    if !faults.is_empty() {
                        violations.push(format!(
                            "{name}, {fault:?} at operation {operation}: {faults:?}"
                        ));
                    }
                }
            }
        }
    }
    println!(
        "crash matrix: {cases} cases, {} violations",
        violations.len()
    );
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    assert!(cases > 200, "{cases} cases only");
}

/// The sweep is struck as well: the next one restores the truth.
#[test]
fn a_sweep_that_dies_is_finished_by_the_next() {
    let mut cases = 0;
    for (name, form) in variants() {
        for operation in 0..12 {
            for fault in Fault::ALL {
                let scene = Scene::new(10);
                // Dead in the middle, with whatever it had stored.
                let strike = Some((3, Fault::DieAfter));
                let _ = scene.upload(&scene.world.process(strike), 1, form.clone());
                scene.world.pass(LONG_AFTER);
                let process = scene.world.process(Some((operation, fault)));
                let _ = futures_util::FutureExt::now_or_never(crate::sweep::sweep(&process));
                scene.world.pass(LONG_AFTER);
                scene.sweep();
                scene.sweep();
                let faults = scene.faults_at_rest();
                assert!(
                    faults.is_empty(),
                    "{name}, sweep: {fault:?} at operation {operation}: {faults:?}"
                );
                cases += 1;
            }
        }
    }
    println!("struck sweeps: {cases} cases, 0 violations");
}
