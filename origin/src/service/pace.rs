//! The pause of the pull loop before it pulls again, which grows with each consecutive failure.

use crate::clients::edge::EdgeError;
use crate::clients::queue::QueueError;
use crate::retry;
use std::time::Duration;

/// The pause before a full disk is checked again.
const DISK_PAUSE: Duration = Duration::from_secs(15);

/// The reason why nothing was pulled.
#[derive(Debug)]
pub(super) enum PullError {
    DiskFull,
    /// The previously pulled job could not be claimed.
    ClaimFailed(EdgeError),
    Queue(QueueError),
}

/// An error that a retry cannot resolve. It ends the service.
#[derive(Debug, thiserror::Error)]
pub enum FatalError {
    #[error("the queue cannot be used")]
    Queue(#[source] QueueError),
    #[error(
        "the edge rejects this origin's signature. Set ORIGIN_KEY to a key that the edge has made for this origin's name \
         and that has not ended, and this machine's clock to within 300 s"
    )]
    Unauthorized(#[source] EdgeError),
}

#[derive(Debug)]
pub(super) struct Pace {
    poll_interval: Duration,
    /// The number of failed pulls in a row.
    failed_pulls: u32,
    /// The number of failed claims in a row. It is separate, because pulls can succeed while claims fail.
    failed_claims: u32,
}

impl Pace {
    /// Pulls from an empty queue every `poll_interval`.
    pub(super) const fn new(poll_interval: Duration) -> Self {
        Self { poll_interval, failed_pulls: 0, failed_claims: 0 }
    }

    /// Records that the edge answered a claim.
    pub(super) const fn claim_answered(&mut self) {
        self.failed_claims = 0;
    }

    /// Whether the last claim failed. Then a single job is pulled, to find out whether the next claim succeeds.
    pub(super) const fn last_claim_failed(&self) -> bool {
        self.failed_claims > 0
    }

    /// Returns the pause after a pull, which returned a number of jobs or an error. A fatal error is passed on.
    /// `random` is a number from 0 to 1.
    pub(super) fn after(&mut self, pulled: Result<usize, PullError>, random: f64) -> Result<Duration, FatalError> {
        match pulled {
            Ok(jobs) => {
                self.failed_pulls = 0;
                Ok(if jobs == 0 { self.poll_interval } else { Duration::ZERO })
            }
            Err(PullError::DiskFull) => Ok(DISK_PAUSE),
            Err(PullError::ClaimFailed(error)) if error.is_unauthorized() => Err(FatalError::Unauthorized(error)),
            Err(PullError::ClaimFailed(_)) => {
                self.failed_claims = self.failed_claims.saturating_add(1);
                Ok(retry::pause(self.failed_claims, None, random))
            }
            Err(PullError::Queue(error)) if error.is_transient() => {
                self.failed_pulls = self.failed_pulls.saturating_add(1);
                Ok(retry::pause(self.failed_pulls, error.retry_after(), random))
            }
            Err(PullError::Queue(error)) => Err(FatalError::Queue(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: Duration = Duration::from_secs(5);

    fn queue_unavailable() -> Result<usize, PullError> {
        let reason = "503".to_owned();
        Err(PullError::Queue(QueueError::Unavailable { reason }))
    }

    #[test]
    fn a_queue_that_stays_unavailable_is_pulled_less_and_less_often() {
        let mut pace = Pace::new(POLL);
        let pauses: Vec<_> = (0..8).map(|_| pace.after(queue_unavailable(), 1.0).unwrap()).collect();
        assert!(pauses.is_sorted_by(|one, next| one < next), "{pauses:?}");
        assert!(pauses.last().unwrap() > &(POLL * 10), "{pauses:?}");
    }

    #[test]
    fn a_successful_pull_resets_the_pause_and_a_full_disk_does_not() {
        let mut pace = Pace::new(POLL);
        let first = pace.after(queue_unavailable(), 1.0).unwrap();
        assert!(pace.after(queue_unavailable(), 1.0).unwrap() > first);
        assert_eq!(pace.after(Err(PullError::DiskFull), 1.0).unwrap(), DISK_PAUSE);
        assert!(pace.after(queue_unavailable(), 1.0).unwrap() > first);
        assert_eq!(pace.after(Ok(0), 1.0).unwrap(), POLL);
        assert_eq!(pace.after(queue_unavailable(), 1.0).unwrap(), first);
    }

    fn claim_failed() -> Result<usize, PullError> {
        let error = EdgeError::Unavailable("502".to_owned());
        Err(PullError::ClaimFailed(error))
    }

    #[test]
    fn failed_claims_lengthen_the_pause_even_if_pulls_succeed() {
        let mut pace = Pace::new(POLL);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            pauses.push(pace.after(claim_failed(), 1.0).unwrap());
            assert!(pace.last_claim_failed());
            assert_eq!(pace.after(Ok(1), 1.0).unwrap(), Duration::ZERO);
        }
        assert!(pauses.is_sorted_by(|one, next| one < next), "{pauses:?}");
        assert!(pauses.last().unwrap() > &(POLL * 10), "{pauses:?}");
        pace.claim_answered();
        assert!(!pace.last_claim_failed());
        assert_eq!(pace.after(claim_failed(), 1.0).unwrap(), pauses[0]);
    }

    #[test]
    fn an_unauthorized_origin_stops_and_the_error_says_what_to_check() {
        for status in [401_u16, 403] {
            let refused = EdgeError::Refused { status: status.try_into().unwrap(), body: String::new() };
            let result = Pace::new(POLL).after(Err(PullError::ClaimFailed(refused)), 1.0);
            let advice = result.unwrap_err().to_string();
            assert!(advice.contains("ORIGIN_KEY") && advice.contains("clock"));
        }
        let bad_request = EdgeError::Refused { status: 400_u16.try_into().unwrap(), body: String::new() };
        let pause = Pace::new(POLL).after(Err(PullError::ClaimFailed(bad_request)), 1.0);
        assert!(pause.unwrap() > Duration::ZERO);
    }

    #[test]
    fn after_a_job_the_queue_is_pulled_again_without_a_pause() {
        assert_eq!(Pace::new(POLL).after(Ok(1), 1.0).unwrap(), Duration::ZERO);
    }

    #[test]
    fn a_rejection_by_the_queue_ends_the_service() {
        let reason = "no permission".to_owned();
        let refused = QueueError::Refused { status: 403, reason };
        let result = Pace::new(POLL).after(Err(PullError::Queue(refused)), 1.0);
        assert!(result.is_err());
    }
}
