//! The origin that the tests run, as a program to pack.

use crate::clips::run_to_end;
use anyhow::Result;
use dev::OriginProcess;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a copy of the program in the folder, without debug information, which is most of a debug build.
pub fn stripped_origin(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("clipgate-origin");
    let mut strip = Command::new("strip");
    strip.arg("-o").arg(&program).arg(OriginProcess::executable()?);
    run_to_end(strip)?;
    Ok(program)
}
