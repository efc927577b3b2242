//! The life of one job, from its claim to the report of its outcome.
//!
//! 1. Claim the job at the edge. A finished or obsolete job ends here.
//! 2. Download the source and check that it is the file that was uploaded.
//! 3. Inspect it. The service's limits are enforced here again, with authority.
//! 4. Transcode it: one ffmpeg process writes all outputs.
//! 5. Collect evidence for moderation from the outputs.
//! 6. Probe every output again and store all of them.
//! 7. Report the outcome. `service` acknowledges the message afterwards.
//!
//! Each kind of work is a file in `works`: a job for another thumbnail or captions of an approved video has fewer
//! steps.
//!
//! Whatever interrupts a job (the edge, the time limit, a shutdown) stops ffmpeg and leaves nothing on disk. This
//! folder must not depend on how messages are pulled and settled.

use crate::clients::classifier::ClassifierClient;
use crate::clients::edge::{EdgeClient, EdgeError};
use crate::clients::store::ObjectStore;
use crate::media::{CancelFlag, Tools};
use crate::telemetry::spans::Span;
use crate::telemetry::{SpanExport, metrics};
use contract::job::{ClaimAnswer, JobDetails, JobId, JobOutcome, JobReport};
use edge_request::until_answered;
use failure::{EdgeNotice, JobError, Settlement, retry_delay};
use heartbeat::Heartbeat;
use native::random_fraction;
use std::time::{Duration, Instant};
use steps::JobSteps;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use work_folder::WorkFolder;

mod edge_request;
pub mod failure;
mod heartbeat;
mod moderate;
mod steps;
pub mod work_folder;
mod works;

/// The context that all jobs of this origin share.
#[derive(Debug)]
pub struct JobContext {
    /// The name of this origin.
    pub origin: String,
    pub edge: EdgeClient,
    pub store: ObjectStore,
    pub tools: Tools,
    pub classifier: Option<ClassifierClient>,
    pub folder: WorkFolder,
    pub job_timeout: Duration,
    /// The permit to work on a job that may be what breaks machines.
    pub suspects: Semaphore,
    /// The way of spans to the collector.
    pub spans: SpanExport,
}

/// A job whose claim this origin holds.
#[derive(Debug)]
pub struct ClaimedJob {
    pub id: JobId,
    pub details: JobDetails,
    /// The 1-based delivery attempt of the message.
    pub delivery_attempt: u32,
    /// The span of this delivery attempt.
    pub span: Span,
}

/// Claims the job at the edge. While the edge does not answer, it waits: the message costs nothing while it is here.
pub async fn claim(
    context: &JobContext,
    id: &JobId,
    span: &Span,
    shutdown: &CancellationToken,
) -> Result<ClaimAnswer, EdgeError> {
    let span = span.request("claim");
    let answer = until_answered(&context.edge, shutdown, || context.edge.claim(id, span.context())).await;
    span.finish(answer.is_ok());
    answer
}

/// Processes a claimed job and reports its outcome. Returns how to settle its message.
pub async fn process(context: &JobContext, job: ClaimedJob, shutdown: &CancellationToken) -> Settlement {
    let started = Instant::now();
    let _running = metrics::RunningJob::start();
    let result = match run_steps(context, &job, shutdown).await {
        Ok(outcome) => report(context, &job, outcome, shutdown).await,
        Err(error) => Err(error),
    };
    let (outcome, settlement) = match result {
        Ok(()) => ("processed", Settlement::Ack),
        Err(error) => handle_failure(context, &job, error, shutdown).await,
    };
    metrics::record_job(outcome, started.elapsed());
    tracing::info!(
        outcome,
        duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "job ended"
    );
    job.span.with("clipgate.outcome", outcome).finish(["processed", "refused"].contains(&outcome));
    settlement
}

/// Runs the steps until they are done or something interrupts them.
async fn run_steps(
    context: &JobContext,
    job: &ClaimedJob,
    shutdown: &CancellationToken,
) -> Result<JobOutcome, JobError> {
    let heartbeat = Heartbeat::start(context.edge.clone(), job.id.clone(), job.span.context());
    let cancel = CancelFlag::default();
    let steps = JobSteps { context, job, progress: heartbeat.reporter(), cancel: &cancel };
    let work = async {
        // The claim is renewed while the job waits. The semaphore is never closed.
        let _alone = if job.details.is_suspect { context.suspects.acquire().await.ok() } else { None };
        let timeout = context.job_timeout;
        let too_long = |_| Err(JobError::Undecided(format!("the job took longer than {} s", timeout.as_secs())));
        tokio::time::timeout(timeout, steps.run()).await.unwrap_or_else(too_long)
    };
    let result = tokio::select! {
        result = work => result,
        () = heartbeat.claim_lost().cancelled() => Err(JobError::ClaimLost),
        () = shutdown.cancelled() => Err(JobError::ShuttingDown),
    };
    // The thread that waits for ffmpeg sees the flag, ends ffmpeg, and then releases the folder.
    cancel.cancel();
    result
}

/// Informs the edge of a failure if necessary. Returns the outcome label of the job and how to settle its message.
async fn handle_failure(
    context: &JobContext,
    job: &ClaimedJob,
    error: JobError,
    shutdown: &CancellationToken,
) -> (&'static str, Settlement) {
    tracing::warn!(%error, "job did not finish");
    let outcome = error.outcome_label();
    if let JobError::Refused { code, .. } = &error {
        metrics::record_refusal(*code);
    }
    let settlement = match EdgeNotice::from(error) {
        EdgeNotice::Report(outcome) => match report(context, job, *outcome, shutdown).await {
            // If the claim is lost, the edge has already decided about the job.
            Ok(()) | Err(JobError::ClaimLost) => Settlement::Ack,
            // The edge has not learned of the failure. The next delivery attempt reports it again.
            Err(_) => Settlement::Retry { after: retry_delay(job.delivery_attempt, random_fraction()) },
        },
        EdgeNotice::Release if release_claim(context, job).await => Settlement::Ack,
        EdgeNotice::Release => Settlement::Retry { after: Duration::ZERO },
        EdgeNotice::Nothing => Settlement::Ack,
    };
    (outcome, settlement)
}

/// Sends one request without retries: if it fails, the next origin only has to wait until the claim expires. Returns
/// whether the edge has the job back.
async fn release_claim(context: &JobContext, job: &ClaimedJob) -> bool {
    let span = job.span.request("release");
    let released = context.edge.release(&job.id, span.context()).await;
    span.finish(released.is_ok());
    released.inspect_err(|error| tracing::warn!(%error, "the claim could not be released")).is_ok()
}

/// Reports the outcome. While the edge does not answer, it waits, because the work is done: every file is stored, and
/// only the outcome is kept. It keeps its permit meanwhile, which no other job could use.
async fn report(
    context: &JobContext,
    job: &ClaimedJob,
    outcome: JobOutcome,
    shutdown: &CancellationToken,
) -> Result<(), JobError> {
    let report = JobReport { id: job.id.clone(), outcome };
    let span = job.span.request("report");
    let answer = until_answered(&context.edge, shutdown, || context.edge.report(&report, span.context())).await;
    span.finish(answer.is_ok());
    match answer {
        Ok(answer) if answer.accepted => Ok(()),
        Ok(_) => Err(JobError::ClaimLost),
        Err(_) if shutdown.is_cancelled() => Err(JobError::ShuttingDown),
        Err(error) => Err(JobError::Undecided(error.to_string())),
    }
}
