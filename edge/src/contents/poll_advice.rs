//! Poll advice: when a client should ask for a status again.

use crate::base::unix_seconds::UnixSeconds;
use contract::api::WaitsFor;
use contract::{ContentState, Stage};

/// The advice while a moderator has to decide.
const PERSON_SECONDS: u64 = 300;
/// The advice while a moderation check has to be retried.
const CHECK_SECONDS: u64 = 60;
/// The sweep, which publishes scheduled contents, runs once a minute.
const SWEEP_SECONDS: u64 = 60;
const MAX_SECONDS: u64 = 3600;
/// The advice while a published video gets its larger renditions, another thumbnail or captions.
const CHANGE_SECONDS: u64 = 5;

/// The facts about a content on which the advice depends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PollFacts {
    pub state: ContentState,
    pub stage: Stage,
    pub waits_for: Option<WaitsFor>,
    /// The creation time of the current job.
    pub enqueued_at: UnixSeconds,
    pub scheduled_publish_at: Option<UnixSeconds>,
    pub needs_release: bool,
    pub is_change_pending: bool,
}

/// Returns the seconds after which to ask again, or `None` if the content no longer changes by itself.
pub(crate) fn check_after_seconds(facts: PollFacts, now: UnixSeconds) -> Option<u32> {
    let seconds = match facts.state {
        ContentState::Processing => while_processing(facts, now),
        ContentState::Scheduled | ContentState::Published if facts.is_change_pending => CHANGE_SECONDS,
        // Its owner knows when it is released.
        ContentState::Scheduled if facts.needs_release => return None,
        ContentState::Scheduled => {
            let due = facts.scheduled_publish_at.unwrap_or(now);
            // The owner may reschedule the content to an earlier time; the maximum bounds how late a client notices.
            due.seconds_since(now).clamp(SWEEP_SECONDS, MAX_SECONDS)
        }
        _ => return None,
    };
    u32::try_from(seconds).ok()
}

/// Returns the advice for a content that is processing. The job of a short clip takes seconds, but the longer a job has
/// been running, the less likely it is to end soon.
fn while_processing(facts: PollFacts, now: UnixSeconds) -> u64 {
    let age = now.seconds_since(facts.enqueued_at);
    match (facts.waits_for, facts.stage) {
        (Some(WaitsFor::Person), _) => PERSON_SECONDS,
        (Some(WaitsFor::Check), _) => CHECK_SECONDS,
        (None, Stage::Store) => 2,
        (None, _) => (age / 10).clamp(2, 30),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUEUED: PollFacts = PollFacts {
        state: ContentState::Processing,
        stage: Stage::Queued,
        waits_for: None,
        enqueued_at: UnixSeconds(1_000),
        scheduled_publish_at: None,
        needs_release: false,
        is_change_pending: false,
    };

    fn advice(facts: PollFacts, now: u64) -> Option<u32> {
        check_after_seconds(facts, UnixSeconds(now))
    }

    #[test]
    fn only_states_that_change_by_themselves_are_worth_polling() {
        for state in ContentState::ALL {
            let changes = matches!(state, ContentState::Processing | ContentState::Scheduled);
            let facts = PollFacts { state: *state, ..QUEUED };
            assert_eq!(advice(facts, 1_000).is_some(), changes, "{state:?}");
        }
    }

    #[test]
    fn a_young_job_is_polled_often_and_a_moderator_is_given_time() {
        let waits_for = |waits_for| PollFacts { waits_for: Some(waits_for), ..QUEUED };
        assert_eq!(advice(QUEUED, 1_000), Some(2));
        assert_eq!(advice(QUEUED, 1_200), Some(20));
        assert_eq!(advice(QUEUED, 9_000), Some(30));
        assert_eq!(advice(PollFacts { stage: Stage::Store, ..QUEUED }, 1_200), Some(2));
        assert_eq!(advice(waits_for(WaitsFor::Person), 1_000), Some(300));
        assert_eq!(advice(waits_for(WaitsFor::Check), 1_000), Some(60));
    }

    #[test]
    fn a_scheduled_content_is_polled_at_its_time() {
        let scheduled_publish_at = Some(UnixSeconds(2_000));
        let scheduled = PollFacts { state: ContentState::Scheduled, scheduled_publish_at, ..QUEUED };
        assert_eq!(advice(scheduled, 1_500), Some(500));
        assert_eq!(advice(scheduled, 3_000), Some(60));
    }

    #[test]
    fn a_video_that_its_owner_has_to_release_is_not_polled_unless_a_change_is_being_made() {
        for scheduled_publish_at in [None, Some(UnixSeconds(2_000))] {
            let facts =
                PollFacts { state: ContentState::Scheduled, scheduled_publish_at, needs_release: true, ..QUEUED };
            assert_eq!(advice(facts, 1_500), None);
            assert_eq!(advice(PollFacts { is_change_pending: true, ..facts }, 1_500), Some(5));
            assert_eq!(advice(PollFacts { state: ContentState::Processing, ..facts }, 1_000), Some(2));
        }
    }

    proptest! {
        #[test]
        fn the_advice_is_at_least_two_seconds_and_at_most_an_hour(
            now in 0_u64..1 << 40, enqueued in 0_u64..1 << 40, due in proptest::option::of(0_u64..1 << 40),
            state in 0_usize..7, stage in 0_usize..6, needs_release: bool,
        ) {
            let facts = PollFacts {
                state: ContentState::ALL[state],
                stage: Stage::ALL[stage],
                waits_for: None,
                enqueued_at: UnixSeconds(enqueued),
                scheduled_publish_at: due.map(UnixSeconds),
                needs_release,
                is_change_pending: false,
            };
            if let Some(seconds) = advice(facts, now) {
                prop_assert!((2..=3600).contains(&seconds));
            }
        }
    }
}
