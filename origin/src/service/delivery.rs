//! One delivery, from its arrival until it is settled.

use super::Service;
use crate::failure::{Settlement, pause};
use crate::job;
use crate::measure;
use crate::patience::{self, chance};
use crate::queue::{Delivery, LeaseId, Malformed, QueueClient, QueueError};
use contract::JobMessage;
use contract::job::{ClaimAnswer, JobId};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tempfile::TempPath;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

/// How often a job that another origin has is asked for again, before it goes back to the queue.
const LONGEST_BUSY: u32 = 5;

impl Service {
    /// One delivery, from its arrival until it is settled.
    pub(super) async fn take(
        self,
        delivery: Delivery,
        permit: Option<OwnedSemaphorePermit>,
        give_back: CancellationToken,
    ) {
        measure::pulled(waited(&delivery), delivery.attempts);
        let _remembered = self.remember(&delivery.lease);
        let settlement = match &delivery.job {
            Ok(message) => match self.mark(message) {
                Some(_mark) => self.work(&delivery, message, permit, &give_back).await,
                // The other delivery will end it; this one comes back in case it does not.
                None => Settlement::Retry {
                    after: Duration::from_secs(contract::job::CLAIM_SECONDS),
                },
            },
            Err(Malformed { reason, .. }) => {
                tracing::error!(
                    message_id = delivery.message_id,
                    reason,
                    "a message that is no job"
                );
                Settlement::Retry {
                    after: pause(delivery.attempts, chance()),
                }
            }
        };
        let lease = delivery.lease;
        let (acks, returned) = match settlement {
            Settlement::Ack => (vec![lease], Vec::new()),
            Settlement::Retry { after } => (Vec::new(), vec![(lease, after)]),
        };
        // What is not settled is hidden until the queue's own patience is over, and then comes again.
        let _ = settle(&self.queue, acks, returned).await;
    }

    /// Works on the job, or waits, without a permit, while another origin has it.
    async fn work(
        &self,
        delivery: &Delivery,
        message: &JobMessage,
        mut permit: Option<OwnedSemaphorePermit>,
        give_back: &CancellationToken,
    ) -> Settlement {
        let id = job::id(&self.origin, message);
        for _ in 0..LONGEST_BUSY {
            let held = match permit.take() {
                Some(held) => Some(held),
                None => self.permits.clone().acquire_owned().await.ok(),
            };
            let rest = match self.claim(&id, delivery).await {
                Some(ClaimAnswer::Work(details)) => {
                    return job::work(&self.origin, id, &details, delivery, give_back).await;
                }
                Some(ClaimAnswer::Over) => return Settlement::Ack,
                Some(ClaimAnswer::Busy {
                    retry_after_seconds,
                }) => Duration::from_secs(retry_after_seconds.max(1)),
                None => break,
            };
            // Waiting here, without a permit, costs no delivery.
            drop(held);
            tokio::select! {
                () = give_back.cancelled() => return Settlement::Retry { after: Duration::ZERO },
                () = tokio::time::sleep(rest) => {}
            }
        }
        Settlement::Retry {
            after: pause(delivery.attempts, chance()),
        }
    }

    /// Asks for the job, and lets the loop that pulls know how that went; `None` when it failed.
    async fn claim(&self, id: &JobId, delivery: &Delivery) -> Option<ClaimAnswer> {
        match job::claim(&self.origin, id, delivery).await {
            Ok(answer) => {
                self.claims.answered();
                // The next pull may be a long job away.
                self.readiness.pulled();
                Some(answer)
            }
            Err(error) => {
                tracing::error!(content_uuid = id.content_uuid, %error, "the job could not be claimed");
                self.claims.failed(error);
                None
            }
        }
    }

    /// Keeps the lease on the disk until the message is settled: also that of one that only waits must not be lost.
    fn remember(&self, lease: &LeaseId) -> Option<TempPath> {
        let remembered = self.origin.folder.remember(lease.as_str());
        remembered
            .inspect_err(|error| tracing::warn!(%error, "a lease could not be kept on the disk"))
            .ok()
    }

    /// Takes the content for one delivery; `None` when another delivery has it here.
    fn mark(&self, message: &JobMessage) -> Option<Mark> {
        let content_uuid = message.content_uuid.clone();
        let is_new = lock(&self.under_way).insert(content_uuid.clone());
        is_new.then(|| Mark {
            content_uuid,
            under_way: self.under_way.clone(),
        })
    }
}

/// Holds a content while it is worked on here.
struct Mark {
    content_uuid: String,
    under_way: Arc<Mutex<HashSet<String>>>,
}

impl Drop for Mark {
    fn drop(&mut self) {
        lock(&self.under_way).remove(&self.content_uuid);
    }
}

fn lock(set: &Mutex<HashSet<String>>) -> std::sync::MutexGuard<'_, HashSet<String>> {
    set.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tries for a while; a message that is not settled comes again, and then its job is over.
pub(super) async fn settle(
    queue: &QueueClient,
    acks: Vec<LeaseId>,
    returned: Vec<(LeaseId, Duration)>,
) -> Result<(), NotSettled> {
    let call = || async { queue.settle(&acks, &returned).await };
    let settled = patience::with(call, QueueError::is_transient).await;
    match settled {
        Ok(settled) if settled.warnings.is_empty() => Ok(()),
        Ok(settled) => {
            tracing::warn!(warnings = ?settled.warnings, "the queue settled with warnings");
            Ok(())
        }
        Err(error) => {
            tracing::error!(%error, "a message could not be settled");
            Err(NotSettled)
        }
    }
}

/// It is told in the log already.
pub(super) struct NotSettled;

/// How long the message was in the queue; the two clocks need not agree.
fn waited(delivery: &Delivery) -> Duration {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let sent = delivery.sent_at_ms.map(Duration::from_millis);
    sent.map_or(Duration::ZERO, |sent| now.saturating_sub(sent))
}
