//! Reads the picture or the captions file that an argument names.

use anyhow::{Context, Result};
use client::printable_path;
use std::path::Path;

pub(super) fn read_file(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("reading {}", printable_path(path)))
}
