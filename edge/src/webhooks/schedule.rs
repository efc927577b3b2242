//! Decides the consequence of an attempt: the event is delivered, retried later, or given up.

use crate::base::unix_seconds::UnixSeconds;
use crate::platform::webhook_client::WebhookAnswer;
use contract::Backoff;
use contract::limits::WEBHOOK_RETRY_SECONDS as GIVE_UP_SECONDS;
use std::time::Duration;

/// A webhook that recovers gets its events within hours.
const BACKOFF: Backoff =
    Backoff { first: Duration::from_mins(1), factor: 3, longest: Duration::from_hours(6), jitter: (1.0, 1.2) };

/// The longest time for which a webhook can postpone an event with `Retry-After`.
const LONGEST_RETRY_AFTER_SECONDS: u64 = 86_400;

const GONE: u16 = 410;

/// An attempt to deliver an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    /// The number of attempts so far, including this one.
    pub number: u32,
    pub first_at: UnixSeconds,
    /// Spreads the attempts of events that failed at the same time.
    pub spread: u32,
}

/// The consequence of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Delivered,
    RetryAt(UnixSeconds),
    /// The time for retries is over.
    GivenUp,
    /// The webhook wants no more events.
    Gone,
}

pub(super) fn judge(attempt: Attempt, answer: &WebhookAnswer, now: UnixSeconds) -> Verdict {
    match answer.status {
        Some(200..=299) => return Verdict::Delivered,
        Some(GONE) => return Verdict::Gone,
        _ => {}
    }
    let asked = answer.retry_after_seconds.unwrap_or_default().min(LONGEST_RETRY_AFTER_SECONDS);
    let next = now + wait(attempt).as_secs().max(asked);
    if next.seconds_since(attempt.first_at) > GIVE_UP_SECONDS { Verdict::GivenUp } else { Verdict::RetryAt(next) }
}

/// Returns how long to wait after a failed attempt.
fn wait(attempt: Attempt) -> Duration {
    BACKOFF.pause(attempt.number, f64::from(attempt.spread % 1_000) / 1_000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOON: UnixSeconds = UnixSeconds(1_795_305_600);

    fn answer(status: Option<u16>, retry_after_seconds: Option<u64>) -> WebhookAnswer {
        WebhookAnswer { status, retry_after_seconds, ..WebhookAnswer::default() }
    }

    /// Returns the times of all attempts of an event that always fails, from the first one.
    fn attempts(spread: u32, retry_after: Option<u64>) -> Vec<u64> {
        let (mut times, mut now) = (vec![0], NOON);
        loop {
            let number = u32::try_from(times.len()).unwrap();
            match judge(Attempt { number, first_at: NOON, spread }, &answer(Some(500), retry_after), now) {
                Verdict::RetryAt(next) => now = next,
                Verdict::GivenUp => return times,
                verdict => panic!("{verdict:?}"),
            }
            times.push(now.seconds_since(NOON));
        }
    }

    #[test]
    fn an_event_is_sent_again_after_longer_and_longer_waits_for_three_days() {
        let times = attempts(0, None);
        assert_eq!(times[..6], [0, 60, 240, 780, 2_400, 7_260]);
        let waits: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(waits[6..].iter().all(|wait| *wait == BACKOFF.longest.as_secs()), "{waits:?}");
        assert_eq!((times.len(), *times.last().unwrap() / 3_600), (17, 66));
    }

    #[test]
    fn only_200_to_299_is_a_success() {
        let attempt = Attempt { number: 1, first_at: NOON, spread: 0 };
        for status in 100..=599 {
            let verdict = judge(attempt, &answer(Some(status), None), NOON);
            let expected = match status {
                200..=299 => Verdict::Delivered,
                410 => Verdict::Gone,
                _ => Verdict::RetryAt(NOON + 60),
            };
            assert_eq!(verdict, expected, "{status}");
        }
        assert_eq!(judge(attempt, &answer(None, None), NOON), Verdict::RetryAt(NOON + 60));
    }

    #[test]
    fn retry_after_makes_the_wait_longer_but_not_shorter_and_at_most_a_day() {
        let attempt = Attempt { number: 2, first_at: NOON, spread: 0 };
        for (asked, expected) in [(0, 180), (179, 180), (3_600, 3_600), (u64::MAX, 86_400)] {
            let verdict = judge(attempt, &answer(Some(503), Some(asked)), NOON);
            assert_eq!(verdict, Verdict::RetryAt(NOON + expected), "{asked}");
        }
    }

    #[test]
    fn an_attempt_may_be_exactly_three_days_after_the_first() {
        let at = |now| judge(Attempt { number: 1, first_at: NOON, spread: 0 }, &answer(None, None), now);
        let last = NOON + GIVE_UP_SECONDS;
        assert_eq!(at(NOON + (GIVE_UP_SECONDS - BACKOFF.first.as_secs())), Verdict::RetryAt(last));
        assert_eq!(at(NOON + (GIVE_UP_SECONDS - BACKOFF.first.as_secs() + 1)), Verdict::GivenUp);
    }

    proptest! {
        #[test]
        fn every_event_gets_many_attempts_within_three_days_and_none_later(
            spread: u32, retry_after in prop::option::of(0..200_000_u64)
        ) {
            let times = attempts(spread, retry_after);
            let least = if retry_after.is_some() { 3 } else { 14 };
            prop_assert!((least..=18).contains(&times.len()), "{:?}", times);
            prop_assert!(times.windows(2).all(|pair| pair[1] - pair[0] >= 60));
            prop_assert!(*times.last().unwrap() <= GIVE_UP_SECONDS);
        }

        #[test]
        fn no_number_of_attempts_overflows(number: u32, spread: u32) {
            let wait = wait(Attempt { number, first_at: NOON, spread });
            prop_assert!((BACKOFF.first..=BACKOFF.longest.mul_f64(1.2)).contains(&wait));
        }
    }
}
