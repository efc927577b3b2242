//! The permissions of a program.

use std::path::PathBuf;
use std::time::Duration;

/// The files and the amount of resources that one run of a program may use. All paths are absolute.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Files that the program may read, in addition to itself and the system's libraries.
    pub readable: Vec<PathBuf>,
    /// The one folder in which the program may read, create, change and remove files. It cannot create links.
    pub writable: Option<PathBuf>,
    /// Device files that the program may open and control, such as a graphics card's. Any device weakens the sandbox:
    /// `ioctl` is allowed, and no system call kills the program. Name none for a program that reads a stranger's file.
    pub devices: Vec<PathBuf>,
    pub limits: Limits,
}

#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Address space. This is more than the memory in use: each thread's stack counts with 8 MiB.
    pub memory_bytes: u64,
    /// CPU time of all threads together.
    pub cpu_seconds: u64,
    /// Size of any single file that the program writes.
    pub file_bytes: u64,
    /// Threads. The program cannot start processes.
    pub threads: u64,
    pub open_files: u64,
    /// Time since the start.
    pub wall_time: Duration,
}
