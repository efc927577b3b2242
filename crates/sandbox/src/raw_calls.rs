//! System calls without a safe wrapper. They are made between fork and exec, so none of them allocates or takes a lock.
#![expect(unsafe_code, reason = "system calls that have no safe wrapper")]

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use nix::errno::Errno;
use nix::libc::{self, c_int, c_long};
use nix::sys::signal::{SigHandler, SigSet, Signal, raise, signal};
use nix::unistd::Pid;

const FIRST_AFTER_STANDARD_STREAMS: u32 = 3;

/// A child process, and a descriptor that becomes readable when it ends.
pub(crate) struct ForkedChild {
    pub(crate) pid: Pid,
    pub(crate) pidfd: OwnedFd,
}

/// Forks a child, in the new namespaces given as `CLONE_NEW…` flags. Returns `None` in the child.
///
/// # Safety
///
/// The child has only the calling thread, and every lock is as it was at the fork. Until it executes a program or
/// exits, it must not allocate or take a lock.
pub(crate) unsafe fn fork(namespaces: c_int) -> nix::Result<Option<ForkedChild>> {
    let mut descriptor: RawFd = -1;
    let flags = c_long::from(namespaces | libc::CLONE_PIDFD | libc::SIGCHLD);
    // SAFETY: without CLONE_VM the child gets a copy of the memory, as after fork(2), and with a null stack it
    // continues on its copy of the current one. The kernel writes the descriptor through the third argument, a pointer
    // to a local variable of the right type. The caller promises the rest.
    let child = unsafe { libc::syscall(libc::SYS_clone, flags, 0, &raw mut descriptor, 0, 0) };
    match Errno::result(child)? {
        0 => Ok(None),
        child => {
            // SAFETY: the kernel has just opened this descriptor, and nothing else owns it.
            let pidfd = unsafe { OwnedFd::from_raw_fd(descriptor) };
            let pid = Pid::from_raw(i32::try_from(child).map_err(|_| Errno::EOVERFLOW)?);
            Ok(Some(ForkedChild { pid, pidfd }))
        }
    }
}

/// Ends this process at once, without running anything that the service registered for its own exit.
pub(crate) fn exit(code: c_int) -> ! {
    // SAFETY: `_exit` takes a number, does not touch the program's memory and never returns.
    unsafe { libc::_exit(code) }
}

/// Ends this process by the signal, so that its exit status names the signal.
pub(crate) fn exit_by_signal(with: Signal) -> ! {
    let _ = SigSet::all().thread_unblock();
    // SAFETY: the default action installs no handler, so no code can run in a signal context.
    let _ = unsafe { signal(with, SigHandler::SigDfl) };
    let _ = raise(with);
    exit(128 + with as c_int)
}

/// Changes this process to the user and group, without supplementary groups.
///
/// Uses plain system calls, because the C library's functions of the same names synchronise all threads with locks that
/// a fork may have copied in a locked state.
pub(crate) fn set_user(user: u32, group: u32) -> nix::Result<()> {
    // SAFETY: passes no memory: the list of groups is empty.
    Errno::result(unsafe { libc::syscall(libc::SYS_setgroups, 0, 0) })?;
    // SAFETY: passes only numbers.
    Errno::result(unsafe { libc::syscall(libc::SYS_setresgid, group, group, group) })?;
    // SAFETY: passes only numbers.
    Errno::result(unsafe { libc::syscall(libc::SYS_setresuid, user, user, user) }).map(drop)
}

/// Drops the ambient capabilities, which a program would otherwise inherit through exec.
pub(crate) fn clear_ambient_capabilities() -> nix::Result<()> {
    // SAFETY: passes only numbers.
    Errno::result(unsafe { libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) }).map(drop)
}

/// Enforces a Landlock ruleset on this process.
pub(crate) fn enforce_ruleset(rules: &OwnedFd) -> nix::Result<()> {
    // SAFETY: passes only numbers: an open descriptor and flags.
    Errno::result(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) }).map(drop)
}

/// Returns the version of the kernel's Landlock interface, or 0 without Landlock.
pub(crate) fn landlock_version() -> u32 {
    const VERSION: c_int = 1;
    // SAFETY: with this flag the kernel reads no attributes, so the null pointer is never followed.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, VERSION) };
    u32::try_from(version).unwrap_or(0)
}

/// Marks every descriptor except the standard streams to be closed at exec.
///
/// They cannot be closed now, because the standard library still reports through one of them whether exec failed.
pub(crate) fn close_at_exec() -> nix::Result<()> {
    close_range(FIRST_AFTER_STANDARD_STREAMS, u32::MAX, libc::CLOSE_RANGE_CLOEXEC)
}

/// Closes every descriptor except these, the standard streams included.
///
/// # Safety
///
/// Nothing in this process may use another descriptor, or drop its owner, from now on.
pub(crate) unsafe fn close_all_except(mut kept: [RawFd; 3]) {
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

/// The caller ensures that nothing uses the descriptors afterwards, or passes `CLOSE_RANGE_CLOEXEC`.
fn close_range(first: u32, last: u32, flags: u32) -> nix::Result<()> {
    // SAFETY: passes only numbers.
    Errno::result(unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) }).map(drop)
}
