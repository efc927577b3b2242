//! `clipgate-origin`: see `--help`, and docs/origin.md.

use clap::Parser;
use origin::arguments::Arguments;
use origin::commands;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    match commands::execute(command).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("clipgate-origin: {error:#}");
            ExitCode::FAILURE
        }
    }
}
