//! The steps between fork and exec.
//!
//! The process that `Command` forks becomes a supervisor. The supervisor forks again, into new namespaces. That second
//! process gives up its rights step by step and then executes the program.
//!
//! The service has many threads, but a fork copies only the calling one, with every lock as it is at that moment. So
//! nothing here may allocate, take a lock, or wait for anything but the kernel. Everything it needs is prepared before
//! the fork and stored in a [`Plan`].
#![expect(unsafe_code, reason = "code that runs between fork and exec")]

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc::{self, c_int};
use nix::mount::{MsFlags, mount};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::unistd::{Pid, pipe2, setpgid};

use crate::identity::Identity;
use crate::kill_guard::SupervisorEnd;
use crate::limits::{self, ResourceLimits};
use crate::raw_calls;
use crate::supervisor::{TimeLimits, supervise};
use crate::system_calls::Filters;

/// Hides the network, other processes, their shared memory, the host name, the control groups and `/proc`.
pub(crate) const NAMESPACES: c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP;

/// Everything that one run needs after the fork. A layer that is not available is `None` or false.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) guard: SupervisorEnd,
    pub(crate) identity: Identity,
    pub(crate) namespaces: bool,
    /// Whether the mount namespace covers `/proc`.
    pub(crate) hides_processes: bool,
    pub(crate) limits: Option<ResourceLimits>,
    pub(crate) rules: Option<OwnedFd>,
    pub(crate) filters: Option<Filters>,
    pub(crate) wall_time: Duration,
}

/// Makes the command follow the plan when it is spawned.
pub(crate) fn confine(command: &mut Command, plan: Plan) {
    // SAFETY: `Plan::begin` only makes system calls and handles values that were prepared before the fork. It neither
    // allocates nor waits for a lock, as the header of this file requires.
    unsafe { command.pre_exec(move || plan.begin()) };
}

impl Plan {
    /// Runs in the forked process, which becomes the supervisor. Returns only in the process that becomes the program.
    fn begin(&self) -> io::Result<()> {
        let Some(guard) = self.guard.descriptor() else {
            return Err(Errno::ECANCELED.into());
        };
        let (supervisor_ended, supervisor_alive) = pipe2(OFlag::O_CLOEXEC)?;
        switch_user(&self.identity)?;
        prctl::set_dumpable(false)?;
        let namespaces = if self.namespaces { NAMESPACES } else { 0 };
        let limits =
            TimeLimits { wall_time: self.wall_time, cpu_seconds: self.limits.as_ref().and_then(limits::cpu_seconds) };
        // SAFETY: the child only gives up its rights, in the same way as the rest of this file, and then executes the
        // program.
        if let Some(program) = unsafe { raw_calls::fork(namespaces) }? {
            // SAFETY: this process is a fork that runs nothing else. `self.guard` owns the descriptor of the guard and
            // is never dropped here, because this call does not return.
            unsafe { supervise(&program, guard, &supervisor_alive, limits) }
        }
        drop(supervisor_alive);
        self.give_up_rights(&supervisor_ended)
    }

    /// Applies the layers from the outermost to the innermost. The filter is last, because it forbids the other steps.
    fn give_up_rights(&self, supervisor_ended: &OwnedFd) -> io::Result<()> {
        die_with_supervisor(supervisor_ended)?;
        let this_process = Pid::from_raw(0);
        setpgid(this_process, this_process)?;
        if self.namespaces {
            map_user(&self.identity)?;
        }
        if self.hides_processes {
            hide_processes()?;
        }
        if let Some(limits) = &self.limits {
            limits::apply(limits)?;
        }
        prctl::set_no_new_privs()?;
        if let Some(rules) = &self.rules {
            raw_calls::enforce_ruleset(rules)?;
        }
        raw_calls::close_at_exec()?;
        self.filters.as_ref().map_or(Ok(()), Filters::apply)
    }
}

/// Permanently becomes the user that the program runs as.
pub(crate) fn switch_user(identity: &Identity) -> nix::Result<()> {
    raw_calls::clear_ambient_capabilities()?;
    if identity.must_switch { raw_calls::set_user(identity.user, identity.group) } else { Ok(()) }
}

/// Asks the kernel to kill this process when the supervisor ends, and fails if the supervisor has already ended.
fn die_with_supervisor(supervisor_ended: &OwnedFd) -> nix::Result<()> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    match poll(&mut [PollFd::new(supervisor_ended.as_fd(), PollFlags::POLLHUP)], PollTimeout::ZERO)? {
        0 => Ok(()),
        _ => Err(Errno::ESRCH),
    }
}

/// Covers `/proc`, which shows which processes exist, with an empty folder. Landlock does not forbid listing it.
pub(crate) fn hide_processes() -> nix::Result<()> {
    let nothing = None::<&str>;
    mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_PRIVATE, nothing)?;
    let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
    mount(Some("none"), "/proc", Some("tmpfs"), flags, nothing)
}

/// Gives the user the same number in the new user namespace. No other user exists there.
pub(crate) fn map_user(identity: &Identity) -> io::Result<()> {
    // While the process is not dumpable, these files belong to root.
    prctl::set_dumpable(true)?;
    // A process may map a group only after it has given up the right to change its groups.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", &identity.user_map)?;
    std::fs::write("/proc/self/gid_map", &identity.group_map)?;
    Ok(prctl::set_dumpable(false)?)
}
