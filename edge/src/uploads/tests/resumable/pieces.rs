//! The bytes arrive in any pieces, over any connection, and are stored as if they had come at once.

use super::super::scene::{PART_BYTES, Scene, large_video, small_video};
use super::client::{Client, change_row};
use crate::uploads::resumable::Outcome;
use contract::ErrorCode;
use fixtures::Form;
use proptest::prelude::*;

const PART: u64 = PART_BYTES as u64;

#[test]
fn an_upload_in_one_request_is_stored_and_accepted() {
    for file in [small_video(), large_video(), fixtures::mp4(5_000, 2 * PART_BYTES, 3)] {
        let scene = Scene::new(10);
        let client = Client::new(&scene, &file);
        let created = client.create().unwrap();
        assert_eq!((created.progress.received, created.usage.used), (0, 1));
        let appended = client.append(0, usize::MAX).unwrap();
        assert!(appended.accepted.is_some() && client.is_stored());
        assert_eq!(scene.queued_contents().len(), 1);
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    }
}

/// So it does not matter to anything else how the file came.
#[test]
fn a_content_is_the_same_however_its_file_came() {
    let row = "SELECT file_sha256 || duration_ms || source || coalesce(caption, '') || thumbnail AS text FROM contents";
    let texts = [true, false].map(|in_one_request| {
        let scene = Scene::new(10);
        if in_one_request {
            let form = Form::new().text("caption", "A caption").text("thumbnail_time", "00:00:02");
            scene.upload(&scene.world.process(None), 1, form.file("file", "a", &large_video())).unwrap().unwrap();
        } else {
            let client = Client::new(&scene, &large_video()).field("caption", "A caption");
            let client = client.field("thumbnail_time", "00:00:02");
            client.create().unwrap();
            client.append(0, 200_000).unwrap();
            client.finish().unwrap();
        }
        scene.text(row)
    });
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn what_has_arrived_before_the_connection_broke_is_kept() {
    let scene = Scene::new(10);
    let client = Client { seconds_per_chunk: 1, ..Client::new(&scene, &large_video()) };
    client.create().unwrap();
    let broken = client.break_off(0, 100_000);
    assert_eq!(broken.unwrap_err().code, ErrorCode::RequestMalformed);
    assert_eq!(client.offset(), 100_000);
    client.break_off(100_000, 300_000).unwrap_err();
    assert_eq!(client.offset(), 400_000);
    assert!(client.finish().unwrap().accepted.is_some() && client.is_stored());
}

#[test]
fn a_fast_client_loses_less_than_a_part() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.break_off(0, 3 * PART_BYTES + 1_000).unwrap_err();
    assert_eq!(client.offset(), 3 * PART);
}

#[test]
fn an_empty_request_changes_nothing() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    let appended = client.append(0, 0).unwrap();
    assert_eq!((appended.progress.received, client.offset()), (0, 0));
    assert!(matches!(appended.progress.outcome, Outcome::Open));
}

/// A deployment may prefer other parts while uploads are in progress.
#[test]
fn an_upload_keeps_the_size_of_its_parts() {
    let scene = Scene::new(10);
    let client = Client::new(&scene, &large_video());
    client.create().unwrap();
    client.append(0, PART_BYTES + 1_000).unwrap();
    let later = Client { part_bytes: 2 * PART, ..client.clone() };
    assert!(later.finish().unwrap().accepted.is_some() && client.is_stored());
}

/// A deployment may change how the state of the checker is saved, and some states are too large.
#[test]
fn without_a_saved_state_the_file_is_checked_at_its_end() {
    for lost in ["checked = NULL", "checked = 'AAAA'"] {
        let scene = Scene::new(10);
        let client = Client::new(&scene, &large_video());
        client.create().unwrap();
        client.append(0, 200_000).unwrap();
        change_row(&scene, lost);
        assert!(client.finish().unwrap().accepted.is_some() && client.is_stored());
        assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    }
}

#[test]
fn without_a_saved_state_a_wrong_file_is_refused_at_its_end() {
    let scene = Scene::new(10);
    let mut file = large_video();
    file.truncate(file.len() - 1);
    let client = Client::new(&scene, &file);
    client.create().unwrap();
    client.append(0, 200_000).unwrap();
    change_row(&scene, "checked = NULL");
    let refused = client.finish().map(drop).unwrap_err().code;
    assert_eq!(client.refused_with(), Some(refused));
    assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(30, 1_000)))]
    #[test]
    fn any_pieces_give_the_file(
        pieces in prop::collection::vec((1..400_000_usize, any::<bool>()), 0..8),
        chunk in 100..90_000_usize, slow in any::<bool>(), announces in any::<bool>(),
    ) {
        let scene = Scene { chunk, ..Scene::new(10) };
        let client = Client {
            seconds_per_chunk: u64::from(slow),
            announces_length: announces,
            ..Client::new(&scene, &large_video())
        };
        client.create().unwrap();
        for (bytes, breaks) in pieces {
            let offset = client.offset();
            if offset == client.file.len() as u64 {
                break;
            }
            let sent = if breaks { client.break_off(offset, bytes) } else { client.append(offset, bytes) };
            prop_assert!(sent.is_ok() || breaks, "{sent:?}");
            let kept = client.offset() - offset;
            let lost = (bytes.min(client.file.len() - usize::try_from(offset).unwrap()) as u64) - kept;
            let may_lose = breaks && !(slow && chunk <= PART_BYTES / 4);
            prop_assert!(lost <= if may_lose { PART } else { 0 }, "{lost} bytes are lost");
        }
        client.finish().unwrap();
        prop_assert!(matches!(client.look().unwrap().outcome, Outcome::Accepted(_)) && client.is_stored());
        prop_assert_eq!(scene.violations_after_sweep(), Vec::<String>::new());
    }
}
