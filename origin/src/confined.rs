//! How the media work's programs are confined: what the sandbox is told for each ffmpeg and ffprobe.

use crate::media::{Access, Confine};
use sandbox::{Leash, Limits, Policy, Sandbox};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// 4K in several renditions takes about 2 GB of address space; a bomb ends here.
const MEMORY_BYTES: u64 = 6 << 30;
const CPU_SECONDS: u64 = 3600;
/// The largest rendition of two minutes is far below.
const FILE_BYTES: u64 = 2 << 30;
const THREADS: u64 = 256;
const OPEN_FILES: u64 = 256;
const WALL: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub struct Confined {
    sandbox: Sandbox,
}

impl Confined {
    pub fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }
}

impl Confined {
    /// With all its folders: ffmpeg fills some that were made for it.
    fn hand_over(&self, folder: &Path) -> io::Result<()> {
        self.sandbox.hand_over(folder)?;
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.hand_over(&entry.path())?;
            }
        }
        Ok(())
    }
}

impl Confine for Confined {
    fn confine(&self, command: &mut Command, access: &Access<'_>) -> io::Result<Option<Leash>> {
        let policy = Policy {
            readable: vec![access.readable.to_owned()],
            writable: access.writable.map(ToOwned::to_owned),
            limits: Limits {
                memory_bytes: MEMORY_BYTES,
                cpu_seconds: CPU_SECONDS,
                file_bytes: FILE_BYTES,
                processes: THREADS,
                open_files: OPEN_FILES,
                wall: WALL,
            },
        };
        if let Some(folder) = access.writable {
            self.hand_over(folder)?;
        }
        let leash = self
            .sandbox
            .confine(command, &policy)
            .map_err(io::Error::other)?;
        Ok(Some(leash))
    }
}
