//! Runs one program that must not be trusted: an ffmpeg that reads a stranger's file.
//!
//! The program gets no network, the files it is given and one folder to write to, an empty environment, and limits on
//! memory, time, file size and processes. It ends when its [`Leash`] is dropped, when its time is up, and when the process
//! that started it ends, however that happens.
//!
//! Every wall is doubled: what Landlock forbids, the filter of system calls forbids too where it can, and the namespaces
//! leave nothing to reach behind both. This crate knows nothing of media, and Linux is the only system it knows.

mod child;
mod ended;
mod filesystem;
mod identity;
mod interpreter;
mod leash;
mod limits;
mod policy;
mod run;
mod support;
mod system_calls;

pub use ended::Ended;
pub use leash::Leash;
pub use policy::{Limits, Policy};
pub use run::{Error, Sandbox};
pub use support::{Missing, Part, Support};
