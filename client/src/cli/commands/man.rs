//! `clipgate man`.

use crate::cli::arguments::Arguments;
use anyhow::{Context as _, Result};
use clap::CommandFactory;
use clap_mangen::{Man, generate_to};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub(crate) fn run(folder: Option<&Path>) -> Result<ExitCode> {
    match folder {
        Some(folder) => write_pages(folder)?,
        None => print_main_page()?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_pages(folder: &Path) -> Result<()> {
    let writing = || format!("writing to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(writing)?;
    generate_to(Arguments::command(), folder).with_context(writing)
}

fn print_main_page() -> Result<()> {
    let mut page = Vec::new();
    Man::new(Arguments::command()).render(&mut page)?;
    Ok(std::io::stdout().lock().write_all(&page)?)
}
