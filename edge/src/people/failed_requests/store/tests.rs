//! Failed requests in the fake object store.

use super::super::batch::testing::{batch, request};
use super::super::request::FailedRequest;
use super::*;
use crate::platform::entropy::testing::Seeded;
use crate::testing::fake_platform::World;
use futures_executor::block_on;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::rc::Rc;

const DAY: u64 = 86_400;
const NOW: u64 = 20_785 * DAY + 500;
const CHANNEL: ChannelId = ChannelId(7);
const OTHER: ChannelId = ChannelId(77);

struct Service {
    world: Rc<World>,
    entropy: Seeded,
}

impl Service {
    fn new() -> Self {
        Self { world: World::new(NOW), entropy: Seeded::new(1) }
    }

    /// Stores a batch of this many requests that failed at a time.
    fn fail(&mut self, channel_id: ChannelId, at: u64, count: usize) {
        let one = request(at, 1).new_tree(&mut TestRunner::deterministic()).unwrap().current();
        let requests = vec![FailedRequest { at: UnixSeconds(at), ..one }; count];
        let platform = self.world.process(None);
        block_on(put(&platform, channel_id, &batch(&requests), at * 1_000, &mut self.entropy)).unwrap();
    }

    fn read(&self, channel_id: ChannelId) -> FailedRequests {
        block_on(read(&self.world.process(None), channel_id, UnixSeconds(self.world.now_unix.get()))).unwrap()
    }

    fn count(&self, channel_id: ChannelId) -> u64 {
        self.read(channel_id).counts.iter().map(|count| count.count).sum()
    }

    fn keys(&self) -> Vec<String> {
        self.world.objects.borrow().keys().cloned().collect()
    }
}

#[test]
fn a_channel_reads_its_own_requests_of_the_last_week() {
    let mut service = Service::new();
    service.fail(CHANNEL, NOW, 3);
    service.fail(CHANNEL, NOW - 7 * DAY + 3_600, 2);
    service.fail(CHANNEL, NOW - 7 * DAY - 1, 10);
    service.fail(OTHER, NOW, 1);
    assert_eq!((service.count(CHANNEL), service.count(OTHER), service.count(ChannelId(70))), (5, 1, 0));
    assert!(service.read(CHANNEL).is_complete);
}

#[test]
fn many_objects_of_a_day_are_read_page_by_page_and_far_too_many_are_cut() {
    let mut service = Service::new();
    for number in 0..250 {
        service.fail(CHANNEL, NOW + number, 1);
    }
    service.world.pass(300);
    assert_eq!((service.count(CHANNEL), service.read(CHANNEL).is_complete), (250, true));
    for number in 250..1_100 {
        service.fail(CHANNEL, NOW + number, 1);
    }
    service.world.pass(900);
    let body = service.read(CHANNEL);
    assert!(!body.is_complete && body.counts.iter().map(|count| count.count).sum::<u64>() < 1_100);
    assert_eq!(body.requests[0].at_unix, NOW + 1_099, "the newest are read first");
}

#[test]
fn an_object_that_cannot_be_read_is_skipped() {
    let mut service = Service::new();
    service.fail(CHANNEL, NOW, 1);
    let folder = ObjectKey::failed_requests_folder(day_of(UnixSeconds(NOW)), CHANNEL.0);
    let platform = service.world.process(None);
    block_on(platform.put_description(&format!("{folder}1-x"), "{\"from\":\"the future\"}")).unwrap();
    block_on(platform.put(&format!("{folder}2-x"), &[])).unwrap();
    let body = service.read(CHANNEL);
    assert_eq!((body.counts.len(), body.is_complete), (1, false));
}

#[test]
fn the_sweep_deletes_what_nobody_can_read_anymore_and_nothing_else() {
    let mut service = Service::new();
    for days in 0..12 {
        service.fail(CHANNEL, NOW - days * DAY, 1);
    }
    let before = service.read(CHANNEL);
    let platform = service.world.process(None);
    block_on(platform.put("media/x", &[])).unwrap();
    block_on(delete_old(&platform, UnixSeconds(NOW))).unwrap();
    assert_eq!(service.keys().len(), 9 + 1, "today, the eight days before, and the other object");
    assert_eq!(service.read(CHANNEL), before);
    for number in 0..1_200 {
        service.fail(OTHER, NOW - 20 * DAY + number, 1);
    }
    block_on(delete_old(&platform, UnixSeconds(NOW))).unwrap();
    assert_eq!(service.keys().len(), 9 + 1, "more than one list");
}

#[test]
fn the_sweep_deletes_once_an_hour() {
    let due = (0..24 * 60).filter(|minute| is_due(UnixSeconds(NOW - NOW % 60 + minute * 60)));
    assert_eq!(due.count(), 24);
}

#[test]
fn an_erased_account_leaves_nothing_and_others_keep_theirs() {
    let mut service = Service::new();
    for days in 0..9 {
        service.fail(CHANNEL, NOW - days * DAY, 1);
    }
    for number in 0..1_000 {
        service.fail(CHANNEL, NOW - 1_200 + number, 1);
    }
    service.fail(OTHER, NOW, 1);
    for _ in 0..2 {
        block_on(erase(&service.world.process(None), CHANNEL, UnixSeconds(NOW))).unwrap();
        assert_eq!(service.keys().len(), 1);
        assert_eq!((service.count(CHANNEL), service.count(OTHER)), (0, 1));
    }
}
