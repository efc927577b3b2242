//! Uploads one file: reads and judges it, posts it once, and polls its status.

use super::upload_run::UploadRun;
use crate::cli::commands::shown::status_text;
use crate::cli::commands::waiting::wait_until_settled;
use crate::cli::exit_code::ENDED_BADLY;
use crate::cli::progress::FileProgress;
use crate::cli::words;
use anyhow::Result;
use client::{
    ClientError, FieldContext, JudgedFile, RetryNotice, Status, UploadOutcome, UploadPlan, printable_path, upload_once,
};
use native::now_unix;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// A file that was uploaded, now or earlier.
pub(super) struct UploadedFile<'a> {
    pub path: &'a Path,
    outcome: UploadOutcome,
    progress: Arc<FileProgress>,
}

/// Uploads a file.
pub(super) async fn upload_file<'a>(run: &UploadRun<'_>, path: &'a Path) -> Result<UploadedFile<'a>> {
    let progress = Arc::new(FileProgress::new(&run.context.output, path));
    let file = read(run, path, &progress).await?;
    if !run.arguments.force {
        check(run, &file)?;
    }
    progress.begin("uploading", file.length());
    let plan =
        UploadPlan { file: &file, fields: run.fields, is_again: run.arguments.again, rules: &run.limits.accepts };
    let client = run.client.with_notices(notices(run, &progress));
    let outcome = upload_once(&client, run.store, &plan, &|sent| progress.set_position(sent)).await?;
    report(run, path, &outcome)?;
    Ok(UploadedFile { path, outcome, progress })
}

/// Returns a callback that shows retries: in the file's progress line on a terminal, otherwise as a note.
fn notices(run: &UploadRun<'_>, progress: &Arc<FileProgress>) -> Arc<dyn Fn(&RetryNotice) + Send + Sync> {
    let (output, progress) = (run.context.output.clone(), Arc::clone(progress));
    Arc::new(move |notice| {
        let text = words::of_retry(notice);
        if output.bars().is_hidden() {
            output.note(&text);
        } else {
            progress.wait(&text);
        }
    })
}

/// Reads the file to its end, on a thread that may block.
async fn read(run: &UploadRun<'_>, path: &Path, progress: &Arc<FileProgress>) -> Result<JudgedFile> {
    let (path, progress) = (path.to_owned(), Arc::clone(progress));
    let most = run.limits.accepts.max_file_bytes.max(run.limits.accepts.max_resumable_bytes);
    let read = tokio::task::spawn_blocking(move || {
        let length = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        progress.begin("checking", length);
        JudgedFile::read(&path, most, &|bytes| progress.set_position(bytes))
    });
    Ok(read.await?.map_err(ClientError::from)?)
}

/// Refuses a file or field that the service would refuse.
fn check(run: &UploadRun<'_>, file: &JudgedFile) -> Result<(), ClientError> {
    let media = file.verdict().map_err(Clone::clone)?;
    let context = FieldContext {
        rules: &run.limits.accepts,
        categories: run.categories.as_deref(),
        duration_ms: Some(media.duration_ms),
        now_unix: now_unix(),
    };
    Ok(run.fields.check(context)?)
}

fn report(run: &UploadRun<'_>, path: &Path, outcome: &UploadOutcome) -> Result<()> {
    let (name, uuid) = (printable_path(path), outcome.content_uuid());
    let text = match outcome {
        UploadOutcome::Uploaded(_) => format!("{name}: uploaded as {uuid}"),
        UploadOutcome::AlreadyUploaded { .. } => format!("{name}: already uploaded as {uuid}"),
    };
    let object = match outcome {
        UploadOutcome::Uploaded(answer) => {
            json!({ "path": path.to_string_lossy(), "content_uuid": uuid, "answer": answer })
        }
        UploadOutcome::AlreadyUploaded { has_same_fields, .. } => {
            json!({ "path": path.to_string_lossy(), "content_uuid": uuid, "has_same_fields": has_same_fields })
        }
    };
    let is_new = matches!(outcome, UploadOutcome::Uploaded(_));
    run.context.output.result(if is_new { "uploaded" } else { "already_uploaded" }, &text, &object)?;
    if let UploadOutcome::AlreadyUploaded { has_same_fields: false, .. } = outcome {
        run.context
            .output
            .note(&format!("{name}: its fields stay as they are. `clipgate update {uuid}` changes them."));
    }
    Ok(())
}

impl UploadedFile<'_> {
    /// Shows the final status with `--wait`, or the current one of an earlier upload. Returns the exit code.
    pub(super) async fn follow(&self, run: &UploadRun<'_>) -> Result<u8> {
        let Self { path, outcome, progress } = self;
        let is_new = matches!(outcome, UploadOutcome::Uploaded(_));
        let status = if run.arguments.wait {
            wait_until_settled(run.client, outcome.content_uuid(), progress).await?
        } else if is_new {
            return Ok(0);
        } else {
            run.client.upload_status(outcome.content_uuid()).await?
        };
        show(run, path, &status, is_new)
    }
}

fn show(run: &UploadRun<'_>, path: &Path, status: &Status, is_new: bool) -> Result<u8> {
    let (name, text) = (printable_path(path), status_text(status));
    let object = json!({ "path": path.to_string_lossy(), "status": status });
    run.context.output.result("status", &format!("{name}: {text}"), &object)?;
    if status.is_good() {
        return Ok(0);
    }
    if !is_new {
        run.context.output.note(&format!("{name}: add --again to upload it as a new video."));
    }
    Ok(ENDED_BADLY)
}
