//! The pull loop: pulls at most as many jobs as there are free permits, and only while edge and store answer and the
//! disk has enough free space. At shutdown, every job is finished or returned to the queue.
//!
//! This folder settles messages. It must not depend on how a job is processed, and must not read arguments or the
//! environment.

use crate::clients::queue::{LeaseId, QueueClient};
use crate::job::JobContext;
use crate::job::work_folder::StoredLease;
use crate::retry::random_bytes;
use crate::telemetry::metrics;
use crate::telemetry::service_manager::LoopPulse;
use crate::telemetry::status_page::Readiness;
use contract::TraceContext;
use gate::Gate;
use last_claim::LastClaim;
use native::random_fraction;
use pace::{Pace, PullError};
use settle::Unsettled;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

mod gate;
mod last_claim;
mod message;
mod pace;
mod settle;

pub use pace::FatalError;

/// The delay for a job whose origin was killed. Other jobs come first, so that an origin that is killed again and again
/// does not use up the delivery attempts of one job, and a job that kills its origin does not hold up the others.
const DELAY_AFTER_KILL: Duration = Duration::from_secs(10);

#[derive(Clone, Debug)]
pub struct PullSettings {
    /// The largest number of concurrent jobs.
    pub jobs: u32,
    /// The time for which the queue hides a pulled message from other origins.
    pub visibility: Duration,
    /// The pause after an empty pull.
    pub poll_interval: Duration,
    pub min_free_bytes: u64,
    /// The time that running jobs may continue after the shutdown has begun.
    pub shutdown_grace: Duration,
    /// The pause between two readings of the backlog while all permits are taken.
    pub backlog_interval: Duration,
}

#[derive(Clone, Debug)]
pub struct Service {
    context: Arc<JobContext>,
    queue: QueueClient,
    settings: PullSettings,
    readiness: Readiness,
    /// The contents that this origin is processing. The queue may hand out a message twice.
    contents_in_progress: Arc<Mutex<HashSet<String>>>,
    permits: Arc<Semaphore>,
    gate: Gate,
    last_claim: LastClaim,
    pulse: LoopPulse,
}

impl Service {
    pub fn new(context: Arc<JobContext>, queue: QueueClient, settings: PullSettings, readiness: Readiness) -> Self {
        let permits = Arc::new(Semaphore::new(settings.jobs as usize));
        let gate = Gate::new(&context);
        Self {
            context,
            gate,
            queue,
            settings,
            readiness,
            contents_in_progress: Arc::default(),
            permits,
            last_claim: LastClaim::default(),
            pulse: LoopPulse::default(),
        }
    }

    /// Returns the pulse of the pull loop.
    pub fn pulse(&self) -> LoopPulse {
        self.pulse.clone()
    }

    /// Pulls and processes jobs until `shutdown` is cancelled or a fatal error occurs.
    pub async fn run(self, shutdown: CancellationToken) -> Result<(), FatalError> {
        let (mut jobs, stop_jobs) = (JoinSet::new(), CancellationToken::new());
        self.return_leftover_messages(&stop_jobs, &mut jobs);
        self.check_edge_access().await?;
        let _probing = AbortOnDropHandle::new(tokio::spawn(self.gate.clone().watch(self.readiness.clone())));
        let result = self.pull_until_shutdown(&shutdown, &stop_jobs, &mut jobs).await;
        tracing::info!(running = jobs.len(), "pulling ended; waiting for the running jobs");
        let finish = async { while jobs.join_next().await.is_some() {} };
        if tokio::time::timeout(self.settings.shutdown_grace, finish).await.is_err() {
            tracing::info!(running = jobs.len(), "returning the jobs that did not finish in time");
            stop_jobs.cancel();
            while jobs.join_next().await.is_some() {}
        }
        result
    }

    /// Starts to return the messages of jobs that were interrupted when an earlier run was killed.
    fn return_leftover_messages(&self, stop_jobs: &CancellationToken, jobs: &mut JoinSet<()>) {
        let folder = &self.context.folder;
        let _ = folder.remove_leftover_jobs().inspect_err(log_unreadable);
        // They are read before the first pull, whose leases are stored beside them.
        let leases = folder.leftover_leases().inspect_err(log_unreadable).unwrap_or_default();
        if !leases.is_empty() {
            jobs.spawn(self.clone().return_messages(leases, stop_jobs.clone()));
        }
    }

    async fn return_messages(self, leases: Vec<StoredLease>, stop_jobs: CancellationToken) {
        let complete = leases.iter().filter(|stored| !stored.lease.is_empty());
        let returned: Vec<_> = complete.map(|stored| (LeaseId::from_stored(&stored.lease), DELAY_AFTER_KILL)).collect();
        tracing::info!(messages = returned.len(), "returning the messages that an earlier run did not settle");
        let latest_end = Instant::now() + self.settings.visibility;
        // If this fails, the next start tries again.
        if Unsettled::returned(returned, latest_end).settle(&self.queue, &stop_jobs).await {
            for stored in leases {
                let _ = stored.remove().inspect_err(log_unreadable);
            }
        }
    }

    /// Checks the edge before the first pull: with a wrong secret, each pulled message would lose a delivery attempt.
    async fn check_edge_access(&self) -> Result<(), FatalError> {
        match self.context.edge.check_access(&self.context.origin, TraceContext::begin(random_bytes())).await {
            Err(error) if error.is_unauthorized() => Err(FatalError::Unauthorized(error)),
            // Nothing is pulled until it is.
            Err(error) => {
                tracing::warn!(%error, "the edge is not available yet");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    async fn pull_until_shutdown(
        &self,
        shutdown: &CancellationToken,
        stop_jobs: &CancellationToken,
        jobs: &mut JoinSet<()>,
    ) -> Result<(), FatalError> {
        let mut pace = Pace::new(self.settings.poll_interval);
        loop {
            self.pulse.beat();
            let permit = tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                permit = self.permit_to_pull() => permit,
                () = tokio::time::sleep(self.settings.backlog_interval) => {
                    self.refresh_backlog().await;
                    continue;
                }
            };
            // The semaphore is never closed.
            let Ok(permit) = permit else { return Ok(()) };
            while jobs.try_join_next().is_some() {}
            let pulled = match self.check_last_claim(&mut pace) {
                Ok(()) => {
                    let permits = self.take_permits(permit, pace.last_claim_failed());
                    self.pull(permits, stop_jobs, jobs).await
                }
                Err(error) => {
                    drop(permit);
                    Err(error)
                }
            };
            if pulled.is_ok() && !pace.last_claim_failed() {
                self.readiness.set_pulled();
            }
            let pause = pace.after(pulled, random_fraction())?;
            tokio::select! {
                () = shutdown.cancelled() => return Ok(()),
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Reads the backlog without pulling a message, which would cost it a delivery attempt. A failure leaves the last
    /// number.
    async fn refresh_backlog(&self) {
        match self.queue.backlog().await {
            Ok(Some(backlog)) => metrics::record_backlog(backlog),
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "the backlog could not be read"),
        }
    }

    /// Waits until edge and store are available, and then for a free permit. The origin counts as ready while it waits
    /// for the permit.
    async fn permit_to_pull(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        self.gate.until_open().await;
        if self.permits.available_permits() == 0 {
            self.readiness.set_busy();
        }
        self.permits.clone().acquire_owned().await
    }

    /// Fails if the last claim failed, so that the loop pauses before it pulls the next message.
    fn check_last_claim(&self, pace: &mut Pace) -> Result<(), PullError> {
        match self.last_claim.take() {
            None => Ok(()),
            Some(Ok(())) => {
                pace.claim_answered();
                Ok(())
            }
            Some(Err(error)) => {
                self.readiness.set_blocked(error.to_string());
                Err(PullError::ClaimFailed(error))
            }
        }
    }

    /// Returns the first permit and, unless `only_first`, all other free permits.
    fn take_permits(&self, first: OwnedSemaphorePermit, only_first: bool) -> Vec<OwnedSemaphorePermit> {
        let mut permits = vec![first];
        while !only_first && let Ok(permit) = self.permits.clone().try_acquire_owned() {
            permits.push(permit);
        }
        permits
    }

    /// Pulls up to one message per permit and starts a task for each.
    async fn pull(
        &self,
        mut permits: Vec<OwnedSemaphorePermit>,
        stop_jobs: &CancellationToken,
        jobs: &mut JoinSet<()>,
    ) -> Result<usize, PullError> {
        self.check_disk()?;
        let pulled = self.queue.pull(permits.len(), self.settings.visibility).await;
        let batch = pulled.map_err(|error| {
            tracing::warn!(%error, "the pull failed");
            metrics::record_pull_failure();
            self.readiness.set_blocked(error.to_string());
            PullError::Queue(error)
        })?;
        if let Some(backlog) = batch.backlog {
            metrics::record_backlog(backlog);
        }
        let count = batch.messages.len();
        for message in batch.messages {
            // If the queue sends more messages than requested, the surplus ones wait for a permit.
            let permit = permits.pop();
            jobs.spawn(self.clone().handle_message(message, permit, stop_jobs.clone()));
        }
        Ok(count)
    }

    fn check_disk(&self) -> Result<(), PullError> {
        let free_bytes = self.context.folder.free_bytes();
        if let Ok(free) = free_bytes {
            metrics::record_free_bytes(free);
        }
        match free_bytes {
            Ok(free) if free < self.settings.min_free_bytes => {
                tracing::warn!(free_mb = free / 1_000_000, "not pulling: too little free space on the disk");
                self.readiness.set_blocked("too little free space on the disk");
                Err(PullError::DiskFull)
            }
            Ok(_) => Ok(()),
            Err(error) => {
                self.readiness.set_blocked(format!("the free space of the disk is unknown: {error}"));
                Err(PullError::DiskFull)
            }
        }
    }
}

fn log_unreadable(error: &std::io::Error) {
    tracing::error!(%error, "leftovers of an earlier run are unreadable");
}

#[cfg(test)]
mod tests;
