//! The reasons why a job ends without a processed video, and what the edge is told. The edge decides what follows: this
//! origin says only which kind of failure it was.

use contract::job::JobOutcome;
use contract::{Backoff, ErrorCode};
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// The file breaks a rule of the service. A retry would have the same result.
    #[error("the file is refused with {code:?}: {detail}")]
    Refused { code: ErrorCode, detail: String },
    /// A retry would fail in the same way.
    #[error("the file cannot be processed: {0}")]
    Permanent(String),
    /// This machine, the network, the store or the file is to blame. A retry may succeed.
    #[error("undecided failure: {0}")]
    Undecided(String),
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
            Self::Undecided(_) => "retried",
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

/// The message to the edge about a job without a processed video. Once the edge has it, the queue message is not needed
/// any more: while the job is not done, the edge sends another.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeNotice {
    Report(Box<JobOutcome>),
    /// The claim is released: the next origin may claim the job immediately.
    Release,
    /// No message, because this origin no longer holds the claim. If the holder dies, the edge sends the job again.
    Nothing,
}

impl From<JobError> for EdgeNotice {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Refused { code, detail } => Self::Report(Box::new(JobOutcome::Refused { code, detail })),
            JobError::Permanent(detail) => Self::Report(Box::new(JobOutcome::Failed { detail })),
            JobError::Undecided(detail) => Self::Report(Box::new(JobOutcome::Undecided { detail })),
            JobError::ShuttingDown => Self::Release,
            JobError::ClaimLost => Self::Nothing,
        }
    }
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

    #[test]
    fn the_edge_learns_the_kind_of_every_failure_and_nothing_about_a_lost_claim() {
        let text = || "why".to_owned();
        let code = ErrorCode::ContentVideoDurationInvalid;
        let report = |outcome| EdgeNotice::Report(Box::new(outcome));
        for (error, notice) in [
            (JobError::Refused { code, detail: text() }, report(JobOutcome::Refused { code, detail: text() })),
            (JobError::Permanent(text()), report(JobOutcome::Failed { detail: text() })),
            (JobError::Undecided(text()), report(JobOutcome::Undecided { detail: text() })),
            (JobError::ShuttingDown, EdgeNotice::Release),
            (JobError::ClaimLost, EdgeNotice::Nothing),
        ] {
            assert_eq!(EdgeNotice::from(error), notice);
        }
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
