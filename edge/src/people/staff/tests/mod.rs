//! Tokens and the trail on real SQLite.

use super::access_token::{AccessToken, SecretKind};
use super::desk_sessions;
use super::tokens::{self, HeldSession, HeldToken, NewToken, TokenHolder};
use super::trail::{self, TrailFilter};
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::jobs::tests::scene::{NOON, Scene};
use crate::moderation::blocklist::{HashesChange, block};
use crate::moderation::suspensions::{ChannelChange, lift_suspension, suspend};
use crate::people::auth::hash::{KeyedHash, Pepper};
use crate::people::keys::key_store::{self, StoredKey};
use crate::platform::batch_frame::BatchFrame;
use crate::platform::database::{Database, Statement};
use crate::platform::entropy::testing::Seeded;
use crate::platform::place::Place;
use crate::testing::framed_batch;
use crate::testing::sqlite::Sqlite;
use contract::api::TokenRole;
use futures_executor::block_on;

const ENDS_AT: UnixSeconds = UnixSeconds(NOON + 7_200);

fn hash(text: &str) -> KeyedHash {
    Pepper::new("0123456789abcdef0123456789abcdef").unwrap().hash(text.as_bytes())
}

fn make(database: &Sqlite, name: &str, roles: &[TokenRole], secret: &str) -> u64 {
    let hash = hash(secret);
    let token = NewToken { name, roles, hash: &hash, ends_at: ENDS_AT, created_by: "operator" };
    block_on(tokens::create(database, token, UnixSeconds(NOON))).unwrap()
}

fn holder_at(database: &Sqlite, secret: &str, now: u64) -> Option<TokenHolder> {
    block_on(tokens::find(database, &hash(secret), UnixSeconds(now))).unwrap()
}

/// Returns the actor, action and subject of each entry, the oldest first.
fn entries(database: &Sqlite) -> Vec<(String, String, String)> {
    let entries = block_on(trail::list(database, &TrailFilter::Everything, None, 100)).unwrap().into_iter().rev();
    entries.map(|entry| (entry.actor, entry.action, entry.subject)).collect()
}

fn entry(actor: &str, action: &str, subject: &str) -> (String, String, String) {
    (actor.to_owned(), action.to_owned(), subject.to_owned())
}

#[test]
fn a_token_is_valid_until_it_ends_by_itself_or_is_ended() {
    let database = Sqlite::migrated();
    let id = make(&database, "Ada", &[TokenRole::Look, TokenRole::Decide], "one");
    let holder = holder_at(&database, "one", NOON).unwrap();
    assert_eq!((holder.name.as_str(), holder.roles), ("Ada", vec![TokenRole::Look, TokenRole::Decide]));
    assert!(holder_at(&database, "one", ENDS_AT.0 - 1).is_some());
    assert_eq!(holder_at(&database, "one", ENDS_AT.0), None);
    assert_eq!(holder_at(&database, "other", NOON), None);
    assert!(block_on(tokens::end(&database, id, "operator", UnixSeconds(NOON + 5))).unwrap());
    assert_eq!(holder_at(&database, "one", NOON + 5), None);
    assert!(!block_on(tokens::end(&database, id + 1, "operator", UnixSeconds(NOON))).unwrap());
}

#[test]
fn a_token_of_the_second_pepper_is_valid_and_one_of_a_forgotten_pepper_is_not() {
    let database = Sqlite::migrated();
    make(&database, "Ada", &[TokenRole::Look], "one");
    let new = || Pepper::new("another pepper that is long enough").unwrap();
    let find = |pepper: Pepper| block_on(tokens::find(&database, &pepper.hash(b"one"), UnixSeconds(NOON))).unwrap();
    assert!(find(new().with_second("0123456789abcdef0123456789abcdef").unwrap()).is_some());
    assert!(find(new()).is_none());
}

#[test]
fn two_tokens_of_one_person_overlap() {
    let database = Sqlite::migrated();
    let old = make(&database, "Ada", &[TokenRole::Look], "old");
    let new = make(&database, "Ada", &[TokenRole::Look], "new");
    assert!(holder_at(&database, "old", NOON).is_some() && holder_at(&database, "new", NOON).is_some());
    block_on(tokens::end(&database, old, "Ada", UnixSeconds(NOON))).unwrap();
    assert!(holder_at(&database, "old", NOON).is_none() && holder_at(&database, "new", NOON).is_some());
    let listed = block_on(tokens::list(&database, None, 10)).unwrap();
    assert_eq!(listed.iter().map(|token| token.token_id).collect::<Vec<_>>(), [new, old]);
    assert_eq!((listed[1].ends_at_unix, listed[0].ends_at_unix), (NOON, ENDS_AT.0));
    assert_eq!(block_on(tokens::list(&database, Some(new), 10)).unwrap().len(), 1);
}

#[test]
fn the_trail_has_one_entry_for_each_change_and_none_for_a_repetition() {
    let scene = Scene::new();
    let database = &scene.world.database;
    let (now, channel_id) = (scene.now(), ChannelId(1));
    let id = make(database, "Ada", &[TokenRole::Decide], "one");
    let key = |text: &str| StoredKey { hash: hash(text), hint: "cgk_…".to_owned() };
    let hash = "0f".repeat(32);
    let change = HashesChange { hashes: &[&hash], reason: "r", by: "Ada" };
    for _ in 0..2 {
        make(database, "Ada", &[TokenRole::Decide], "one");
        block_on(block(database, change, now)).unwrap();
        block_on(key_store::create(database, channel_id, &key("a"), now)).unwrap();
    }
    for _ in 0..2 {
        block_on(key_store::rotate(database, channel_id, &key("b"), 0, now)).unwrap();
    }
    let channel = ChannelChange { channel_id, reason: "spam", by: "Ada" };
    for _ in 0..2 {
        assert!(block_on(suspend(database, channel, now)).unwrap());
    }
    for _ in 0..2 {
        assert!(block_on(lift_suspension(database, channel)).unwrap());
    }
    for _ in 0..2 {
        block_on(key_store::delete(database, channel_id)).unwrap();
        block_on(tokens::end(database, id, "operator", now)).unwrap();
    }
    let (token, hash) = (format!("token:{id}"), format!("hash:{}", change.hashes[0]));
    assert_eq!(
        entries(database),
        [
            entry("operator", "token_created", &token),
            entry("Ada", "block_hash", &hash),
            entry("account:1", "key_created", "channel:1"),
            entry("account:1", "key_rotated", "channel:1"),
            entry("Ada", "channel_suspended", "channel:1"),
            entry("Ada", "suspension_lifted", "channel:1"),
            entry("account:1", "key_deleted", "channel:1"),
            entry("operator", "token_ended", &token),
        ]
    );
}

#[test]
fn nobody_can_change_or_shorten_the_trail_or_the_decisions() {
    let scene = Scene::new();
    let hash = "0f".repeat(32);
    let change = HashesChange { hashes: &[&hash], reason: "r", by: "Ada" };
    block_on(block(&scene.world.database, change, scene.now())).unwrap();
    for sql in [
        "UPDATE trail SET actor = 'nobody'",
        "DELETE FROM trail",
        "UPDATE decisions SET made_by = 'nobody'",
        "DELETE FROM decisions",
    ] {
        assert!(block_on(scene.world.database.execute(Statement::new(sql))).is_err(), "{sql}");
    }
    assert_eq!(entries(&scene.world.database).len(), 1);
}

#[test]
fn the_trail_is_listed_page_by_page() {
    let database = Sqlite::migrated();
    for number in 0..5 {
        make(&database, "Ada", &[TokenRole::Look], &format!("secret {number}"));
    }
    let list = |before| block_on(trail::list(&database, &TrailFilter::Everything, before, 3)).unwrap();
    let first = list(None);
    let rest = list(Some(first[2].number));
    assert_eq!((first.len(), rest.len()), (3, 2));
    assert!(first.iter().chain(&rest).is_sorted_by(|one, next| one.number > next.number));
}

#[test]
fn the_trail_is_filtered_by_who_and_about_what() {
    let database = Sqlite::migrated();
    let first = make(&database, "Ada", &[TokenRole::Look], "one");
    make(&database, "Bo", &[TokenRole::Look], "two");
    assert!(block_on(tokens::end(&database, first, "Ada", UnixSeconds(NOON))).unwrap());
    let actions = |filter: &TrailFilter, before| {
        let entries = block_on(trail::list(&database, filter, before, 10)).unwrap();
        entries.into_iter().map(|entry| (entry.number, entry.action)).collect::<Vec<_>>()
    };
    let all = actions(&TrailFilter::Everything, None);
    let by_ada = actions(&TrailFilter::Actor("Ada".to_owned()), None);
    assert_eq!(by_ada, all[..1]);
    assert_eq!(actions(&TrailFilter::Actor("Ada".to_owned()), Some(by_ada[0].0)), []);
    let subject = &entries(&database)[0].2;
    assert_eq!(actions(&TrailFilter::Subject(subject.clone()), None), [all[0].clone(), all[2].clone()]);
    assert_eq!(actions(&TrailFilter::Subject("nothing".to_owned()), None), []);
}

#[test]
fn an_entry_has_the_place_of_its_own_request_and_of_no_other() {
    let database = Sqlite::migrated();
    let create = |name: &'static str| {
        Statement::new("INSERT INTO origin_keys (name, created_at_unix, created_by) VALUES (?1, 1, 'Ada')").bind(name)
    };
    let place = Place { network: Some("203.0.113.0/24".to_owned()), route: "POST /internal/origin_keys".to_owned() };
    let select = Statement::new("SELECT 7 AS seven");
    let frame = BatchFrame { place: Some(place.clone()), ..BatchFrame::default() };
    let answers = framed_batch(&database, &frame, vec![create("placed"), select]).unwrap();
    assert_eq!((answers.len(), answers[1].0[0]["seven"].as_u64()), (2, Some(7)));
    block_on(database.batch(vec![create("unplaced")])).unwrap();
    let entries = block_on(trail::list_after(&database, 0, 9)).unwrap();
    let places: Vec<_> = entries.iter().map(|entry| (entry.network.as_deref(), entry.route.as_deref())).collect();
    assert_eq!(places, [(place.network.as_deref(), Some(place.route.as_str())), (None, None)]);
    for sql in ["DELETE FROM trail_places", "UPDATE trail_places SET network = NULL"] {
        assert!(block_on(database.batch(vec![Statement::new(sql)])).is_err(), "{sql}");
    }
}

#[test]
fn a_session_at_the_desk_ends_after_12_hours_with_its_token_and_by_signing_out() {
    let database = Sqlite::migrated();
    let start = |secret: &str, id: u64, token: HeldToken| {
        block_on(desk_sessions::start(&database, token, (id, &hash(secret)), UnixSeconds(NOON))).unwrap()
    };
    let find = |secret: &str, now: u64| {
        block_on(desk_sessions::find(&database, &hash(secret), UnixSeconds(now))).unwrap().map(|holder| holder.name)
    };
    let is_live = |id: u64, now: u64| block_on(desk_sessions::is_live(&database, id, UnixSeconds(now))).unwrap();
    let short = make(&database, "Ada", &[TokenRole::Look], "one");
    let token = holder_at(&database, "one", NOON).unwrap().token.unwrap();
    assert_eq!(token, HeldToken { id: short, ends_at: ENDS_AT });
    // It ends with its token.
    assert_eq!(start("a", 1, token), HeldSession { id: 1, ends_at: ENDS_AT });
    assert_eq!(find("a", ENDS_AT.0 - 1).as_deref(), Some("Ada"));
    assert_eq!((find("a", ENDS_AT.0), find("other", NOON)), (None, None));
    // It ends after 12 hours.
    let long = HeldToken { ends_at: UnixSeconds(NOON + 30 * 86_400), ..token };
    assert_eq!(start("b", 2, long).ends_at, UnixSeconds(NOON + 12 * 3_600));
    // It ends when its holder signs out, and no other does.
    start("c", 3, token);
    assert!(is_live(3, NOON));
    block_on(desk_sessions::end(&database, 3)).unwrap();
    assert_eq!((is_live(3, NOON), find("c", NOON), is_live(1, NOON)), (false, None, true));
    // It ends when its token is revoked.
    block_on(tokens::end(&database, short, "operator", UnixSeconds(NOON + 5))).unwrap();
    assert_eq!((find("a", NOON + 5), is_live(1, NOON + 5)), (None, false));
    // The next start deletes what has ended.
    let again = make(&database, "Ada", &[TokenRole::Look], "two");
    let token = HeldToken { id: again, ends_at: UnixSeconds(NOON + 2 * 86_400) };
    block_on(desk_sessions::start(&database, token, (4, &hash("d")), UnixSeconds(NOON + 86_400))).unwrap();
    let count = Statement::new("SELECT count(*) AS number FROM desk_sessions");
    let row: Option<serde_json::Value> = block_on(database.first(count)).unwrap();
    assert_eq!(row.unwrap()["number"], 1);
}

#[test]
fn a_cookie_of_the_desk_is_found_among_others() {
    let pepper = Pepper::new("0123456789abcdef0123456789abcdef").unwrap();
    let secret = AccessToken::generate(SecretKind::DeskSession, &mut Seeded::new(3), &pepper);
    let session = HeldSession { id: 1, ends_at: UnixSeconds(NOON + 60) };
    let cookie = desk_sessions::cookie(&secret, session, UnixSeconds(NOON));
    assert!(cookie.ends_with("; Max-Age=60; Path=/; Secure; HttpOnly; SameSite=Strict"), "{cookie}");
    let pair = cookie.split(';').next().unwrap();
    let found = |header: &[u8]| desk_sessions::secret_in_cookies(header, &pepper);
    assert_eq!(found(format!("theme=dark; {pair}; a=b").as_bytes()), Some(secret.clone()));
    assert_eq!(found(&[b"name=Jos\xe9; ", pair.as_bytes()].concat()), Some(secret));
    let named = AccessToken::generate(SecretKind::NamedToken, &mut Seeded::new(3), &pepper);
    for other in
        ["", "__Host-desk=", "desk=x", &format!("__Host-desk={}", named.reveal()), &pair.replace("desk=", "desk2=")]
    {
        assert_eq!(found(other.as_bytes()), None, "{other}");
    }
    assert!(desk_sessions::no_cookie().starts_with("__Host-desk=; Max-Age=0; "));
}
