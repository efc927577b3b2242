//! The programs that the media work drives, and the one door through which they are confined.
//!
//! Knows neither how a sandbox is made nor what a job is.

use sandbox::Leash;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Where ffmpeg and ffprobe are, and how a process of theirs is confined.
#[derive(Clone, Debug)]
pub struct Tools {
    pub ffmpeg: PathBuf,
    pub ffprobe: PathBuf,
    pub confine: Arc<dyn Confine>,
    /// Threads for each decoder, encoder and filter graph: cores divided by the jobs that run side by side.
    pub threads: usize,
}

/// What one process may touch.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    pub readable: &'a Path,
    pub writable: Option<&'a Path>,
}

/// Puts a process that reads a stranger's file into a cage before it starts, and ends it with all that it started.
pub trait Confine: Send + Sync + std::fmt::Debug {
    /// For one spawn. What it returns is dropped to end the process.
    fn confine(&self, command: &mut Command, access: &Access<'_>)
    -> std::io::Result<Option<Leash>>;
}

/// No cage at all, for tests and measurements on files of one's own.
#[derive(Debug)]
pub struct Unconfined;

impl Confine for Unconfined {
    fn confine(
        &self,
        command: &mut Command,
        _access: &Access<'_>,
    ) -> std::io::Result<Option<Leash>> {
        let path = std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
        command.env_clear().env("PATH", path);
        Ok(None)
    }
}

/// Raised by whoever no longer wants the work; its processes end within a tenth of a second.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// One file on the bench: what reads it, where it is, and the private folder that takes what comes of it.
#[derive(Clone, Copy, Debug)]
pub struct Workshop<'a> {
    pub tools: &'a Tools,
    pub source: &'a Path,
    pub folder: &'a Path,
    pub stop: &'a Stop,
}
