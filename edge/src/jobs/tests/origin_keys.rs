//! The keys of origins.

use super::scene::{NOON, Scene};
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::origin_keys;
use crate::platform::batch_frame::BatchFrame;
use crate::platform::database::{Database, Statement};
use crate::platform::signer::Signer;
use crate::testing::framed_batch;
use crate::testing::sqlite::Sqlite;
use futures_executor::block_on;

#[test]
fn the_last_key_of_an_origin_takes_its_jobs_with_it_and_no_other_does() {
    let scene = Scene::new();
    let database = &scene.world.database;
    let make = |name| block_on(origin_keys::create(database, name, "operator", UnixSeconds(NOON))).unwrap();
    let end = |id| block_on(origin_keys::end(database, id, "Ada", UnixSeconds(NOON))).unwrap();
    let is_valid = |key_id| {
        let signer = Some(Signer { key_id, origin: "a".to_owned() });
        framed_batch(database, &BatchFrame { signer, ..BatchFrame::default() }, Vec::new()).is_ok()
    };
    let (old, new, other) = (make("a"), make("a"), make("b"));
    scene.claim("a", 1);
    for id in [other, old] {
        assert!(end(id));
        assert_eq!((is_valid(id), scene.row().claimed_by.as_deref()), (false, Some("a")));
    }
    assert!(is_valid(new));
    assert!(end(new) && end(new));
    assert_eq!((scene.row().claimed_by, scene.row().claim_ends_at_unix), (None, None));
    assert_eq!(scene.count("SELECT count(*) AS number FROM jobs WHERE state = 'due' AND due_at_unix = 0"), 1);
    let ended = "SELECT count(*) AS number FROM trail WHERE action = 'origin_key_ended' AND actor = 'Ada'";
    assert_eq!(scene.count(ended), 3);
    assert!(!end(other + 1));
}

#[test]
fn an_origin_key_is_never_deleted_or_revived() {
    let database = Sqlite::migrated();
    let id = block_on(origin_keys::create(&database, "a", "operator", UnixSeconds(NOON))).unwrap();
    block_on(origin_keys::end(&database, id, "Ada", UnixSeconds(NOON))).unwrap();
    for sql in ["DELETE FROM origin_keys", "UPDATE origin_keys SET ended_at_unix = NULL"] {
        assert!(block_on(database.batch(vec![Statement::new(sql)])).is_err(), "{sql}");
    }
    assert_eq!(block_on(origin_keys::list(&database, None, 9)).unwrap()[0].ended_at_unix, Some(NOON));
}
