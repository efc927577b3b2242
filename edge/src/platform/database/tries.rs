//! The tries of a call to the database: the number of tries, the pauses, and the deadline.
//!
//! The plan is pure. `Timer` is the platform's clock and randomness, and a virtual clock in tests.

use super::{DatabaseError, Fault};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::time::Duration;

/// The time that a call may take, its second try included.
pub(crate) const DEFAULT_DEADLINE: Duration = Duration::from_secs(5);

const MOST_TRIES: u32 = 2;

/// A database that restarts needs a moment, and requests that failed together must not retry together.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_JITTER: Duration = Duration::from_millis(400);

/// A try with less time left would probably end with another unknown outcome.
const SHORTEST_TRY: Duration = Duration::from_millis(500);

pub(crate) trait Timer {
    fn now_ms(&self) -> u64;
    async fn sleep(&self, time: Duration);
    /// Returns a uniformly random byte.
    fn random(&self) -> u8;
}

/// The bounds of one call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tries {
    pub deadline: Duration,
    /// Whether the batch may be applied twice.
    pub may_repeat: bool,
}

impl Tries {
    /// Returns the pause before the next try, or `None` if the error is final.
    fn pause(self, fault: Fault, made: u32, elapsed: Duration, random: u8) -> Option<Duration> {
        let pause = SHORTEST_PAUSE + LONGEST_JITTER * u32::from(random) / 255;
        let has_time = elapsed + pause + SHORTEST_TRY <= self.deadline;
        (fault == Fault::Temporary && self.may_repeat && made < MOST_TRIES && has_time).then_some(pause)
    }

    /// Sends a batch until it succeeds, fails finally, or the time is over.
    pub(crate) async fn run<T>(
        self,
        timer: &impl Timer,
        send: impl AsyncFn() -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        match select(pin!(self.repeat(timer, send)), pin!(timer.sleep(self.deadline))).await {
            Either::Left((answer, _)) => answer,
            Either::Right(_) => Err(DatabaseError::Busy(format!("no answer within {:?}", self.deadline))),
        }
    }

    async fn repeat<T>(
        self,
        timer: &impl Timer,
        send: impl AsyncFn() -> Result<T, DatabaseError>,
    ) -> Result<T, DatabaseError> {
        let started_ms = timer.now_ms();
        let mut made = 0;
        loop {
            let answer = send().await;
            made += 1;
            let answer = if made > 1 { answer.map_err(DatabaseError::of_second_try) } else { answer };
            let Err(DatabaseError::Busy(text)) = &answer else { return answer };
            let elapsed = Duration::from_millis(timer.now_ms().saturating_sub(started_ms));
            let Some(pause) = self.pause(Fault::of(text), made, elapsed, timer.random()) else { return answer };
            timer.sleep(pause).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::refusal::Refusal;
    use contract::ErrorCode;
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::task::{Context, Poll, Waker};

    /// A clock that moves to the end of the shortest sleep whenever everything waits.
    #[derive(Default)]
    struct VirtualClock {
        now_ms: Cell<u64>,
        wake_ms: Cell<Option<u64>>,
    }

    impl Timer for VirtualClock {
        fn now_ms(&self) -> u64 {
            self.now_ms.get()
        }

        async fn sleep(&self, time: Duration) {
            let until = self.now_ms() + u64::try_from(time.as_millis()).unwrap();
            poll_fn(|_| {
                if self.now_ms() >= until {
                    return Poll::Ready(());
                }
                self.wake_ms.set(Some(self.wake_ms.get().map_or(until, |wake| wake.min(until))));
                Poll::Pending
            })
            .await;
        }

        fn random(&self) -> u8 {
            255
        }
    }

    impl VirtualClock {
        fn run<T>(&self, future: impl Future<Output = T>) -> T {
            let mut future = pin!(future);
            loop {
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                    return output;
                }
                self.now_ms.set(self.wake_ms.take().unwrap());
            }
        }
    }

    const RESET: &str = "Internal error in D1 DB storage caused object to be reset.";
    const REPEATABLE: Tries = Tries { deadline: DEFAULT_DEADLINE, may_repeat: true };
    const ONCE: Tries = Tries { deadline: DEFAULT_DEADLINE, may_repeat: false };

    /// Returns the answer of a database that stalls for so long, and the seconds until the answer.
    fn stalled(tries: Tries, stall_seconds: u64) -> (Result<(), DatabaseError>, u64) {
        let clock = VirtualClock::default();
        let send = async || {
            clock.sleep(Duration::from_secs(stall_seconds)).await;
            Ok(())
        };
        let answer = clock.run(tries.run(&clock, send));
        (answer, clock.now_ms() / 1000)
    }

    /// Returns the answer of a database that fails so many times, the tries, and the time that they took.
    fn failing(tries: Tries, failures: u32, text: &str, each_takes: Duration) -> (bool, u32, u64) {
        let (clock, made) = (VirtualClock::default(), Cell::new(0));
        let send = async || {
            clock.sleep(each_takes).await;
            made.set(made.get() + 1);
            if made.get() <= failures { Err(DatabaseError::reported(text.to_owned())) } else { Ok(()) }
        };
        let answer = clock.run(tries.run(&clock, send));
        (answer.is_ok(), made.get(), clock.now_ms())
    }

    #[test]
    fn a_short_stall_delays_the_answer() {
        for tries in [REPEATABLE, ONCE] {
            assert_eq!(stalled(tries, 2), (Ok(()), 2));
        }
    }

    #[test]
    fn a_long_stall_is_a_busy_service_within_the_deadline() {
        for (tries, seconds) in [(REPEATABLE, 25), (REPEATABLE, 60), (ONCE, 25), (ONCE, 60)] {
            let (answer, waited) = stalled(tries, seconds);
            let error = answer.unwrap_err();
            assert_eq!(waited, 5);
            assert!(error.to_string().contains("outcome unknown"), "{error}");
            let refusal = Refusal::from(error);
            assert_eq!(refusal.code, ErrorCode::ServiceOverloaded);
            assert!(refusal.retry_after_seconds.is_some());
        }
    }

    #[test]
    fn a_temporary_error_is_retried_once_after_a_pause() {
        assert_eq!(failing(REPEATABLE, 1, RESET, Duration::ZERO), (true, 2, 500));
        assert_eq!(failing(REPEATABLE, 2, RESET, Duration::ZERO), (false, 2, 500));
    }

    #[test]
    fn only_a_temporary_error_of_a_repeatable_batch_is_retried() {
        assert_eq!(failing(ONCE, 1, RESET, Duration::ZERO), (false, 1, 0));
        for text in ["D1 DB is overloaded. Too many requests queued.", "no such table: a"] {
            assert_eq!(failing(REPEATABLE, 1, text, Duration::ZERO), (false, 1, 0), "{text}");
        }
    }

    #[test]
    fn a_race_that_a_second_try_lost_may_be_lost_against_the_first() {
        const LOST: &str = "NOT NULL constraint failed: contents.revision";
        for (texts, may_be_applied) in [(vec![LOST], false), (vec![RESET, LOST], true)] {
            let (clock, made) = (VirtualClock::default(), Cell::new(0));
            let send = async || {
                made.set(made.get() + 1);
                Err::<(), _>(DatabaseError::reported(texts[made.get() - 1].to_owned()))
            };
            let error = clock.run(REPEATABLE.run(&clock, send)).unwrap_err();
            assert!(error.is_lost_race(), "{error}");
            assert_eq!(matches!(error, DatabaseError::LostRaceOrApplied(_)), may_be_applied, "{error}");
        }
    }

    #[test]
    fn a_try_that_could_not_end_in_time_does_not_begin() {
        assert_eq!(failing(REPEATABLE, 1, RESET, Duration::from_millis(4_001)), (false, 1, 4_001));
        assert_eq!(failing(REPEATABLE, 1, RESET, Duration::from_secs(2)), (true, 2, 4_500));
    }

    #[test]
    fn a_second_try_ends_at_the_deadline_of_the_first() {
        assert_eq!(failing(REPEATABLE, 1, RESET, Duration::from_secs(3)), (false, 1, 5_000));
    }

    #[test]
    fn the_pause_is_random() {
        let pause = |random| REPEATABLE.pause(Fault::Temporary, 1, Duration::ZERO, random).unwrap();
        assert_eq!([0, 255].map(pause), [SHORTEST_PAUSE, SHORTEST_PAUSE + LONGEST_JITTER]);
    }
}
