//! What `clipgate-origin` can be asked to do, one file a command.

mod dead_letters;
mod doctor;
mod probe;
mod requeue;
mod run;
mod setup;

use crate::arguments::{Command, DlqCommand, JobCommand};
use anyhow::Result;
use std::process::ExitCode;

/// Does it. `FAILURE` without an error means that the answer was printed, and is no.
pub async fn execute(command: Command) -> Result<ExitCode> {
    match command {
        Command::Run(arguments) => run::run(arguments).await,
        Command::Doctor(arguments) => doctor::examine(arguments).await,
        Command::Probe(arguments) => probe::probe(&arguments),
        Command::Dlq { command } => match command {
            DlqCommand::List(arguments) => dead_letters::list(&arguments).await,
            DlqCommand::Show(one) => dead_letters::show(&one).await,
            DlqCommand::Retry(one) => dead_letters::retry(&one).await,
            DlqCommand::Drop(one) => dead_letters::forget(&one).await,
        },
        Command::Job {
            command: JobCommand::Requeue { content_uuid, edge },
        } => requeue::requeue(&content_uuid, &edge).await,
    }
}
