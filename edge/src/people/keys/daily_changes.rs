//! The daily limits for an owner's changes of the key, of webhooks and of videos. A change leaves rows that are kept
//! for a long time, or starts a job, so without a limit one channel could fill the database or the queue.
//!
//! A batch counts an account change first; the statement that makes the change checks the count. The first refused
//! change is counted too, so a count above the limit means that a change was refused.

use crate::base::daily_limit::day_of;
use crate::base::ids::ChannelId;
use crate::base::unix_seconds::UnixSeconds;
use crate::platform::database::{Database, DatabaseError, Statement};
use contract::limits::{DAILY_CHANGES_PER_UPLOAD, MAX_DAILY_NEW_KEYS, MAX_DAILY_WEBHOOK_CHANGES, MIN_DAILY_CHANGES};

/// The kinds of account changes with a daily limit. Changes of videos have a limit of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccountChange {
    NewKey,
    Webhook,
}

/// The statement that counts a change in this column if the SELECT returns a row, up to one above the limit.
macro_rules! count_change {
    ($column:literal, $limit:expr, $select:expr) => {
        constcat::concat!(
            "INSERT INTO daily_usage (channel_id, day, used, ",
            $column,
            ") ",
            $select,
            " ON CONFLICT (channel_id, day) DO UPDATE SET ",
            $column,
            " = ",
            $column,
            " + 1 WHERE ",
            $column,
            " <= ",
            $limit
        )
    };
}
pub(crate) use count_change;

/// Returns how many changes of videos a channel with this daily upload limit may make on one day.
pub(crate) fn max_content_changes(daily_upload_limit: u32) -> u32 {
    DAILY_CHANGES_PER_UPLOAD.saturating_mul(daily_upload_limit).max(MIN_DAILY_CHANGES)
}

/// Returns the statement that counts a change of a video. Its batch fails if concurrent changes have used up the daily
/// limit.
pub(crate) fn count_content_change(channel_id: ChannelId, daily_upload_limit: u32, now: UnixSeconds) -> Statement {
    let count = Statement::new(
        "INSERT INTO daily_usage (channel_id, day, used, content_changes) VALUES (?1, ?2, 0, 1)
         ON CONFLICT (channel_id, day)
         DO UPDATE SET content_changes = iif(content_changes < ?3, content_changes + 1, NULL)",
    );
    count.bind(channel_id).bind(day_of(now)).bind(max_content_changes(daily_upload_limit))
}

impl AccountChange {
    /// Returns how many of these changes a channel may make on one day.
    pub(crate) fn max(self) -> u32 {
        match self {
            Self::NewKey => MAX_DAILY_NEW_KEYS,
            Self::Webhook => MAX_DAILY_WEBHOOK_CHANGES,
        }
    }

    fn select(self) -> &'static str {
        match self {
            Self::NewKey => "SELECT 1 FROM daily_usage WHERE channel_id = ?1 AND day = ?2 AND new_keys > ?3",
            Self::Webhook => "SELECT 1 FROM daily_usage WHERE channel_id = ?1 AND day = ?2 AND webhook_changes > ?3",
        }
    }

    /// Whether the channel has asked for more of these changes today than it may.
    pub(crate) async fn is_exceeded(
        self,
        database: &impl Database,
        channel_id: ChannelId,
        now: UnixSeconds,
    ) -> Result<bool, DatabaseError> {
        let select = Statement::new(self.select()).bind(channel_id).bind(day_of(now)).bind(self.max());
        database.returns_rows(select).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_that_uploads_much_may_change_much() {
        assert_eq!([0, 50, 51, 1_000_000].map(max_content_changes), [200, 200, 204, 4_000_000]);
        assert_eq!(max_content_changes(u32::MAX), u32::MAX);
    }
}
