//! Records survive crashes, and two programs never use one at the same time.

use super::*;
use proptest::prelude::*;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const SHA: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(future)
}

fn id(key: &str) -> RecordId {
    RecordId::new(&"https://a.b".parse().unwrap(), &key.parse().unwrap(), SHA)
}

fn store() -> (tempfile::TempDir, TokenStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = TokenStore::open(folder.path().join("state/uploads")).unwrap();
    (folder, store)
}

fn uploaded(content_uuid: &str) -> UploadRecord {
    let state = UploadState::Uploaded { content_uuid: content_uuid.to_owned(), fields_sha256: SHA.to_owned() };
    UploadRecord { token: token_of(SHA), state, location: None }
}

#[test]
fn a_record_is_read_as_it_was_written() {
    let (_folder, store) = store();
    let record = run(store.lock(&id("cgk_aaaaaaaa"))).unwrap();
    assert_eq!(record.read().unwrap(), None);
    for written in [UploadRecord::first(SHA), UploadRecord::fresh().unwrap(), uploaded("c")] {
        record.write(&written).unwrap();
        assert_eq!(record.read().unwrap(), Some(written));
    }
    let other = run(store.lock(&id("cgk_bbbbbbbb"))).unwrap();
    assert_eq!(other.read().unwrap(), None);
}

#[test]
fn the_first_token_of_a_file_is_always_the_same_and_others_are_not() {
    assert_eq!(token_of(SHA), "01234567-89ab-8def-a123-456789abcdef");
    assert_eq!(UploadRecord::first(SHA), UploadRecord::first(SHA));
    assert_ne!(UploadRecord::fresh().unwrap().token, UploadRecord::fresh().unwrap().token);
}

#[test]
fn nobody_else_can_read_the_records() {
    let (_folder, store) = store();
    let record = run(store.lock(&id("cgk_aaaaaaaa"))).unwrap();
    record.write(&uploaded("c")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&store.folder), mode(&record.path)), (0o700, 0o600));
}

#[test]
fn a_damaged_record_is_an_error_and_not_a_new_upload() {
    let (_folder, store) = store();
    let record = run(store.lock(&id("cgk_aaaaaaaa"))).unwrap();
    for damage in ["", "{", r#"{"token":"t"}"#] {
        std::fs::write(&record.path, damage).unwrap();
        assert!(matches!(record.read(), Err(StoreError::Damaged(_))), "{damage}");
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let (folder, store) = store();
    let record = run(store.lock(&id("cgk_aaaaaaaa"))).unwrap();
    std::fs::remove_dir_all(folder.path()).unwrap();
    assert!(matches!(record.write(&uploaded("c")), Err(StoreError::Unusable { .. })));
    let file = folder.path().with_extension("file");
    std::fs::write(&file, "").unwrap();
    assert!(TokenStore::open(file.join("uploads")).is_err());
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_reader_sees_whole_records_only_while_they_are_replaced() {
    let (_folder, store) = store();
    let record = run(store.lock(&id("cgk_aaaaaaaa"))).unwrap();
    record.write(&uploaded("0")).unwrap();
    let (path, ended) = (record.path.clone(), Arc::new(AtomicBool::new(false)));
    let is_over = Arc::clone(&ended);
    let reader = std::thread::spawn(move || {
        while !is_over.load(Ordering::Relaxed) {
            let bytes = std::fs::read(&path).unwrap();
            serde_json::from_slice::<UploadRecord>(&bytes).unwrap();
        }
    });
    for number in 0..fixtures::cases(50, 2_000) {
        record.write(&uploaded(&"x".repeat(usize::try_from(number).unwrap()))).unwrap();
    }
    ended.store(true, Ordering::Relaxed);
    reader.join().unwrap();
}

#[test]
fn a_record_is_locked_until_it_is_dropped() {
    let (_folder, store) = store();
    run(async {
        let first = store.lock(&id("cgk_aaaaaaaa")).await.unwrap();
        let soon = Duration::from_millis(300);
        assert!(tokio::time::timeout(soon, store.lock(&id("cgk_aaaaaaaa"))).await.is_err());
        store.lock(&id("cgk_bbbbbbbb")).await.unwrap();
        drop(first);
        store.lock(&id("cgk_aaaaaaaa")).await.unwrap();
    });
}

proptest! {
    #[test]
    fn every_hash_gives_a_token_that_is_a_uuid(hash in "[0-9a-f]{64}") {
        let token = token_of(&hash);
        let lengths: Vec<usize> = token.split('-').map(str::len).collect();
        prop_assert_eq!(lengths, [8, 4, 4, 4, 12]);
        prop_assert_eq!((token.as_bytes()[14], token.as_bytes()[19]), (b'8', b'a'));
    }
}
