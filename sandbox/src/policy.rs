//! What a program may do, in the caller's words.

use std::path::PathBuf;
use std::time::Duration;

/// What one run of a program may touch, and how much of everything it may use. Paths are absolute.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Single files that it may read, besides itself and the system's libraries.
    pub readable: Vec<PathBuf>,
    /// The one folder in which it may read, make, change and remove files. Links it cannot make.
    pub writable: Option<PathBuf>,
    pub limits: Limits,
}

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Address space, so a little more than what is ever in memory: each thread's stack counts with 8 MiB.
    pub memory_bytes: u64,
    /// Time on all processors together.
    pub cpu_seconds: u64,
    /// Size of any one file that it writes.
    pub file_bytes: u64,
    /// Threads, as it cannot make processes.
    pub processes: u64,
    /// Open files.
    pub open_files: u64,
    /// Time on the clock on the wall, from the start.
    pub wall: Duration,
}
