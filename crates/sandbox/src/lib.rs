//! Runs one untrusted program: an ffmpeg that reads a stranger's file.
//!
//! The program gets no network, only the files that its [`Policy`] names, one folder to write to, an empty environment,
//! and limits on memory, time, file size and threads. It ends when its [`KillGuard`] is dropped, when its time is up,
//! and when the process that started it ends for any reason.
//!
//! The layers overlap. Where it can, the system call filter blocks what Landlock blocks too. If both fail, the
//! namespaces still hide the rest of the system. This crate knows nothing about media, and supports only Linux.

mod after_fork;
mod confine;
mod filesystem;
mod identity;
mod interpreter;
mod kill_guard;
mod limits;
mod policy;
mod raw_calls;
mod supervisor;
mod support;
mod system_calls;
mod termination;
mod trial;

pub use confine::{Error, Sandbox};
pub use filesystem::RulesError;
pub use identity::InaccessiblePath;
pub use kill_guard::KillGuard;
pub use policy::{Limits, Policy};
pub use support::{Layer, MissingLayers, Support};
pub use termination::Termination;
