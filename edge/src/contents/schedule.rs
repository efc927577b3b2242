//! Scheduled publication: checks the permitted times, and publishes the contents whose time has come.

use crate::life::door::{self, Find};
use crate::life::{Command, Life};
use crate::ports::database::{Database, DatabaseError, may_have_more};
use crate::unix_seconds::UnixSeconds;
use contract::limits::SCHEDULE_AHEAD_SECONDS;

/// The number of contents that one transaction publishes. A run repeats it until none is left.
const PAGE: u32 = 100;
/// The most transactions of a run, so that it ends even if more contents become due meanwhile. The next run is a minute
/// away.
const ROUNDS: u32 = 100;

/// Whether a publication may be scheduled for this time.
pub(crate) fn is_allowed(time: UnixSeconds, now: UnixSeconds) -> bool {
    SCHEDULE_AHEAD_SECONDS.contains(&time.seconds_since(now))
}

/// Publishes the scheduled contents that are due and returns how many there were.
pub(crate) async fn publish_due(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let mut published = 0;
    for _ in 0..ROUNDS {
        let due = Find::DueSchedules { at_most: PAGE };
        let page = door::apply_to_all(database, due, |_: &Life| Command::PublishDue, now).await?;
        published += page.lives.len() as u64;
        if !may_have_more(page.lives.len(), PAGE) {
            break;
        }
    }
    Ok(published)
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
