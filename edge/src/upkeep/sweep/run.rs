//! One run of the sweep: its parts, how long each took, and which failed.
//!
//! Operators watch the record: it shows a part that fails every minute, or a sweep that no longer runs, without reading
//! logs.

use crate::platform::Platform;
use crate::platform::database::{Database, DatabaseError, Statement, json_text};
use crate::platform::error::PlatformError;
use serde::Serialize;

/// The name under which the whole run is recorded.
const WHOLE: &str = "whole";

/// The time that a part has for its backlog. All parts together stay within the minute until the next run, even if
/// every one of them has a backlog.
const PART_MS: u64 = 9_000;

/// The moment at which a part leaves the rest to the next run.
pub(super) struct Deadline(u64);

impl Deadline {
    pub(super) fn of_part<P: Platform>(platform: &P) -> Self {
        Self(platform.now_ms() + PART_MS)
    }

    pub(super) fn is_over<P: Platform>(&self, platform: &P) -> bool {
        platform.now_ms() >= self.0
    }
}

pub(super) struct Run<'a, P> {
    platform: &'a P,
    started_ms: u64,
    parts: Vec<PartOutcome>,
    first_error: Option<PlatformError>,
}

/// The name of a part, its duration in milliseconds, and whether it failed.
#[derive(Serialize)]
struct PartOutcome(&'static str, u64, bool);

impl<'a, P: Platform> Run<'a, P> {
    pub(super) fn start(platform: &'a P) -> Self {
        Self { platform, started_ms: platform.now_ms(), parts: Vec::new(), first_error: None }
    }

    /// Runs a part, and returns its result. If it fails, returns the default, and the other parts still run.
    pub(super) async fn part<T: Default, E: Into<PlatformError>>(
        &mut self,
        name: &'static str,
        work: impl Future<Output = Result<T, E>>,
    ) -> T {
        let started_ms = self.platform.now_ms();
        let (done, error) = match work.await {
            Ok(done) => (done, None),
            Err(error) => (T::default(), Some(error.into())),
        };
        self.note(name, started_ms, error);
        done
    }

    /// Separate from the generic function above, so that it is compiled only once.
    fn note(&mut self, name: &'static str, started_ms: u64, error: Option<PlatformError>) {
        self.parts.push(PartOutcome(name, self.ms_since(started_ms), error.is_some()));
        if let Some(error) = error {
            tracing::warn!(part = name, %error, "a part of the sweep failed");
            self.first_error.get_or_insert(error);
        }
    }

    /// Records the run, and returns its first error.
    pub(super) async fn end(mut self) -> Result<(), PlatformError> {
        self.parts.push(PartOutcome(WHOLE, self.ms_since(self.started_ms), self.first_error.is_some()));
        let recorded = self.record().await;
        self.first_error.map_or(Ok(()), Err)?;
        Ok(recorded?)
    }

    fn ms_since(&self, started_ms: u64) -> u64 {
        self.platform.now_ms().saturating_sub(started_ms)
    }

    async fn record(&self) -> Result<(), DatabaseError> {
        let record = Statement::new(
            "INSERT INTO sweep_parts (part, runs, failures, duration_ms, succeeded_at_unix)
             SELECT json_extract(value, '$[0]'), 1, json_extract(value, '$[2]'), json_extract(value, '$[1]'),
                 iif(json_extract(value, '$[2]'), NULL, ?2)
             FROM json_each(?1) WHERE true
             ON CONFLICT (part) DO UPDATE SET runs = runs + 1, failures = failures + excluded.failures,
                 duration_ms = excluded.duration_ms,
                 succeeded_at_unix = coalesce(excluded.succeeded_at_unix, succeeded_at_unix)",
        );
        let parts = json_text(&self.parts)?;
        self.platform.database().execute(record.bind(parts).bind(self.platform.now())).await
    }
}

/// Returns the kinds of work with a count above zero.
pub(super) fn happened<const N: usize>(work: [(u64, &'static str); N]) -> impl Iterator<Item = (u64, &'static str)> {
    work.into_iter().filter(|(count, _)| *count != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fake_platform::World;
    use futures_executor::block_on;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Deserialize)]
    struct Recorded {
        part: String,
        failures: u64,
        duration_ms: u64,
        succeeded_at_unix: Option<u64>,
    }

    #[test]
    fn a_part_has_nine_seconds() {
        let world = World::new(1_000);
        let platform = world.process(None);
        let deadline = Deadline::of_part(&platform);
        for (seconds, is_over) in [(0, false), (8, false), (1, true), (1, true)] {
            world.pass(seconds);
            assert_eq!(deadline.is_over(&platform), is_over);
        }
    }

    #[test]
    fn each_part_is_recorded_with_its_duration_and_whether_it_failed() {
        let world = World::new(1_000);
        let platform = world.process(None);
        let mut run = Run::start(&platform);
        let slow = async || {
            world.pass(3);
            Ok::<_, DatabaseError>(7)
        };
        let broken = async || {
            world.pass(2);
            Err::<u64, _>(DatabaseError::Shape("broken".to_owned()))
        };
        assert_eq!([block_on(run.part("slow", slow())), block_on(run.part("broken", broken()))], [7, 0]);
        assert!(block_on(run.end()).is_err());
        let all = Statement::new("SELECT * FROM sweep_parts ORDER BY duration_ms");
        let recorded = |part: &str, failures, duration_ms, succeeded_at_unix| Recorded {
            part: part.to_owned(),
            failures,
            duration_ms,
            succeeded_at_unix,
        };
        assert_eq!(
            block_on(world.database.all::<Recorded>(all)).unwrap(),
            [
                recorded("broken", 1, 2_000, None),
                recorded("slow", 0, 3_000, Some(1_005)),
                recorded(WHOLE, 1, 5_000, None)
            ]
        );
    }

    #[test]
    fn work_that_did_not_happen_is_left_out() {
        let work: Vec<_> = happened([(2, "found"), (0, "not found")]).collect();
        assert_eq!(work, [(2, "found")]);
    }
}
