//! What tests with real media tools share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Limits, Support};

/// As much as a media service would give.
pub const LIMITS: Limits = Limits {
    memory_bytes: 4 << 30,
    cpu_seconds: 60,
    file_bytes: 1 << 30,
    processes: 256,
    open_files: 256,
    wall: Duration::from_mins(1),
};

/// The tool's absolute path, or none with a visible line.
pub fn tool(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file());
    if found.is_none() {
        println!("SKIPPED: no {name}");
    }
    found
}

/// What is there, with one visible line for each part that is not.
pub fn support() -> Support {
    let support = Support::detect();
    if let Err(missing) = support.check() {
        println!("INCOMPLETE: {missing}");
    }
    support
}

/// A temporary folder that every user may enter.
pub fn folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    open(folder.path(), std::fs::Permissions::from_mode(0o755));
    folder
}

fn open(folder: &Path, permissions: std::fs::Permissions) {
    std::fs::set_permissions(folder, permissions).expect("opened");
}
