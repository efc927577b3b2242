//! The times for which a publication may be scheduled.

use crate::base::unix_seconds::UnixSeconds;
use contract::limits::SCHEDULE_AHEAD_SECONDS;

/// Whether a publication may be scheduled for this time.
pub(crate) fn is_allowed(time: UnixSeconds, now: UnixSeconds) -> bool {
    SCHEDULE_AHEAD_SECONDS.contains(&time.seconds_since(now))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::scene::NOON;

    #[test]
    fn a_schedule_is_five_minutes_to_180_days_ahead() {
        let now = UnixSeconds(NOON);
        for (ahead, is_expected) in [(0, false), (299, false), (300, true), (15_552_000, true), (15_552_001, false)] {
            assert_eq!(is_allowed(now + ahead, now), is_expected, "{ahead}");
        }
        assert!(!is_allowed(UnixSeconds(0), now));
    }
}
