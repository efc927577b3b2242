//! `clipgate check`: validates files on this machine by the rules of the service.

use super::paths::find_files;
use crate::cli::arguments::CheckArguments;
use crate::cli::context::Context;
use crate::cli::exit_code;
use anyhow::Result;
use client::{JudgedFile, printable_path};
use contract::limits::DEFAULT_MAX_RESUMABLE_BYTES;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(context: &Context, arguments: &CheckArguments) -> Result<ExitCode> {
    let mut code = 0;
    for path in find_files(&arguments.files, &context.output)? {
        if let Err(error) = check(context, &path) {
            context.output.failure(Some(&path), &error);
            code = if code == 0 { exit_code::number(&error) } else { code };
        }
    }
    Ok(ExitCode::from(code))
}

fn check(context: &Context, path: &Path) -> Result<()> {
    let file = JudgedFile::read(path, DEFAULT_MAX_RESUMABLE_BYTES, &|_| {})?;
    let media = file.verdict().map_err(|refusal| client::ClientError::from(refusal.clone()))?;
    let video = media.video();
    let (width, height) = (video.and_then(|track| track.width), video.and_then(|track| track.height));
    let size = width.zip(height).map(|(width, height)| format!(", {width}x{height}")).unwrap_or_default();
    let (container, seconds) =
        (media.container.name(), std::time::Duration::from_millis(media.duration_ms).as_secs_f64());
    let text = format!("{}: accepted ({container}, {seconds:.3} s{size})", printable_path(path));
    let object = json!({
        "path": path.to_string_lossy(),
        "container": container,
        "duration_ms": media.duration_ms,
        "width": width,
        "height": height,
        "bytes": file.length(),
        "sha256": file.sha256(),
    });
    Ok(context.output.result("accepted", &text, &object)?)
}
