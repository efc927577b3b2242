//! Runs a failed test of a whole suite once more, so that one slow moment of a busy machine does not fail a run of
//! hundreds of tests. Every repetition is printed, and `ops/dev/run-tests` shows these lines at its end: a test that
//! needs one has a race, in itself or in the program.

use anyhow::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};

/// The number of tests of a suite that may be repeated. If more of them fail, something is broken. `DEEP=1` repeats
/// none.
const QUICK_REPEATS: u32 = 2;

/// The repetitions that a suite has left.
#[derive(Debug)]
pub(crate) struct Repeats(AtomicU32);

impl Repeats {
    /// Repeats no test of a suite that does not run as a whole.
    pub(crate) fn new(is_whole_suite: bool) -> Self {
        let repeats = if is_whole_suite { fixtures::cases(QUICK_REPEATS, 0) } else { 0 };
        Self(AtomicU32::new(repeats))
    }

    /// Runs a test, and once more if it failed and a repetition is left.
    pub(crate) fn run(&self, name: &str, test: impl Fn() -> Result<()>) -> Result<()> {
        let Err(error) = caught(&test) else { return Ok(()) };
        if !self.take() {
            return Err(error);
        }
        println!("repeated: {name} failed first: {error:#}");
        caught(&test)
    }

    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

/// Runs the test, and returns a panic as an error.
fn caught(test: impl Fn() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(test)).unwrap_or_else(|_| Err(Error::msg("the test panicked, as printed above")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;
    use std::cell::Cell;

    /// Returns whether a test passes that fails this many times, and how often it ran.
    fn outcome(repeats: &Repeats, failures: u32) -> (bool, u32) {
        let runs = Cell::new(0);
        let test = || {
            runs.set(runs.get() + 1);
            match runs.get() <= failures {
                true if failures % 2 == 1 => panic!("too slow"),
                true => bail!("too slow"),
                false => Ok(()),
            }
        };
        let passed = repeats.run("a test", test).is_ok();
        (passed, runs.get())
    }

    #[test]
    fn a_test_that_fails_runs_once_more_and_two_of_a_suite() {
        let repeats = Repeats(AtomicU32::new(2));
        assert_eq!(outcome(&repeats, 0), (true, 1));
        assert_eq!(outcome(&repeats, 1), (true, 2));
        assert_eq!(outcome(&repeats, 2), (false, 2));
        assert_eq!(outcome(&repeats, 1), (false, 1), "no repetition is left");
    }

    #[test]
    fn a_selected_test_is_not_repeated() {
        assert_eq!(outcome(&Repeats::new(false), 1), (false, 1));
    }
}
