//! Scheduled publication: checks the permitted times, and publishes the contents whose time has come.

use crate::ports::database::{Database, DatabaseError, Statement, may_have_more};
use crate::unix_seconds::UnixSeconds;
use contract::limits::SCHEDULE_AHEAD_SECONDS;

/// The number of contents that one statement publishes. A run repeats it until none is left.
const BATCH: u32 = 500;
/// The most times that a run executes the statement, so that it ends even if more contents become due meanwhile. The
/// next run is a minute away.
const BATCHES: u32 = 20;

/// Whether a publication may be scheduled for this time.
pub(crate) fn is_allowed(time: UnixSeconds, now: UnixSeconds) -> bool {
    SCHEDULE_AHEAD_SECONDS.contains(&time.seconds_since(now))
}

/// Publishes the scheduled contents that are due and returns how many there were.
pub(crate) async fn publish_due(database: &impl Database, now: UnixSeconds) -> Result<u64, DatabaseError> {
    let mut published = 0;
    for _ in 0..BATCHES {
        let publish = Statement::new(
            "UPDATE contents SET state = 'published', published_at_unix = ?1
             WHERE id IN (SELECT id FROM contents
                 WHERE state = 'scheduled' AND scheduled_publish_at_unix <= ?1
                 ORDER BY scheduled_publish_at_unix LIMIT ?2)
             RETURNING id",
        );
        let count = database.count_returned(publish.bind(now).bind(BATCH)).await?;
        published += count as u64;
        if !may_have_more(count, BATCH) {
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
