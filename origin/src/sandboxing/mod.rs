//! Confines ffmpeg and ffprobe with the sandbox: the files that each process may use, and its limits.

use crate::media::{Access, Confinement};
use sandbox::{KillGuard, Limits, Policy, Sandbox};
use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Encoding 4K into several renditions takes about 2 GB of address space. A decompression bomb hits this limit.
const MEMORY_BYTES: u64 = 6 << 30;
/// The library of a graphics card reserves address space for all memory of the machine and of the card.
const MEMORY_BYTES_WITH_DEVICES: u64 = 1 << 40;
const CPU_SECONDS: u64 = 3600;
/// Far more than the largest rendition of two minutes.
const FILE_BYTES: u64 = 2 << 30;
const THREADS: u64 = 256;
const OPEN_FILES: u64 = 256;
const WALL_TIME: Duration = Duration::from_hours(1);

#[derive(Debug)]
pub struct SandboxConfinement {
    sandbox: Sandbox,
}

impl SandboxConfinement {
    pub fn new(sandbox: Sandbox) -> Self {
        Self { sandbox }
    }

    /// Makes the sandboxed user the owner of a folder and of all folders in it, because ffmpeg writes to them.
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

impl Confinement for SandboxConfinement {
    fn confine(&self, command: &mut Command, access: &Access<'_>) -> io::Result<Option<KillGuard>> {
        if let Some(folder) = access.writable {
            self.hand_over(folder)?;
        }
        let guard = self.sandbox.confine(command, &policy(access)).map_err(io::Error::other)?;
        Ok(Some(guard))
    }
}

fn policy(access: &Access<'_>) -> Policy {
    Policy {
        readable: access.readable.map(ToOwned::to_owned).into_iter().collect(),
        writable: access.writable.map(ToOwned::to_owned),
        devices: access.devices.to_vec(),
        limits: Limits {
            memory_bytes: if access.devices.is_empty() { MEMORY_BYTES } else { MEMORY_BYTES_WITH_DEVICES },
            cpu_seconds: CPU_SECONDS,
            file_bytes: FILE_BYTES,
            threads: THREADS,
            open_files: OPEN_FILES,
            wall_time: WALL_TIME,
        },
    }
}
