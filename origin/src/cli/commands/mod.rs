//! The commands of `clipgate-origin`, one file each.

mod dead_letters;
mod doctor;
mod probe;
mod requeue;
mod run;
mod setup;

use crate::cli::arguments::{Command, DlqCommand, JobCommand};
use anyhow::Result;
use std::process::ExitCode;

/// Runs a command. `FAILURE` without an error means that the command printed a negative answer, such as a refused file.
pub async fn execute(command: Command) -> Result<ExitCode> {
    match command {
        Command::Run(arguments) => run::run_service(arguments).await,
        Command::Doctor(arguments) => doctor::check_all(arguments).await,
        Command::Probe(arguments) => probe::inspect_file(&arguments),
        Command::Dlq { command } => match command {
            DlqCommand::List(arguments) => dead_letters::list(&arguments).await,
            DlqCommand::Show(arguments) => dead_letters::show(&arguments).await,
            DlqCommand::Retry(arguments) => dead_letters::retry(&arguments).await,
            DlqCommand::Drop(arguments) => dead_letters::remove(&arguments).await,
        },
        Command::Job { command: JobCommand::Requeue { content_uuid, edge } } => {
            requeue::requeue_content(&content_uuid, &edge).await
        }
    }
}
