//! The duration of each test, in one file per suite below the target folder.
//!
//! A file has a line per test, `<seconds>\t<name>`. The runner of this crate writes one for each suite, and
//! `ops/dev/unit-tests` writes `unit.tsv` for all other tests except the examples in documentation. In `unit.tsv`, a
//! test program with its own harness has one line for the whole program.
//!
//! The runner starts the longest tests of the previous run first, and `cargo run --package tests --bin slowest` prints
//! the slowest of all suites.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// One line of a suite's file.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedDuration {
    pub suite: String,
    pub name: String,
    pub seconds: f64,
}

/// Collects the durations of a run.
#[derive(Debug, Default)]
pub(crate) struct DurationRecorder(Mutex<Vec<(String, Duration)>>);

impl DurationRecorder {
    pub(crate) fn record(&self, name: &str, duration: Duration) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((name.to_owned(), duration));
    }

    /// Replaces the suite's file.
    pub(crate) fn write(&self, suite: &str) -> Result<()> {
        let folder = folder()?;
        std::fs::create_dir_all(&folder)?;
        let durations = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = durations.iter().map(|(name, duration)| format!("{:.3}\t{name}\n", duration.as_secs_f64()));
        Ok(std::fs::write(folder.join(format!("{suite}.tsv")), lines.collect::<String>())?)
    }
}

/// Returns the durations of every suite that has a file.
pub fn recorded_durations() -> Result<Vec<RecordedDuration>> {
    let Ok(entries) = std::fs::read_dir(folder()?) else {
        return Ok(Vec::new());
    };
    let mut all = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let suite = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        all.extend(parse(&suite, &std::fs::read_to_string(&path)?));
    }
    Ok(all)
}

/// Unreadable lines are skipped: another runner may have written the file.
fn parse(suite: &str, text: &str) -> Vec<RecordedDuration> {
    let line = |line: &str| {
        let (seconds, name) = line.split_once('\t')?;
        Some(RecordedDuration { suite: suite.to_owned(), name: name.to_owned(), seconds: seconds.parse().ok()? })
    };
    text.lines().filter_map(line).collect()
}

/// Finds the target folder from the place of this program: `target/debug/deps/e2e-…` or `target/debug/slowest`.
fn folder() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let profile = program.ancestors().skip(1).find(|folder| !folder.ends_with("deps"));
    let target = profile.and_then(Path::parent).context("this program is not in a target folder")?;
    Ok(target.join("test-durations"))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_line_that_is_not_a_duration_is_skipped() {
        let parsed = parse("e2e", "1.5\ta::b\nnonsense\nx\ta::c\n");
        assert_eq!(parsed.len(), 1);
        assert_eq!((parsed[0].name.as_str(), parsed[0].seconds.to_string()), ("a::b", "1.5".to_owned()));
    }
}
