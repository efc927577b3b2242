//! Receivers that are down, slow, poisoned by one event, or gone.

use super::scene::{DAY, HookScene, MINUTE, answer, url};
use crate::platform::webhook_client::WebhookAnswer;
use contract::api::{PauseReason, WebhookState};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Deserialize)]
struct Number {
    number: u64,
}

fn count(scene: &HookScene, sql: &'static str) -> u64 {
    scene.query::<Number>(sql)[0].number
}

#[test]
fn a_receiver_that_is_down_for_a_day_gets_everything_in_order_and_duplicates_share_their_id() {
    let scene = HookScene::with(&["a"]);
    let up_again = scene.now() + DAY;
    let world = Rc::clone(&scene.world);
    scene.answers(
        move |_| if world.now_unix.get() < up_again.0 { WebhookAnswer::failed("unreachable") } else { answer(200) },
    );
    for number in 0..40 {
        scene.happen(Some(1 + number % 4));
        scene.run_for(10 * MINUTE);
    }
    scene.run_for(2 * DAY);
    let received = scene.world.received.borrow();
    let after: Vec<_> = received.iter().filter(|one| one.at_unix >= up_again.0).collect();
    let mut sequences: Vec<u64> = after.iter().map(|one| one.event.sequence).collect();
    for content in 0..4 {
        let of_content = |sequence: &&u64| (**sequence - 1) % 4 == content;
        assert!(sequences.iter().filter(of_content).is_sorted(), "{sequences:?}");
    }
    sequences.sort_unstable();
    assert_eq!(sequences, (1..=40).collect::<Vec<u64>>());
    let mut requests = BTreeMap::new();
    for one in received.iter() {
        let (body, attempts) = requests.entry(&one.event.id).or_insert((&one.request.body, 0));
        assert_eq!(*body, &one.request.body);
        *attempts += 1;
        let header = one.request.headers.iter().find(|(name, _)| *name == "webhook-id").unwrap();
        assert_eq!(header.1, one.event.id);
    }
    assert_eq!(requests.len(), 40);
    // Only the first event of each video was tried while the receiver was down.
    assert!(received.len() < 40 + 4 * 12, "{}", received.len());
    assert_eq!(scene.webhook("a").state, WebhookState::Active);
}

#[test]
fn a_webhook_that_fails_for_three_days_is_paused_and_its_owner_is_told() {
    let scene = HookScene::with(&["dead", "other"]);
    scene.answers(|received| answer(if received.request.url == url("dead") { 500 } else { 200 }));
    scene.happen(Some(1));
    scene.happen(Some(1));
    scene.run_for(2 * DAY);
    assert_eq!(scene.webhook("dead").state, WebhookState::Active);
    scene.happen(Some(1));
    scene.run_for(2 * DAY);
    let webhook = scene.webhook("dead");
    assert_eq!((webhook.state, webhook.pause_reason), (WebhookState::Paused, Some(PauseReason::Failing)));
    assert!(webhook.paused_at_unix.is_some() && webhook.failures >= 14, "{webhook:?}");
    let attempts = scene.received("dead");
    assert!(attempts.iter().all(|sequence| *sequence == 1), "{attempts:?}");
    // The other webhook gets the event.
    assert_eq!(scene.received("other"), [1, 2, 3, 4]);
    let received = scene.world.received.borrow();
    let told = received.iter().find(|one| one.event.kind == "webhook.paused").unwrap();
    assert_eq!(told.event.data.webhook_uuid.as_deref(), Some("dead"));
    assert_eq!(told.event.data.pause_reason, Some(PauseReason::Failing));
    assert_eq!(count(&scene, "SELECT count(*) AS number FROM webhook_deliveries WHERE state = 'pending'"), 0);
    drop(received);
    let before = scene.received("dead").len();
    scene.happen(Some(1));
    scene.run_for(DAY);
    assert_eq!(scene.received("dead").len(), before);
}

#[test]
fn an_event_that_is_never_accepted_is_given_up_and_the_next_of_its_video_follows() {
    let scene = HookScene::with(&["a"]);
    scene.answers(|received| answer(if received.event.sequence == 1 { 500 } else { 200 }));
    scene.happen(Some(1));
    scene.happen(Some(1));
    scene.happen(Some(2));
    scene.run_for(4 * DAY);
    assert_eq!(scene.webhook("a").state, WebhookState::Active);
    assert_eq!(scene.received("a").last(), Some(&2));
    assert_eq!(count(&scene, "SELECT count(*) AS number FROM webhook_deliveries WHERE state = 'failed'"), 1);
}

#[test]
fn a_webhook_that_is_gone_is_paused_at_once() {
    let scene = HookScene::with(&["a"]);
    scene.answers(|_| answer(410));
    scene.happen(Some(1));
    scene.happen(Some(2));
    assert_eq!(scene.run(), 1);
    assert_eq!(scene.webhook("a").pause_reason, Some(PauseReason::Gone));
    scene.run_for(DAY);
    assert_eq!(scene.received("a"), [1]);
}

#[test]
fn a_wait_that_a_receiver_asks_for_is_kept() {
    let scene = HookScene::with(&["a"]);
    scene.answers(|_| WebhookAnswer { retry_after_seconds: Some(3_600), ..answer(429) });
    scene.happen(None);
    scene.run();
    scene.answers(|_| answer(200));
    scene.run_for(59 * MINUTE);
    assert_eq!(scene.received("a").len(), 1);
    scene.run_for(2 * MINUTE);
    assert_eq!(scene.received("a").len(), 2);
}

#[test]
fn receivers_in_trouble_do_not_hold_back_the_others() {
    let troubled = ["t1", "t2", "t3"];
    let scene = HookScene::with(&troubled);
    let world = Rc::clone(&scene.world);
    // Each request to them uses up the time of a whole run.
    scene.answers(move |received| {
        if received.request.url.contains("//t") {
            world.pass(20);
            return WebhookAnswer::failed("timeout");
        }
        answer(200)
    });
    scene.happen(None);
    scene.run();
    scene.run_for(5 * MINUTE);
    assert!(scene.webhook("t1").failures > 0 && scene.webhook("t3").failures > 0);
    scene.create("good", None);
    for _ in 0..30 {
        scene.happen(None);
    }
    scene.run();
    assert_eq!(scene.received("good").len(), 30);
}

#[test]
fn a_receiver_that_fails_gets_one_request_in_a_run_and_one_that_works_again_gets_all() {
    let scene = HookScene::with(&["a"]);
    scene.answers(|_| answer(500));
    for _ in 0..20 {
        scene.happen(None);
    }
    assert_eq!((scene.run(), scene.run()), (1, 1));
    scene.answers(|_| answer(200));
    assert_eq!(scene.run(), 18);
    scene.world.pass(2 * MINUTE);
    assert_eq!(scene.run(), 2);
}

#[test]
fn a_run_ends_in_time_and_the_next_one_continues() {
    let scene = HookScene::with(&["a"]);
    let world = Rc::clone(&scene.world);
    scene.answers(move |_| {
        world.pass(1);
        answer(200)
    });
    for _ in 0..30 {
        scene.happen(None);
    }
    assert_eq!((scene.run(), scene.run()), (18, 12));
    assert_eq!(scene.received("a"), (1..=30).collect::<Vec<_>>());
}

#[test]
fn an_address_that_is_not_allowed_any_more_gets_no_request() {
    let scene = HookScene::with(&["a"]);
    scene.execute("UPDATE webhooks SET url = 'http://127.0.0.1:4000/'");
    scene.happen(None);
    assert_eq!(scene.run(), 1);
    assert!(scene.world.received.borrow().is_empty());
    assert_eq!(scene.webhook("a").failures, 1);
}
