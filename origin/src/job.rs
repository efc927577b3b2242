//! What happens to one upload, from its message to the report.
//!
//! 1. Claim it at the edge: finished or overtaken jobs end here.
//! 2. Download the source, and make sure that it is what was uploaded.
//! 3. Inspect it: the service's limits are enforced here once more, and with authority.
//! 4. Transcode: one ffmpeg process makes everything.
//! 5. Moderate what came of it.
//! 6. Probe every output again, and store them all.
//! 7. Report. The message is acknowledged last, by `service`.
//!
//! Whatever interrupts it (the edge, the clock, the service's end) stops ffmpeg and leaves nothing on the disk.

use crate::edge::{EdgeClient, EdgeError};
use crate::failure::{Consequence, JobError, Settlement, Told, consequence, pause};
use crate::heart::Heart;
use crate::measure;
use crate::media::{Stop, Tools};
use crate::moderation::classifier::ClassifierClient;
use crate::patience::{self, chance};
use crate::queue::Delivery;
use crate::store::ObjectStore;
use crate::work_folder::WorkFolder;
use contract::JobMessage;
use contract::job::{ClaimAnswer, JobClaim, JobDetails, JobId, JobOutcome, JobReport};
use std::time::{Duration, Instant};
use steps::Work;
use tokio_util::sync::CancellationToken;

mod look;
mod steps;

/// What every job of this origin has at hand.
#[derive(Debug)]
pub struct Origin {
    pub name: String,
    pub edge: EdgeClient,
    pub store: ObjectStore,
    pub tools: Tools,
    pub classifier: Option<ClassifierClient>,
    pub folder: WorkFolder,
    pub job_timeout: Duration,
}

/// The job that a message names, as this origin speaks of it.
pub fn id(origin: &Origin, message: &JobMessage) -> JobId {
    JobId {
        content_uuid: message.content_uuid.clone(),
        generation: message.generation,
        origin: origin.name.clone(),
    }
}

/// Asks the edge for the job.
pub async fn claim(
    origin: &Origin,
    id: &JobId,
    delivery: &Delivery,
) -> Result<ClaimAnswer, EdgeError> {
    let claim = JobClaim {
        id: id.clone(),
        delivery: delivery.attempts,
    };
    patience::with(|| origin.edge.claim(&claim), EdgeError::may_pass).await
}

/// Works on a claimed job to its end.
pub async fn work(
    origin: &Origin,
    id: JobId,
    details: &JobDetails,
    delivery: &Delivery,
    end: &CancellationToken,
) -> Settlement {
    let began = Instant::now();
    let _running = measure::Running::start();
    let outcome = run(origin, &id, details, end).await;
    let outcome = match outcome {
        Ok(outcome) => report(origin, id.clone(), outcome)
            .await
            .map(|()| "processed"),
        Err(error) => Err(error),
    };
    let (name, settlement) = match outcome {
        Ok(name) => (name, Settlement::Ack),
        Err(error) => {
            fail(
                origin,
                &id,
                error,
                details.is_last_attempt,
                delivery.attempts,
            )
            .await
        }
    };
    measure::job_ended(name, began.elapsed());
    tracing::info!(
        content_uuid = id.content_uuid,
        generation = id.generation,
        delivery = delivery.attempts,
        outcome = name,
        duration_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        "job ended"
    );
    settlement
}

/// Runs the steps until they are done or something interrupts them.
async fn run(
    origin: &Origin,
    id: &JobId,
    details: &JobDetails,
    end: &CancellationToken,
) -> Result<JobOutcome, JobError> {
    let heart = Heart::start(origin.edge.clone(), id.clone());
    let stop = Stop::default();
    let work = Work {
        origin,
        id,
        details,
        heart: &heart,
        stop: &stop,
    };
    let outcome = tokio::select! {
        outcome = work.process() => outcome,
        () = heart.lost().cancelled() => Err(JobError::Lost),
        () = end.cancelled() => Err(JobError::GivenBack),
        () = tokio::time::sleep(origin.job_timeout) => Err(JobError::Transient(format!(
            "it took longer than {} s",
            origin.job_timeout.as_secs()
        ))),
    };
    // The thread that waits for ffmpeg ends it, and then lets go of the folder.
    stop.raise();
    outcome
}

/// Tells the edge of a failure where it has to know, and says what becomes of the message.
async fn fail(
    origin: &Origin,
    id: &JobId,
    error: JobError,
    is_last_attempt: bool,
    delivery: u32,
) -> (&'static str, Settlement) {
    tracing::warn!(content_uuid = id.content_uuid, generation = id.generation, delivery, %error, "job did not end well");
    let name = error.name();
    let Consequence { told, settlement } = consequence(error, is_last_attempt, delivery, chance());
    let is_told = match told {
        Told::Failure(failed) => report(origin, id.clone(), failed.into()).await.is_ok(),
        Told::Release => {
            release(origin, id).await;
            true
        }
        Told::Nothing => true,
    };
    // The edge must hear of a failure: the next delivery says it again, and the sweep knows a job that stays silent.
    let again = || Settlement::Retry {
        after: pause(delivery, chance()),
    };
    (name, if is_told { settlement } else { again() })
}

/// Told once only: without it, the next one waits until the claim is over.
async fn release(origin: &Origin, id: &JobId) {
    if let Err(error) = origin.edge.release(id).await {
        tracing::warn!(content_uuid = id.content_uuid, %error, "the claim could not be given back");
    }
}

async fn report(origin: &Origin, id: JobId, outcome: JobOutcome) -> Result<(), JobError> {
    let report = JobReport { id, outcome };
    let answer = patience::with(|| origin.edge.report(&report), EdgeError::may_pass).await;
    match answer {
        Ok(answer) if answer.accepted => Ok(()),
        Ok(_) => Err(JobError::Lost),
        Err(error) => Err(JobError::Transient(error.to_string())),
    }
}
