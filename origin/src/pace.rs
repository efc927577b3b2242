//! How long the loop rests before it pulls again. Failures in a row make it wait longer each time.

use crate::edge::EdgeError;
use crate::queue::{QueueError, backoff};
use std::time::Duration;

/// How long a full disk is left alone before it is looked at again.
const DISK_PAUSE: Duration = Duration::from_secs(15);

/// Why nothing was pulled.
#[derive(Debug)]
pub enum NotPulled {
    DiskFull,
    /// The job that was pulled before could not be claimed.
    Unclaimed(EdgeError),
    Queue(QueueError),
}

/// What no waiting mends.
#[derive(Debug, thiserror::Error)]
pub enum Hopeless {
    #[error("the queue")]
    Queue(#[source] QueueError),
    #[error(
        "the edge does not take this origin's signature: ORIGIN_SECRET must be the one that the Worker has, and this \
         machine's clock right within 300 s"
    )]
    Refused(#[source] EdgeError),
}

#[derive(Debug)]
pub struct Pace {
    poll: Duration,
    failures: u32,
    /// Claims in a row that failed. Pulling goes well meanwhile, and says nothing about them.
    unclaimed: u32,
}

impl Pace {
    /// Asks an empty queue again after `poll`.
    pub const fn new(poll: Duration) -> Self {
        Self {
            poll,
            failures: 0,
            unclaimed: 0,
        }
    }

    /// The edge answered a claim.
    pub const fn claimed(&mut self) {
        self.unclaimed = 0;
    }

    /// Whether the last claim failed. Then one job at a time is enough to find out whether the next one succeeds.
    pub const fn doubts_claims(&self) -> bool {
        self.unclaimed > 0
    }

    /// The rest after a pull that brought so many jobs, or none. An error is one that no waiting mends. `chance` is a
    /// random number from 0 to 1.
    pub fn after(
        &mut self,
        pulled: Result<usize, NotPulled>,
        chance: f64,
    ) -> Result<Duration, Hopeless> {
        match pulled {
            Ok(jobs) => {
                self.failures = 0;
                Ok(if jobs == 0 { self.poll } else { Duration::ZERO })
            }
            Err(NotPulled::DiskFull) => Ok(DISK_PAUSE),
            Err(NotPulled::Unclaimed(error)) if error.refuses_origin() => {
                Err(Hopeless::Refused(error))
            }
            Err(NotPulled::Unclaimed(_)) => {
                self.unclaimed = self.unclaimed.saturating_add(1);
                Ok(backoff::wait(self.unclaimed, None, chance))
            }
            Err(NotPulled::Queue(error)) if error.is_transient() => {
                self.failures = self.failures.saturating_add(1);
                Ok(backoff::wait(self.failures, error.retry_after(), chance))
            }
            Err(NotPulled::Queue(error)) => Err(Hopeless::Queue(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLL: Duration = Duration::from_secs(5);

    fn unavailable() -> Result<usize, NotPulled> {
        let reason = "503".to_owned();
        Err(NotPulled::Queue(QueueError::Unavailable { reason }))
    }

    #[test]
    fn a_queue_that_stays_away_is_asked_less_and_less() {
        let mut pace = Pace::new(POLL);
        let rests: Vec<_> = (0..8)
            .map(|_| pace.after(unavailable(), 1.0).unwrap())
            .collect();
        assert!(rests.is_sorted_by(|one, next| one < next), "{rests:?}");
        assert!(rests.last().unwrap() > &(POLL * 10), "{rests:?}");
    }

    #[test]
    fn a_pull_that_succeeds_ends_the_failures_and_a_full_disk_does_not() {
        let mut pace = Pace::new(POLL);
        let first = pace.after(unavailable(), 1.0).unwrap();
        assert!(pace.after(unavailable(), 1.0).unwrap() > first);
        assert_eq!(
            pace.after(Err(NotPulled::DiskFull), 1.0).unwrap(),
            DISK_PAUSE
        );
        assert!(pace.after(unavailable(), 1.0).unwrap() > first);
        assert_eq!(pace.after(Ok(0), 1.0).unwrap(), POLL);
        assert_eq!(pace.after(unavailable(), 1.0).unwrap(), first);
    }

    fn unclaimed() -> Result<usize, NotPulled> {
        let error = EdgeError::Unavailable("502".to_owned());
        Err(NotPulled::Unclaimed(error))
    }

    #[test]
    fn claims_that_fail_make_it_wait_longer_though_pulling_goes_well() {
        let mut pace = Pace::new(POLL);
        let mut rests = Vec::new();
        for _ in 0..8 {
            rests.push(pace.after(unclaimed(), 1.0).unwrap());
            assert!(pace.doubts_claims());
            assert_eq!(pace.after(Ok(1), 1.0).unwrap(), Duration::ZERO);
        }
        assert!(rests.is_sorted_by(|one, next| one < next), "{rests:?}");
        assert!(rests.last().unwrap() > &(POLL * 10), "{rests:?}");
        pace.claimed();
        assert!(!pace.doubts_claims());
        assert_eq!(pace.after(unclaimed(), 1.0).unwrap(), rests[0]);
    }

    #[test]
    fn an_origin_that_the_edge_does_not_know_ends_and_hears_why() {
        for status in [401_u16, 403] {
            let refused = EdgeError::Refused {
                status: status.try_into().unwrap(),
                body: String::new(),
            };
            let end = Pace::new(POLL).after(Err(NotPulled::Unclaimed(refused)), 1.0);
            let advice = end.unwrap_err().to_string();
            assert!(advice.contains("ORIGIN_SECRET") && advice.contains("clock"));
        }
        let malformed = EdgeError::Refused {
            status: 400_u16.try_into().unwrap(),
            body: String::new(),
        };
        let rest = Pace::new(POLL).after(Err(NotPulled::Unclaimed(malformed)), 1.0);
        assert!(rest.unwrap() > Duration::ZERO);
    }

    #[test]
    fn there_may_be_more_where_jobs_came_from() {
        assert_eq!(Pace::new(POLL).after(Ok(1), 1.0).unwrap(), Duration::ZERO);
    }

    #[test]
    fn what_no_waiting_mends_ends_the_service() {
        let reason = "no permission".to_owned();
        let refused = QueueError::Refused {
            status: 403,
            reason,
        };
        let rest = Pace::new(POLL).after(Err(NotPulled::Queue(refused)), 1.0);
        assert!(rest.is_err());
    }
}
