//! The loop that pulls jobs: never more than there are free permits, never without room on the disk, and at the end
//! nothing is left half done: jobs finish or are given back.

use crate::claims::Claims;
use crate::job::Origin;
use crate::measure;
use crate::pace::{Hopeless, NotPulled, Pace};
use crate::patience::chance;
use crate::queue::{LeaseId, QueueClient};
use crate::status_page::Readiness;
use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

mod delivery;

/// How long a job rests whose origin was killed: the others come first, so that origins which are killed again and again
/// do not use up the deliveries of one job, and a job that kills them does not hold up the rest.
const AFTER_A_KILL: Duration = Duration::from_secs(10);

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
    claims: Claims,
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
            claims: Claims::default(),
        }
    }

    /// Works until the token is cancelled. An error is one that no waiting mends.
    pub async fn run(self, end: CancellationToken) -> Result<(), Hopeless> {
        self.give_back_leftovers().await;
        self.check_edge().await?;
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
            if delivery::settle(&self.queue, Vec::new(), returned)
                .await
                .is_err()
            {
                // The next start tries again.
                return;
            }
        }
        for kept in leases {
            let _ = kept.remove().inspect_err(unreadable);
        }
    }

    /// Before a message is pulled, which would cost it a delivery.
    async fn check_edge(&self) -> Result<(), Hopeless> {
        match self.origin.edge.check(&self.origin.name).await {
            Err(error) if error.refuses_origin() => Err(Hopeless::Refused(error)),
            // It may be back when there is a job.
            Err(error) => {
                tracing::warn!(%error, "the edge does not answer yet");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    async fn pull_until(
        &self,
        end: &CancellationToken,
        give_back: &CancellationToken,
        jobs: &mut JoinSet<()>,
    ) -> Result<(), Hopeless> {
        let mut pace = Pace::new(self.pulling.poll);
        loop {
            let permit = tokio::select! {
                () = end.cancelled() => return Ok(()),
                permit = self.next_permit() => permit,
            };
            // The semaphore is never closed.
            let Ok(permit) = permit else { return Ok(()) };
            while jobs.try_join_next().is_some() {}
            let pulled = match self.hear_of_claims(&mut pace) {
                Ok(()) => {
                    let permits = self.free_permits(permit, pace.doubts_claims());
                    self.pull(permits, give_back, jobs).await
                }
                Err(unclaimed) => {
                    drop(permit);
                    Err(unclaimed)
                }
            };
            if pulled.is_ok() && !pace.doubts_claims() {
                self.readiness.pulled();
            }
            let rest = pace.after(pulled, chance())?;
            tokio::select! {
                () = end.cancelled() => return Ok(()),
                () = tokio::time::sleep(rest) => {}
            }
        }
    }

    /// Waits for a job to end where there are as many as there may be; the origin is ready meanwhile.
    async fn next_permit(&self) -> Result<OwnedSemaphorePermit, AcquireError> {
        if self.permits.available_permits() == 0 {
            self.readiness.busy();
        }
        self.permits.clone().acquire_owned().await
    }

    /// A claim that failed is a reason to rest before the next message is pulled.
    fn hear_of_claims(&self, pace: &mut Pace) -> Result<(), NotPulled> {
        match self.claims.news() {
            None => Ok(()),
            Some(Ok(())) => {
                pace.claimed();
                Ok(())
            }
            Some(Err(error)) => {
                self.readiness.hindered(error.to_string());
                Err(NotPulled::Unclaimed(error))
            }
        }
    }

    /// This one and all others that are free, or only the one.
    fn free_permits(
        &self,
        first: OwnedSemaphorePermit,
        only_one: bool,
    ) -> Vec<OwnedSemaphorePermit> {
        let mut permits = vec![first];
        while !only_one && let Ok(permit) = self.permits.clone().try_acquire_owned() {
            permits.push(permit);
        }
        permits
    }

    /// Pulls a job for each permit and starts them.
    async fn pull(
        &self,
        mut permits: Vec<OwnedSemaphorePermit>,
        give_back: &CancellationToken,
        jobs: &mut JoinSet<()>,
    ) -> Result<usize, NotPulled> {
        self.check_disk()?;
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
}

#[cfg(test)]
mod tests;
