//! System calls by number: what an attacker has, and the safe wrappers do not give.
#![expect(unsafe_code, reason = "an attacker's calls have no safe wrappers")]

use nix::errno::Errno;
use nix::libc::{self, c_long};

/// Makes a system call whose arguments are numbers, or the address of something that the caller keeps alive.
pub(crate) fn call(number: c_long, arguments: &[u64]) -> Result<i64, Errno> {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
    // SAFETY: the callers pass numbers and addresses of what they own; the process exists only for this call.
    let result = unsafe {
        libc::syscall(
            number,
            argument(0),
            argument(1),
            argument(2),
            argument(3),
            argument(4),
            argument(5),
        )
    };
    Errno::result(result)
}

/// Forks; true in the child.
pub(crate) fn fork() -> Result<bool, Errno> {
    // SAFETY: the process has one thread.
    unsafe { nix::unistd::fork() }.map(nix::unistd::ForkResult::is_child)
}

pub(crate) fn address<T>(of: &T) -> u64 {
    std::ptr::from_ref(of) as u64
}
