//! The process between the service and the program. It kills the program when its time is up or its guard is dropped,
//! and then ends in the same way as the program.
//!
//! It runs in a fork of the service and never executes a program, so it must not allocate or take a lock.
#![expect(unsafe_code, reason = "closes the descriptors that the fork copied")]

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::raw_calls::{self, ForkedChild};
use crate::termination::{CPU_TIME, WALL_TIME};

/// The kernel kills by a clock that counts ticks. On a busy machine it can be some hundred milliseconds ahead of the
/// precise clock of `getrusage`.
const CPU_TIME_TOLERANCE_MS: u64 = 400;

#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimits {
    pub(crate) wall_time: Duration,
    pub(crate) cpu_seconds: Option<u64>,
}

/// Supervises the program. `guard` is the supervisor's end of the kill guard. The program holds the other end of
/// `alive` and so notices when this process ends.
///
/// # Safety
///
/// This process must be a fork that runs nothing else, with `guard` open.
pub(crate) unsafe fn supervise(program: &ForkedChild, guard: RawFd, alive: &OwnedFd, limits: TimeLimits) -> ! {
    // The supervisor must not keep the service's descriptors open. Otherwise readers of its pipes would never see the
    // end. SAFETY: from here on this process uses only the three descriptors that stay open. It ends by `_exit` or by a
    // signal, so no owner of the others is ever dropped.
    unsafe { raw_calls::close_all_except([guard, program.pidfd.as_raw_fd(), alive.as_raw_fd()]) };
    // SAFETY: the caller promises that the descriptor is open; the line above kept it, and nothing closes it later.
    let guard = unsafe { BorrowedFd::borrow_raw(guard) };
    let is_in_time = wait_for_end(&program.pidfd, guard, limits.wall_time);
    // Both fail if the program is gone already, which is fine. Killing the group matters without a process namespace:
    // with one, the kernel kills everything that the program started.
    let _ = kill(program.pid, Signal::SIGKILL);
    let _ = kill(Pid::from_raw(-program.pid.as_raw()), Signal::SIGKILL);
    match waitpid(program.pid, None) {
        _ if !is_in_time => raw_calls::exit_by_signal(WALL_TIME),
        Ok(WaitStatus::Exited(_, code)) => raw_calls::exit(code),
        Ok(WaitStatus::Signaled(_, Signal::SIGKILL, _)) if has_used(limits.cpu_seconds) => {
            raw_calls::exit_by_signal(CPU_TIME)
        }
        Ok(WaitStatus::Signaled(_, signal, _)) => raw_calls::exit_by_signal(signal),
        _ => raw_calls::exit_by_signal(Signal::SIGKILL),
    }
}

/// Waits until the program ends or the guard is dropped. Returns false if the time is up first.
fn wait_for_end(program: &OwnedFd, guard: BorrowedFd<'_>, wall_time: Duration) -> bool {
    let started = Instant::now();
    loop {
        let left = wall_time.saturating_sub(started.elapsed());
        let timeout = PollTimeout::try_from(left + Duration::from_millis(1)).unwrap_or(PollTimeout::MAX);
        let events = PollFlags::POLLIN | PollFlags::POLLHUP;
        match poll(&mut [PollFd::new(program.as_fd(), events), PollFd::new(guard, events)], timeout) {
            Ok(0) if left.is_zero() => return false,
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) | Err(_) => return true,
        }
    }
}

/// Whether the program used up its CPU time. The kernel then kills it with SIGKILL, as it does for other reasons.
fn has_used(cpu_seconds: Option<u64>) -> bool {
    let (Some(limit), Ok(usage)) = (cpu_seconds, getrusage(UsageWho::RUSAGE_CHILDREN)) else {
        return false;
    };
    let used = (usage.user_time() + usage.system_time()).num_milliseconds();
    u64::try_from(used).is_ok_and(|used| used + CPU_TIME_TOLERANCE_MS >= limit.saturating_mul(1000))
}
