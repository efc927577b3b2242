//! The loop that pulls jobs: never more than there are free permits, never without room on the disk, and at the end
//! nothing is left half done: jobs finish or are given back.

use crate::failure::{Settlement, pause};
use crate::job::{self, Looked, Origin};
use crate::measure;
use crate::pace::{NotPulled, Pace};
use crate::patience::{self, chance};
use crate::queue::{Delivery, LeaseId, Malformed, QueueClient, QueueError};
use crate::status_page::Readiness;
use contract::JobMessage;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};
use tempfile::TempPath;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long a job rests whose origin was killed: the others come first, so that origins which are killed again and again
/// do not use up the deliveries of one job, and a job that kills them does not hold up the rest.
const AFTER_A_KILL: Duration = Duration::from_secs(10);
/// How often a job that another origin has is asked for again, before it goes back to the queue.
const LONGEST_BUSY: u32 = 5;

/// How the service pulls.
#[derive(Clone, Debug)]
pub struct Pulling {
    pub jobs: u32,
    pub visibility: Duration,
    pub poll: Duration,
    pub min_free_bytes: u64,
    /// How long jobs may go on once the service is to end.
    pub shutdown: Duration,
}

#[derive(Clone, Debug)]
pub struct Service {
    origin: Arc<Origin>,
    queue: QueueClient,
    pulling: Pulling,
    readiness: Readiness,
    /// The contents that are worked on here: the queue may give a message out twice.
    under_way: Arc<Mutex<HashSet<String>>>,
    permits: Arc<Semaphore>,
}

impl Service {
    pub fn new(
        origin: Arc<Origin>,
        queue: QueueClient,
        pulling: Pulling,
        readiness: Readiness,
    ) -> Self {
        let permits = Arc::new(Semaphore::new(pulling.jobs as usize));
        Self {
            origin,
            queue,
            pulling,
            readiness,
            under_way: Arc::default(),
            permits,
        }
    }

    /// Works until the token is cancelled. An error is one that no waiting mends.
    pub async fn run(self, end: CancellationToken) -> Result<(), QueueError> {
        self.give_back_leftovers().await;
        let mut jobs = JoinSet::new();
        let give_back = CancellationToken::new();
        let pulled = self.pull_until(&end, &give_back, &mut jobs).await;
        let running = jobs.len();
        tracing::info!(running, "no more jobs are pulled");
        let finish = async { while jobs.join_next().await.is_some() {} };
        if tokio::time::timeout(self.pulling.shutdown, finish)
            .await
            .is_err()
        {
            tracing::info!(running = jobs.len(), "the rest is given back");
            give_back.cancel();
            while jobs.join_next().await.is_some() {}
        }
        pulled
    }

    /// The messages of jobs that an earlier run was killed in can be had again soon.
    async fn give_back_leftovers(&self) {
        let folder = &self.origin.folder;
        let unreadable =
            |error: &std::io::Error| tracing::error!(%error, "what an earlier run left");
        let _ = folder.clear().inspect_err(unreadable);
        let leases = folder.leases().inspect_err(unreadable).unwrap_or_default();
        let written = leases.iter().filter(|kept| !kept.lease.is_empty());
        let returned: Vec<_> = written
            .map(|kept| (LeaseId::kept(&kept.lease), AFTER_A_KILL))
            .collect();
        if !returned.is_empty() {
            let jobs = returned.len();
            tracing::info!(jobs, "giving back what an earlier run did not finish");
            if settle(&self.queue, Vec::new(), returned).await.is_err() {
                // The next start tries again.
                return;
            }
        }
        for kept in leases {
            let _ = kept.remove().inspect_err(unreadable);
        }
    }

    async fn pull_until(
        &self,
        end: &CancellationToken,
        give_back: &CancellationToken,
        jobs: &mut JoinSet<()>,
    ) -> Result<(), QueueError> {
        let mut pace = Pace::new(self.pulling.poll);
        loop {
            let permit = tokio::select! {
                () = end.cancelled() => return Ok(()),
                permit = self.permits.clone().acquire_owned() => permit,
            };
            // The semaphore is never closed.
            let Ok(permit) = permit else { return Ok(()) };
            while jobs.try_join_next().is_some() {}
            let pulled = self.pull(permit, give_back, jobs).await;
            let rest = pace.after(pulled, chance())?;
            tokio::select! {
                () = end.cancelled() => return Ok(()),
                () = tokio::time::sleep(rest) => {}
            }
        }
    }

    /// Pulls as many jobs as there are free permits and starts them.
    async fn pull(
        &self,
        first: OwnedSemaphorePermit,
        give_back: &CancellationToken,
        jobs: &mut JoinSet<()>,
    ) -> Result<usize, NotPulled> {
        self.check_disk()?;
        let mut permits = vec![first];
        while let Ok(permit) = self.permits.clone().try_acquire_owned() {
            permits.push(permit);
        }
        let pulled = self
            .queue
            .pull(permits.len(), self.pulling.visibility)
            .await;
        let batch = pulled.map_err(|error| {
            tracing::warn!(%error, "the queue could not be pulled");
            measure::pull_failed();
            self.readiness.hindered(error.to_string());
            NotPulled::Queue(error)
        })?;
        self.readiness.pulled();
        if let Some(backlog) = batch.backlog {
            measure::backlog(backlog);
        }
        let count = batch.deliveries.len();
        for delivery in batch.deliveries {
            // A queue that sends more than was asked for finds them waiting for a permit.
            let permit = permits.pop();
            jobs.spawn(self.clone().take(delivery, permit, give_back.clone()));
        }
        Ok(count)
    }

    fn check_disk(&self) -> Result<(), NotPulled> {
        match self.origin.folder.free_bytes() {
            Ok(free) if free < self.pulling.min_free_bytes => {
                tracing::warn!(
                    free_mb = free / 1_000_000,
                    "too little room on the disk to pull a job"
                );
                self.readiness
                    .hindered("there is too little room on the disk");
                Err(NotPulled::DiskFull)
            }
            Ok(_) => Ok(()),
            Err(error) => {
                self.readiness.hindered(format!("the disk: {error}"));
                Err(NotPulled::DiskFull)
            }
        }
    }

    /// One delivery, from its arrival until it is settled.
    async fn take(
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
        for _ in 0..LONGEST_BUSY {
            let held = match permit.take() {
                Some(held) => Some(held),
                None => self.permits.clone().acquire_owned().await.ok(),
            };
            match job::work(&self.origin, delivery, message, give_back).await {
                Looked::Settle(settlement) => return settlement,
                Looked::Busy(rest) => {
                    drop(held);
                    tokio::select! {
                        () = give_back.cancelled() => return Settlement::Retry { after: Duration::ZERO },
                        () = tokio::time::sleep(rest) => {}
                    }
                }
            }
        }
        Settlement::Retry {
            after: pause(delivery.attempts, chance()),
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
async fn settle(
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
struct NotSettled;

/// How long the message was in the queue; the two clocks need not agree.
fn waited(delivery: &Delivery) -> Duration {
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let sent = delivery.sent_at_ms.map(Duration::from_millis);
    sent.map_or(Duration::ZERO, |sent| now.saturating_sub(sent))
}
