//! The outcome of an upload, and the answers that its client gets.

use super::super::scene::{MAX_FILE_BYTES, Scene, TOKEN, large_video, small_video};
use super::client::{Client, code};
use crate::people::auth::hash::sha256_hex;
use crate::uploads::commit::find_committed;
use crate::uploads::resumable::{Outcome, abandon};
use contract::ErrorCode;
use fixtures::Form;
use futures_executor::block_on;

const NONE: Vec<String> = Vec::new();

#[test]
fn a_file_that_is_no_video_is_refused_at_the_byte_that_proves_it() {
    let scene = Scene { chunk: 100, ..Scene::new(10) };
    let client = Client::new(&scene, &[b"<html>".as_slice(), &vec![b' '; 50_000]].concat());
    client.create().unwrap();
    assert_eq!(code(client.append(0, usize::MAX)), Some(ErrorCode::ContentFileInvalidFormat));
    assert_eq!(client.refused_with(), Some(ErrorCode::ContentFileInvalidFormat));
    // The client may ask again at any time, and gets the same answer.
    assert_eq!(code(client.append(0, 10)), Some(ErrorCode::ContentFileInvalidFormat));
    assert_eq!((scene.used(), scene.open_uploads()), (0, 0));
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_file_with_another_hash_than_announced_is_refused() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video()).field("sha256", &"0".repeat(64));
    client.create().unwrap();
    assert_eq!(code(client.append(0, usize::MAX)), Some(ErrorCode::UploadSha256Mismatch));
    assert_eq!(client.refused_with(), Some(ErrorCode::UploadSha256Mismatch));
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_thumbnail_time_past_the_end_is_refused() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &small_video()).field("thumbnail_time", "00:01:00");
    client.create().unwrap();
    assert_eq!(code(client.append(0, usize::MAX)), Some(ErrorCode::ContentThumbnailTimeInvalid));
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_category_that_was_removed_meanwhile_is_refused() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &small_video()).field("super_category_id", "7");
    client.create().unwrap();
    scene.world.database.run_script("DELETE FROM super_categories");
    assert_eq!(code(client.append(0, usize::MAX)), Some(ErrorCode::ContentCategoryInvalid));
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn labels_and_visibility_are_fields_of_a_resumable_upload() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &small_video()).field("visibility", "unlisted").field("is_sensitive", "true");
    client.create().unwrap();
    client.append(0, usize::MAX).unwrap();
    let stored = "SELECT count(*) AS number FROM contents
        WHERE is_unlisted = 1 AND is_sensitive = 1 AND is_ai_generated = 0";
    assert_eq!(scene.count(stored), 1);
}

#[test]
fn a_wrong_field_is_refused_before_any_byte_and_takes_no_slot() {
    let scene = Scene::new(10);
    let refused = Client::new(&scene, &small_video()).field("super_category_id", "8").create();
    assert_eq!(refused.err().map(|refusal| refusal.code), Some(ErrorCode::ContentCategoryInvalid));
    assert_eq!((scene.used(), scene.count("SELECT count(*) AS number FROM resumable_uploads")), (0, 0));
}

#[test]
fn a_blocked_file_is_refused_without_a_byte_if_its_hash_is_announced_and_else_at_the_end() {
    let scene = Scene::new(10);
    let hash = sha256_hex(&small_video());
    let block = format!(
        "INSERT INTO blocked_files (sha256, content_uuid, reason, added_by, added_at_unix)
         VALUES ('{hash}', 'c', 'a reason', 'a person', 1)"
    );
    scene.world.database.run_script(&block);
    let announced = Client::new(&scene, &small_video()).field("sha256", &hash).create();
    assert_eq!(announced.err().map(|refusal| refusal.code), Some(ErrorCode::ContentModerationRejected));
    let client = Client::new(&scene, &small_video());
    client.create().unwrap();
    assert_eq!(code(client.append(0, usize::MAX)), Some(ErrorCode::ContentModerationRejected));
    assert_eq!(client.refused_with(), Some(ErrorCode::ContentModerationRejected));
    assert_eq!(scene.violations_after_sweep(), NONE);
}

fn with_token<'a>(scene: &'a Scene, seed: u64, file: &[u8]) -> Client<'a> {
    let hash = sha256_hex(file);
    Client::with_seed(scene, file, seed).field("upload_token", TOKEN).field("sha256", &hash)
}

#[test]
fn a_repeated_token_gets_the_first_outcome_without_a_byte() {
    let scene = Scene::new(1);
    let first = with_token(&scene, 1, &large_video());
    first.create().unwrap();
    first.append(0, usize::MAX).unwrap();
    // The limit of the day is reached, which a repetition does not need.
    for seed in [2, 3] {
        let again = with_token(&scene, seed, &large_video());
        let created = again.create().unwrap();
        assert!(matches!(created.progress.outcome, Outcome::Accepted(_)));
        assert_eq!(created.progress.received, large_video().len() as u64);
        assert!(again.append(0, 10).unwrap().accepted.is_none());
    }
    let other = with_token(&scene, 4, &small_video()).create();
    assert_eq!(other.err().map(|refusal| refusal.code), Some(ErrorCode::UploadTokenMismatch));
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_token_whose_video_was_deleted_is_spent() {
    let scene = Scene::new(10);
    let first = with_token(&scene, 1, &small_video());
    first.create().unwrap();
    first.append(0, usize::MAX).unwrap();
    scene.world.database.run_script("UPDATE contents SET state = 'failed', error_code = 'content_processing_failed'");
    let again = with_token(&scene, 2, &small_video()).create();
    assert_eq!(again.err().map(|refusal| refusal.code), Some(ErrorCode::UploadTokenSpent));
    assert_eq!(scene.used(), 1);
}

#[test]
fn a_token_means_the_same_in_one_request_and_in_several() {
    let scene = Scene::new(10);
    let form = Form::new().text("upload_token", TOKEN).file("file", "a", &small_video());
    let accepted = scene.upload(&scene.world.process(None), 9, form).unwrap().unwrap();
    let created = with_token(&scene, 1, &small_video()).create().unwrap();
    let Outcome::Accepted(uuid) = created.progress.outcome else { panic!("{created:?}") };
    assert_eq!(uuid.as_str(), accepted.result.content_uuid);
    let committed = block_on(find_committed(&scene.world.database, &created.progress.upload_uuid)).unwrap().unwrap();
    assert_eq!(committed.result(), accepted.result);
}

#[test]
fn a_token_is_held_while_its_upload_is_in_progress_and_free_once_it_is_parked() {
    let scene = Scene::new(10);
    let first = with_token(&scene, 1, &large_video());
    first.create().unwrap();
    first.append(0, 1_000).unwrap();
    let second = with_token(&scene, 2, &large_video());
    assert_eq!(second.create().err().map(|refusal| refusal.code), Some(ErrorCode::UploadInProgress));
    scene.world.pass(200);
    second.create().unwrap();
    assert_eq!(code(first.append(1_000, 10)), Some(ErrorCode::UploadInProgress));
    second.append(0, usize::MAX).unwrap();
    // The first one would become a second video.
    assert_eq!(code(first.append(1_000, 10)), Some(ErrorCode::UploadTokenMismatch));
    assert_eq!(scene.contents(), 1);
    block_on(abandon(&scene.world.database, &first.location)).unwrap();
    assert_eq!(scene.violations_after_sweep(), NONE);
}

#[test]
fn a_file_may_not_be_longer_than_announced() {
    let scene = Scene::new(10);
    for announces_length in [true, false] {
        let client = Client::with_seed(&scene, &small_video(), 1 + u64::from(announces_length));
        client.create().unwrap();
        let longer = Client { file: [small_video(), vec![0]].concat(), announces_length, ..client.clone() };
        assert_eq!(code(longer.append(0, usize::MAX)), Some(ErrorCode::RequestMalformed));
        assert!(client.finish().unwrap().accepted.is_some());
    }
    assert!(small_video().len() < MAX_FILE_BYTES as usize);
}

#[test]
fn a_client_can_abandon_an_upload() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, 300_000).unwrap();
    block_on(abandon(&scene.world.database, &client.location)).unwrap();
    assert_eq!(client.look().map(drop).unwrap_err().code, ErrorCode::UploadNotFound);
    assert_eq!(code(client.append(300_000, 10)), Some(ErrorCode::UploadNotFound));
    assert_eq!(block_on(abandon(&scene.world.database, &client.location)).unwrap_err().code, ErrorCode::UploadNotFound);
    assert_eq!((scene.used(), scene.violations_after_sweep()), (0, NONE));
}

#[test]
fn abandoning_an_accepted_upload_keeps_the_video() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, usize::MAX).unwrap();
    block_on(abandon(&scene.world.database, &client.location)).unwrap();
    assert_eq!((scene.violations_after_sweep(), scene.contents()), (NONE, 1));
}
