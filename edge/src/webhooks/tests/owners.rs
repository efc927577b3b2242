//! The owner's actions: changing webhooks, testing them, reading deliveries, and sending events again.

use super::scene::{DAY, HookScene, MINUTE, answer, settings};
use crate::base::ids::ChannelId;
use crate::people::owner::SignedBy;
use crate::platform::entropy::testing::Seeded;
use crate::webhooks::deliveries::{deliveries_page, list_deliveries};
use crate::webhooks::send_again::Selection;
use crate::webhooks::store::{self, OwnedWebhook, WebhookChanges};
use crate::webhooks::{TestOutcome, send_test};
use contract::api::{DeliveryState, Member, WebhookDeliveries, WebhookState};
use contract::limits::MAX_DAILY_WEBHOOK_CHANGES;
use futures_executor::block_on;
use serde_json::{Value, json};

fn owned(uuid: &str) -> OwnedWebhook<'_> {
    OwnedWebhook { channel_id: ChannelId(1), uuid }
}

fn page(scene: &HookScene, before: u64, length: u32) -> WebhookDeliveries {
    let found = list_deliveries(&scene.world.database, owned("a"), before, length + 1);
    deliveries_page(block_on(found).unwrap(), length)
}

fn since(unix: u64) -> Selection<'static> {
    Selection::Since { unix, after: 0, include_delivered: false }
}

#[test]
fn a_channel_has_at_most_five_webhooks() {
    let scene = HookScene::with(&["a", "b", "c", "d", "e"]);
    assert!(scene.create("f", None).is_none());
    assert!(block_on(store::delete(&scene.world.database, owned("a"), SignedBy::Session)).unwrap());
    assert!(scene.create("f", None).is_some());
    let list = block_on(store::list(&scene.world.database, ChannelId(1))).unwrap();
    assert_eq!(list.len(), 5);
}

#[test]
fn webhooks_that_are_made_changed_and_deleted_leave_a_bounded_number_of_rows() {
    let scene = HookScene::with(&["a"]);
    let database = &scene.world.database;
    let update = |changes| {
        block_on(store::update(database, owned("a"), SignedBy::Session, &changes, scene.now())).unwrap().is_some()
    };
    let switch = |is_active| WebhookChanges { is_active: Some(is_active), ..WebhookChanges::default() };
    let rounds = (0..60).map(|_| {
        let is_created = scene.create("b", None).is_some();
        block_on(store::delete(database, owned("b"), SignedBy::Session)).unwrap();
        let is_rotated =
            block_on(store::rotate_secret(database, owned("a"), SignedBy::Session, scene.now())).unwrap().is_some();
        [is_created, is_rotated, update(switch(false)), update(switch(true))]
    });
    let made = rounds.flatten().filter(|is_made| *is_made).count();
    // The first webhook counts too. At the limit, only changes that would leave a row are refused.
    let max = MAX_DAILY_WEBHOOK_CHANGES as usize;
    assert!((max - 1..max + 60).contains(&made), "{made}");
    let kept = scene.query::<Value>("SELECT 1 AS kept FROM removals").len();
    assert!(kept <= max, "{kept} rows");
    let recorded = scene.query::<Value>("SELECT 1 AS recorded FROM trail").len();
    assert!(recorded <= 2 * max, "{recorded} lines");
    assert!(block_on(store::rotate_secret(database, owned("a"), SignedBy::Session, scene.now())).unwrap().is_none());
    let types = WebhookChanges { event_types: Member::Null, ..WebhookChanges::default() };
    assert!(update(types), "a change that leaves no row is not limited");
    scene.world.pass(DAY);
    assert!(scene.create("b", None).is_some());
}

#[test]
fn a_webhook_of_another_channel_is_not_found() {
    let scene = HookScene::with(&["a"]);
    scene.happen(None);
    let (database, foreign) = (&scene.world.database, OwnedWebhook { channel_id: ChannelId(2), uuid: "a" });
    let changes = WebhookChanges { is_active: Some(false), ..WebhookChanges::default() };
    assert!(block_on(store::find(database, foreign)).unwrap().is_none());
    assert!(block_on(store::update(database, foreign, SignedBy::Session, &changes, scene.now())).unwrap().is_none());
    assert!(block_on(store::rotate_secret(database, foreign, SignedBy::Session, scene.now())).unwrap().is_none());
    assert!(!block_on(store::delete(database, foreign, SignedBy::Session)).unwrap());
    assert!(block_on(list_deliveries(database, foreign, 100, 10)).unwrap().is_empty());
    let again = crate::webhooks::send_again::send_again(database, foreign, since(0));
    assert_eq!(block_on(again).unwrap().unwrap().queued, 0);
    let (process, settings, mut entropy) = (scene.world.process(None), settings(), Seeded::new(1));
    let test = send_test(&process, &settings, foreign, &mut entropy);
    assert_eq!(block_on(test).unwrap(), TestOutcome::UnknownWebhook);
    assert_eq!((scene.run(), scene.webhook("a").state), (1, WebhookState::Active));
}

#[test]
fn the_trail_says_who_changed_a_webhook() {
    let scene = HookScene::with(&["a"]);
    let database = &scene.world.database;
    let update = |uuid, changes| {
        block_on(store::update(database, owned(uuid), SignedBy::Session, &changes, scene.now())).unwrap();
    };
    update("a", WebhookChanges { url: Some("https://b.com/secret?of=b".to_owned()), ..WebhookChanges::default() });
    update("a", WebhookChanges { is_active: Some(false), ..WebhookChanges::default() });
    // These change nothing that is recorded.
    update("a", WebhookChanges { is_active: Some(false), event_types: Member::Null, url: None });
    update("unknown", WebhookChanges { is_active: Some(false), ..WebhookChanges::default() });
    block_on(store::rotate_secret(database, owned("a"), SignedBy::Key, scene.now())).unwrap();
    block_on(store::delete(database, owned("a"), SignedBy::Session)).unwrap();
    block_on(store::delete(database, owned("a"), SignedBy::Session)).unwrap();
    let lines = scene.query::<Value>("SELECT actor, action, subject, detail FROM trail ORDER BY id");
    let line =
        |actor, action, detail| json!({ "actor": actor, "action": action, "subject": "channel:1", "detail": detail });
    let expected = [
        line("key:deleted", "webhook_created", "a https://a.shop.com"),
        line("account:1", "webhook_changed", "a https://b.com"),
        line("account:1", "webhook_changed", "a disabled"),
        line("key:deleted", "webhook_secret_rotated", "a"),
        line("account:1", "webhook_deleted", "a"),
    ];
    assert_eq!(lines, expected);
}

#[test]
fn an_update_changes_only_what_it_names() {
    let scene = HookScene::with(&["a"]);
    let update = |changes: WebhookChanges| {
        block_on(store::update(&scene.world.database, owned("a"), SignedBy::Session, &changes, scene.now()))
            .unwrap()
            .unwrap()
            .read()
            .unwrap()
    };
    let before = scene.webhook("a");
    assert_eq!(update(WebhookChanges::default()), before);
    let types = Member::Value("[\"key.deleted\"]".to_owned());
    let changed = update(WebhookChanges { event_types: types, ..WebhookChanges::default() });
    assert_eq!(changed.event_types.as_deref(), Some(&["key.deleted".to_owned()][..]));
    let changed = update(WebhookChanges { url: Some("https://b.com".to_owned()), ..WebhookChanges::default() });
    assert_eq!((changed.url.as_str(), changed.event_types.is_some()), ("https://b.com", true));
    let changed = update(WebhookChanges { event_types: Member::Null, ..WebhookChanges::default() });
    assert_eq!((changed.event_types, changed.state), (None, WebhookState::Active));
}

#[test]
fn a_webhook_is_active_until_it_is_switched_off() {
    let scene = HookScene::with(&["a"]);
    for is_active in [true, false, true] {
        scene.switch("a", is_active);
        let found = block_on(store::find(&scene.world.database, owned("a"))).unwrap().unwrap();
        assert_eq!(found.is_active(), is_active);
    }
}

#[test]
fn a_deleted_webhook_gets_nothing_more_and_leaves_nothing() {
    let scene = HookScene::with(&["a"]);
    scene.happen(Some(1));
    scene.run();
    scene.happen(Some(1));
    assert!(block_on(store::delete(&scene.world.database, owned("a"), SignedBy::Session)).unwrap());
    scene.happen(Some(1));
    assert_eq!((scene.run(), page(&scene, 100, 10).deliveries), (0, vec![]));
}

#[test]
fn what_was_canceled_or_missed_is_sent_when_the_owner_asks_for_it() {
    let scene = HookScene::with(&["a"]);
    scene.happen(Some(1));
    scene.run();
    scene.happen(Some(1));
    scene.switch("a", false);
    scene.happen(Some(1));
    assert!(page(&scene, 100, 10).deliveries.iter().any(|one| one.state == DeliveryState::Canceled));
    assert_eq!(scene.send_again("a", since(0)).unwrap().queued, 0, "it is switched off");
    scene.switch("a", true);
    assert_eq!(scene.run(), 0, "nothing is sent without being asked for");
    assert_eq!(scene.send_again("a", since(0)).unwrap().queued, 2);
    assert_eq!(scene.send_again("a", since(0)).unwrap().queued, 0, "they are pending");
    scene.run();
    assert_eq!(scene.received("a"), [1, 2, 3]);
}

#[test]
fn events_since_a_time_are_sent_again_in_their_order_and_page_by_page() {
    let scene = HookScene::with(&["a"]);
    for _ in 0..600 {
        scene.happen(Some(1));
    }
    scene.run();
    scene.world.pass(MINUTE);
    let noon = scene.now().0;
    scene.happen(Some(1));
    scene.run();
    let all = |unix, after| Selection::Since { unix, after, include_delivered: true };
    let first = scene.send_again("a", all(0, 0)).unwrap();
    assert_eq!((first.queued, first.next_after), (500, Some(500)));
    let second = scene.send_again("a", all(0, 500)).unwrap();
    assert_eq!((second.queued, second.next_after), (101, None));
    scene.run();
    let expected: Vec<u64> = (1..=601).chain(1..=601).collect();
    assert_eq!(scene.received("a"), expected);
    assert_eq!(scene.send_again("a", all(noon, 0)).unwrap().queued, 1);
}

#[test]
fn one_event_is_sent_again_with_the_same_id_and_all_its_attempts() {
    let scene = HookScene::with(&["a"]);
    scene.happen_of_type(None, "key.rotated");
    scene.run();
    let id = scene.world.received.borrow()[0].event.id.clone();
    scene.answers(|_| answer(500));
    assert_eq!(scene.send_again("a", Selection::One(&id)).unwrap().queued, 1);
    scene.run();
    let delivery = page(&scene, 100, 10).deliveries.remove(0);
    assert_eq!((delivery.state, delivery.attempts), (DeliveryState::Pending, 1));
    assert_eq!(delivery.next_attempt_at_unix.map(|at| (at - scene.now().0) / 20), Some(3));
    assert_eq!(scene.world.received.borrow()[1].event.id, id);
    assert_eq!(scene.send_again("a", Selection::One("evt_unknown")), None);
}

#[test]
fn an_earlier_event_that_is_sent_again_comes_before_the_later_ones() {
    let scene = HookScene::with(&["a"]);
    scene.happen(Some(1));
    scene.happen(Some(1));
    scene.run();
    // The second event waits for its next attempt when the first one is sent again.
    scene.answers(|_| answer(500));
    let second = page(&scene, 100, 10).deliveries[0].event_id.clone();
    scene.send_again("a", Selection::One(&second));
    scene.run();
    let first = page(&scene, 100, 10).deliveries[1].event_id.clone();
    scene.send_again("a", Selection::One(&first));
    let states = || page(&scene, 100, 10).deliveries.into_iter().map(|one| one.next_attempt_at_unix.is_some());
    assert_eq!(states().collect::<Vec<_>>(), [false, true]);
    scene.answers(|_| answer(200));
    scene.run_for(5 * MINUTE);
    assert_eq!(scene.received("a"), [1, 2, 2, 1, 2]);
}

#[test]
fn deliveries_are_listed_page_by_page_with_the_last_answer() {
    let scene = HookScene::with(&["a"]);
    scene.answers(|received| match received.event.sequence {
        1 => answer(500),
        number => {
            crate::platform::webhook_client::WebhookAnswer { body_start: Some(format!("no. {number}")), ..answer(200) }
        }
    });
    for _ in 0..5 {
        scene.happen(None);
    }
    scene.run_for(2 * MINUTE);
    let first = page(&scene, 1_000, 3);
    let sequences = |page: &WebhookDeliveries| page.deliveries.iter().map(|one| one.sequence).collect::<Vec<_>>();
    assert_eq!((sequences(&first), first.next_before), (vec![5, 4, 3], Some(3)));
    let second = page(&scene, 3, 3);
    assert_eq!((sequences(&second), second.next_before), (vec![2, 1], None));
    let response = first.deliveries[0].response.clone().unwrap();
    assert_eq!((response.status, response.latency_ms, response.body_start.as_deref()), (Some(200), 5, Some("no. 5")));
    let failing = &second.deliveries[1];
    assert_eq!((failing.state, failing.response.as_ref().unwrap().status), (DeliveryState::Pending, Some(500)));
    assert!(failing.attempts >= 1 && failing.next_attempt_at_unix.is_some());
}

#[test]
fn a_rotated_secret_is_the_next_version_and_the_one_before_is_valid_for_a_day() {
    let scene = HookScene::with(&["a"]);
    let rotated = block_on(store::rotate_secret(&scene.world.database, owned("a"), SignedBy::Session, scene.now()))
        .unwrap()
        .unwrap();
    assert_eq!(rotated.secret_version, 2);
    assert_eq!(rotated.read().unwrap().previous_secret_ends_at_unix, Some(scene.now().0 + DAY));
    let signatures = |scene: &HookScene| {
        scene.happen(None);
        scene.run();
        let received = scene.world.received.borrow();
        let headers = &received.last().unwrap().request.headers;
        headers.iter().find(|(name, _)| *name == "webhook-signature").unwrap().1.split(' ').count()
    };
    assert_eq!(signatures(&scene), 2);
    scene.world.pass(DAY);
    assert_eq!(signatures(&scene), 1);
}

#[test]
fn a_test_is_sent_at_once_and_not_recorded() {
    let scene = HookScene::with(&["a"]);
    scene.switch("a", false);
    scene.answers(|_| answer(503));
    let test = || {
        let (process, mut entropy) = (scene.world.process(None), Seeded::new(1));
        block_on(send_test(&process, &settings(), owned("a"), &mut entropy)).unwrap()
    };
    let TestOutcome::Tested(tested) = test() else { panic!("not tested") };
    assert_eq!((tested.is_delivered, tested.response.status), (false, Some(503)));
    assert!(matches!(test(), TestOutcome::TooSoon { .. }));
    scene.world.pass(5);
    assert!(matches!(test(), TestOutcome::Tested(_)));
    assert_eq!((page(&scene, 100, 10).deliveries, scene.webhook("a").failures), (vec![], 0));
    let event = scene.world.received.borrow()[0].event.clone();
    assert_eq!((event.kind.as_str(), event.id), ("webhook.test", tested.event_id));
    assert_eq!(event.data.webhook_uuid.as_deref(), Some("a"));
    assert_eq!(event.timestamp, "2024-10-04T12:00:00Z");
}
