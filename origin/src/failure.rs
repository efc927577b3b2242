//! Why a job did not end well, and the one place that decides what follows.

use contract::ErrorCode;
use contract::job::JobOutcome;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    /// A rule of the service refuses the file; another attempt would say the same.
    #[error("refused as {code:?}: {detail}")]
    Refused { code: ErrorCode, detail: String },
    /// It would fail again in the same way.
    #[error("cannot be processed: {0}")]
    Permanent(String),
    /// Something beside the file is at fault; another attempt may succeed.
    #[error("failed for now: {0}")]
    Transient(String),
    /// The edge gave the job to another, or it is over.
    #[error("the job is no longer this origin's")]
    Lost,
    /// This origin is ending; another one takes over.
    #[error("given back, because this origin ends")]
    GivenBack,
}

impl JobError {
    /// As it is counted.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "refused",
            Self::Permanent(_) => "failed",
            Self::Transient(_) => "tried_again",
            Self::Lost => "lost",
            Self::GivenBack => "given_back",
        }
    }
}

/// What is done with the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    Ack,
    Retry { after: Duration },
}

/// What a failed job comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consequence {
    pub told: Told,
    pub settlement: Settlement,
}

/// What the edge hears of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Failure(Failed),
    /// Whoever gets the message next may have the job at once.
    Release,
    /// The job is not this origin's any more.
    Nothing,
}

/// A report of a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failed {
    Refused { code: ErrorCode, detail: String },
    Failed { detail: String },
}

impl From<Failed> for JobOutcome {
    fn from(failed: Failed) -> Self {
        match failed {
            Failed::Refused { code, detail } => Self::Refused { code, detail },
            Failed::Failed { detail } => Self::Failed { detail },
        }
    }
}

/// `delivery` is the how manieth attempt this was; `random` within 0 and 1 keeps many jobs from coming back at once.
pub fn consequence(
    error: JobError,
    is_last_attempt: bool,
    delivery: u32,
    random: f64,
) -> Consequence {
    let retry = |after| Settlement::Retry { after };
    let failed = |detail| Told::Failure(Failed::Failed { detail });
    let (told, settlement) = match error {
        JobError::Refused { code, detail } => (
            Told::Failure(Failed::Refused { code, detail }),
            Settlement::Ack,
        ),
        JobError::Permanent(detail) => (failed(detail), Settlement::Ack),
        // The queue moves a message that comes back from its last delivery to the dead letters, for people to look at.
        JobError::Transient(detail) if is_last_attempt => (failed(detail), retry(Duration::ZERO)),
        JobError::Transient(_) => (Told::Release, retry(pause(delivery, random))),
        // The other one may die; then the message is needed again.
        JobError::Lost => (
            Told::Nothing,
            retry(Duration::from_secs(contract::job::CLAIM_SECONDS)),
        ),
        JobError::GivenBack => (Told::Release, retry(Duration::ZERO)),
    };
    Consequence { told, settlement }
}

/// Ten seconds, then three times as long each time, give or take a third.
pub fn pause(delivery: u32, random: f64) -> Duration {
    let base = 10.0 * 3_f64.powi(i32::try_from(delivery.saturating_sub(1).min(5)).unwrap_or(0));
    Duration::from_secs_f64(base * (2.0 / 3.0 + random.clamp(0.0, 1.0) * 2.0 / 3.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transient() -> JobError {
        JobError::Transient("the store is away".to_owned())
    }

    #[test]
    fn a_refusal_is_reported_and_over_whichever_attempt_it_was() {
        for is_last in [false, true] {
            let refused = JobError::Refused {
                code: ErrorCode::ContentVideoDurationInvalid,
                detail: String::new(),
            };
            let what = consequence(refused, is_last, 1, 0.5);
            assert!(matches!(what.told, Told::Failure(Failed::Refused { .. })));
            assert_eq!(what.settlement, Settlement::Ack);
        }
    }

    #[test]
    fn a_passing_trouble_is_tried_again_until_the_last_attempt() {
        let first = consequence(transient(), false, 1, 0.5);
        assert_eq!(first.told, Told::Release);
        assert!(matches!(first.settlement, Settlement::Retry { after } if after > Duration::ZERO));
        let last = consequence(transient(), true, 4, 0.5);
        assert!(matches!(last.told, Told::Failure(Failed::Failed { .. })));
        assert!(matches!(last.settlement, Settlement::Retry { .. }));
    }

    #[test]
    fn what_is_given_back_can_be_had_at_once() {
        let what = consequence(JobError::GivenBack, true, 4, 0.5);
        assert_eq!(what.told, Told::Release);
        assert_eq!(
            what.settlement,
            Settlement::Retry {
                after: Duration::ZERO
            }
        );
    }

    proptest! {
        #[test]
        fn pauses_grow_and_stay_within_what_the_queue_takes(delivery in 1_u32..1000, random in 0.0..=1.0) {
            let this = pause(delivery, random);
            prop_assert!(this >= Duration::from_secs(6) && this <= Duration::from_hours(1));
            prop_assert!(pause(delivery + 1, 0.0) >= pause(delivery, 0.0));
        }
    }
}
