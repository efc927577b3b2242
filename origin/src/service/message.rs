//! One delivery attempt of a message, from the pull until the message is settled.

use super::Service;
use super::settle::Unsettled;
use crate::clients::queue::{InvalidMessage, LeaseId, QueueMessage};
use crate::job::failure::{Settlement, retry_delay};
use crate::job::{self, ClaimedJob};
use crate::retry::random_bytes;
use crate::telemetry::metrics;
use crate::telemetry::spans::Span;
use contract::job::{ClaimAnswer, JobId};
use contract::{JobMessage, TraceContext};
use native::random_fraction;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};
use tempfile::TempPath;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

/// The number of times that a job is claimed while another origin holds it. Then its message is acknowledged: if the
/// other origin falls silent, the edge sends another message.
const MAX_CLAIMS: u32 = 5;
/// The interval at which a message checks whether an earlier message of the same content is done. Short compared with a
/// job.
const LOCK_PAUSE: Duration = Duration::from_secs(2);

/// Returns the message to the queue for the next origin that pulls.
const AT_ONCE: Settlement = Settlement::Retry { after: Duration::ZERO };

impl Service {
    /// Processes the job of a message and settles the message.
    pub(super) async fn handle_message(
        self,
        message: QueueMessage,
        permit: Option<OwnedSemaphorePermit>,
        shutdown: CancellationToken,
    ) {
        let trace = trace_of(&message);
        let span = log_span(&message, trace, &self.context.origin);
        Box::pin(self.process_and_settle(message, trace, permit, shutdown)).instrument(span).await;
    }

    async fn process_and_settle(
        self,
        message: QueueMessage,
        trace: TraceContext,
        permit: Option<OwnedSemaphorePermit>,
        shutdown: CancellationToken,
    ) {
        metrics::record_pulled_message(queue_lag(&message), message.delivery_attempt);
        let lease_ends_at = Instant::now() + self.settings.visibility;
        let stored_lease = self.store_lease(&message.lease);
        let settlement = match &message.job {
            Ok(job) => self.process_alone(&message, job, trace, permit, &shutdown).await,
            Err(InvalidMessage { reason, .. }) => {
                tracing::error!(message_id = message.message_id, reason, "a message names no valid job");
                Settlement::Retry { after: retry_delay(message.delivery_attempt, random_fraction()) }
            }
        };
        let unsettled = Unsettled::new(message.lease, settlement, lease_ends_at);
        let is_over = unsettled.settle(&self.queue, &shutdown).await;
        if let (false, Some(lease)) = (is_over, stored_lease) {
            // The next start of the origin returns the message.
            let _ = lease.keep().inspect_err(|error| tracing::error!(%error, "a lease was not kept on disk"));
        }
    }

    /// Processes the job once this origin processes no other message of the same content. Waits without a permit, which
    /// costs no delivery attempt.
    async fn process_alone(
        &self,
        message: &QueueMessage,
        job: &JobMessage,
        trace: TraceContext,
        mut permit: Option<OwnedSemaphorePermit>,
        shutdown: &CancellationToken,
    ) -> Settlement {
        loop {
            if let Some(_lock) = self.lock_content(job) {
                return Box::pin(self.claim_and_process(message, job, trace, permit, shutdown)).await;
            }
            drop(permit.take());
            if is_stopped_within(LOCK_PAUSE, shutdown).await {
                return AT_ONCE;
            }
        }
    }

    /// Claims and processes the job. Waits without a permit while another origin holds the job.
    async fn claim_and_process(
        &self,
        message: &QueueMessage,
        job: &JobMessage,
        trace: TraceContext,
        mut permit: Option<OwnedSemaphorePermit>,
        shutdown: &CancellationToken,
    ) -> Settlement {
        let delivery_attempt = message.delivery_attempt;
        let id = self.job_id(job);
        let span = Span::of_job(&self.context.spans, trace)
            .with("clipgate.content_uuid", id.content_uuid.clone())
            .with("clipgate.generation", i64::try_from(id.generation).unwrap_or(i64::MAX))
            .with("clipgate.delivery_attempt", i64::from(delivery_attempt));
        for _ in 0..MAX_CLAIMS {
            let held_permit = match permit.take() {
                Some(permit) => Some(permit),
                None => self.permits.clone().acquire_owned().await.ok(),
            };
            let pause = match self.claim(&id, &span, shutdown).await {
                Some(ClaimAnswer::Granted(details)) => {
                    tracing::info!(source = details.source_key, "job begins");
                    let job = ClaimedJob { id, details, delivery_attempt, span };
                    return job::process(&self.context, job, shutdown).await;
                }
                Some(ClaimAnswer::Obsolete) => {
                    span.with("clipgate.outcome", "obsolete").finish(true);
                    return Settlement::Ack;
                }
                Some(ClaimAnswer::Busy { retry_after_seconds }) => Duration::from_secs(retry_after_seconds.max(1)),
                None if shutdown.is_cancelled() => return AT_ONCE,
                None => return Settlement::Retry { after: retry_delay(delivery_attempt, random_fraction()) },
            };
            // Waiting here costs no delivery attempt, and dropping the permit lets another job run.
            drop(held_permit);
            if is_stopped_within(pause, shutdown).await {
                return AT_ONCE;
            }
        }
        Settlement::Ack
    }

    fn job_id(&self, job: &JobMessage) -> JobId {
        let origin = self.context.origin.clone();
        JobId { content_uuid: job.content_uuid.clone(), generation: job.generation, origin }
    }

    /// Claims the job and passes the result to the pull loop. Returns `None` if the claim failed.
    async fn claim(&self, id: &JobId, span: &Span, shutdown: &CancellationToken) -> Option<ClaimAnswer> {
        match job::claim(&self.context, id, span, shutdown).await {
            Ok(answer) => {
                self.last_claim.set_answered();
                // If the job takes long, the next pull is far off. Until then, the answered claim counts as readiness.
                self.readiness.set_pulled();
                Some(answer)
            }
            // The edge is unavailable, and this origin stops.
            Err(_) if shutdown.is_cancelled() => None,
            Err(error) => {
                tracing::error!(%error, "a job could not be claimed");
                self.last_claim.set_failed(error);
                None
            }
        }
    }

    /// Stores the lease on disk until the message is settled, even while the message only waits.
    fn store_lease(&self, lease: &LeaseId) -> Option<TempPath> {
        let stored = self.context.folder.store_lease(lease.as_str());
        stored.inspect_err(|error| tracing::warn!(%error, "a lease could not be stored on disk")).ok()
    }

    /// Locks the content of a job, or returns `None` if it is locked by another message.
    fn lock_content(&self, job: &JobMessage) -> Option<ContentLock> {
        let content_uuid = job.content_uuid.clone();
        let is_new = lock(&self.contents_in_progress).insert(content_uuid.clone());
        is_new.then(|| ContentLock { content_uuid, contents: self.contents_in_progress.clone() })
    }
}

/// Keeps other messages of the same content from being processed by this origin.
struct ContentLock {
    content_uuid: String,
    contents: Arc<Mutex<HashSet<String>>>,
}

impl Drop for ContentLock {
    fn drop(&mut self) {
        lock(&self.contents).remove(&self.content_uuid);
    }
}

/// Waits. Returns true as soon as the origin is stopped.
async fn is_stopped_within(pause: Duration, shutdown: &CancellationToken) -> bool {
    shutdown.run_until_cancelled(tokio::time::sleep(pause)).await.is_none()
}

fn lock(contents: &Mutex<HashSet<String>>) -> MutexGuard<'_, HashSet<String>> {
    contents.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the trace of the message's upload, or a new one if the message names none.
fn trace_of(message: &QueueMessage) -> TraceContext {
    let named = message.job.as_ref().ok().and_then(|job| TraceContext::parse(job.traceparent.as_deref()?));
    named.unwrap_or_else(|| TraceContext::begin(random_bytes()))
}

/// The span that every log line about the message shows.
fn log_span(message: &QueueMessage, trace: TraceContext, origin: &str) -> tracing::Span {
    let job = message.job.as_ref().ok();
    tracing::info_span!(
        "job",
        trace_id = %trace.trace_id_text(),
        content_uuid = job.map(|job| job.content_uuid.as_str()),
        generation = job.map(|job| job.generation),
        delivery_attempt = message.delivery_attempt,
        origin
    )
}

/// Returns how long the message waited in the queue; zero if the clocks of queue and origin disagree too much.
fn queue_lag(message: &QueueMessage) -> Duration {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let sent_at = message.sent_at_ms.map(Duration::from_millis);
    sent_at.map_or(Duration::ZERO, |sent_at| now.saturating_sub(sent_at))
}
