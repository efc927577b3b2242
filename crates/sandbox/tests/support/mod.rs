//! Shared by the tests that run real media tools.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::Duration;

use sandbox::{Limits, Support};

/// The limits that a media service would use.
pub(crate) const LIMITS: Limits = Limits {
    memory_bytes: 4 << 30,
    cpu_seconds: 60,
    file_bytes: 1 << 30,
    threads: 256,
    open_files: 256,
    wall_time: Duration::from_mins(1),
};

/// Returns the tool's absolute path, or prints a line and returns `None`.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file());
    if found.is_none() {
        println!("SKIPPED: {name} is not installed");
    }
    found
}

/// Returns the layers that this machine supports. Prints a line if a required one is missing.
pub(crate) fn support() -> Support {
    let support = Support::detect();
    if let Err(missing) = support.check() {
        println!("INCOMPLETE: {missing}");
    }
    support
}

/// Returns a temporary folder that every user can enter.
pub(crate) fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("accessible");
    folder
}
