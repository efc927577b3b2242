//! The locations of the project's files.

use std::path::{Path, PathBuf};

/// Returns the root folder of the repository.
pub(crate) fn root() -> PathBuf {
    let this_crate = Path::new(env!("CARGO_MANIFEST_DIR"));
    this_crate.ancestors().nth(2).unwrap_or(this_crate).to_owned()
}
