//! The events that are queued for a webhook, and the order in which they are sent.

use super::scene::{DAY, HookScene, MINUTE, answer};
use crate::contents::events;
use crate::platform::database::Statement;
use crate::webhooks::send_again::Selection;
use futures_executor::block_on;
use proptest::prelude::*;
use serde::Deserialize;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

#[derive(Debug, Deserialize)]
struct Row {
    webhook_id: u64,
    content_id: Option<u64>,
    due_at_unix: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct DueTime {
    id: u64,
    due_at_unix: Option<u64>,
}

/// Asserts that exactly the first pending event of each content and every event without a content have a due time, and
/// that each webhook stores the earliest.
fn assert_consistent(scene: &HookScene) {
    let pending: Vec<Row> = scene.query(
        "SELECT webhook_id, event_id, content_id, due_at_unix FROM webhook_deliveries WHERE state = 'pending'
         ORDER BY webhook_id, event_id",
    );
    let (mut lines, mut earliest) = (BTreeSet::new(), BTreeMap::<u64, u64>::new());
    for row in &pending {
        let is_first = row.content_id.is_none_or(|content| lines.insert((row.webhook_id, content)));
        assert_eq!(row.due_at_unix.is_some(), is_first, "{row:?} in {pending:?}");
        if let Some(due) = row.due_at_unix {
            let time = earliest.entry(row.webhook_id).or_insert(due);
            *time = due.min(*time);
        }
    }
    for webhook in scene.query::<DueTime>("SELECT id, due_at_unix FROM webhooks") {
        assert_eq!(webhook.due_at_unix, earliest.get(&webhook.id).copied(), "{pending:?}");
    }
}

#[test]
fn an_event_is_sent_to_every_active_webhook_that_wants_its_type() {
    let scene = HookScene::with(&["all", "off"]);
    scene.create("keys", Some("[\"key.rotated\",\"key.deleted\"]")).unwrap();
    scene.switch("off", false);
    scene.execute(
        "INSERT INTO webhooks (uuid, channel_id, url, created_at_unix) VALUES ('other', 2, 'https://other.com', 1)",
    );
    scene.happen(Some(1));
    scene.happen_of_type(None, "key.rotated");
    assert_eq!(scene.run(), 3);
    let received = |uuid| scene.received(uuid);
    assert_eq!((received("all"), received("keys"), received("off")), (vec![1, 2], vec![2], vec![]));
    assert_eq!((scene.run(), scene.webhook("all").last_delivered_at_unix), (0, Some(scene.now().0)));
    assert_eq!(scene.world.received.borrow().len(), 3);
}

#[test]
fn a_change_that_is_rolled_back_queues_nothing() {
    let scene = HookScene::with(&["a"]);
    assert!(scene.rule("UPDATE contents SET state = 'taken_down'").is_err());
    assert_eq!(scene.run(), 0);
    scene.rule("UPDATE contents SET state = 'failed'").unwrap();
    assert_eq!(scene.run(), 1);
    assert_eq!(scene.world.received.borrow()[0].event.kind, "content.failed");
}

#[test]
fn the_next_event_of_a_video_waits_for_the_one_before_and_other_videos_do_not() {
    let scene = HookScene::with(&["a"]);
    scene.answers(|received| answer(if received.event.sequence == 1 { 500 } else { 200 }));
    for content in [Some(1), Some(1), Some(2), None, Some(1)] {
        scene.happen(content);
    }
    assert_consistent(&scene);
    scene.run();
    scene.world.pass(MINUTE / 2);
    scene.run();
    assert_eq!(scene.received("a"), [1, 3, 4]);
    scene.answers(|_| answer(200));
    scene.world.pass(MINUTE);
    scene.run();
    assert_eq!(scene.received("a"), [1, 3, 4, 1, 2, 5]);
    assert_consistent(&scene);
}

#[test]
fn a_pending_event_that_is_sent_again_is_tried_at_once_with_those_that_it_waits_for() {
    for sequence in [1, 2] {
        let scene = HookScene::with(&["a"]);
        scene.answers(|_| answer(500));
        scene.happen(Some(1));
        scene.happen(Some(1));
        scene.happen(Some(2));
        scene.run_for(3 * 60 * MINUTE);
        let attempts = scene.received("a").len();
        scene.answers(|_| answer(200));
        assert_eq!(scene.run(), 0, "the next attempt was due already");
        let id = scene.world.received.borrow().iter().find(|one| one.event.sequence == 1).unwrap().event.id.clone();
        let selection = if sequence == 1 { Selection::One(&id) } else { since(&scene, 1) };
        assert_eq!(scene.send_again("a", selection).unwrap().queued, 0);
        assert_consistent(&scene);
        scene.run();
        assert_eq!(scene.received("a")[attempts..][..2], [1, 2]);
        assert_consistent(&scene);
    }
}

/// Selects the events after one.
fn since(scene: &HookScene, after: u64) -> Selection<'static> {
    let unix = scene.now().0.saturating_sub(DAY);
    Selection::Since { unix, after, include_delivered: false }
}

#[test]
fn the_channel_of_an_event_finds_its_webhooks_by_an_index() {
    let scene = HookScene::with(&[]);
    let condition = Statement::new("SELECT 1 FROM webhooks WHERE channel_id = 1 AND state = 'active'");
    let plan = scene.world.database.plan(&condition);
    assert_eq!(plan, "SEARCH webhooks USING INDEX webhooks_by_channel (channel_id=?)\n");
}

#[test]
fn the_record_of_deliveries_is_deleted_with_the_events() {
    let scene = HookScene::with(&["a"]);
    scene.happen(Some(1));
    scene.run();
    scene.world.pass(30 * DAY);
    scene.happen(Some(1));
    scene.world.pass(1);
    assert_eq!(block_on(events::delete_old(&scene.world.database, scene.now())).unwrap(), 1);
    let left: Vec<Row> = scene.query("SELECT * FROM webhook_deliveries");
    assert_eq!(left.len(), 1);
    assert_consistent(&scene);
}

/// A step in the random life of a channel.
#[derive(Clone, Debug)]
enum Step {
    Happen(Option<u64>),
    Run,
    Pass(u64),
    Switch(bool),
    SendAgain { since_seconds: u64, include_delivered: bool },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => prop::option::weighted(0.9, 1..3_u64).prop_map(Step::Happen),
        6 => Just(Step::Run),
        3 => (1..7_200_u64).prop_map(Step::Pass),
        1 => any::<bool>().prop_map(Step::Switch),
        1 => (0..20_000_u64, any::<bool>())
            .prop_map(|(since_seconds, include_delivered)| Step::SendAgain { since_seconds, include_delivered }),
    ];
    prop::collection::vec(step, 1..60)
}

fn take_step(scene: &HookScene, step: &Step) {
    match *step {
        Step::Happen(content) => scene.happen(content),
        Step::Run => {
            scene.run();
        }
        Step::Pass(seconds) => scene.world.pass(seconds),
        Step::Switch(is_active) => scene.switch("a", is_active),
        Step::SendAgain { since_seconds, include_delivered } => {
            let unix = scene.now().0.saturating_sub(since_seconds);
            scene.send_again("a", Selection::Since { unix, after: 0, include_delivered });
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(fixtures::cases(60, 5_000)))]

    #[test]
    fn whatever_happens_only_the_first_of_each_video_is_due_and_everything_arrives(
        steps in steps(), failing in 0..8_u32
    ) {
        let scene = HookScene::with(&["a"]);
        let delivered: Rc<RefCell<BTreeSet<u64>>> = Rc::default();
        let record = Rc::clone(&delivered);
        let mut number = 0_u32;
        scene.answers(move |received| {
            number += 1;
            if number.wrapping_mul(2_654_435_761) % 8 < failing {
                return answer(503);
            }
            record.borrow_mut().insert(received.event.sequence);
            answer(200)
        });
        let mut happened = 0;
        for step in steps {
            happened += u64::from(matches!(step, Step::Happen(_)));
            take_step(&scene, &step);
            assert_consistent(&scene);
        }
        // Deliveries that were given up or canceled are sent when the owner asks for it.
        let record = Rc::clone(&delivered);
        scene.answers(move |received| {
            record.borrow_mut().insert(received.event.sequence);
            answer(200)
        });
        scene.switch("a", true);
        scene.send_again("a", Selection::Since { unix: 0, after: 0, include_delivered: false });
        scene.run_every(60 * MINUTE, DAY);
        assert_consistent(&scene);
        let all: BTreeSet<u64> = (1..=happened).collect();
        prop_assert!(delivered.borrow().is_superset(&all), "{:?}", delivered.borrow());
    }

    #[test]
    fn without_an_owner_s_intervention_each_video_s_events_arrive_once_and_in_order(
        contents in prop::collection::vec(1..4_u64, 1..25), failing in 0..4_u32, seed: u32
    ) {
        let scene = HookScene::with(&["a"]);
        let mut number = seed;
        let fails = move || {
            number = number.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (number >> 16) % 8 < failing
        };
        let fails = RefCell::new(fails);
        let delivered: Rc<RefCell<Vec<u64>>> = Rc::default();
        let record = Rc::clone(&delivered);
        scene.answers(move |received| {
            if (fails.borrow_mut())() {
                return answer(500);
            }
            record.borrow_mut().push(received.event.sequence);
            answer(200)
        });
        for (index, content) in contents.iter().enumerate() {
            scene.happen(Some(*content));
            if index % 3 == 0 {
                scene.run();
                scene.world.pass(MINUTE);
            }
        }
        scene.run_for(60 * MINUTE);
        scene.run_every(60 * MINUTE, 3 * DAY);
        let delivered = delivered.borrow();
        prop_assert_eq!(delivered.len(), contents.len());
        for content in 1..4 {
            let of_content = |sequence: &&u64| contents[usize::try_from(**sequence).unwrap() - 1] == content;
            prop_assert!(delivered.iter().filter(of_content).is_sorted(), "{:?}", delivered);
        }
    }
}
