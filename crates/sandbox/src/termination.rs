//! The reason why a confined program ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::sys::signal::Signal;

/// The reason why a confined program ended, read from its exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Termination {
    /// The program exited with this code. This is also how most limits show up: allocating memory, opening a file,
    /// starting a thread and usually writing too large a file fail with an error, and the program gives up.
    Exited(i32),
    /// The wall time limit was reached.
    WallTimeLimit,
    /// The CPU time limit was reached.
    CpuTimeLimit,
    /// The program made a system call that only an attack makes.
    ForbiddenSystemCall,
    /// The program wrote more to a file than allowed, and did not handle the error.
    FileSizeLimit,
    /// The program was killed: its guard was dropped, another process killed it, or the machine ran out of memory.
    Killed,
    /// The program crashed with this signal.
    Crashed(i32),
}

/// The supervisor ends with this signal after it killed the program for its wall time.
pub(crate) const WALL_TIME: Signal = Signal::SIGALRM;
/// The supervisor ends with this signal after the kernel killed the program for its CPU time.
pub(crate) const CPU_TIME: Signal = Signal::SIGXCPU;

impl From<ExitStatus> for Termination {
    fn from(status: ExitStatus) -> Self {
        let Some(signal) = status.signal() else {
            return Self::Exited(status.code().unwrap_or(-1));
        };
        match Signal::try_from(signal) {
            Ok(WALL_TIME) => Self::WallTimeLimit,
            Ok(CPU_TIME) => Self::CpuTimeLimit,
            Ok(Signal::SIGXFSZ) => Self::FileSizeLimit,
            Ok(Signal::SIGSYS) => Self::ForbiddenSystemCall,
            Ok(Signal::SIGKILL) => Self::Killed,
            _ => Self::Crashed(signal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_exit_status_has_its_own_termination() {
        let terminations = [0, 256, 14, 24, 25, 31, 9, 11].map(|raw| Termination::from(ExitStatus::from_raw(raw)));
        let expected = [
            Termination::Exited(0),
            Termination::Exited(1),
            Termination::WallTimeLimit,
            Termination::CpuTimeLimit,
            Termination::FileSizeLimit,
            Termination::ForbiddenSystemCall,
            Termination::Killed,
            Termination::Crashed(11),
        ];
        assert_eq!(terminations, expected);
    }
}
