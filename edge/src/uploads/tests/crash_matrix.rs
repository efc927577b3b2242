//! The crash matrix: every operation of an upload fails in every way, then the client retries with the same token, then
//! the sweep runs. The result must be one content, one used slot, one set of objects and one queued job, and nothing
//! left over. If the key is deleted or rotated between two operations, no content may be created afterwards.

use super::captions::with_captions;
use super::key_changes::{KeyChange, upload_with_change};
use super::scene::{
    LONG_AFTER, Scene, TOKEN, form, large_video, memory_to_hold, small_video, stored_in_parts, without_state,
};
use crate::base::unknown_fields::UnknownFields;
use crate::testing::fake_platform::Fault;
use contract::ErrorCode;
use fixtures::Form;

/// An upload of the matrix.
pub(super) struct Variant {
    pub name: &'static str,
    pub form: Form,
    /// The memory that is left to hold a small file in.
    memory_to_hold: usize,
}

impl Variant {
    pub(super) fn scene(&self) -> Scene {
        let (isolate, unknown_fields) = (memory_to_hold(self.memory_to_hold), UnknownFields::ignoring());
        Scene { isolate, unknown_fields, ..Scene::new(10) }
    }
}

/// Uploads that differ in the order of their operations.
pub(super) fn variants() -> Vec<Variant> {
    let picture = b"\xff\xd8\xff\xe0 a picture";
    let with_picture = token().file("thumbnail_file", "a.jpg", picture).file("file", "a.mp4", &small_video());
    let token_last = || stored_in_parts().text("upload_token", TOKEN);
    let token_first = || token().text("thumbnail_time", "00:00:01").file("file", "a.mp4", &large_video());
    // Longer than all other fields may be, so the file is shorter than the parts that were announced.
    let large_picture = [picture.as_slice(), &vec![0; 300_000]].concat();
    let picture_last = token().file("file", "a.mp4", &large_video()).file("thumbnail_file", "a.jpg", &large_picture);
    let medium = || token().file("file", "a.mp4", &fixtures::mp4(5_000, 140_000, 2));
    let enough = usize::MAX / 4;
    let forms = [
        ("small, token first", token().file("file", "a.mp4", &small_video()), enough),
        ("small, token last", form(&small_video()).text("upload_token", TOKEN), enough),
        ("with a picture", with_picture, enough),
        ("with captions", with_captions(token()).file("file", "a.mp4", &small_video()), enough),
        ("in parts, token first", token_first(), enough),
        ("in parts, token last", token_last(), enough),
        ("in parts, picture last", picture_last, enough),
        ("in parts, much after the file", token_first().text("labels", &"x".repeat(60_000)), enough),
        ("small, in several segments", medium(), enough),
        ("small, through a padded object", medium(), 0),
    ];
    forms.into_iter().map(|(name, form, memory_to_hold)| Variant { name, form, memory_to_hold }).collect()
}

fn token() -> Form {
    Form::new().text("upload_token", TOKEN)
}

/// Runs one case: the first attempt hits the fault, the client retries until it gets an answer, and the sweep runs.
fn run(variant: &Variant, fault: (usize, Fault), sweep_between: bool) -> Vec<String> {
    let (form, scene) = (&variant.form, variant.scene());
    let first = scene.upload(&scene.world.process(Some(fault)), 1, form.clone());
    let answered = first.as_ref().and_then(|answer| answer.as_ref().ok()).map(|accepted| accepted.result.clone());
    if sweep_between {
        scene.world.pass(LONG_AFTER);
        scene.sweep();
    }
    let mut faults = Vec::new();
    let mut again = scene.upload(&scene.world.process(None), 2, form.clone()).unwrap();
    if matches!(&again, Err(error) if error.code == ErrorCode::UploadInProgress) {
        // The crashed upload holds the token until its lease expires.
        scene.world.pass(LONG_AFTER);
        again = scene.upload(&scene.world.process(None), 3, form.clone()).unwrap();
    }
    match again {
        Ok(again) if answered.as_ref().is_some_and(|first| without_state(first) != without_state(&again.result)) => {
            faults.push(format!("two answers for one token: {answered:?} and {:?}", again.result));
        }
        Ok(_) => {}
        Err(error) => faults.push(format!("the second try is refused: {error:?}")),
    }
    faults.extend(faults_at_rest(&scene, 1));
    faults
}

/// Runs the sweep twice, long after the last upload, and returns the violated invariants.
fn violations_after_two_sweeps(scene: &Scene) -> Vec<String> {
    scene.world.pass(LONG_AFTER);
    scene.sweep();
    scene.sweep();
    scene.violations_at_rest()
}

/// Returns the faults after the sweeps, including an unexpected number of contents.
fn faults_at_rest(scene: &Scene, expected_contents: u64) -> Vec<String> {
    let mut faults = violations_after_two_sweeps(scene);
    if scene.contents() != expected_contents {
        faults.push(format!("{} contents instead of {expected_contents}", scene.contents()));
    }
    faults
}

/// Calls `case` with every way in which one operation of a variant can fail.
fn for_each_fault(mut case: impl FnMut(&Variant, (usize, Fault))) {
    for variant in variants() {
        let scene = variant.scene();
        let whole = scene.world.process(None);
        scene.upload(&whole, 1, variant.form.clone()).unwrap().unwrap();
        for operation in 0..whole.operations() {
            for fault in Fault::ALL {
                case(&variant, (operation, fault));
            }
        }
    }
}

#[test]
fn an_upload_happens_exactly_once_whichever_operation_fails() {
    let mut cases = 0;
    let mut violations = Vec::new();
    for_each_fault(|variant, (operation, fault)| {
        for sweep_between in [false, true] {
            cases += 1;
            let faults = run(variant, (operation, fault), sweep_between);
            if !faults.is_empty() {
                violations.push(format!("{}, {fault:?} at operation {operation}: {faults:?}", variant.name));
            }
        }
    });
    println!("crash matrix: {cases} cases, {} violations", violations.len());
    assert!(violations.is_empty(), "{}", violations.join("\n"));
    assert!(cases > 200, "{cases} cases only");
}

/// Runs one case: the key changes just before the operation `change_at`, and the fault hits. Then the client retries
/// with the dead key, and the sweep runs.
fn run_with_change(variant: &Variant, fault: (usize, Fault), change: KeyChange, change_at: usize) -> Vec<String> {
    let (form, scene) = (&variant.form, variant.scene());
    let first = upload_with_change(&scene, &scene.world.process(Some(fault)), form, change, change_at);
    let before = first.contents_at_change.unwrap_or_else(|| {
        // The process died, or the upload ended, before the key changed.
        change.apply(&scene);
        scene.contents()
    });
    let mut faults = Vec::new();
    let again = scene.upload(&scene.world.process(None), 2, form.clone()).unwrap();
    if !matches!(&again, Err(error) if error.code == ErrorCode::ApiKeyInvalid) {
        faults.push(format!("the second try with the dead key: {again:?}"));
    }
    faults.extend(faults_at_rest(&scene, before));
    faults
}

#[test]
fn a_dead_key_creates_nothing_whichever_operation_fails() {
    let mut cases = 0;
    for_each_fault(|variant, (operation, fault)| {
        for (change, change_at) in [(KeyChange::Delete, operation), (KeyChange::Rotate, operation + 1)] {
            let faults = run_with_change(variant, (operation, fault), change, change_at);
            let name = variant.name;
            let case = format!("{name}, {fault:?} at operation {operation}, {change:?} before {change_at}");
            assert!(faults.is_empty(), "{case}: {faults:?}");
            cases += 1;
        }
    });
    println!("crash matrix with a dead key: {cases} cases, 0 violations");
}

#[test]
fn the_next_sweep_finishes_the_work_of_one_that_crashed() {
    let mut cases = 0;
    for variant in variants() {
        for operation in 0..12 {
            for fault in Fault::ALL {
                let (name, scene) = (variant.name, variant.scene());
                // The upload dies half-way and leaves its stored objects.
                let fault_of_upload = Some((3, Fault::DieAfter));
                let _ = scene.upload(&scene.world.process(fault_of_upload), 1, variant.form.clone());
                scene.world.pass(LONG_AFTER);
                let process = scene.world.process(Some((operation, fault)));
                let _ = futures_util::FutureExt::now_or_never(crate::testing::sweep(&process));
                let faults = violations_after_two_sweeps(&scene);
                assert!(faults.is_empty(), "{name}, sweep: {fault:?} at operation {operation}: {faults:?}");
                cases += 1;
            }
        }
    }
    println!("crashed sweeps: {cases} cases, 0 violations");
}
