//! System calls by number, which an attacker can make although no safe wrapper offers them.
#![expect(unsafe_code, reason = "an attacker's system calls have no safe wrappers")]

use nix::errno::Errno;
use nix::libc::{self, c_long};

/// Makes a system call. Each argument is a number or the [`address`] of a value that the caller keeps alive.
pub(crate) fn call(number: c_long, arguments: &[u64]) -> Result<i64, Errno> {
    let argument = |index: usize| arguments.get(index).copied().unwrap_or(0);
    // SAFETY: every address points to a value of the caller that is alive during the call and large enough for what the
    // kernel reads or writes there. This process runs a single attempt on one thread and then exits, so an attempt that
    // changes the process itself affects nothing else.
    let result =
        unsafe { libc::syscall(number, argument(0), argument(1), argument(2), argument(3), argument(4), argument(5)) };
    Errno::result(result)
}

/// Forks. Returns true in the child.
pub(crate) fn fork() -> Result<bool, Errno> {
    // SAFETY: this process has one thread, so the child may do anything.
    unsafe { nix::unistd::fork() }.map(nix::unistd::ForkResult::is_child)
}

pub(crate) fn address<T>(of: &T) -> u64 {
    std::ptr::from_ref(of) as u64
}
