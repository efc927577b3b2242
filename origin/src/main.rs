//! The `clipgate-origin` program. See `clipgate-origin --help` and docs/origin.md.

#![forbid(unsafe_code)]

use clap::Parser;
use origin::cli::{Arguments, execute};
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments { command } = Arguments::parse();
    match execute(command).await {
        Ok(code) => code,
        Err(error) => {
            eprintln!("clipgate-origin: {error:#}");
            ExitCode::FAILURE
        }
    }
}
