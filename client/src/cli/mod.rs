//! The command-line shell: arguments, the stored key, output, and one file per command.
//!
//! Requests and decisions are in the library.

mod arguments;
mod commands;
mod context;
mod credentials;
mod exit_code;
mod output;
mod progress;
mod times;
mod words;

use arguments::Arguments;
use clap::Parser;
use context::Context;
use exit_code::{exit_code, is_closed_pipe};
use output::Output;
use std::process::ExitCode;
use tokio::runtime::Runtime;

/// Parses the arguments and runs the command.
pub(crate) fn run() -> ExitCode {
    let arguments = Arguments::parse();
    let output = Output::new(arguments.global.json);
    let outcome = Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| {
        let context = Context::new(arguments.global, output.clone());
        let outcome = runtime.block_on(commands::run(&context, arguments.command));
        // A blocking read of a file or the terminal would delay the exit.
        runtime.shutdown_background();
        outcome
    });
    match outcome {
        Ok(code) => code,
        // The reader of the output, such as `head`, has seen enough.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            output.failure(None, &error);
            exit_code(&error)
        }
    }
}
