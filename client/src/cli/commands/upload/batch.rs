//! Uploads several files at once, and keeps the exit code of the first failure.

use super::one_file::{UploadedFile, upload_file};
use super::upload_run::UploadRun;
use crate::cli::exit_code::{self, KEY, LIMIT, UNAVAILABLE};
use anyhow::Result;
use futures_util::{StreamExt, stream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The most videos that are polled at once. A key may make 100 requests in 10 seconds.
const FOLLOWED_AT_ONCE: usize = 32;

/// The outcome of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileOutcome {
    /// The exit code that the file alone would have.
    Tried(u8),
    NotTried,
}

/// Uploads the files and returns the exit code.
pub(super) async fn run_all(run: &UploadRun<'_>, files: &[PathBuf]) -> Result<u8> {
    let is_hopeless = AtomicBool::new(false);
    let jobs = run.arguments.jobs.min(run.limits.max_open_uploads.max(1));
    let uploads = files.iter().map(|path| upload(run, path, &is_hopeless));
    // Files are uploaded while earlier videos are polled.
    let followed = stream::iter(uploads)
        .buffered(usize::try_from(jobs).unwrap_or(1))
        .map(|uploaded| follow(run, uploaded))
        .buffered(FOLLOWED_AT_ONCE);
    let outcomes: Vec<Result<FileOutcome>> = followed.collect().await;
    let outcomes = outcomes.into_iter().collect::<Result<Vec<_>>>()?;
    let left = outcomes.iter().filter(|outcome| **outcome == FileOutcome::NotTried).count();
    if left > 0 {
        let text = format!("{left} more files were not tried. Run the same command again later.");
        run.context.output.result("not_tried", &text, &serde_json::json!({ "files": left }))?;
    }
    Ok(first_failure(&outcomes))
}

/// A file after its upload: uploaded, or ended with an outcome.
enum Uploaded<'a> {
    File(Box<UploadedFile<'a>>),
    Ended(FileOutcome),
}

/// Uploads a file, unless an earlier failure would affect it too.
async fn upload<'a>(run: &UploadRun<'_>, path: &'a Path, is_hopeless: &AtomicBool) -> Result<Uploaded<'a>> {
    if is_hopeless.load(Ordering::Relaxed) {
        return Ok(Uploaded::Ended(FileOutcome::NotTried));
    }
    match upload_file(run, path).await {
        Ok(file) => Ok(Uploaded::File(Box::new(file))),
        Err(error) => {
            let code = report_failure(run, path, error)?;
            if matches!(code, KEY | LIMIT | UNAVAILABLE) {
                is_hopeless.store(true, Ordering::Relaxed);
            }
            Ok(Uploaded::Ended(FileOutcome::Tried(code)))
        }
    }
}

/// Polls the video of an uploaded file, and returns the outcome.
async fn follow(run: &UploadRun<'_>, uploaded: Result<Uploaded<'_>>) -> Result<FileOutcome> {
    match uploaded? {
        Uploaded::Ended(outcome) => Ok(outcome),
        Uploaded::File(file) => {
            let code = file.follow(run).await.or_else(|error| report_failure(run, file.path, error))?;
            Ok(FileOutcome::Tried(code))
        }
    }
}

/// Prints a failure and returns its exit code. A closed output is not the file's failure.
fn report_failure(run: &UploadRun<'_>, path: &Path, error: anyhow::Error) -> Result<u8> {
    if exit_code::is_closed_pipe(&error) {
        return Err(error);
    }
    run.context.output.failure(Some(path), &error);
    Ok(exit_code::number(&error))
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
