//! The reasons why a job ends without a processed video, and their consequences, which are decided only here.

use contract::job::JobOutcome;
use contract::{Backoff, ErrorCode};
use std::time::Duration;

/// The delivery attempts in which a file may cost the whole of its time limit, or crash ffmpeg.
const UNDECIDED_ATTEMPTS: u32 = 2;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The file breaks a rule of the service. A retry would have the same result.
    #[error("the file is refused with {code:?}: {detail}")]
    Refused { code: ErrorCode, detail: String },
    /// A retry would fail in the same way.
    #[error("the file cannot be processed: {0}")]
    Permanent(String),
    /// The file or this machine is to blame. One more attempt decides.
    #[error("undecided failure: {0}")]
    Undecided(String),
    /// The cause lies outside the file. A retry may succeed.
    #[error("temporary failure: {0}")]
    Transient(String),
    /// The edge gave the job to another origin, or the job is over.
    #[error("this origin no longer holds the claim")]
    ClaimLost,
    /// This origin is shutting down. Another origin takes over.
    #[error("the job was returned because this origin is shutting down")]
    ShuttingDown,
}

impl JobError {
    /// Returns the `outcome` label of the job metric.
    pub const fn outcome_label(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "refused",
            Self::Permanent(_) => "failed",
            Self::Undecided(_) | Self::Transient(_) => "retried",
            Self::ClaimLost => "claim_lost",
            Self::ShuttingDown => "returned",
        }
    }
}

/// The settlement of the queue message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    Ack,
    Retry { after: Duration },
}

/// The consequences of a failed job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureResponse {
    pub notice: EdgeNotice,
    pub settlement: Settlement,
}

/// The message to the edge about a failed job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeNotice {
    /// The job failed permanently.
    Failure(FailureReport),
    /// The claim is released: the next origin that receives the message may claim the job immediately.
    Release,
    /// No message, because this origin no longer holds the claim.
    Nothing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FailureReport {
    Refused { code: ErrorCode, detail: String },
    Failed { detail: String },
}

impl From<FailureReport> for JobOutcome {
    fn from(report: FailureReport) -> Self {
        match report {
            FailureReport::Refused { code, detail } => Self::Refused { code, detail },
            FailureReport::Failed { detail } => Self::Failed { detail },
        }
    }
}

/// Decides what follows from an error. `delivery_attempt` is 1-based; `random` (0 to 1) spreads retries out, so that
/// many jobs do not come back at the same moment.
pub fn response(error: JobError, is_last_attempt: bool, delivery_attempt: u32, random: f64) -> FailureResponse {
    let retry = |after| Settlement::Retry { after };
    let failed = |detail| EdgeNotice::Failure(FailureReport::Failed { detail });
    let (notice, settlement) = match error {
        JobError::Refused { code, detail } => {
            (EdgeNotice::Failure(FailureReport::Refused { code, detail }), Settlement::Ack)
        }
        JobError::Permanent(detail) => (failed(detail), Settlement::Ack),
        JobError::Undecided(detail) if is_last_attempt || delivery_attempt >= UNDECIDED_ATTEMPTS => {
            (failed(detail), Settlement::Ack)
        }
        // A message returned from its last delivery attempt becomes a dead letter, which operators can examine.
        JobError::Transient(detail) if is_last_attempt => (failed(detail), retry(Duration::ZERO)),
        JobError::Undecided(_) | JobError::Transient(_) => {
            (EdgeNotice::Release, retry(retry_delay(delivery_attempt, random)))
        }
        // The message is still needed if the origin that holds the claim dies.
        JobError::ClaimLost => (EdgeNotice::Nothing, retry(Duration::from_secs(contract::job::CLAIM_SECONDS))),
        JobError::ShuttingDown => (EdgeNotice::Release, retry(Duration::ZERO)),
    };
    FailureResponse { notice, settlement }
}

/// The time after which a message is delivered again. With its jitter, the longest step stays below an hour.
const BACKOFF: Backoff = Backoff {
    first: Duration::from_secs(10),
    factor: 3,
    longest: Duration::from_secs(2430),
    jitter: (2.0 / 3.0, 4.0 / 3.0),
};

/// Returns how long a message is returned for. `random` is a number from 0 to 1.
pub fn retry_delay(delivery_attempt: u32, random: f64) -> Duration {
    BACKOFF.pause(delivery_attempt, random)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transient() -> JobError {
        JobError::Transient("the store is unavailable".to_owned())
    }

    #[test]
    fn a_refused_file_is_reported_and_acknowledged_on_any_attempt() {
        for is_last in [false, true] {
            let refused = JobError::Refused { code: ErrorCode::ContentVideoDurationInvalid, detail: String::new() };
            let response = response(refused, is_last, 1, 0.5);
            assert!(matches!(response.notice, EdgeNotice::Failure(FailureReport::Refused { .. })));
            assert_eq!(response.settlement, Settlement::Ack);
        }
    }

    #[test]
    fn a_temporary_failure_is_retried_until_the_last_attempt() {
        let first = response(transient(), false, 1, 0.5);
        assert_eq!(first.notice, EdgeNotice::Release);
        assert!(matches!(first.settlement, Settlement::Retry { after } if after > Duration::ZERO));
        let last = response(transient(), true, 4, 0.5);
        assert!(matches!(last.notice, EdgeNotice::Failure(FailureReport::Failed { .. })));
        assert!(matches!(last.settlement, Settlement::Retry { .. }));
    }

    #[test]
    fn a_file_that_may_be_to_blame_is_tried_once_more_at_most() {
        let undecided = || JobError::Undecided("the work exceeded its time limit".to_owned());
        let first = response(undecided(), false, 1, 0.5);
        assert_eq!(first.notice, EdgeNotice::Release);
        assert!(matches!(first.settlement, Settlement::Retry { .. }));
        for (is_last, attempt) in [(true, 1), (false, 2), (false, 5)] {
            let response = response(undecided(), is_last, attempt, 0.5);
            assert!(matches!(response.notice, EdgeNotice::Failure(FailureReport::Failed { .. })), "{attempt}");
            assert_eq!(response.settlement, Settlement::Ack);
        }
    }

    #[test]
    fn a_job_returned_at_shutdown_is_available_immediately() {
        let response = response(JobError::ShuttingDown, true, 4, 0.5);
        assert_eq!(response.notice, EdgeNotice::Release);
        assert_eq!(response.settlement, Settlement::Retry { after: Duration::ZERO });
    }

    proptest! {
        #[test]
        fn retry_delays_grow_and_stay_within_the_limit_of_the_queue(attempt in 1_u32..1000, random in 0.0..=1.0) {
            let delay = retry_delay(attempt, random);
            prop_assert!(delay >= Duration::from_secs(6) && delay <= Duration::from_hours(1));
            prop_assert!(retry_delay(attempt + 1, 0.0) >= retry_delay(attempt, 0.0));
        }
    }
}
