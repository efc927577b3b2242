//! The failed requests of an isolate that are not stored yet, of a bounded number of channels.
//!
//! The buffer neither sleeps nor stores: it says what to do next, with the time as an argument. A request waits for its
//! own sleep only, never for another request: if the platform ends a request that waits, the next failed request of the
//! channel stores what is left.

use super::batch::Batch;
use super::pace::Pace;
use super::request::FailedRequest;
use crate::base::ids::ChannelId;
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The most channels. A batch takes at most about 10 KB, so all of them take less than 3 MB.
const MAX_CHANNELS: usize = 256;

pub(crate) struct Buffer(Mutex<BTreeMap<ChannelId, Failures>>);

#[derive(Default)]
struct Failures {
    batch: Batch,
    pace: Pace,
    /// The time until which a request waits to store the batch.
    waits_until_ms: Option<u64>,
}

/// The next step for a channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Store(Batch),
    /// Sleep until this time, and ask again with it.
    WaitUntil(u64),
    Done,
    /// Too many channels fail at once: the request is lost.
    Full,
}

impl Buffer {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Adds a failed request.
    pub(crate) fn add(&self, channel_id: ChannelId, request: FailedRequest, now_ms: u64) -> Step {
        let mut channels = self.lock();
        if !channels.contains_key(&channel_id) && channels.len() >= MAX_CHANNELS {
            channels.retain(|_, failures| !failures.batch.is_empty() || now_ms < failures.pace.next_ms());
            if channels.len() >= MAX_CHANNELS {
                return Step::Full;
            }
        }
        let failures = channels.entry(channel_id).or_default();
        failures.batch.add(request);
        failures.step(None, now_ms)
    }

    /// Returns the next step of a request that has waited until a time.
    pub(crate) fn wake(&self, channel_id: ChannelId, waited_until_ms: u64, now_ms: u64) -> Step {
        let mut channels = self.lock();
        let Some(failures) = channels.get_mut(&channel_id) else { return Step::Done };
        let step = failures.step(Some(waited_until_ms), now_ms);
        channels.retain(|_, failures| !failures.batch.is_empty() || !failures.pace.is_quiet(now_ms));
        step
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<ChannelId, Failures>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Failures {
    fn step(&mut self, waited_until_ms: Option<u64>, now_ms: u64) -> Step {
        let next_ms = self.pace.next_ms();
        if self.batch.is_empty() {
            return Step::Done;
        }
        if now_ms >= next_ms {
            self.pace.note_write(now_ms);
            self.waits_until_ms = None;
            return Step::Store(take(&mut self.batch));
        }
        if self.waits_until_ms.is_some() && self.waits_until_ms != waited_until_ms {
            return Step::Done;
        }
        self.waits_until_ms = Some(next_ms);
        Step::WaitUntil(next_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::super::batch::testing::request;
    use super::*;
    use crate::base::unix_seconds::UnixSeconds;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    const START_MS: u64 = 1_795_600_000_000;
    const CHANNEL: ChannelId = ChannelId(7);

    fn any_request() -> FailedRequest {
        request(START_MS / 1_000, 1).new_tree(&mut TestRunner::deterministic()).unwrap().current()
    }

    fn counted(batch: &Batch) -> u64 {
        batch.counts.values().flat_map(BTreeMap::values).map(|(_, count)| count).sum()
    }

    /// The requests of an isolate: the times at which they wake, and the batches that they have stored.
    #[derive(Default)]
    struct Isolate {
        sleeping: Vec<u64>,
        stored: Vec<(u64, Batch)>,
    }

    impl Isolate {
        fn take(&mut self, step: Step, now_ms: u64) {
            match step {
                Step::Store(batch) => self.stored.push((now_ms, batch)),
                Step::WaitUntil(until_ms) => self.sleeping.push(until_ms),
                Step::Done => {}
                Step::Full => unreachable!("one channel"),
            }
        }

        /// Wakes the sleepers whose time has come, each as late as `delay_ms`, except the ones that the platform ended.
        fn wake(&mut self, buffer: &Buffer, until_ms: u64, delay_ms: u64, is_ended: bool) {
            while let Some(place) = self.sleeping.iter().position(|time| time + delay_ms <= until_ms) {
                let time = self.sleeping.swap_remove(place);
                if !is_ended {
                    let step = buffer.wake(CHANNEL, time, time + delay_ms);
                    self.take(step, time + delay_ms);
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(fixtures::cases(100, 3_000)))]

        #[test]
        fn whatever_arrives_the_writes_are_few_and_nothing_is_lost(
            arrivals in vec((prop_oneof![0..50_u64, 0..5_000_u64, 0..90_000_u64], 0..300_u64, prop::bool::weighted(0.1)), 1..200)
        ) {
            let (buffer, mut isolate, mut now_ms) = (Buffer::new(), Isolate::default(), START_MS);
            for (pause_ms, delay_ms, is_ended) in &arrivals {
                now_ms += pause_ms;
                isolate.wake(&buffer, now_ms, *delay_ms, *is_ended);
                let at = UnixSeconds(now_ms / 1_000);
                let step = buffer.add(CHANNEL, FailedRequest { at, ..any_request() }, now_ms);
                isolate.take(step, now_ms);
                prop_assert!(isolate.sleeping.len() <= 2, "requests wait in vain");
            }
            // One more request after all pauses stores whatever an ended request has left.
            isolate.wake(&buffer, now_ms + 30_000, 0, false);
            isolate.take(buffer.add(CHANNEL, any_request(), now_ms + 60_000), now_ms + 60_000);
            let total: u64 = isolate.stored.iter().map(|(_, batch)| counted(batch)).sum();
            prop_assert_eq!(total, arrivals.len() as u64 + 1);
            prop_assert!(isolate.stored.iter().all(|(_, batch)| !batch.is_empty()));

            let times: Vec<u64> = isolate.stored.iter().map(|(time, _)| *time).collect();
            let mut pause = 0;
            for pair in times.windows(2) {
                let gap = pair[1] - pair[0];
                pause = if pause == 0 { 2_000 } else { (2 * pause).min(20_000) };
                prop_assert!(gap >= pause, "{} after {}", gap, pause);
                if gap >= pause + 60_000 {
                    pause = 0;
                }
            }
        }
    }

    #[test]
    fn the_first_request_is_stored_at_once_and_the_next_ones_together() {
        let buffer = Buffer::new();
        let add = |now_ms| buffer.add(CHANNEL, any_request(), now_ms);
        assert!(matches!(add(START_MS), Step::Store(_)));
        assert_eq!(add(START_MS + 10), Step::WaitUntil(START_MS + 2_000));
        assert_eq!(add(START_MS + 20), Step::Done);
        assert_eq!(buffer.wake(CHANNEL, START_MS + 2_000, START_MS + 1_999), Step::WaitUntil(START_MS + 2_000));
        let Step::Store(batch) = buffer.wake(CHANNEL, START_MS + 2_000, START_MS + 2_001) else { panic!() };
        assert_eq!(counted(&batch), 2);
        assert_eq!(buffer.wake(CHANNEL, START_MS + 2_000, START_MS + 2_002), Step::Done);
    }

    #[test]
    fn a_request_that_the_platform_ended_holds_nothing_back() {
        let buffer = Buffer::new();
        let add = |now_ms| buffer.add(CHANNEL, any_request(), now_ms);
        assert!(matches!(add(START_MS), Step::Store(_)));
        assert_eq!(add(START_MS + 10), Step::WaitUntil(START_MS + 2_000));
        let Step::Store(batch) = add(START_MS + 3_000) else { panic!() };
        assert_eq!(counted(&batch), 2);
    }

    #[test]
    fn the_number_of_channels_is_bounded_and_idle_ones_make_room() {
        let buffer = Buffer::new();
        let add = |channel, now_ms| buffer.add(ChannelId(channel), any_request(), now_ms);
        for channel in 0..MAX_CHANNELS as u64 {
            assert!(matches!(add(channel, START_MS), Step::Store(_)));
        }
        assert_eq!(add(1_000, START_MS + 1), Step::Full);
        assert_eq!(add(0, START_MS + 1), Step::WaitUntil(START_MS + 2_000), "a known channel has its place");
        assert!(matches!(add(1_000, START_MS + 2_000), Step::Store(_)));
        assert!(buffer.lock().len() <= 2);
    }
}
