//! The input that every stage shares: the file, its private folder, the programs, and how they are confined and
//! cancelled.
//!
//! It must not depend on how a sandbox works, or on jobs.

use super::encoders::Encoders;
use sandbox::KillGuard;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// One file to process.
#[derive(Clone, Copy, Debug)]
pub struct MediaContext<'a> {
    pub tools: &'a Tools,
    pub source: &'a Path,
    /// The private folder that receives everything the stages write.
    pub folder: &'a Path,
    pub cancel: &'a CancelFlag,
}

/// The ffmpeg and ffprobe programs, how their processes are confined, and how they encode.
#[derive(Clone, Debug)]
pub struct Tools {
    pub ffmpeg: PathBuf,
    pub ffprobe: PathBuf,
    pub confinement: Arc<dyn Confinement>,
    /// Threads for each decoder, encoder and filter graph: the cores divided by the jobs that run side by side.
    pub threads: usize,
    pub encoders: Encoders,
}

/// The paths that one process may touch.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The untrusted file, for a process that reads it.
    pub readable: Option<&'a Path>,
    pub writable: Option<&'a Path>,
    /// The files of a graphics card, for a process that encodes with it.
    pub devices: &'a [PathBuf],
}

/// Confines the processes of ffmpeg and ffprobe.
pub trait Confinement: Send + Sync + std::fmt::Debug {
    /// Prepares one command before it is spawned. Dropping the returned guard ends the process and its descendants.
    fn confine(&self, command: &mut Command, access: &Access<'_>) -> std::io::Result<Option<KillGuard>>;
}

/// No confinement, for tests and measurements on trusted files.
#[derive(Debug)]
pub struct NoConfinement;

impl Confinement for NoConfinement {
    fn confine(&self, command: &mut Command, _access: &Access<'_>) -> std::io::Result<Option<KillGuard>> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
        command.env_clear().env("PATH", path);
        Ok(None)
    }
}

/// Cancels the work on a file. Its processes end within a tenth of a second.
#[derive(Clone, Debug, Default)]
pub struct CancelFlag(Arc<AtomicBool>);

impl CancelFlag {
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
