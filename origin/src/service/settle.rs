//! Settles messages at the queue, with retries.

use crate::clients::queue::{LeaseId, QueueClient, QueueError};
use crate::retry::with_backoff;
use std::time::Duration;

/// The messages were not settled. The reason has been logged.
pub(super) struct SettleError;

/// Acknowledges and returns messages. A message that could not be settled is handed out again after its visibility
/// timeout; by then its job is usually over.
pub(super) async fn settle(
    queue: &QueueClient,
    acknowledged: Vec<LeaseId>,
    returned: Vec<(LeaseId, Duration)>,
) -> Result<(), SettleError> {
    let request = || async { queue.settle(&acknowledged, &returned).await };
    match with_backoff(request, QueueError::is_transient).await {
        Ok(summary) if summary.warnings.is_empty() => Ok(()),
        Ok(summary) => {
            tracing::warn!(warnings = ?summary.warnings, "the queue settled messages with warnings");
            Ok(())
        }
        Err(error) => {
            tracing::error!(%error, "messages could not be settled");
            Err(SettleError)
        }
    }
}
