//! Why a confined program ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::sys::signal::Signal;

/// An exit status, read with the sandbox in mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with this code. A limit on memory, open files or threads shows like this too, and mostly one on file
    /// size: the program was refused and gave up.
    Exited(i32),
    /// Its time on the clock was up.
    WallTime,
    /// Its time on the processors was up.
    ProcessorTime,
    /// It made a system call that only an attack makes.
    ForbiddenCall,
    /// It wrote more to a file than it may, and did not handle that.
    FileSize,
    /// It was killed: its leash was dropped, somebody killed it, or the machine had no memory left.
    Killed,
    /// It crashed by this signal.
    Crashed(i32),
}

/// The supervisor ends by this signal when the time on the clock is up.
pub(crate) const WALL_TIME: Signal = Signal::SIGALRM;
/// The supervisor ends by this signal when the kernel killed the program for the time it used.
pub(crate) const PROCESSOR_TIME: Signal = Signal::SIGXCPU;

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        let Some(signal) = status.signal() else {
            return Self::Exited(status.code().unwrap_or(-1));
        };
        match Signal::try_from(signal) {
            Ok(WALL_TIME) => Self::WallTime,
            Ok(PROCESSOR_TIME) => Self::ProcessorTime,
            Ok(Signal::SIGXFSZ) => Self::FileSize,
            Ok(Signal::SIGSYS) => Self::ForbiddenCall,
            Ok(Signal::SIGKILL) => Self::Killed,
            _ => Self::Crashed(signal),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_has_a_name_of_its_own() {
        let ends =
            [0, 256, 14, 24, 25, 31, 9, 11].map(|raw| Ended::from(ExitStatus::from_raw(raw)));
        let expected = [
            Ended::Exited(0),
            Ended::Exited(1),
            Ended::WallTime,
            Ended::ProcessorTime,
            Ended::FileSize,
            Ended::ForbiddenCall,
            Ended::Killed,
            Ended::Crashed(11),
        ];
        assert_eq!(ends, expected);
    }
}
