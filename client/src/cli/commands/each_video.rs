//! Makes a change for each of several videos.

use crate::cli::context::Context;
use crate::cli::exit_code;
use anyhow::Result;
use client::printable;
use serde_json::Value;
use std::process::ExitCode;

/// Changes the videos one after another, and prints the text and the object that each change returns. The others are
/// changed even if one fails. Returns the exit code of the first failure.
pub(super) async fn change_each(
    context: &Context,
    content_uuids: &[String],
    event: &str,
    change: impl AsyncFn(&str) -> Result<(String, Value)>,
) -> Result<ExitCode> {
    let mut code = 0;
    for uuid in content_uuids {
        match change(uuid).await {
            Ok((text, object)) => {
                context.output.result(event, &format!("{}: {text}", printable(uuid)), &object)?;
            }
            Err(error) => {
                let error = error.context(uuid.clone());
                context.output.failure(None, &error);
                code = if code == 0 { exit_code::number(&error) } else { code };
            }
        }
    }
    Ok(ExitCode::from(code))
}
