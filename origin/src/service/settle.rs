//! Settles messages at the queue. A message that is not settled stays hidden until its lease ends, for as long as the
//! longest job takes, so a failed settlement is repeated.

use crate::clients::queue::{LeaseId, QueueClient, QueueError};
use crate::job::failure::Settlement;
use crate::retry::short_pause;
use native::random_fraction;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Messages that are not yet settled at the queue.
#[derive(Debug)]
pub(super) struct Unsettled {
    acknowledged: Vec<LeaseId>,
    returned: Vec<(LeaseId, Duration)>,
    /// The end of the leases. The queue then delivers returned messages again by itself; it still accepts a late
    /// acknowledgement.
    lease_ends_at: Instant,
}

impl Unsettled {
    pub(super) fn new(lease: LeaseId, settlement: Settlement, lease_ends_at: Instant) -> Self {
        match settlement {
            Settlement::Ack => Self { acknowledged: vec![lease], returned: Vec::new(), lease_ends_at },
            Settlement::Retry { after } => Self::returned(vec![(lease, after)], lease_ends_at),
        }
    }

    pub(super) fn returned(returned: Vec<(LeaseId, Duration)>, lease_ends_at: Instant) -> Self {
        Self { acknowledged: Vec::new(), returned, lease_ends_at }
    }

    /// Acknowledges and returns the messages, and retries temporary errors. Returns false if the queue refuses, or if
    /// `stop` is cancelled first; the next start of the origin then has to settle the messages.
    pub(super) async fn settle(&self, queue: &QueueClient, stop: &CancellationToken) -> bool {
        let mut failures = 0;
        loop {
            match queue.settle(&self.acknowledged, &self.returned).await {
                Ok(summary) if summary.warnings.is_empty() => return true,
                Ok(summary) => {
                    tracing::warn!(warnings = ?summary.warnings, "the queue settled messages with warnings");
                    return true;
                }
                Err(error) if !error.is_transient() => {
                    tracing::error!(%error, "messages could not be settled");
                    return false;
                }
                Err(_) if self.is_too_late() => return true,
                Err(error) => {
                    failures += 1;
                    tracing::warn!(%error, failures, "the settlement of messages is repeated");
                    let pause = pause(failures, &error);
                    tokio::select! {
                        () = stop.cancelled() => return false,
                        () = sleep(pause) => {}
                    }
                }
            }
        }
    }

    /// Whether returning is pointless: the leases have ended, so the queue delivers the messages again by itself.
    fn is_too_late(&self) -> bool {
        self.acknowledged.is_empty() && Instant::now() >= self.lease_ends_at
    }
}

/// Returns the pause after failures in a row: not shorter than the queue requests.
fn pause(failures: u32, error: &QueueError) -> Duration {
    error.retry_after().unwrap_or_default().min(Duration::from_mins(1)) + short_pause(failures, random_fraction())
}
