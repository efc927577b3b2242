//! Supervises a running stack: restarts a process that ends, and restarts the Worker when its address does not respond,
//! because wrangler keeps running when its proxy has died.
//!
//! It must not depend on how a part is started (`stack`).

use anyhow::{Result, bail};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The interval at which the processes are checked.
pub(crate) const PAUSE: Duration = Duration::from_millis(500);

/// The time in which the Worker must respond at all. A busy machine takes seconds.
const ANSWER_TIME: Duration = Duration::from_secs(10);
/// The interval between health checks of the Worker, and how many in a row may fail.
const QUESTION_INTERVAL: Duration = Duration::from_secs(5);
const MAX_UNANSWERED: u32 = 3;

/// More restarts than this within `RESTART_TIME` do not help.
const MAX_RESTARTS: usize = 5;
const RESTART_TIME: Duration = Duration::from_mins(2);

/// The latest restarts.
#[derive(Debug, Default)]
pub(crate) struct Restarts(VecDeque<Instant>);

impl Restarts {
    /// Records a restart. Fails if there were too many.
    pub(crate) fn record(&mut self, now: Instant) -> Result<()> {
        self.0.retain(|at| now.duration_since(*at) < RESTART_TIME);
        self.0.push_back(now);
        if self.0.len() > MAX_RESTARTS {
            bail!("parts of the system ended {} times within {RESTART_TIME:?}", self.0.len());
        }
        Ok(())
    }
}

/// Checks whether the Worker still responds.
#[derive(Debug)]
pub(crate) struct WorkerWatch {
    question: reqwest::RequestBuilder,
    asked: Instant,
    unanswered: u32,
}

impl WorkerWatch {
    pub(crate) fn new(question: reqwest::RequestBuilder) -> Self {
        Self { question: question.timeout(ANSWER_TIME), asked: Instant::now(), unanswered: 0 }
    }

    /// Forgets the failed checks after a restart.
    pub(crate) fn restart(&mut self) {
        (self.asked, self.unanswered) = (Instant::now(), 0);
    }

    /// Checks the Worker if a check is due, and returns whether it is silent. Any response counts.
    pub(crate) async fn is_silent(&mut self) -> bool {
        if self.asked.elapsed() >= QUESTION_INTERVAL {
            let answered = match self.question.try_clone() {
                Some(question) => question.send().await.is_ok(),
                None => true,
            };
            self.unanswered = if answered { 0 } else { self.unanswered + 1 };
            self.asked = Instant::now();
        }
        self.unanswered >= MAX_UNANSWERED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_ends_again_and_again_ends_the_system() {
        let (mut restarts, start) = (Restarts::default(), Instant::now());
        for number in 0..20 {
            restarts.record(start + RESTART_TIME * number).unwrap();
        }
        let last = start + RESTART_TIME * 19;
        let failed = (0..10).find(|_| restarts.record(last).is_err());
        assert_eq!(failed, Some(4));
    }
}
