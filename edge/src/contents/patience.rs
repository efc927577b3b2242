//! When asking for a status again can show something new.

use contract::{ContentState, Stage};

const PERSON_SECONDS: u64 = 300;
const CHECK_SECONDS: u64 = 60;
/// A published time is found by the clock's next minute.
const CLOCK_SECONDS: u64 = 60;
const LONGEST_SECONDS: u64 = 3600;

/// Everything that matters for it.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances<'a> {
    pub state: ContentState,
    pub stage: Stage,
    pub waits_for: Option<&'a str>,
    /// Since its current job was made.
    pub enqueued_at_unix: u64,
    pub scheduled_publish_at_unix: Option<u64>,
}

/// In how many seconds to ask again; `None` when nothing more will happen by itself.
pub fn check_after_seconds(circumstances: Circumstances<'_>, now_unix: u64) -> Option<u32> {
    let seconds = match circumstances.state {
        ContentState::Processing => while_processing(circumstances, now_unix),
        ContentState::Scheduled => {
            let due = circumstances.scheduled_publish_at_unix.unwrap_or(now_unix);
            // Rescheduling is its owner's own doing; the longest wait finds out about any other.
            due.saturating_sub(now_unix)
                .clamp(CLOCK_SECONDS, LONGEST_SECONDS)
        }
        _ => return None,
    };
    u32::try_from(seconds).ok()
}

/// A job of a short clip takes seconds; one that takes long will not end in the next second either.
fn while_processing(circumstances: Circumstances<'_>, now_unix: u64) -> u64 {
    let age = now_unix.saturating_sub(circumstances.enqueued_at_unix);
    match (circumstances.waits_for, circumstances.stage) {
        (Some("person"), _) => PERSON_SECONDS,
        (Some(_), _) => CHECK_SECONDS,
        (None, Stage::Store) => 2,
        (None, _) => (age / 10).clamp(2, 30),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const QUEUED: Circumstances<'static> = Circumstances {
        state: ContentState::Processing,
        stage: Stage::Queued,
        waits_for: None,
        enqueued_at_unix: 1_000,
        scheduled_publish_at_unix: None,
    };

    #[test]
    fn only_what_moves_by_itself_is_worth_asking_for() {
        for state in ContentState::ALL {
            let moves = matches!(state, ContentState::Processing | ContentState::Scheduled);
            let circumstances = Circumstances {
                state: *state,
                ..QUEUED
            };
            assert_eq!(
                check_after_seconds(circumstances, 1_000).is_some(),
                moves,
                "{state:?}"
            );
        }
    }

    #[test]
    fn a_young_job_is_asked_for_soon_and_a_person_is_given_time() {
        let person = Circumstances {
            waits_for: Some("person"),
            ..QUEUED
        };
        assert_eq!(check_after_seconds(QUEUED, 1_000), Some(2));
        assert_eq!(check_after_seconds(QUEUED, 1_200), Some(20));
        assert_eq!(check_after_seconds(person, 1_000), Some(300));
    }

    #[test]
    fn what_is_scheduled_is_asked_for_at_its_time() {
        let scheduled = Circumstances {
            state: ContentState::Scheduled,
            scheduled_publish_at_unix: Some(2_000),
            ..QUEUED
        };
        assert_eq!(check_after_seconds(scheduled, 1_500), Some(500));
        assert_eq!(check_after_seconds(scheduled, 3_000), Some(60));
    }

    proptest! {
        #[test]
        fn it_is_never_at_once_and_never_longer_than_an_hour(
            now in 0_u64..1 << 40, enqueued in 0_u64..1 << 40, due in proptest::option::of(0_u64..1 << 40),
            state in 0_usize..7, stage in 0_usize..6,
        ) {
            let circumstances = Circumstances {
                state: ContentState::ALL[state],
                stage: Stage::ALL[stage],
                waits_for: None,
                enqueued_at_unix: enqueued,
                scheduled_publish_at_unix: due,
            };
            if let Some(seconds) = check_after_seconds(circumstances, now) {
                prop_assert!((2..=3600).contains(&seconds));
            }
        }
    }
}
