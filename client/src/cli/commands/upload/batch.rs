//! Runs through the files, several at once, and keeps the code of the first failure.

use super::common::Batch;
use super::one_file::upload_file;
use crate::cli::exit_code::{self, KEY, LIMIT, UNAVAILABLE};
use anyhow::Result;
use futures_util::{StreamExt, stream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The outcome of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileOutcome {
    /// The exit code that the file alone would have.
    Tried(u8),
    NotTried,
}

/// Uploads the files and returns the exit code.
pub(super) async fn run_all(batch: &Batch<'_>, files: &[PathBuf]) -> Result<u8> {
    let is_hopeless = AtomicBool::new(false);
    let jobs = batch.arguments.jobs.min(batch.limits.max_open_uploads.max(1));
    let uploads = files.iter().map(|path| run_one(batch, path, &is_hopeless));
    let outcomes: Vec<Result<FileOutcome>> =
        stream::iter(uploads).buffered(usize::try_from(jobs).unwrap_or(1)).collect().await;
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    let left = outcomes.iter().filter(|outcome| **outcome == FileOutcome::NotTried).count();
    if left > 0 {
        let text = format!("{left} files were not tried. Run the same command again later.");
        batch.context.output.result("not_tried", &text, &serde_json::json!({ "files": left }))?;
    }
    Ok(first_failure(&outcomes))
}

/// Uploads a file unless an earlier failure would happen to it too.
async fn run_one(batch: &Batch<'_>, path: &Path, is_hopeless: &AtomicBool) -> Result<FileOutcome> {
    if is_hopeless.load(Ordering::Relaxed) {
        return Ok(FileOutcome::NotTried);
    }
    let code = match upload_file(batch, path).await {
        Ok(code) => code,
        Err(error) if exit_code::is_closed_pipe(&error) => return Err(error),
        Err(error) => {
            batch.context.output.failure(Some(path), &error);
            exit_code::number(&error)
        }
    };
    if matches!(code, KEY | LIMIT | UNAVAILABLE) {
        is_hopeless.store(true, Ordering::Relaxed);
    }
    Ok(FileOutcome::Tried(code))
}

fn first_failure(outcomes: &[FileOutcome]) -> u8 {
    let codes = outcomes.iter().filter_map(|outcome| match outcome {
        FileOutcome::Tried(code) => Some(*code),
        FileOutcome::NotTried => None,
    });
    codes.into_iter().find(|code| *code != 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_that_of_the_first_failure() {
        let tried = |codes: &[u8]| codes.iter().map(|code| FileOutcome::Tried(*code)).collect::<Vec<_>>();
        assert_eq!(first_failure(&tried(&[])), 0);
        assert_eq!(first_failure(&tried(&[0, 0])), 0);
        assert_eq!(first_failure(&tried(&[0, 3, 5])), 3);
        assert_eq!(first_failure(&[FileOutcome::NotTried, FileOutcome::Tried(5)]), 5);
    }
}
