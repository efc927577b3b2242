//! `clipgate completions`.

use crate::cli::arguments::Arguments;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::{Shell, generate};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(shell: Shell) -> Result<ExitCode> {
    let mut script = Vec::new();
    generate(shell, &mut Arguments::command(), "clipgate", &mut script);
    std::io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
