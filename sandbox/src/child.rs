//! What happens between fork and exec: the only file with unsafe code.
//!
//! The forked process becomes a small supervisor; its child, in namespaces of its own, gives up all rights step by step and
//! then becomes the program. The supervisor kills it when the leash goes slack or the time is up, and then ends as
//! the program ended.
//!
//! The service has many threads, and a fork copies only one, with all locks as they were. So nothing here may allocate,
//! lock or wait for anything but the kernel: what is needed is made before the fork and stands in a [`Plan`].
#![expect(
    unsafe_code,
    reason = "fork, exec and a few system calls that have no safe wrapper"
)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc::{self, c_int, c_long};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::resource::{Resource, UsageWho, getrusage};
use nix::sys::signal::{SigSet, Signal, kill, raise};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{Pid, pipe2, setpgid};

use crate::ended::{PROCESSOR_TIME, WALL_TIME};
use crate::identity::Identity;
use crate::leash::SupervisorEnd;
use crate::limits::{self, ResourceLimits};
use crate::system_calls::Filters;

/// No network, no other processes, no shared memory of others, no host name, no groups of processes to see.
const NAMESPACES: c_int = libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

const FIRST_AFTER_STANDARD_STREAMS: u32 = 3;

/// Everything that one run needs after the fork. What is none, this kernel lacks.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) leash: SupervisorEnd,
    pub(crate) identity: Identity,
    pub(crate) namespaces: bool,
    pub(crate) limits: Option<ResourceLimits>,
    pub(crate) rules: Option<OwnedFd>,
    pub(crate) filters: Option<Filters>,
    pub(crate) wall: Duration,
}

/// Has the command follow the plan when it is spawned.
pub(crate) fn confine(command: &mut Command, plan: Plan) {
    // SAFETY: `Plan::begin` keeps to what this file promises: no allocation and no lock after the fork.
    unsafe { command.pre_exec(move || plan.begin()) };
}

impl Plan {
    /// In the forked process: returns in the one that is to become the program, and only there.
    fn begin(&self) -> io::Result<()> {
        let Some(leash) = self.leash.descriptor() else {
            return Err(Errno::ECANCELED.into());
        };
        let (supervisor_ended, supervisor_lives) = pipe2(OFlag::O_CLOEXEC)?;
        assume(&self.identity)?;
        prctl::set_dumpable(false)?;
        let namespaces = if self.namespaces { NAMESPACES } else { 0 };
        if let Some((program, ended)) = fork(namespaces)? {
            self.supervise(program, &ended, leash, &supervisor_lives)
        }
        drop(supervisor_lives);
        self.give_up_rights(&supervisor_ended)
    }

    /// From the outermost wall to the innermost. The filter is last, as it forbids the steps before it.
    fn give_up_rights(&self, supervisor_ended: &OwnedFd) -> io::Result<()> {
        die_with_supervisor(supervisor_ended)?;
        let this = Pid::from_raw(0);
        setpgid(this, this)?;
        if self.namespaces {
            map_user(&self.identity)?;
        }
        if let Some(limits) = &self.limits {
            limits::apply(limits)?;
        }
        prctl::set_no_new_privs()?;
        if let Some(rules) = &self.rules {
            restrict_self(rules)?;
        }
        close_at_exec()?;
        self.filters.as_ref().map_or(Ok(()), |filters| {
            filters.apply().map_err(|error| error_number(&error).into())
        })
    }

    /// Waits for the program, the leash or the time, whichever is first; then ends as the program ended.
    fn supervise(&self, program: Pid, ended: &OwnedFd, leash: RawFd, lives: &OwnedFd) -> ! {
        close_all_but([leash, ended.as_raw_fd(), lives.as_raw_fd()]);
        // SAFETY: the descriptor is open: the plan holds it, and the line above kept it.
        let leash = unsafe { BorrowedFd::borrow_raw(leash) };
        let in_time = wait_for_any(ended, leash, self.wall);
        // That it, or its group, is gone already is no error. The group matters where no namespace holds what it started.
        let _ = kill(program, Signal::SIGKILL);
        let _ = kill(Pid::from_raw(-program.as_raw()), Signal::SIGKILL);
        let status = waitpid(program, None);
        match status {
            _ if !in_time => end_by(WALL_TIME),
            Ok(WaitStatus::Exited(_, code)) => exit(code),
            Ok(WaitStatus::Signaled(_, Signal::SIGKILL, _)) if self.used_its_processor_time() => {
                end_by(PROCESSOR_TIME)
            }
            Ok(WaitStatus::Signaled(_, signal, _)) => end_by(signal),
            _ => end_by(Signal::SIGKILL),
        }
    }

    fn used_its_processor_time(&self) -> bool {
        let Ok(used) = getrusage(UsageWho::RUSAGE_CHILDREN) else {
            return false;
        };
        let used = (used.user_time() + used.system_time()).num_milliseconds();
        let limit = self
            .limits
            .iter()
            .flatten()
            .find(|(resource, _)| *resource == Resource::RLIMIT_CPU);
        // The kernel's two ways to count differ by some ticks.
        limit.is_some_and(|&(_, limit)| {
            u64::try_from(used).is_ok_and(|used| used + 100 >= limit.saturating_mul(1000))
        })
    }
}

/// False when the time is up first.
fn wait_for_any(program: &OwnedFd, leash: BorrowedFd<'_>, wall: Duration) -> bool {
    use std::os::fd::AsFd;
    let started = Instant::now();
    loop {
        let left = wall.saturating_sub(started.elapsed());
        let timeout =
            PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
        let ends = PollFlags::POLLIN | PollFlags::POLLHUP;
        match poll(
            &mut [PollFd::new(program.as_fd(), ends), PollFd::new(leash, ends)],
            timeout,
        ) {
            Ok(0) if left.is_zero() => return false,
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) | Err(_) => return true,
        }
    }
}

/// The kernel kills this process when the supervisor ends. Where that happened already, it is too late to be told.
fn die_with_supervisor(supervisor_ended: &OwnedFd) -> nix::Result<()> {
    use std::os::fd::AsFd;
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    match poll(
        &mut [PollFd::new(supervisor_ended.as_fd(), PollFlags::POLLHUP)],
        PollTimeout::ZERO,
    )? {
        0 => Ok(()),
        _ => Err(Errno::ESRCH),
    }
}

/// The user keeps its number in the new namespace, and nobody else has one there.
pub(crate) fn map_user(identity: &Identity) -> io::Result<()> {
    // The files belong to root while the process is not dumpable.
    prctl::set_dumpable(true)?;
    // A group can only be mapped by one who can no longer change its groups.
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", &identity.user_map)?;
    std::fs::write("/proc/self/gid_map", &identity.group_map)?;
    Ok(prctl::set_dumpable(false)?)
}

fn error_number(error: &seccompiler::Error) -> Errno {
    match error {
        seccompiler::Error::Prctl(error) | seccompiler::Error::Seccomp(error) => {
            Errno::from_raw(error.raw_os_error().unwrap_or(libc::EINVAL))
        }
        _ => Errno::EINVAL,
    }
}

/// Ends this process by the signal, so that whoever waits for it learns what the program died of.
fn end_by(signal: Signal) -> ! {
    let _ = SigSet::all().thread_unblock();
    // SAFETY: the default action is no function.
    let _ = unsafe { nix::sys::signal::signal(signal, nix::sys::signal::SigHandler::SigDfl) };
    let _ = raise(signal);
    exit(128 + signal as c_int)
}

fn exit(code: c_int) -> ! {
    // SAFETY: ends the process without running anything of the service's, whose copy this is.
    unsafe { libc::_exit(code) }
}

/// Runs the steps in a forked process, and tells how they went there.
pub(crate) fn try_in_child(
    namespaces: bool,
    steps: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let Some((child, _)) = fork(if namespaces { NAMESPACES } else { 0 })? else {
        exit(steps().map_or_else(|error| error.raw_os_error().unwrap_or(libc::EINVAL), |()| 0))
    };
    match waitpid(child, None)? {
        WaitStatus::Exited(_, 0) => Ok(()),
        WaitStatus::Exited(_, error) => Err(io::Error::from_raw_os_error(error)),
        _ => Err(Errno::ECHILD.into()),
    }
}

/// Changes for good to the program's user. By plain system calls: the C library's functions of these names wait for
/// threads and locks, which a fork leaves behind.
pub(crate) fn assume(identity: &Identity) -> nix::Result<()> {
    clear_ambient_capabilities()?;
    if !identity.changes {
        return Ok(());
    }
    let (user, group) = (identity.user, identity.group);
    // SAFETY: numbers only, the list of groups being empty.
    Errno::result(unsafe { libc::syscall(libc::SYS_setgroups, 0, 0) })?;
    // SAFETY: numbers only.
    Errno::result(unsafe { libc::syscall(libc::SYS_setresgid, group, group, group) })?;
    // SAFETY: numbers only.
    Errno::result(unsafe { libc::syscall(libc::SYS_setresuid, user, user, user) }).map(drop)
}

/// A fork whose child may have new namespaces: none in the child, in the parent the child and a descriptor of it.
fn fork(namespaces: c_int) -> nix::Result<Option<(Pid, OwnedFd)>> {
    let mut descriptor: RawFd = -1;
    let flags = c_long::from(namespaces | libc::CLONE_PIDFD | libc::SIGCHLD);
    // SAFETY: without CLONE_VM the child has a copy of the memory, as after fork; the kernel writes the descriptor into
    // the third argument. The stack is none: the child goes on with its copy of this one.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut descriptor, 0, 0) };
    match Errno::result(child)? {
        0 => Ok(None),
        child => {
            // SAFETY: the kernel has just made the descriptor, and nobody else knows of it.
            let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
            Ok(Some((
                Pid::from_raw(i32::try_from(child).map_err(|_| Errno::EOVERFLOW)?),
                descriptor,
            )))
        }
    }
}

/// Puts a Landlock ruleset into force.
pub(crate) fn restrict_self(rules: &OwnedFd) -> nix::Result<()> {
    // SAFETY: a number and flags; no memory is passed.
    Errno::result(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) })
        .map(drop)
}

/// The version of Landlock's interface, 0 where there is none.
pub(crate) fn landlock_version() -> u32 {
    const VERSION: c_int = 1;
    // SAFETY: asked for the version, the kernel reads no attributes.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// Capabilities that a service was started with would outlive exec.
fn clear_ambient_capabilities() -> nix::Result<()> {
    // SAFETY: numbers only.
    Errno::result(unsafe {
        libc::prctl(
            libc::PR_CAP_AMBIENT,
            libc::PR_CAP_AMBIENT_CLEAR_ALL,
            0,
            0,
            0,
        )
    })
    .map(drop)
}

/// The program starts with its three standard streams and nothing else that is open. Only at exec, as the standard library still
/// tells through one of the others whether exec failed.
fn close_at_exec() -> nix::Result<()> {
    close_range(
        FIRST_AFTER_STANDARD_STREAMS,
        u32::MAX,
        libc::CLOSE_RANGE_CLOEXEC,
    )
}

/// The supervisor holds nothing of the service's, above all no end of a pipe that others wait for.
fn close_all_but(mut kept: [RawFd; 3]) {
    kept.sort_unstable();
    let mut first = 0;
    for kept in kept.map(RawFd::unsigned_abs) {
        if first < kept {
            let _ = close_range(first, kept - 1, 0);
        }
        first = kept + 1;
    }
    let _ = close_range(first, u32::MAX, 0);
}

fn close_range(first: u32, last: u32, flags: u32) -> nix::Result<()> {
    // SAFETY: numbers only. Owners of what is closed never run: this process ends by exec or _exit.
    Errno::result(unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) }).map(drop)
}

/// The trial of closing, for a forked process that ends right after.
pub(crate) fn try_closing() -> nix::Result<()> {
    close_at_exec()
}
