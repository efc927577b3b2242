//! The daily limits of what an owner may change: the key, webhooks, and videos. A change leaves rows that are kept for
//! long, or starts a job, so without a limit one channel could fill the database or the queue.
//!
//! The statement that counts a change comes before the one that makes it, in one transaction, and the latter checks the
//! count. The first change that is refused is counted too, so a count above the limit says that one was refused.

use crate::ids::ChannelId;
use crate::keys::daily_limit::{day_of, end_of_day};
use crate::ports::database::{Database, DatabaseError, Statement};
use crate::refusal::Refusal;
use crate::unix_seconds::UnixSeconds;
use contract::ErrorCode;
use contract::limits::{MAX_DAILY_NEW_KEYS, MAX_DAILY_WEBHOOK_CHANGES};

/// What is counted, apart from changes of videos.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccountChange {
    NewKey,
    Webhook,
}

/// The statement that counts a change in this column if the SELECT returns a row. Beyond the limit it counts one more.
macro_rules! count_change {
    ($column:literal, $limit:literal, $select:expr) => {
        concat!(
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

impl AccountChange {
    /// Returns how many a channel may make on one day.
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

    /// Returns 429 `daily_change_limit_reached` if the channel has asked for more of these changes today than it may.
    pub(crate) async fn check(
        self,
        database: &impl Database,
        channel_id: ChannelId,
        now: UnixSeconds,
    ) -> Result<(), Refusal> {
        if self.is_exceeded(database, channel_id, now).await? { Err(refusal(self.max(), now)) } else { Ok(()) }
    }

    async fn is_exceeded(
        self,
        database: &impl Database,
        channel_id: ChannelId,
        now: UnixSeconds,
    ) -> Result<bool, DatabaseError> {
        let select = Statement::new(self.select()).bind(channel_id).bind(day_of(now)).bind(self.max());
        database.returns_rows(select).await
    }
}

/// Returns the refusal of a change, of which a channel may make so many on one day.
pub(crate) fn refusal(max: u32, now: UnixSeconds) -> Refusal {
    let resets_at = end_of_day(day_of(now));
    let detail = format!("Only {max} changes of this kind are possible on one day. The next day begins at 00:00 UTC.");
    let refusal = Refusal::new(ErrorCode::DailyChangeLimitReached).with_detail(detail);
    refusal.with_retry_after(resets_at.seconds_since(now).max(1))
}
