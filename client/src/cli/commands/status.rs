//! `clipgate status`.

use super::shown::status_text;
use super::waiting::wait_until_settled;
use crate::cli::arguments::StatusArguments;
use crate::cli::context::Context;
use crate::cli::exit_code::ENDED_BADLY;
use crate::cli::progress::FileProgress;
use anyhow::Result;
use std::process::ExitCode;

pub(crate) async fn run(context: &Context, arguments: &StatusArguments) -> Result<ExitCode> {
    let client = context.client()?;
    let status = if arguments.wait {
        let progress = FileProgress::named(&context.output, "");
        wait_until_settled(&client, &arguments.content_uuid, &progress).await?
    } else {
        client.upload_status(&arguments.content_uuid).await?
    };
    context.output.result("status", &status_text(&status), &status)?;
    Ok(if status.is_good() { ExitCode::SUCCESS } else { ExitCode::from(ENDED_BADLY) })
}
