use super::*;
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::origin_keys;
use crate::jobs::tests::scene::{Scene, uuid};
use crate::platform::follow_ups::Due;
use crate::testing::framed_batch;
use crate::testing::sqlite::Sqlite;
use futures_executor::block_on;

const NOTHING: Due = Due { removals: false, purges: false, webhooks: false };

fn noting(follow_ups: &FollowUps) -> BatchFrame {
    BatchFrame { follow_ups: Some(follow_ups.clone()), ..BatchFrame::default() }
}

/// Returns the follow-ups of a statement.
fn due_after(database: &Sqlite, sql: &'static str) -> Due {
    let follow_ups = FollowUps::default();
    framed_batch(database, &noting(&follow_ups), vec![Statement::new(sql)]).unwrap();
    follow_ups.take()
}

#[test]
fn a_batch_that_writes_tells_what_follows_from_it_whoever_wrote_it() {
    let database = &Scene::new().world.database;
    let create =
        "INSERT INTO webhooks (uuid, channel_id, url, created_at_unix) VALUES ('w', 1, 'https://a.example', 1)";
    assert_eq!(due_after(database, create), NOTHING);
    let block = "INSERT INTO blocked_hashes (hash, reason, added_by, added_at_unix)
         VALUES (lower(hex(zeroblob(32))), 'r', 'm', 1)";
    assert_eq!(due_after(database, block), Due { removals: true, ..NOTHING });
    database.run_script("UPDATE removals SET is_stored = 1");
    let purge = "INSERT INTO cache_purges (tag) VALUES ('t')";
    assert_eq!(due_after(database, purge), Due { purges: true, ..NOTHING });
    database.run_script("UPDATE cache_purges SET due_at_unix = 9");
    let deliver = "INSERT INTO webhook_deliveries (webhook_id, event_id, due_at_unix) VALUES (1, 1, 0)";
    assert_eq!(due_after(database, deliver), Due { webhooks: true, ..NOTHING });
}

#[test]
fn what_was_attempted_before_is_left_to_the_sweep() {
    let database = &Scene::new().world.database;
    database.run_script(
        "INSERT INTO webhooks (uuid, channel_id, url, created_at_unix) VALUES ('w', 1, 'https://a.example', 1);
         INSERT INTO webhook_deliveries (webhook_id, event_id, due_at_unix) VALUES (1, 1, 90);
         INSERT INTO cache_purges (tag, due_at_unix) VALUES ('t', 90);
         INSERT INTO removals (kind, subject, happened_at_unix) VALUES ('hash', 'h', unixepoch() - 90)",
    );
    assert_eq!(due_after(database, "UPDATE channels SET id = id"), NOTHING);
    // A run has leased the webhook, and sends this event too.
    database.run_script(
        "UPDATE webhook_deliveries SET due_at_unix = 0; UPDATE webhooks SET lease_ends_at_unix = unixepoch() + 60",
    );
    assert_eq!(due_after(database, "UPDATE channels SET id = id"), NOTHING);
}

#[test]
fn what_is_due_is_taken_once() {
    let database = Sqlite::migrated();
    let follow_ups = FollowUps::default();
    let purge = Statement::new("INSERT INTO cache_purges (tag) VALUES ('t')");
    framed_batch(&database, &noting(&follow_ups), vec![purge]).unwrap();
    assert!(follow_ups.clone().take().purges);
    assert_eq!(follow_ups.take(), NOTHING);
}

#[test]
fn a_batch_that_only_reads_asks_for_nothing() {
    let follow_ups = FollowUps::default();
    let frame = noting(&follow_ups);
    assert_eq!(frame.surround(vec![Statement::new("SELECT 1 AS one")]).statements().len(), 1);
    assert_eq!(frame.surround(vec![Statement::new("DELETE FROM garbage")]).statements().len(), 2);
}

#[test]
fn an_own_statement_keeps_its_answer_whatever_is_around_it() {
    let database = Sqlite::migrated();
    let key_id = block_on(origin_keys::create(&database, "a", "operator", UnixSeconds(1))).unwrap();
    let signer = Some(Signer { key_id, origin: "a".to_owned() });
    let place = Some(Place { network: None, route: "POST /".to_owned() });
    for frame in [
        BatchFrame::default(),
        BatchFrame { signer: signer.clone(), ..BatchFrame::default() },
        BatchFrame { signer, place, follow_ups: Some(FollowUps::default()) },
    ] {
        let own = vec![
            Statement::new("SELECT 1 AS number"),
            Statement::new("DELETE FROM garbage RETURNING upload_uuid"),
            Statement::new("SELECT 3 AS number"),
        ];
        let answers = framed_batch(&database, &frame, own).unwrap();
        let numbers: Vec<_> =
            answers.iter().map(|rows| rows.0.first().and_then(|row| row["number"].as_u64())).collect();
        assert_eq!(numbers, [Some(1), None, Some(3)]);
    }
}

#[test]
fn a_key_that_has_ended_or_belongs_to_another_origin_changes_nothing() {
    let scene = Scene::new();
    let database = &scene.world.database;
    let create = |name| block_on(origin_keys::create(database, name, "operator", UnixSeconds(1))).unwrap();
    let (ended, other, valid) = (create("a"), create("b"), create("a"));
    assert!(block_on(origin_keys::end(database, ended, "Ada", UnixSeconds(2))).unwrap());
    let touch = |key_id| {
        let signer = Some(Signer { key_id, origin: "a".to_owned() });
        let touch = Statement::new("UPDATE contents SET revision = revision + 1 WHERE uuid = ?1").bind(&uuid());
        framed_batch(database, &BatchFrame { signer, ..BatchFrame::default() }, vec![touch])
    };
    let revision = || scene.count("SELECT revision AS number FROM contents");
    let before = revision();
    for key_id in [ended, other, valid + 1] {
        assert_eq!(touch(key_id), Err(DatabaseError::SignerUnknown), "{key_id}");
        assert_eq!(revision(), before);
    }
    touch(valid).unwrap();
    assert_eq!(revision(), before + 1);
}
