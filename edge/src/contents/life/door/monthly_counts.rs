//! Counts decisions and appeals by month, so that a report about moderation reads few rows, however many there were.

use crate::base::unix_seconds::UnixSeconds;
use crate::contents::life::change::Decision;
use crate::contents::life::life::Life;
use crate::platform::database::{Batch, Statement};
use contract::api::{AppealState, DecisionAction};

/// The value of `waited_seconds` if the video had not waited for the decision, and for counts that are no decisions.
const NOBODY_WAITED: i64 = -1;

pub(super) fn add(batch: &mut Batch, name: &str, now: UnixSeconds) {
    count(batch, name, "", NOBODY_WAITED, now);
}

pub(super) fn add_decision(batch: &mut Batch, before: &Life, decision: &Decision, now: UnixSeconds) {
    let since = waits_since(before).filter(|_| decision.action != DecisionAction::Label);
    let waited = since.map_or(NOBODY_WAITED, |since| rounded(now.seconds_since(since)));
    count(batch, decision.action.as_str(), decision.policy_code.as_deref().unwrap_or_default(), waited, now);
}

fn count(batch: &mut Batch, name: &str, policy_code: &str, waited_seconds: i64, now: UnixSeconds) {
    let count = Statement::new(
        "INSERT INTO monthly_counts (month, name, policy_code, waited_seconds, number)
         VALUES (strftime('%Y-%m', ?1, 'unixepoch'), ?2, ?3, CAST(?4 AS INTEGER), 1)
         ON CONFLICT (month, name, policy_code, waited_seconds) DO UPDATE SET number = number + 1",
    );
    batch.execute(count.bind(now).bind(name).bind(policy_code).bind(waited_seconds.to_string()));
}

/// Returns the time since which the content waits for a moderator: in the queue, for a decision about its appeal, or
/// flagged.
fn waits_since(life: &Life) -> Option<UnixSeconds> {
    let appealed = life.facts.appealed_at_unix.filter(|_| life.facts.appeal == Some(AppealState::Pending));
    life.content.waits_since_unix.or(appealed).or(life.facts.flagged_at_unix)
}

/// Rounds a time so that few values remain: by at most a sixteenth.
fn rounded(seconds: u64) -> i64 {
    let step = 1_u64 << seconds.checked_ilog2().unwrap_or_default().saturating_sub(3);
    i64::try_from(seconds / step * step + step / 2).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn short_times_are_exact_and_long_ones_have_few_values() {
        assert_eq!([0, 1, 7, 15].map(rounded), [0, 1, 7, 15]);
        assert_eq!([340, 350, 3_600, 86_400].map(rounded), [336, 336, 3_712, 86_016]);
        let values: std::collections::BTreeSet<i64> = (0..44 * 86_400).map(rounded).collect();
        assert!(values.len() < 170, "{}", values.len());
    }

    proptest! {
        #[test]
        fn a_rounded_time_is_near_and_keeps_the_order(seconds in 0_u64..1 << 40, more in 0_u64..1 << 40) {
            let near = seconds / 16;
            let value = u64::try_from(rounded(seconds)).unwrap();
            prop_assert!((seconds - near..=seconds + near).contains(&value), "{value}");
            prop_assert!(rounded(seconds) <= rounded(seconds + more));
        }
    }
}
