//! The work that a change leaves to do: removals to copy to R2, cached responses to purge, and webhooks to call.
//!
//! Every batch that writes ends with a query for this work, in the same transaction. So no statement, trigger or route
//! needs to declare its follow-ups, and none can forget them.

use super::database::{DatabaseError, Rows, Statement, first_row};
use serde::Deserialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The work that the batches of a request have left to do. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FollowUps(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    removals: AtomicBool,
    purges: AtomicBool,
    webhooks: AtomicBool,
}

/// The work to do once the handler is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Due {
    pub removals: bool,
    pub purges: bool,
    pub webhooks: bool,
}

#[derive(Deserialize)]
struct DueRow {
    removals: u8,
    purges: u8,
    webhooks: u8,
}

impl FollowUps {
    /// Returns the query. It selects only new work that was not attempted yet: the sweep repeats failed work, so an
    /// outage of R2 or the cache does not slow down other requests.
    pub(super) fn question() -> Statement {
        Statement::new(
            "SELECT coalesce((SELECT happened_at_unix FROM removals WHERE is_stored = 0 ORDER BY id DESC LIMIT 1), 0)
                 >= unixepoch() - 1 AS removals,
             EXISTS (SELECT 1 FROM cache_purges WHERE due_at_unix = 0) AS purges,
             EXISTS (SELECT 1 FROM webhooks WHERE due_at_unix = 0 AND lease_ends_at_unix <= unixepoch()) AS webhooks",
        )
    }

    /// Adds the result of the query.
    pub(super) fn add(&self, answer: &Rows) -> Result<(), DatabaseError> {
        let Some(due) = first_row::<DueRow>(Some(answer))? else { return Ok(()) };
        let flags = &self.0;
        for (flag, is_due) in
            [(&flags.removals, due.removals), (&flags.purges, due.purges), (&flags.webhooks, due.webhooks)]
        {
            flag.fetch_or(is_due == 1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns the work that is due, and clears it.
    pub(crate) fn take(&self) -> Due {
        let take = |flag: &AtomicBool| flag.swap(false, Ordering::Relaxed);
        Due { removals: take(&self.0.removals), purges: take(&self.0.purges), webhooks: take(&self.0.webhooks) }
    }
}
