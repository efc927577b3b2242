//! Tries a layer in a forked process, in the same way as a program's start uses it.
#![expect(unsafe_code, reason = "forks")]

use std::io;
use std::os::fd::OwnedFd;

use nix::errno::Errno;
use nix::libc::{self, c_int};
use nix::sys::prctl;
use nix::sys::wait::{WaitStatus, waitpid};

use crate::after_fork::{NAMESPACES, hide_processes, map_user, switch_user};
use crate::identity::Identity;
use crate::limits::{self, ResourceLimits};
use crate::raw_calls;
use crate::system_calls::Filters;

/// A layer to try, with the values that it is applied with.
pub(crate) enum Trial<'a> {
    User(&'a Identity),
    Namespaces(&'a Identity),
    Landlock(&'a OwnedFd),
    SystemCallFilter(&'a Filters),
    ResourceLimits(&'a ResourceLimits),
}

impl Trial<'_> {
    /// Whether the layer can be applied on this machine.
    pub(crate) fn succeeds(&self) -> bool {
        // SAFETY: `apply` neither allocates nor waits for a lock.
        unsafe { run_in_child(0, || self.apply()) }.is_ok()
    }

    fn apply(&self) -> io::Result<()> {
        match self {
            Self::User(identity) => Ok(switch_user(identity)?),
            // Namespaces are created by the user that programs run as.
            Self::Namespaces(identity) => {
                switch_user(identity)?;
                let enter = || map_user(identity).and_then(|()| Ok(hide_processes()?));
                // SAFETY: neither of the two allocates or waits for a lock.
                unsafe { run_in_child(NAMESPACES, enter) }
            }
            Self::Landlock(rules) => {
                prctl::set_no_new_privs()?;
                Ok(raw_calls::enforce_ruleset(rules)?)
            }
            Self::SystemCallFilter(filters) => filters.apply(),
            Self::ResourceLimits(limits) => {
                limits::apply(limits)?;
                Ok(raw_calls::close_at_exec()?)
            }
        }
    }
}

/// Runs the steps in a forked process and returns their result.
///
/// # Safety
///
/// The steps must not allocate or take a lock: see [`raw_calls::fork`].
unsafe fn run_in_child(namespaces: c_int, steps: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    // SAFETY: the child runs the steps, about which the caller promises the same, and then exits.
    let Some(child) = (unsafe { raw_calls::fork(namespaces) })? else {
        raw_calls::exit(steps().map_or_else(|error| error.raw_os_error().unwrap_or(libc::EINVAL), |()| 0))
    };
    match waitpid(child.pid, None)? {
        WaitStatus::Exited(_, 0) => Ok(()),
        WaitStatus::Exited(_, error) => Err(io::Error::from_raw_os_error(error)),
        _ => Err(Errno::ECHILD.into()),
    }
}
