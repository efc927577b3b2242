//! The laws of the scripts.

use super::script::{Becomes, refusal, steps};
use crate::base::daily_limit::Usage;
use crate::base::unix_seconds::UnixSeconds;
use contract::limits::TEST_VIDEO_SECONDS;
use contract::{ContentState, ErrorCode, TRANSITIONS, TestOutcome};

const USAGE: Usage = Usage { day: 20_000, amount: 10, used: 3 };

fn scripts() -> impl Iterator<Item = (TestOutcome, &'static [(u64, Becomes)])> {
    TestOutcome::all().flat_map(|outcome| [false, true].map(|is_scheduled| (outcome, steps(outcome, is_scheduled))))
}

#[test]
fn a_test_video_changes_as_a_video_may_and_is_never_processed_twice() {
    for (outcome, script) in scripts() {
        let mut state = ContentState::Processing;
        for (_, becomes) in script {
            let is_allowed = TRANSITIONS.iter().any(|(from, _, to)| (*from, *to) == (state, becomes.state()));
            let is_completed = *becomes == Becomes::Complete && state == ContentState::Published;
            assert!(is_allowed || is_completed, "{outcome:?}: {state:?} to {becomes:?}");
            state = becomes.state();
        }
    }
}

#[test]
fn steps_are_in_the_order_of_their_times_and_end_before_the_video_does() {
    for (outcome, script) in scripts() {
        assert!(script.windows(2).all(|pair| pair[0].0 < pair[1].0), "{outcome:?}");
        assert!(script.iter().all(|(after, _)| (1..TEST_VIDEO_SECONDS).contains(after)), "{outcome:?}");
    }
}

#[test]
fn accepted_tests_reach_every_state_that_a_video_has_by_itself() {
    let reached = |state| scripts().any(|(_, script)| script.iter().any(|(_, becomes)| becomes.state() == state));
    for state in ContentState::ALL {
        assert_eq!(reached(*state), *state != ContentState::Deleted, "{state:?}");
    }
    for (outcome, script) in scripts() {
        assert_eq!(script.is_empty(), matches!(outcome, TestOutcome::Refused(_)), "{outcome:?}");
    }
}

#[test]
fn a_refusal_has_the_wanted_code_and_says_that_it_is_a_test() {
    let now = UnixSeconds(20_000 * 86_400 + 100);
    for code in TestOutcome::REFUSALS {
        let refusal = refusal(Some(TestOutcome::Refused(code)), USAGE, now).unwrap();
        assert_eq!(refusal.code, code);
        assert_eq!(refusal.retry_after_seconds.is_some(), matches!(code.status(), 429 | 503), "{code:?}");
        assert!(refusal.detail.unwrap().starts_with("This is a test"));
    }
    let limit = refusal(Some(TestOutcome::Refused(ErrorCode::ContentUploadLimitFailure)), USAGE, now).unwrap();
    assert_eq!(limit.usage, Some((Usage { used: 10, ..USAGE }, now)));
    for accepted in TestOutcome::ACCEPTED.map(Some).into_iter().chain([None]) {
        assert!(refusal(accepted, USAGE, now).is_none(), "{accepted:?}");
    }
}
